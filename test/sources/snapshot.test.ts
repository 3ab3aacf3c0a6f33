import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameSchema, slugSchema } from '../../src/contract/records.ts';
import { digestLines, summarizeNames } from '../../src/dataset/data-set.ts';
import { GamedataError } from '../../src/errors.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import {
  openSnapshot,
  readBundledSnapshot,
  readPreviousSnapshot,
  snapshotFiles,
} from '../../src/sources/snapshot.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { type DecodedDataSet, decodeDataSet, encodeDataSet } from '../support/decode.ts';
import { namesIn } from '../support/kinds.ts';
import { snapshotFolder } from '../support/reading.ts';
import { dataSetOf, rawItem, rawMove } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

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

const write = (data = dataSet): string => snapshotFolder(encodeDataSet(data));
const edit = (file: string, from: string, to: string) => (folder: string) => {
  const text = readFileSync(path.join(folder, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(path.join(folder, file), text.replace(from, to));
};

function catchError(call: () => unknown): GamedataError {
  try {
    call();
  } catch (error) {
    if (error instanceof GamedataError) return error;
  }
  return expect.unreachable();
}

describe('a snapshot', () => {
  it('returns the same data set and encodes the same bytes for any record order', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => nameSchema.safeParse(text).success);
    const slug = fc
      .stringMatching(/^[a-z0-9]+(?:-+[a-z0-9]+){0,3}$/, { maxLength: 60 })
      .filter((text) => slugSchema.safeParse(text).success);
    const names = fc.dictionary(fc.constantFrom('fr', 'ja', 'zh-hant', 'es-419'), name);
    const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const common = { id, slug, englishName: fc.option(name), names };
    const generation = fc.integer({ min: 1, max: 12 });
    const unique = { selector: (record: { id: number }) => record.id, maxLength: 12 };
    const move = fc.record({ ...common, generation }).map((own) => rawMove(own.id, own));
    const index = fc.record({ generation, index: fc.nat() });
    const sprite = fc.option(slug.map((file) => `https://x.test/sprites/items/${file}.png`));
    const item = fc.record({ ...common, gameIndices: fc.array(index, { maxLength: 4 }), sprite });
    fc.assert(
      fc.property(fc.uniqueArray(move, unique), fc.uniqueArray(item, unique), (move, item) => {
        const data = dataSetOf({ move, item });
        const reversed = dataSetOf({ move: move.toReversed(), item: item.toReversed() });
        expect(snapshotFiles(encodeDataSet(reversed))).toEqual(snapshotFiles(encodeDataSet(data)));
        expect(decodeDataSet(openSnapshot(write(data)).data())).toEqual(data);
      }),
      { numRuns: 50 },
    );
  });

  it('contains one record per line', () => {
    const [moves] = snapshotFiles(encodeDataSet(dataSet));
    const lines = dataSet.records.move.map((move) => `${JSON.stringify(move)}\n`);
    expect(lines[1]).toMatch(/^\{"id":2,"slug":"a--b","name":"Âme “à” 🙂",/);
    expect(moves).toEqual({ path: 'move.ndjson', body: lines.join('') });
  });

  it('skips a byte order mark in provenance.json', () => {
    const folder = write();
    edit('provenance.json', '{', '\uFEFF{')(folder);
    expect(decodeDataSet(openSnapshot(folder).data())).toEqual(dataSet);
  });

  const restore = 'Restore the snapshot from a copy, or write a new one into another folder.';
  const refresh =
    'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>';
  const digest = /^DATA › digest: got sha256:\w{64}, expected sha256:\w+, as in provenance\.json$/;

  it.each<[change: string, damage: (folder: string) => void, problem: RegExp | string, hint?: string]>([
    ['a changed value', edit('move.ndjson', '"Move 1"', '"Move 7"'), digest],
    ['a missing line', edit('item.ndjson', '\n', ''), digest],
    ['an additional line', edit('move.ndjson', '\n', '\n\n'), digest],
    ['a changed digest', edit('provenance.json', 'sha256:', 'sha256:0'), digest],
    [
      'a missing date',
      edit('provenance.json', '"captured"', '"caught"'),
      'DATA/provenance.json › captured: got nothing, expected string',
    ],
    [
      'a wrong count',
      edit('provenance.json', '"move": 3', '"move": 4'),
      'DATA › move: got 3 records, expected 4, as in provenance.json',
    ],
    [
      'conflict markers',
      edit('provenance.json', '{', '<<<<<<< HEAD\n{'),
      'DATA/provenance.json: got "<<<<<<< HEAD\\n{\\n  \\"format\\": 1,\\n…" in line 1, column 1, expected JSON',
    ],
    [
      'UTF-16',
      (folder) => writeFileSync(path.join(folder, 'provenance.json'), '\uFEFF{}', 'utf16le'),
      'DATA/provenance.json: got UTF-16, expected UTF-8',
    ],
    [
      'a newer format',
      edit('provenance.json', '"format": 1', '"format": 9'),
      'DATA/provenance.json: has format 9, but this version of gamedata reads format 1',
      'A newer version of gamedata wrote this file. Upgrade gamedata, or choose another folder.',
    ],
    [
      'a missing file',
      (folder) => rmSync(path.join(folder, 'item.ndjson')),
      'DATA/item.ndjson: cannot be read (ENOENT), expected a snapshot',
      'Create one with: gamedata snapshot --data <dir>',
    ],
  ])('fails for %s', (_, damage, problem, hint = restore) => {
    const folder = write();
    damage(folder);
    const error = catchError(() => openSnapshot(folder).data());
    const message = error.message.replace(folder, 'DATA');
    expect(message).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    expect(error.hint).toBe(hint);
  });

  it.each([
    ['unsafe', { slug: '../x' }, 'move.ndjson line 1 › slug: got "../x", expected a safe slug'],
    ['incomplete', { generation: undefined }, 'move.ndjson line 1 › generation: got nothing, expected'],
  ])('fails for an %s record even if the digest is correct', (_, change, problem) => {
    const [move] = dataSet.records.move;
    const broken = { ...dataSet.records, move: [{ ...move, ...change }] } as DecodedDataSet['records'];
    expect(() => openSnapshot(write({ ...dataSet, records: broken })).data()).toThrow(
      expect.objectContaining({ message: expect.stringContaining(problem), hint: refresh }),
    );
  });

  it('fails if names belong to unknown records', () => {
    const names = [namesIn('fr', { move: { nobody: 'Personne' } })];
    const namesSummary = summarizeNames(names);
    const folder = snapshotFolder({ ...encodeDataSet(dataSet), names, namesSummary });
    expect(() => openSnapshot(folder).data()).toThrow(`${folder} › names.digest: got sha256:`);
  });
});

describe('readPreviousSnapshot', () => {
  it('returns undefined for a folder without a snapshot', () => {
    expect(readPreviousSnapshot(temporaryFolder())).toBeUndefined();
  });

  it('reads records, provenance and an empty history', () => {
    const data = encodeDataSet(dataSet);
    const previous = readPreviousSnapshot(
      snapshotFolder(data, { path: 'changes.json', body: '{"steps":[]}' }),
    );
    expect(previous).toMatchObject({ source: 'rest', captured: '2026-01-02', digest: data.digest });
    expect(previous?.records()).toEqual(data.records);
    expect(previous?.history()).toEqual({ steps: [] });
  });

  it('accepts records with unknown fields, and a last line without a line break', () => {
    const folder = write();
    const replace = (move: string) => {
      writeFileSync(path.join(folder, 'move.ndjson'), move);
      const digest = digestLines((kind) => readFileSync(path.join(folder, `${kind}.ndjson`)));
      const file = path.join(folder, 'provenance.json');
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), digest }));
    };
    replace('{"power":40,"slug":"a","id":1}\n{"id":2,"slug":"b"}');
    expect(JSON.stringify(readPreviousSnapshot(folder)?.records()?.move)).toBe(
      '[{"power":40,"slug":"a","id":1},{"id":2,"slug":"b"}]',
    );
    replace('{"id":"1","slug":"a"}\n');
    expect(() => readPreviousSnapshot(folder)?.records()).toThrow('move.ndjson line 1: got ');
  });
});

it("rejects a history that does not end with the snapshot's data", () => {
  const changes = renamedSite()
    .files()
    .find((file) => file.path === 'changes.json');
  expect(openSnapshot(write()).history()).toBeUndefined();
  const folder = snapshotFolder(encodeDataSet(dataSet), {
    path: 'changes.json',
    body: String(changes?.body),
  });
  expect(() => openSnapshot(folder).history()).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /changes\.json › steps\[0\]\.to\.digest: got sha256:\w+, expected sha256/,
      ),
      hint: 'Delete changes.json to start a new history.',
    }),
  );
  writeFileSync(path.join(folder, 'changes.json'), '{}');
  expect(() => openSnapshot(folder).history()).toThrow('changes.json › steps: got nothing');
});

describe('the bundled data set', () => {
  it('contains every record of its tables and its license notice', () => {
    const { records, warnings, provenance } = decodeDataSet(openSnapshot(BUNDLED_DATA).data());
    expect([records.move.length, records.item.length]).toEqual([746, 954]);
    expect(warnings).toEqual([]);
    expect(provenance).toMatchObject({ source: 'csv', upstream: expect.stringContaining('pokedex@1.1.0') });
    expect(records.move[0]).toMatchObject({ id: 1, slug: 'pound', name: 'Pound', generation: 1 });
    const icon = 'sprites/items/master-ball.png';
    expect(records.item[0]).toMatchObject({ id: 1, slug: 'master-ball', icon });
    expect(readFileSync(path.join(BUNDLED_DATA, 'LICENSE.txt'), 'utf8')).toContain('Redistribution and use');
  });

  it.each<[damage: string, change: (folder: string) => void]>([
    ['provenance.json', edit('provenance.json', '{', '<<<<<<< HEAD\n{')],
    ['move.ndjson', edit('move.ndjson', '{', '<<<<<<< HEAD\n{')],
    ['former.json', (folder) => writeFileSync(path.join(folder, 'former.json'), '<<<<<<< HEAD\n{')],
  ])('is ignored if %s is damaged', (_, damage) => {
    const folder = write();
    expect(readBundledSnapshot(folder)).toMatchObject({ counts: { move: 3 } });
    damage(folder);
    expect(readBundledSnapshot(folder)).toBeUndefined();
  });
});
