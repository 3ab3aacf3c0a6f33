import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameSchema, slugSchema } from '../../src/contract/records.ts';
import { summarizeNames } from '../../src/dataset/data-set.ts';
import { GamedataError } from '../../src/errors.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import { readSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import { type DecodedDataSet, decodeDataSet, encodeDataSet } from '../support/decode.ts';
import { namesIn } from '../support/kinds.ts';
import { snapshotFolder } from '../support/reading.ts';
import { dataSetOf, rawItem, rawMove } from '../support/sites.ts';

const dataSet: DecodedDataSet = dataSetOf({
  move: [
    rawMove(1),
    rawMove(2, { slug: 'a--b', englishName: 'Âme “à” 🙂' }),
    rawMove(10_001, { names: { fr: 'Âme', ja: 'はたく' } }),
  ],
  item: [
    rawItem(1, { gameIndices: [{ generation: 2, index: 0 }], sprite: null }),
    rawItem(5, { slug: 'twice', englishName: null }),
    rawItem(7, { slug: 'twice' }),
  ],
});

const idOf = () => fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

const written = (data: DecodedDataSet): string => snapshotFolder(encodeDataSet(data));

describe('a snapshot', () => {
  it('gives back the data set that it was made of, warnings and provenance too', () => {
    expect(dataSet.warnings.length).toBeGreaterThan(2);
    expect(decodeDataSet(readSnapshot(written(dataSet)))).toEqual(dataSet);
  });

  it('gives back whatever records there are, and the same bytes whatever order they came in', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => nameSchema.safeParse(text).success);
    const slug = fc
      .stringMatching(/^[a-z0-9]+(?:-+[a-z0-9]+){0,3}$/, { maxLength: 60 })
      .filter((text) => slugSchema.safeParse(text).success);
    const language = fc.constantFrom('fr', 'ja', 'zh-hant', 'es-419');
    const names = fc.dictionary(language, name);
    const common = { id: idOf(), slug, englishName: fc.option(name), names };
    const generation = fc.integer({ min: 1, max: 12 });
    const own = { selector: ({ id }: { id: number }) => id, maxLength: 12 };
    const moves = fc.uniqueArray(
      fc.record({ ...common, generation }).map((move) => rawMove(move.id, move)),
      own,
    );
    const index = fc.record({ generation, index: fc.nat() });
    const sprite = fc.option(slug.map((file) => `https://x.test/sprites/items/${file}.png`));
    const items = fc.uniqueArray(
      fc.record({ ...common, gameIndices: fc.array(index, { maxLength: 4 }), sprite }),
      own,
    );
    fc.assert(
      fc.property(moves, items, (move, item) => {
        const data = dataSetOf({ move, item });
        const reversed = dataSetOf({ move: move.toReversed(), item: item.toReversed() });
        expect(snapshotFiles(encodeDataSet(reversed))).toEqual(snapshotFiles(encodeDataSet(data)));
        expect(decodeDataSet(readSnapshot(written(data)))).toEqual(data);
      }),
      { numRuns: 50 },
    );
  });

  it('has one record on each line, and the same bytes each time', () => {
    const [moves] = snapshotFiles(encodeDataSet(dataSet));
    const lines = dataSet.records.move.map((move) => `${JSON.stringify(move)}\n`);
    expect(lines[1]).toMatch(/^\{"id":2,"slug":"a--b","name":"Âme “à” 🙂",/);
    expect(moves).toEqual({ path: 'move.ndjson', body: lines.join('') });
    expect(snapshotFiles(encodeDataSet(dataSet))).toEqual(snapshotFiles(encodeDataSet(dataSet)));
  });

  const edited = (file: string, from: string, to: string) => (folder: string) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(path.join(folder, file), text.replace(from, to));
  };
  const DIGEST =
    /^snapshot › digest: got sha256:[0-9a-f]{64}, expected sha256:[0-9a-f]+, as in provenance\.json$/;

  it.each<{ change: string; tamper: (folder: string) => void; problem: string | RegExp }>([
    { change: 'a changed value', tamper: edited('move.ndjson', '"Move 1"', '"Move 7"'), problem: DIGEST },
    { change: 'a missing line', tamper: edited('item.ndjson', '\n', ''), problem: DIGEST },
    { change: 'a further line', tamper: edited('move.ndjson', '\n', '\n\n'), problem: DIGEST },
    { change: 'a changed digest', tamper: edited('provenance.json', 'sha256:', 'sha256:0'), problem: DIGEST },
    {
      change: 'a missing provenance',
      tamper: edited('provenance.json', '"captured"', '"caught"'),
      problem: 'provenance.json › captured: got nothing: expected string, received undefined',
    },
    {
      change: 'another count',
      tamper: edited('provenance.json', '"move": 3', '"move": 4'),
      problem: 'move: got 3 records, expected 4, as in provenance.json',
    },
    {
      change: 'a newer format',
      tamper: edited('provenance.json', '"format": 1', '"format": 9'),
      problem: /provenance\.json: has format 9, this version of gamedata reads format 1$/,
    },
    {
      change: 'half a provenance',
      tamper: (folder) => writeFileSync(path.join(folder, 'provenance.json'), '{'),
      problem: /^provenance\.json: invalid JSON: /,
    },
    {
      change: 'a file that is gone',
      tamper: (folder) => rmSync(path.join(folder, 'item.ndjson')),
      problem: /item\.ndjson: cannot be read \(ENOENT\), expected a snapshot$/,
    },
  ])('is rejected for $change', ({ tamper, problem }) => {
    const folder = written(dataSet);
    tamper(folder);
    const read = () => readSnapshot(folder);
    expect(read).toThrow(GamedataError);
    expect(read).toThrow(problem);
  });

  it.each([
    ['none', { slug: '../x' }, 'move.ndjson line 1 › slug: got "../x": expected a safe slug'],
    ['incomplete', { generation: undefined }, 'move.ndjson line 1 › generation: got nothing: expected'],
  ])('is rejected for a record that is %s, although its digest is right', (_, change, problem) => {
    const [move] = dataSet.records.move;
    const broken = { ...dataSet.records, move: [{ ...move, ...change }] } as DecodedDataSet['records'];
    expect(() => readSnapshot(written({ ...dataSet, records: broken }))).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(problem),
        hint: 'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>',
      }),
    );
  });
});

it('a snapshot with names of records that it does not have is refused', () => {
  const names = [namesIn('fr', { move: { nobody: 'Personne' } })];
  const folder = snapshotFolder({
    ...encodeDataSet(dataSet),
    names,
    namesSummary: summarizeNames(names),
  });
  expect(() => readSnapshot(folder)).toThrow('snapshot › names.digest: got sha256:');
});

describe('the bundled data set', () => {
  it('has every record of the tables that it was made of', () => {
    const { records, warnings, provenance } = decodeDataSet(readSnapshot(BUNDLED_DATA));
    expect([records.move.length, records.item.length]).toEqual([746, 954]);
    expect(warnings).toEqual([]);
    expect(provenance).toMatchObject({ source: 'csv', upstream: expect.stringContaining('pokedex@1.1.0') });
    expect(records.move[0]).toMatchObject({ id: 1, slug: 'pound', name: 'Pound', generation: 1 });
    const icon = 'sprites/items/master-ball.png';
    expect(records.item[0]).toMatchObject({ id: 1, slug: 'master-ball', icon });
  });

  it('carries the notice of its license', () => {
    expect(readFileSync(path.join(BUNDLED_DATA, 'LICENSE.txt'), 'utf8')).toContain('Redistribution and use');
  });
});
