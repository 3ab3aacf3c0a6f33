/** Redirects of renamed records, whatever happens to the history, the data or the upstream between two builds. */

import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../support/fingerprint.ts';
import { look } from '../support/site-law.ts';
import { useWorld } from '../support/stepped-site.ts';
import { changingUpstream, DEAD } from '../support/steps-world.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { itemAnswer, moveAnswer, upstreamOf } from '../support/upstream-data.ts';

const { build, buildOf, other, siteOf } = useWorld();

describe('redirects of renamed records outlive', () => {
  const lasting = { '/api/gamedata/move/move-1/': '/api/gamedata/move/premier/' };

  const damages: Record<string, (file: string) => void> = {
    'a removed changes.json': (file) => rmSync(file),
    'half of a changes.json': (file) => writeFileSync(file, '{"steps":['),
    'an empty history': (file) => writeFileSync(file, '{"steps":[]}'),
    'an older copy of it': (file) => cpSync(path.join(other('here').folder, 'changes.json'), file),
    'the same, with its time': (file) =>
      execFileSync('cp', ['-a', path.join(other('here').folder, 'changes.json'), file]),
  };
  it.each(Object.keys(damages))('%s', async (name) => {
    const { out, succeed, redirects, expectWhole } = await siteOf('plain', 'renamed', 'renamed-again');
    damages[name]?.(path.join(out, 'changes.json'));
    await succeed(buildOf('grown'));
    await succeed([...buildOf('renamed-again'), '--max-shrink', '100']);
    expect(redirects()).toMatchObject({
      ...lasting,
      '/api/gamedata/move/first/': '/api/gamedata/move/premier/',
    });
    await expectWhole();
  });

  /** The bundled data and the snapshot know of renames since `renamed` only. */
  it.each([
    ['a night without upstream', build('--upstream', DEAD)],
    ['a snapshot whose history is younger', buildOf('followed-late')],
    ['a snapshot without any', buildOf('renamed-again')],
  ])('%s', async (_, args) => {
    const { succeed, redirects, expectWhole } = await siteOf('plain', 'renamed');
    await succeed(args);
    expect(redirects()).toMatchObject(lasting);
    await expectWhole();
  });

  it('data that is merged late', async () => {
    const { succeed, redirects, expectWhole } = await siteOf('plain', 'renamed', 'renamed-again');
    await succeed(buildOf('followed-late'));
    await succeed(buildOf('renamed'));
    const first = '/api/gamedata/move/first/';
    expect(redirects()).toMatchObject({
      '/api/gamedata/move/move-1/': first,
      '/api/gamedata/move/premier/': first,
    });
    await expectWhole();
  });

  it('a stateless build from another address than the bundled data’s', async () => {
    const { succeed, redirects } = await siteOf();
    const upstream = await changingUpstream();
    upstream.now.variant = 'renamed-again';
    await succeed(build('--source', 'rest', '--upstream', upstream.url));
    await upstream.close();
    expect(redirects()).toMatchObject({ '/api/gamedata/move/first/': '/api/gamedata/move/premier/' });
  });

  it('glitches that change every name, until the feed has no place for what was renamed before', async () => {
    const { cwd, succeed, redirects } = await siteOf();
    const items = Array.from({ length: 10 }, (_, at) => itemAnswer(at + 1));
    const glitches = ['old 1', 'new 1', 'new 2', 'new 1', 'new 2', 'new 1'].map((words) => words.split(' '));
    for (const [name, generation] of glitches) {
      const changed = { generation: { url: `/api/v2/generation/${generation}/` } };
      const moves = Array.from({ length: 2600 }, (_, at) => moveAnswer(at + 1, changed));
      moves[0] = moveAnswer(1, { name });
      writeTables(path.join(cwd, 'tables'), tablesOf(upstreamOf({ move: moves, item: items })));
      const source = ['--source', 'csv', '--upstream', 'tables', '--no-names', '--max-shrink', '100'];
      await succeed(['snapshot', '--data', 'data', ...source]);
    }
    await succeed([...build('--source', 'snapshot', '--upstream', 'data'), '--max-shrink', '100']);
    expect(redirects()).toEqual({ '/api/gamedata/move/old/': '/api/gamedata/move/new/' });
  });

  it.each(['former.json', 'moved.json'])(
    '%s that is not as it was published is refused or restored',
    async (file) => {
      const { out, run } = await siteOf('plain', 'renamed', 'renamed-again');
      const before = [...look(out).addresses.keys()];
      writeFileSync(path.join(out, file), '{}\n');
      const damaged = fingerprint(out);
      const { code, stderr } = await run(buildOf('grown'));
      if (code === 0) return expect([...look(out).addresses.keys()]).toEqual(expect.arrayContaining(before));
      expect(stderr).toContain('--forget-history');
      expect(fingerprint(out)).toEqual(damaged);
      expect(await run([...buildOf('grown'), '--forget-history'])).toMatchObject({ code: 0 });
    },
  );
});
