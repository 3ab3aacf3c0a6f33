import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { formatSummary } from '../../../src/cli/report.ts';
import { kindNames, mapKinds } from '../../../src/contract/kinds.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { tablesOf, writeTables } from '../../support/tables.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import {
  type Answer,
  itemAnswer,
  moveAnswer,
  plainAnswer,
  type UpstreamData,
  upstreamOf,
} from '../../support/upstream-data.ts';

const named = (names: { en?: string; fr?: string }) => ({
  names: Object.entries(names).map(([language, name]) => ({
    name,
    language: { name: language, url: `/api/v2/language/${language === 'en' ? 9 : 5}/` },
  })),
});

/** Reads the names of an upstream without the project's code: language → kind → slug → name. */
function expectedNames(upstream: UpstreamData) {
  const all: Record<string, Record<string, Record<string, string>>> = {};
  for (const kind of kindNames) {
    const taken = new Set<string>();
    const answers = upstream
      .list(kind)
      .map(({ id }) => JSON.parse(upstream.record(kind, id) ?? '') as Answer & { names: never[] })
      .sort((a, b) => a.id - b.id);
    for (const { id, name: slug, names } of answers) {
      const key = taken.has(slug) ? `${slug}-${id}` : slug;
      taken.add(slug);
      for (const { name, language } of names as { name: string; language: { name: string } }[]) {
        all[language.name] ??= mapKinds(() => ({}));
        Object.assign(all[language.name]?.[kind] ?? {}, { [key]: name.trim() });
      }
    }
  }
  return all;
}

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
  return { answers, upstream, out, run };
}

describe('names/', () => {
  it("contains exactly the upstream's names, read from responses or from tables", async () => {
    const data = upstreamOf({
      move: [moveAnswer(1), moveAnswer(2, named({ fr: 'Coup', en: ' Padded ' }))],
      item: [
        itemAnswer(1, { name: 'roseli-berry' }),
        itemAnswer(2, { name: 'roseli-berry', ...named({ fr: 'Baie' }) }),
        itemAnswer(3, { names: [] }),
      ],
    });
    const { url: upstream } = await serveUpstream(data);
    const parent = temporaryFolder();
    const [rest, csv, tables] = [`${parent}/rest`, `${parent}/csv`, `${parent}/tables`];
    await build({ ...shared, source: 'rest', upstream, downloads: false, out: rest });
    writeTables(tables, tablesOf(data));
    await build({ ...shared, source: 'csv', upstream: tables, downloads: false, out: csv });

    const expected = expectedNames(data);
    const languages = Object.keys(expected).sort();
    const { 'index.json': index = '', ...files } = filesIn(rest);
    expect(files).toEqual(
      Object.fromEntries(
        languages.map((language) => [
          `${language}.json`,
          JSON.stringify({ language, ...expected[language] }),
        ]),
      ),
    );
    expect(JSON.parse(index).languages).toEqual(
      languages.map((language) => ({
        language,
        name: expect.any(String),
        ...mapKinds((kind) => Object.keys(expected[language]?.[kind] ?? {}).length),
        url: `https://example.test/names/${language}.json`,
      })),
    );
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

  it('is rebuilt after damage', async () => {
    const { run, out } = await createScene();
    await run();
    const file = path.join(out, 'names/fr.json');
    const good = readFileSync(file, 'utf8');
    for (const damage of ['{', good.replace('Capacité 1"', 'Autre"')]) {
      writeFileSync(file, damage);
      expect(verifyFolder(out).problems).toMatchObject([{ file: 'names/fr.json' }]);
      await run();
      expect(readFileSync(file, 'utf8')).toBe(good);
    }
  });

  it("must match the snapshot's digest, but is optional", async () => {
    const { upstream } = await createScene();
    const data = path.join(temporaryFolder(), 'data');
    const { baseUrl, ...reading } = shared;
    await snapshot({ ...reading, source: 'rest', upstream, data });
    const [out, file] = [`${data}-site`, path.join(data, 'names/fr.json')];
    const run = () => build({ baseUrl, source: 'snapshot', upstream: data, out });
    writeFileSync(file, readFileSync(file, 'utf8').replace('Capacité 1"', 'Faux"'));
    await expect(run()).rejects.toThrow('data › names.digest: got sha256:');
    const { names: _, ...earlier } = read(data, 'provenance.json');
    writeFileSync(path.join(data, 'provenance.json'), JSON.stringify(earlier));
    await run();
    expect(readdirSync(out)).not.toContain('names');
  });
});
