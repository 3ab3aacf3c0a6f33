import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { type CaptureOptions, capture } from '../../src/sources/capture.ts';
import { normalize, type RawMove, type RawRecords } from '../../src/sources/normalize.ts';
import { previousOfSnapshot, readSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import { everyKind } from '../support/kinds.ts';
import { allRaw, PROVENANCE, rawItem, rawMove } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const normalized = (raw: Partial<RawRecords>, hasNames?: boolean) =>
  normalize(allRaw(raw), PROVENANCE, hasNames);
const namesOf = (...move: RawMove[]) => normalized({ move }).names;

describe('names in every language', () => {
  it('are those of each record by its slug, in alphabetical order of languages', () => {
    const raw = {
      move: [rawMove(2, { names: { ja: 'に', fr: 'Deux' } }), rawMove(1, { slug: 'É', names: { fr: 'Un' } })],
      item: [rawItem(1, { englishName: null, names: { de: 'Eins' } })],
    };
    expect(normalized(raw).names).toEqual([
      { language: 'de', move: {}, item: { 'item-1': 'Eins' } },
      { language: 'en', move: { e: 'Move 1', 'move-2': 'Move 2' }, item: {} },
      { language: 'fr', move: { e: 'Un', 'move-2': 'Deux' }, item: {} },
      { language: 'ja', move: { 'move-2': 'に' }, item: {} },
    ]);
    expect(normalized(raw, false).names).toEqual([]);
  });

  it('have tags in lower case, of which the first counts', () => {
    expect(namesOf(rawMove(1, { englishName: null, names: { 'zh-Hant': '一', 'ZH-HANT': '二' } }))).toEqual([
      { language: 'zh-hant', move: { 'move-1': '一' }, item: {} },
    ]);
  });

  it('are left out if they are empty, with one warning', () => {
    const { names, warnings } = normalized({ move: [rawMove(1, { englishName: '', names: { it: ' ' } })] });
    expect(names).toEqual([]);
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'missing-name: move-1: no English name, called "Move 1"',
      'missing-name: move-1: the name in it is empty, left out',
    ]);
  });

  it.each([
    [
      'a language that is no safe file name',
      { con: 'x' },
      'got "con": expected a language tag in lower case',
    ],
    ['a language that leads elsewhere', { '../x': 'x' }, 'got "../x": expected a language tag in lower case'],
    ['a name with a line break', { fr: 'a\nb' }, 'got "a\\nb": expected text without control'],
    ['a name of another direction', { fr: '\u202e' }, 'got "\u202e": expected text without control'],
  ])('with %s are refused, with a way out', (_, names, problem) => {
    expect(() => namesOf(rawMove(7, { names }))).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`move › move-7 (7): ${problem}`),
        hint: 'To build without the names in every language, add --no-names.',
      }),
    );
  });
});

function snapshot(...move: RawMove[]): string {
  const folder = path.join(temporaryFolder(), 'data');
  for (const file of snapshotFiles(normalized({ move, item: [rawItem(1)] })))
    fsExtra.outputFileSync(path.join(folder, file.path), file.body);
  return folder;
}

it('a snapshot with names of records that it does not have is refused', () => {
  const folder = path.join(temporaryFolder(), 'data');
  const names = [
    { language: 'fr', ...everyKind<Record<string, string>>({ move: { nobody: 'Personne' } }, () => ({})) },
  ];
  for (const file of snapshotFiles({ ...normalized({ move: [rawMove(1)] }), names }))
    fsExtra.outputFileSync(path.join(folder, file.path), file.body);
  expect(() => readSnapshot(folder)).toThrow('snapshot › names.digest: got sha256:');
});

const captured = (folder: string, before: string | undefined, options: Partial<CaptureOptions> = {}) =>
  capture({
    ...{ source: 'snapshot', upstream: folder, dataFolder: 'unused', cacheFolder: undefined },
    ...{ concurrency: 2, retries: 0, today: '2026-03-04', maxShrink: 0, allowMissing: [] },
    published: before === undefined ? undefined : previousOfSnapshot(before),
    ...options,
  });

describe('capturing names', () => {
  const both = () => ({
    before: snapshot(rawMove(1, { names: { fr: 'Un' } }), rawMove(2, { names: { fr: 'Deux' } })),
    after: snapshot(rawMove(1, { names: { fr: 'UN' } }), rawMove(2)),
  });

  it('compares them with those of before, and refuses what is lost', async () => {
    const { before, after } = both();
    const lost = 'names/fr: got 1 of 2 names that the last build had: expected at most 0 % to disappear';
    await expect(captured(after, before)).rejects.toThrow(lost);
    const nameChanges = [{ language: 'fr', before: 2, lost: 1, changed: 2 }];
    expect(await captured(after, before, { allowMissing: ['names/fr'] })).toMatchObject({ nameChanges });
    expect(await captured(after, before, { maxShrink: 50 })).toMatchObject({ nameChanges });
  });

  it('finds no change where there is none, where nothing is known of before, or where none are wanted', async () => {
    const { before, after } = both();
    expect(await captured(before, before)).toMatchObject({ nameChanges: [] });
    expect(await captured(after, undefined)).toMatchObject({ nameChanges: [], notices: [] });
    expect(await captured(after, before, { hasNames: false })).toMatchObject({ nameChanges: [] });
  });
});
