import { describe, expect, it } from 'vitest';
import { type AnyRecords, summarizeNames } from '../../src/data/data-set.ts';
import { compareNames, selectNames } from '../../src/data/names.ts';
import { everyKind, namesIn } from '../support/kinds.ts';

const french = namesIn('fr', {
  move: { pound: 'Écras’Face', cut: 'Coupe' },
  item: { potion: 'Potion' },
});
const german = namesIn('de', { move: { pound: 'Pfund' } });

const record = (id: number, slug: string) => ({ id, slug });
const recordsOf = (given: Partial<AnyRecords>): AnyRecords =>
  everyKind(given, () => []);
const records = recordsOf({
  move: [record(1, 'pound'), record(2, 'cut')],
  item: [record(1, 'potion')],
});

it("selectNames returns the given records' names in the order of the records", () => {
  const some = recordsOf({
    move: [record(2, 'cut'), record(1, 'pound')],
    item: [record(9, 'other')],
  });
  const selected = namesIn('fr', { move: { cut: 'Coupe', pound: 'Écras’Face' } });
  expect(JSON.stringify(selectNames(french, some))).toBe(JSON.stringify(selected));
});

describe('summarizeNames', () => {
  it('counts the names in each language', () => {
    expect(summarizeNames([])).toBeUndefined();
    expect(summarizeNames([german, french])?.languages).toEqual({
      de: everyKind({ move: 1 }, () => 0),
      fr: everyKind({ move: 2, item: 1 }, () => 0),
    });
  });

  it('changes the digest if any name changes', () => {
    const digest = summarizeNames([french])?.digest;
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(summarizeNames([{ ...french }])?.digest).toBe(digest);
    expect(
      summarizeNames([{ ...french, item: { potion: 'potion' } }])?.digest,
    ).not.toBe(digest);
    expect(summarizeNames([french, german])?.digest).not.toBe(digest);
  });
});

describe('compareNames', () => {
  const from = { records, names: [french, german] };
  const renamed = { ...records, move: [record(1, 'hit'), record(2, 'cut')] };
  const others = { ...records, move: [record(1, 'pound'), record(3, 'new')] };

  it.each([
    ['nothing if the names are the same', from, []],
    [
      'changed names of a renamed record, which it finds by id',
      {
        records: renamed,
        names: [
          { ...french, move: { hit: 'Écras’Face', cut: 'Trancher' }, item: {} },
          { ...german, move: { hit: 'Pfund', cut: 'Zerschneider' } },
        ],
      },
      [
        { language: 'de', before: 1, lost: 0, replaced: 0, changed: 1 },
        { language: 'fr', before: 3, lost: 1, replaced: 1, changed: 2 },
      ],
    ],
    [
      'no names of added or removed records',
      {
        records: others,
        names: [{ ...french, move: { pound: 'Écras’Face', new: 'Neuf' } }, german],
      },
      [],
    ],
    [
      'removed and added languages',
      { records, names: [french, namesIn('it', { move: { pound: 'Botta' } })] },
      [
        { language: 'de', before: 1, lost: 1, replaced: 0, changed: 1 },
        { language: 'it', before: 0, lost: 0, replaced: 0, changed: 1 },
      ],
    ],
  ])('reports %s', (_, to, changes) => {
    expect(compareNames(from, to)).toMatchObject(changes);
  });
});
