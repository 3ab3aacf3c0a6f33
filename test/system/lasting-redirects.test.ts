import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint } from '../support/fingerprint.ts';
import { look } from '../support/site-invariants.ts';
import * as worlds from '../support/steps-world.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { sharedFolder, temporaryFolder } from '../support/temporary.ts';
import { itemAnswer, moveAnswer, upstreamOf } from '../support/upstream-data.ts';

const folder = sharedFolder();
let world: worlds.World;
let commands: worlds.Commands;
beforeAll(async () => {
  world = await worlds.createWorld(folder);
  commands = worlds.startCommands(world.cli);
});
afterAll(async () => {
  commands.close();
  await world.close();
});

const createBuild = (...source: string[]) => [
  ...['build', ...source, ...worlds.QUICK, '--base-url', 'https://site.test', '--out', 'site'],
];
const buildFrom = (name: string) =>
  createBuild('--source', 'snapshot', '--upstream', path.join(folder, 'data', name));

/** Builds a site of variants one after the other. */
async function createSite(...variants: worlds.Variant[]) {
  const cwd = temporaryFolder();
  const out = path.join(cwd, 'site');
  const run = (args: readonly string[]) => commands.run(args, { cwd });
  const mustRun = (args: readonly string[]) => worlds.mustRun(commands, args, { cwd });
  for (const variant of variants) await mustRun(buildFrom(variant));
  const readRedirects = () => JSON.parse(readFileSync(path.join(out, 'moved.json'), 'utf8'));
  async function expectIntact(): Promise<void> {
    expect([...look(out).wrong]).toEqual([]);
    expect(await run(['verify', 'site'])).toMatchObject({ code: 0 });
  }
  return { cwd, out, run, mustRun, readRedirects, expectIntact };
}

describe('build keeps the redirects of renamed records', () => {
  const move = (slug: string): string => `/api/gamedata/move/${slug}/`;
  const lasting = { [move('move-1')]: move('premier') };

  const findOlder = (): string => path.join(world.others[0]?.folder ?? '', 'changes.json');
  it.each<[string, (file: string) => void]>([
    ['a removed changes.json', (file) => rmSync(file)],
    ['half of a changes.json', (file) => writeFileSync(file, '{"steps":[')],
    ['an empty history', (file) => writeFileSync(file, '{"steps":[]}')],
    ['an older history', (file) => cpSync(findOlder(), file)],
    ['an older history with its mtime', (file) => execFileSync('cp', ['-a', findOlder(), file])],
  ])('after %s', async (_, damage) => {
    const { out, mustRun, readRedirects, expectIntact } = await createSite(
      'plain',
      'renamed',
      'renamed-again',
    );
    damage(path.join(out, 'changes.json'));
    await mustRun(buildFrom('grown'));
    await mustRun([...buildFrom('renamed-again'), '--max-shrink', '100']);
    expect(readRedirects()).toMatchObject({ ...lasting, [move('first')]: move('premier') });
    await expectIntact();
  });

  // The bundled data and the snapshot have renames since `renamed` only.
  it.each([
    ['without the upstream', [createBuild('--upstream', worlds.DEAD)], lasting],
    ['from a snapshot with a younger history', [buildFrom('followed-late')], lasting],
    ['from a snapshot without a history', [buildFrom('renamed-again')], lasting],
    [
      'from data that is merged out of order',
      ['renamed-again', 'followed-late', 'renamed'].map(buildFrom),
      { [move('move-1')]: move('first'), [move('premier')]: move('first') },
    ],
  ])('%s', async (_, builds, redirects) => {
    const { mustRun, readRedirects, expectIntact } = await createSite('plain', 'renamed');
    for (const args of builds) await mustRun(args);
    expect(readRedirects()).toMatchObject(redirects);
    await expectIntact();
  });

  it('into an empty folder, from a different upstream than the bundled data', async () => {
    const { mustRun, readRedirects } = await createSite();
    const upstream = await worlds.startChangingUpstream();
    upstream.now.variant = 'renamed-again';
    await mustRun(createBuild('--source', 'rest', '--upstream', upstream.url));
    await upstream.close();
    expect(readRedirects()).toMatchObject({ [move('first')]: move('premier') });
  });

  it('after changes to every record that push the rename out of the history', async () => {
    const { cwd, mustRun, readRedirects } = await createSite();
    const items = Array.from({ length: 10 }, (_, at) => itemAnswer(at + 1));
    const changes = ['old 1', 'new 1', 'new 2', 'new 1', 'new 2', 'new 1'].map((words) => words.split(' '));
    for (const [name, generation] of changes) {
      const changed = { generation: { url: `/api/v2/generation/${generation}/` } };
      const moves = Array.from({ length: 2600 }, (_, at) => moveAnswer(at + 1, changed));
      moves[0] = moveAnswer(1, { name });
      writeTables(path.join(cwd, 'tables'), tablesOf(upstreamOf({ move: moves, item: items })));
      const source = ['--source', 'csv', '--upstream', 'tables', '--no-names', '--max-shrink', '100'];
      await mustRun(['snapshot', '--data', 'data', ...source]);
    }
    await mustRun([...createBuild('--source', 'snapshot', '--upstream', 'data'), '--max-shrink', '100']);
    expect(readRedirects()).toEqual({ [move('old')]: move('new') });
  });

  it.each(['former.json', 'moved.json'])('or rejects the site if %s was changed', async (file) => {
    const { out, run } = await createSite('plain', 'renamed', 'renamed-again');
    const before = [...look(out).addresses.keys()];
    writeFileSync(path.join(out, file), '{}\n');
    const damaged = fingerprint(out);
    const { code, stderr } = await run(buildFrom('grown'));
    if (code === 0) return expect([...look(out).addresses.keys()]).toEqual(expect.arrayContaining(before));
    expect(stderr).toContain('--forget-history');
    expect(fingerprint(out)).toEqual(damaged);
    expect(await run([...buildFrom('grown'), '--forget-history'])).toMatchObject({ code: 0 });
  });
});
