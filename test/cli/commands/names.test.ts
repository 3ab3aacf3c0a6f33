/** Names in every language, from the upstream's answers to the files of a site, and what is made of odd ones. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { formatSummary } from '../../../src/cli/report.ts';
import { kindNames, mapKinds } from '../../../src/contract/kinds.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { namesIn } from '../../support/kinds.ts';
import { tablesOf, writeTables } from '../../support/tables.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import {
  type Answer,
  handMadeUpstream,
  itemAnswer,
  moveAnswer,
  plainAnswer,
  type UpstreamData,
  upstreamOf,
} from '../../support/upstream-data.ts';

const named = (names: Record<string, string>) => ({
  names: Object.entries(names).map(([language, name]) => ({
    name,
    language: {
      name: language,
      url: `/api/v2/language/${[...language].map((char) => char.charCodeAt(0)).join('')}/`,
    },
  })),
});

/** What an upstream has, read without any of the project's code: language → kind → slug → name. */
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

/** An upstream that a test changes between two builds of one folder. */
async function scene(answers: Record<'move' | 'item', Answer[]> = manyMoves()) {
  const others = mapKinds((kind) => [plainAnswer(kind, 1, named({ en: 'Other' }))]);
  const upstream = await serveUpstream(upstreamOf({ ...others, ...answers }));
  const out = path.join(temporaryFolder(), 'site');
  const run = (options: Parameters<typeof build>[0] = {}) =>
    build({
      source: 'rest',
      upstream: upstream.url,
      cache: false,
      baseUrl: 'https://example.test',
      downloads: false,
      out,
      // The first build is compared with the bundled data.
      maxShrink: existsSync(out) ? 1 : 100,
      ...options,
    });
  return { answers, upstream, out, run };
}

/** 300 moves, so that one of them is less than one percent, and an item without any name. */
const manyMoves = () => ({
  move: Array.from({ length: 300 }, (_, at) =>
    moveAnswer(
      at + 1,
      named({ en: `Move ${at + 1}`, fr: `Capacité ${at + 1}`, 'zh-hant': `招式 ${at + 1}` }),
    ),
  ),
  item: [itemAnswer(1, { names: [] })],
});

describe('names in every language', () => {
  it('are those of the upstream, none more and none less, the same from answers and from tables', async () => {
    const data = handMadeUpstream();
    const upstream = await serveUpstream(data);
    const parent = temporaryFolder();
    const [rest, csv, tables] = ['rest', 'csv', 'tables'].map((name) => path.join(parent, name)) as [
      string,
      string,
      string,
    ];
    const options = { maxShrink: 100, cache: false, baseUrl: 'https://example.test' } as const;
    await build({ ...options, source: 'rest', upstream: upstream.url, out: rest });
    writeTables(tables, tablesOf(data));
    await build({ ...options, source: 'csv', upstream: tables, out: csv });

    const expected = expectedNames(data);
    const languages = Object.keys(expected).sort();
    const files = filesIn(rest);
    expect(Object.keys(files)).toEqual(
      [...languages.map((language) => `${language}.json`), 'index.json'].sort(),
    );
    for (const language of languages)
      expect(files[`${language}.json`]).toBe(JSON.stringify({ language, ...expected[language] }));
    const count = (names: object | undefined) => Object.keys(names ?? {}).length;
    expect(read(rest, 'names/index.json').languages).toEqual(
      languages.map((language) => ({
        language,
        name: expect.any(String),
        ...mapKinds((kind) => count(expected[language]?.[kind])),
        url: `https://example.test/names/${language}.json`,
      })),
    );
    expect(filesIn(csv)).toEqual(files);
    expect(read(csv, 'meta.json').names).toEqual(read(rest, 'meta.json').names);
    expect(verifyFolder(rest).problems).toEqual([]);
  });

  it('leave records, their digest and the change history as they are, and can be left out', async () => {
    const { run, out } = await scene();
    await run({ out: `${out}-with` });
    await run({ out: `${out}-without`, names: false });
    const [own, none] = [read(`${out}-with`, 'meta.json'), read(`${out}-without`, 'meta.json')];
    expect({ ...own, names: undefined }).toEqual({ ...none, names: undefined });
    expect(none).not.toHaveProperty('names');
    const files = (folder: string): string[] =>
      read(folder, 'manifest.json').files.map(({ path }: { path: string }) => path);
    const more = files(`${out}-with`).filter((file) => !files(`${out}-without`).includes(file));
    expect(more).toEqual(['names/en.json', 'names/fr.json', 'names/index.json', 'names/zh-hant.json']);
    expect(readFileSync(path.join(`${out}-without`, 'index.html'), 'utf8')).not.toMatch(
      /names\/|names-language/,
    );
    expect(readFileSync(path.join(`${out}-with`, 'index.html'), 'utf8')).toContain('names/index.json');
  });

  it('are kept as the upstream has them, whatever characters they have', async () => {
    const texts = { fr: '100 %s $& </script> "\\', ja: 'e\u0301 ﾊﾀｸ', 'zh-hant': '  ' };
    const answers = {
      move: [moveAnswer(1, { name: 'constructor', ...named({ en: 'A', ...texts }) })],
      item: [
        itemAnswer(1, { name: 'jalapeño', sprites: { default: null }, ...named({ fr: 'Piment' }) }),
        itemAnswer(2, { name: 'jalapeno', ...named({ fr: 'Autre' }) }),
      ],
    };
    const { run, out } = await scene(answers);
    const { warnings } = await run({ maxShrink: 100 });
    const item = { jalapeno: 'Piment', 'jalapeno-2': 'Autre' };
    expect(read(out, 'names/fr.json')).toEqual(namesIn('fr', { move: { constructor: texts.fr }, item }));
    expect(read(out, 'names/ja.json').move).toEqual({ constructor: texts.ja });
    expect(existsSync(path.join(out, 'names/zh-hant.json'))).toBe(false);
    expect(warnings).toContainEqual({
      kind: 'move',
      code: 'missing-name',
      count: 1,
      examples: ['constructor: the name in zh-hant is empty, left out'],
    });
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('count once for each language, whatever its letter case: the first does', async () => {
    const twice = [
      ...named({ 'ja-Hrkt': 'first' }).names,
      ...named({ 'ja-hrkt': 'second' }).names,
      ...named({ 'ja-Hrkt': 'third' }).names,
    ];
    const { run, out } = await scene({ move: [moveAnswer(1, { names: twice })], item: [itemAnswer(1)] });
    await run({ maxShrink: 100 });
    expect(read(out, 'names/ja-hrkt.json')).toMatchObject({
      language: 'ja-hrkt',
      move: { 'move-1': 'first' },
    });
  });

  it.each([
    ['a bell', { fr: 'a\u0007' }, 'expected text without control'],
    ['a change of direction', { fr: 'a\u202eb' }, 'expected text without control'],
    ['a line break', { fr: 'a\nb' }, 'expected text without control'],
    ['too many characters', { fr: 'x'.repeat(201) }, 'Too big'],
    ['a language that leads to another folder', { '../fr': 'a' }, 'expected a language tag in lower case'],
    ['a language that is the list of all', { index: 'a' }, 'expected a language tag in lower case'],
    ['a language that Windows reserves', { aux: 'a' }, 'expected a language tag in lower case'],
  ])('are left out for %s, with a warning, and nothing else is', async (_, odd, problem) => {
    const answers = { move: [moveAnswer(1, named({ en: 'One', it: 'Uno', ...odd }))], item: [itemAnswer(1)] };
    const { run, out } = await scene(answers);
    const warning = {
      ...{ kind: 'move', code: 'unusable-name', count: 1 },
      examples: [
        expect.stringMatching(new RegExp(`^move-1: the name in ".*" is left out: got ".*${problem}`)),
      ],
    };
    expect((await run({ maxShrink: 100 })).warnings).toEqual([warning]);
    const files = ['en.json', 'fr.json', 'index.json', 'it.json'];
    expect(readdirSync(path.join(out, 'names')).sort()).toEqual(files);
    expect(read(out, 'names/fr.json').move).toEqual({});
    expect(read(out, 'names/it.json').move).toEqual({ 'move-1': 'Uno' });
    expect((await run({ maxShrink: 100, names: false })).warnings).toEqual([]);
    expect(read(out, 'meta.json').counts).toEqual(mapKinds(() => 1));
  });
});

describe('a translation', () => {
  it('that is all that is new changes its file, its description and what lists it, and is told', async () => {
    const { answers, run, out } = await scene();
    await run();
    const before = fingerprint(out);
    const history = readFileSync(path.join(out, 'changes.json'), 'utf8');
    for (const at of [0, 1, 2])
      Object.assign(
        answers.move[at] as Answer,
        named({ en: `Move ${at + 1}`, fr: `Autre ${at}`, 'zh-hant': `招式 ${at + 1}` }),
      );
    const report = await run();
    const after = fingerprint(out);
    const files = [...after].filter(([file, print]) => before.get(file) !== print && /\./.test(file));
    const changed = ['docs/index.html', 'manifest.json', 'meta.json', 'names/fr.json', 'openapi.json'];
    expect(files.map(([file]) => file).sort()).toEqual(changed);
    expect(report).toMatchObject({
      changed: true,
      steps: [],
      nameChanges: [{ language: 'fr', changed: 3, lost: 0 }],
    });
    expect(formatSummary(report)).toContain('names: 3 names changed in fr');
    expect(readFileSync(path.join(out, 'changes.json'), 'utf8')).toBe(history);
    expect(await run()).toMatchObject({ changed: false, nameChanges: [] });
  });

  it('of a renamed record goes with it, and none is lost with a record that is gone', async () => {
    const { answers, run, out } = await scene();
    await run();
    for (const answer of answers.move.slice(0, 15)) answer.name = `renamed-${answer.id}`;
    answers.move.splice(100, 3);
    expect((await run()).nameChanges).toEqual([]);
    expect(read(out, 'names/fr.json').move).toMatchObject({ 'renamed-1': 'Capacité 1' });
    expect(read(out, 'names/fr.json').move).not.toHaveProperty('move-101');
  });

  it('that somebody has damaged in the site is replaced', async () => {
    const { run, out } = await scene();
    await run();
    const good = readFileSync(path.join(out, 'names/fr.json'), 'utf8');
    for (const damage of [
      '{',
      good.replace('Capacité 1"', 'Autrement"'),
      good.replace('"move-1"', '"move-xyz"'),
    ]) {
      writeFileSync(path.join(out, 'names/fr.json'), damage);
      expect(verifyFolder(out).problems.map(({ file }) => file)).toContain('names/fr.json');
      await run();
      expect(readFileSync(path.join(out, 'names/fr.json'), 'utf8')).toBe(good);
    }
  });
});

describe('copies', () => {
  it('have the names: a snapshot', async () => {
    const upstream = await serveUpstream(upstreamOf(manyMoves()));
    const parent = temporaryFolder();
    const at = (name: string) => path.join(parent, name);
    const options = {
      source: 'rest',
      upstream: upstream.url,
      cache: false,
      maxShrink: 100,
    } as const;
    const baseUrl = 'https://example.test';
    await build({ ...options, baseUrl, out: at('site') });
    const names = filesIn(at('site'));
    expect(Object.keys(names)).toHaveLength(4);

    await snapshot({ ...options, data: at('data') });
    expect(readFileSync(at('data/names/fr.json'), 'utf8').split('\n').slice(0, 5)).toEqual([
      '{',
      ' "language": "fr",',
      ' "move": {',
      '  "move-1": "Capacité 1",',
      '  "move-2": "Capacité 2",',
    ]);
    const skipped = { out: at('skipped'), skip: ['move/1'] };
    const local = { ...options, baseUrl, source: 'snapshot', upstream: at('data') } as const;
    await build({ ...local, out: at('local') });
    expect(filesIn(at('local'))).toEqual(names);
    await build({ ...local, ...skipped });
    expect(Object.keys(read(at('skipped'), 'names/fr.json').move)).toHaveLength(299);
  });

  it('of earlier versions have none, and a snapshot whose names do not match is refused', async () => {
    const { upstream } = await scene();
    const parent = temporaryFolder();
    const data = path.join(parent, 'data');
    await snapshot({ source: 'rest', upstream: upstream.url, cache: false, maxShrink: 100, data });
    const options = { source: 'snapshot', upstream: data, out: path.join(parent, 'site') } as const;
    const file = path.join(data, 'names/fr.json');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.replace('Capacité 7"', 'Faux"'));
    await expect(build(options)).rejects.toThrow('data › names.digest: got sha256:');
    rmSync(file);
    await expect(build(options)).rejects.toThrow('fr.json');
    const { names: _, ...earlier } = read(data, 'provenance.json');
    writeFileSync(path.join(data, 'provenance.json'), JSON.stringify(earlier));
    await build(options);
    expect(existsSync(path.join(options.out, 'names'))).toBe(false);
    expect(verifyFolder(options.out).problems).toEqual([]);
  });
});
