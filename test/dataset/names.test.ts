import { describe, expect, it } from 'vitest';
import { type AnyRecords, summarizeNames } from '../../src/dataset/data-set.ts';
import { compareNames, findName, selectNames } from '../../src/dataset/names.ts';
import { everyKind, namesIn } from '../support/kinds.ts';

const french = namesIn('fr', {
  move: { pound: 'Écras’Face', cut: 'Coupe' },
  item: { potion: 'Potion' },
});
const german = namesIn('de', { move: { pound: 'Pfund' } });

const record = (id: number, slug: string) => ({ id, slug });
const recordsOf = (given: Partial<AnyRecords>): AnyRecords => everyKind(given, () => []);
const records = recordsOf({ move: [record(1, 'pound'), record(2, 'cut')], item: [record(1, 'potion')] });

it('a name is that of its kind and slug, and none is inherited', () => {
  expect(findName(french, 'move', 'pound')).toBe('Écras’Face');
  expect(findName(french, 'item', 'pound')).toBeUndefined();
  expect(findName(french, 'move', 'constructor')).toBeUndefined();
  expect(findName(undefined, 'move', 'pound')).toBeUndefined();
});

it('names are selected in the order of records, without those of others', () => {
  const some = recordsOf({ move: [record(2, 'cut'), record(1, 'pound')], item: [record(9, 'other')] });
  expect(JSON.stringify(selectNames([french, german], some))).toBe(
    JSON.stringify([namesIn('fr', { move: { cut: 'Coupe', pound: 'Écras’Face' } }), german]),
  );
});

describe('the summary', () => {
  it('counts the names of each language, and is none without names', () => {
    expect(summarizeNames([])).toBeUndefined();
    expect(summarizeNames([german, french])?.languages).toEqual({
      de: everyKind({ move: 1 }, () => 0),
      fr: everyKind({ move: 2, item: 1 }, () => 0),
    });
  });

  it('has a digest that changes with any name', () => {
    const digest = summarizeNames([french])?.digest;
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(summarizeNames([{ ...french }])?.digest).toBe(digest);
    expect(summarizeNames([{ ...french, item: { potion: 'potion' } }])?.digest).not.toBe(digest);
    expect(summarizeNames([french, german])?.digest).not.toBe(digest);
  });
});

describe('what has become of names', () => {
  const from = { records, names: [french, german] };

  it('is nothing if they are the same', () => {
    expect(compareNames(from, from)).toEqual([]);
  });

  it('is told by language, and compares what was renamed by its id', () => {
    const renamed = { ...records, move: [record(1, 'hit'), record(2, 'cut')] };
    const names = [
      { ...french, move: { hit: 'Écras’Face', cut: 'Trancher' }, item: {} },
      { ...german, move: { hit: 'Pfund', cut: 'Zerschneider' } },
    ];
    expect(compareNames(from, { records: renamed, names })).toEqual([
      { language: 'de', before: 1, lost: 0, changed: 1 },
      { language: 'fr', before: 3, lost: 1, changed: 2 },
    ]);
  });

  it('leaves out those of records that came or went', () => {
    const fewer = { ...records, move: [record(1, 'pound'), record(3, 'new')] };
    const names = [{ ...french, move: { pound: 'Écras’Face', new: 'Neuf' } }, german];
    expect(compareNames(from, { records: fewer, names })).toEqual([]);
  });

  it('counts a language that is gone, and one that is new', () => {
    const italian = namesIn('it', { move: { pound: 'Botta' } });
    expect(compareNames(from, { records, names: [french, italian] })).toEqual([
      { language: 'de', before: 1, lost: 1, changed: 1 },
      { language: 'it', before: 0, lost: 0, changed: 1 },
    ]);
  });
});
