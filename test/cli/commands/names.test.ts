import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { formatSummary } from '../../../src/cli/report.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { namesIn } from '../../support/kinds.ts';
import { tablesOf, writeTables } from '../../support/tables.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { type Answer, itemAnswer, moveAnswer, plainAnswer, upstreamOf } from '../../support/upstream-data.ts';

const named = (names: { en?: string; fr?: string }) => ({
  names: Object.entries(names).map(([language, name]) => ({
    name,
    language: { name: language, url: `/api/v2/language/${language === 'en' ? 9 : 5}/` },
  })),
});

const filesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(path.join(folder, 'names'))
      .sort()
      .map((file) => [file, readFileSync(path.join(folder, 'names', file), 'utf8')]),
  );

const read = (folder: string, file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

const shared = { cache: false, baseUrl: 'https://example.test', maxShrink: 100 } as const;

/** Builds of an upstream with two moves, which a test may change. */
async function createScene() {
  const answers = {
    ...mapKinds((kind) => [plainAnswer(kind, 1, named({ en: 'Other' }))]),
    move: [1, 2].map((id) => moveAnswer(id, named({ en: `Move ${id}`, fr: `Capacité ${id}` }))),
    item: [itemAnswer(1, { names: [] })],
  };
  const { url: upstream } = await serveUpstream(upstreamOf(answers));
  const out = path.join(temporaryFolder(), 'site');
  const run = (options: Parameters<typeof build>[0] = {}) =>
    build({ ...shared, source: 'rest', upstream, downloads: false, out, ...options });
  return { answers, out, run };
}

describe('names/', () => {
  it("contains exactly the upstream's names, read from responses or from tables", async () => {
    const data = upstreamOf({
      ...mapKinds((kind) => [plainAnswer(kind, 1, named({ en: 'Other' }))]),
      move: [1, 2].map((id) => moveAnswer(id, named({ fr: `Coup ${id}`, en: ` Move ${id} ` }))),
      item: [
        itemAnswer(1, { name: 'roseli-berry', ...named({ en: 'Roseli Berry' }) }),
        itemAnswer(2, { name: 'roseli-berry', ...named({ fr: 'Baie Selro' }) }),
        itemAnswer(3, { names: [] }),
      ],
    });
    const { url: upstream } = await serveUpstream(data);
    const parent = temporaryFolder();
    const [rest, csv, tables] = [`${parent}/rest`, `${parent}/csv`, `${parent}/tables`];
    await build({ ...shared, source: 'rest', upstream, downloads: false, out: rest });
    writeTables(tables, tablesOf(data));
    await build({ ...shared, source: 'csv', upstream: tables, downloads: false, out: csv });

    const { 'index.json': index = '', ...files } = filesIn(rest);
    const moves = (name: string) => ({ 'move-1': `${name} 1`, 'move-2': `${name} 2` });
    const en = { ...mapKinds((kind) => ({ [`${kind}-1`]: 'Other' })), move: moves('Move') };
    expect(files).toEqual({
      'en.json': JSON.stringify({ language: 'en', ...en, item: { 'roseli-berry': 'Roseli Berry' } }),
      'fr.json': JSON.stringify(
        namesIn('fr', { move: moves('Coup'), item: { 'roseli-berry-2': 'Baie Selro' } }),
      ),
    });
    const address = 'https://example.test/names';
    expect(JSON.parse(index).languages).toEqual([
      { language: 'en', name: 'English', ...mapKinds(() => 1), move: 2, url: `${address}/en.json` },
      {
        ...{ language: 'fr', name: 'Français', ...mapKinds(() => 0), move: 2, item: 1 },
        url: `${address}/fr.json`,
      },
    ]);
    expect(filesIn(csv)).toEqual({ ...files, 'index.json': index });
    expect(read(csv, 'meta.json').names).toEqual(read(rest, 'meta.json').names);
    expect(verifyFolder(rest).problems).toEqual([]);
  });

  it('does not affect records or their digest, and can be omitted', async () => {
    const { run, out } = await createScene();
    const [own, none] = [`${out}-with`, `${out}-without`];
    await run({ out: own });
    await run({ out: none, names: false });
    expect({ ...read(own, 'meta.json'), names: undefined }).toEqual(read(none, 'meta.json'));
    const files = (folder: string): string[] =>
      read(folder, 'manifest.json').files.map(({ path }: { path: string }) => path);
    const more = files(own).filter((file) => !files(none).includes(file));
    expect(more).toEqual(['names/en.json', 'names/fr.json', 'names/index.json']);
    expect(readFileSync(path.join(own, 'index.html'), 'utf8')).toContain('names/index.json');
    expect(readFileSync(path.join(none, 'index.html'), 'utf8')).not.toMatch(/names\/|names-language/);
  });

  it('changes with a translation, without affecting the history', async () => {
    const { answers, run, out } = await createScene();
    await run();
    const before = fingerprint(out);
    Object.assign(answers.move[0] as Answer, named({ en: 'Move 1', fr: 'Autre' }));
    const report = await run();
    const files = [...fingerprint(out)].filter(
      ([file, print]) => before.get(file) !== print && /\./.test(file),
    );
    expect(files.map(([file]) => file).sort()).toEqual([
      ...['docs/index.html', 'manifest.json', 'meta.json', 'names/fr.json', 'openapi.json'],
    ]);
    const nameChanges = [{ language: 'fr', before: 2, changed: 1, lost: 0 }];
    expect(report).toMatchObject({ changed: true, steps: [], nameChanges });
    expect(formatSummary(report)).toContain('names: 1 name changed in fr');
    expect(await run()).toMatchObject({ changed: false, nameChanges: [] });
  });
});
