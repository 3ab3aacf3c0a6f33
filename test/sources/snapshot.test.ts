import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readIntactPast } from '../../src/built/past.ts';
import type { Kind } from '../../src/contract/kinds.ts';
import { nameSchema, slugSchema } from '../../src/contract/records.ts';
import { compare } from '../../src/dataset/compare.ts';
import { digestLines, summarizeNames } from '../../src/dataset/data-set.ts';
import { emptyHistory, encodeHistory } from '../../src/dataset/history.ts';
import { emptyPast } from '../../src/dataset/past.ts';
import { GamedataError } from '../../src/errors.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import { createEntry } from '../../src/site/manifest.ts';
import {
  openSnapshot,
  readBundledSnapshot,
  readPreviousSnapshot,
  snapshotFiles,
} from '../../src/sources/snapshot.ts';
import { renamedSite, versionOf } from '../support/data-set-versions.ts';
import {
  type DecodedDataSet,
  decodeDataSet,
  encodeDataSet,
} from '../support/decode.ts';
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

/** Replaces a text in a file, and checks that the file contains this text. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

function catchError(call: () => unknown): GamedataError {
  try {
    call();
  } catch (error) {
    if (error instanceof GamedataError) return error;
  }
  return expect.unreachable();
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const name = text.filter((value) => nameSchema.safeParse(value).success);
const words = fc.stringMatching(/^[a-z0-9]+(?:-+[a-z0-9]+){0,3}$/, {
  maxLength: 60,
});
const slug = words.filter((value) => slugSchema.safeParse(value).success);
const language = fc.constantFrom('fr', 'ja', 'zh-hant', 'es-419');
const generation = fc.integer({ min: 1, max: 12 });
const gameIndex = fc.record({ generation, index: fc.nat() });
const sprite = slug.map((file) => `https://x.test/sprites/items/${file}.png`);

/** The fields that moves and items have in common. */
const commonFields = {
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  slug,
  englishName: fc.option(name),
  names: fc.dictionary(language, name),
};
const moveFields = fc.record({ ...commonFields, generation });
const move = moveFields.map((fields) => rawMove(fields.id, fields));
const item = fc.record({
  ...commonFields,
  gameIndices: fc.array(gameIndex, { maxLength: 4 }),
  sprite: fc.option(sprite),
});
const uniqueIds = {
  selector: (record: { readonly id: number }) => record.id,
  maxLength: 12,
};
const moves = fc.uniqueArray(move, uniqueIds);
const items = fc.uniqueArray(item, uniqueIds);

describe('a snapshot', () => {
  it('preserves any data set when it is written and read', () => {
    const property = fc.property(moves, items, (move, item) => {
      const data = dataSetOf({ move, item });
      const snapshot = openSnapshot(write(data));
      expect(decodeDataSet(snapshot.data())).toEqual(data);
    });
    fc.assert(property, { numRuns: 25 });
  });

  it('contains the same files for any order of the records', () => {
    const property = fc.property(moves, items, (move, item) => {
      const data = dataSetOf({ move, item });
      const reversed = dataSetOf({
        move: move.toReversed(),
        item: item.toReversed(),
      });
      const files = snapshotFiles(encodeDataSet(data));
      const filesOfReversed = snapshotFiles(encodeDataSet(reversed));
      expect(filesOfReversed).toEqual(files);
    });
    fc.assert(property, { numRuns: 25 });
  });

  it('writes one record per line', () => {
    const [moves] = snapshotFiles(encodeDataSet(dataSet));
    const lines = dataSet.records.move.map((move) => `${JSON.stringify(move)}\n`);
    expect(lines[1]).toMatch(/^\{"id":2,"slug":"a--b","name":"Âme “à” 🙂",/);
    expect(moves).toEqual({ path: 'move.ndjson', body: lines.join('') });
  });

  it('accepts a byte order mark in provenance.json', () => {
    const folder = write();
    edit(path.join(folder, 'provenance.json'), '{', '\uFEFF{');
    expect(decodeDataSet(openSnapshot(folder).data())).toEqual(dataSet);
  });

  const restore =
    'Restore the snapshot from a copy, or write a new one into another folder.';
  const refresh =
    'If another version of gamedata wrote this snapshot, refresh it: gamedata snapshot --data <dir>';
  const digest =
    /^DATA › digest: got sha256:\w{64}, expected sha256:\w+, as in provenance\.json$/;

  const summary = 'provenance.json';
  type Edit = [
    file: string,
    from: string,
    to: string,
    problem: RegExp | string,
    hint?: string,
  ];
  it.each<Edit>([
    ['move.ndjson', '"Move 1"', '"Move 7"', digest],
    ['item.ndjson', '\n', '', digest],
    ['move.ndjson', '\n', '\n\n', digest],
    [summary, 'sha256:', 'sha256:0', digest],
    [
      summary,
      '"captured"',
      '"caught"',
      'DATA/provenance.json › captured: got nothing, expected string',
    ],
    [
      summary,
      '"move": 3',
      '"move": 4',
      'DATA › move: got 3 records, expected 4, as in provenance.json',
    ],
    [
      summary,
      '"fr": {\n        "move": 1',
      '"fr": {\n        "move": 2',
      /^DATA › names\.languages: got .*"fr":\{"move":1.*, expected .*"fr":\{"move":2/,
    ],
    ['names/fr.json', 'Âme', 'Ame', /^DATA › names\.digest: got sha256:/],
    [
      summary,
      '{',
      '<<<\n{',
      /^DATA\/provenance\.json: got "<<<.* in line 1, column 1, expected JSON$/,
    ],
    [
      summary,
      '"format": 1',
      '"format": 9',
      'DATA/provenance.json: has format 9, but this version of gamedata reads format 1',
      'A newer version of gamedata wrote this file. Upgrade gamedata, or choose another folder.',
    ],
  ])(
    'rejects %s after %j was changed to %j',
    (file, from, to, problem, hint = restore) => {
      const folder = write();
      edit(path.join(folder, file), from, to);
      const error = catchError(() => openSnapshot(folder).data().readNames());
      const message = error.message.replace(folder, 'DATA');
      if (typeof problem === 'string') expect(message).toBe(problem);
      else expect(message).toMatch(problem);
      expect(error.hint).toBe(hint);
    },
  );

  const pointer =
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
  it.each<[problem: string, file: string, change: (text: string) => string]>([
    [
      'has CRLF line breaks, expected LF',
      'item.ndjson',
      (text) => text.replaceAll('\n', '\r\n'),
    ],
    ['has no line break at its end', 'move.ndjson', (text) => text.trimEnd()],
    ['is a Git LFS pointer, expected the file itself', 'item.ndjson', () => pointer],
    ['is a Git LFS pointer, expected the file itself', summary, () => pointer],
  ])('names the cause of the damage if a file %s: %s', (problem, name, change) => {
    const folder = write();
    const file = path.join(folder, name);
    const originalText = readFileSync(file, 'utf8');
    writeFileSync(file, change(originalText));
    const { message } = catchError(() => openSnapshot(folder).data());
    expect(message).toBe(`${file}: ${problem}`);
  });

  /** Writes a snapshot in which Git has converted the line breaks of former.json. */
  function writeConvertedFormer(): string {
    const former = { path: 'former.json', body: '{\r\n"move":{},\r\n"item":{}}' };
    const entry = createEntry('former.json', Buffer.from('{"move":{},"item":{}}'));
    const manifest = { format: 1, generator: 'gamedata/0.0.0', files: [entry] };
    return snapshotFolder(encodeDataSet(dataSet), former, {
      path: 'manifest.json',
      body: JSON.stringify(manifest),
    });
  }

  it('names CRLF line breaks as the cause if former.json is damaged', () => {
    const folder = writeConvertedFormer();
    const { past } = openSnapshot(folder);
    const options = { isComplete: true, wayOut: 'Restore it' };
    const error = catchError(() => readIntactPast(past, options));
    const file = path.join(folder, 'former.json');
    expect(error.message).toBe(`${file}: has CRLF line breaks, expected LF`);
    expect(error.hint).toContain('.gitattributes');
  });

  it('ignores a damaged former.json when it is read as the previous snapshot', () => {
    const previous = readPreviousSnapshot(writeConvertedFormer());
    const notice =
      'former.json does not match the other files, as after an interrupted build: its old slugs are kept';
    expect(previous?.readPast(false)).toEqual({ ...emptyPast, notices: [notice] });
  });

  it('fails if a file in the snapshot is missing', () => {
    const folder = write();
    rmSync(path.join(folder, 'item.ndjson'));
    expect(catchError(() => openSnapshot(folder).data())).toMatchObject({
      message: `${folder}/item.ndjson: does not exist, expected a snapshot`,
      hint: 'Create one with: gamedata snapshot --data <dir>',
    });
  });

  it('fails if provenance.json is not encoded as UTF-8', () => {
    const folder = write();
    writeFileSync(path.join(folder, 'provenance.json'), '\uFEFF{}', 'utf16le');
    const { message } = catchError(() => openSnapshot(folder));
    expect(message).toBe(`${folder}/provenance.json: got UTF-16, expected UTF-8`);
  });

  it('rejects an invalid record even if the digest is correct', () => {
    const [move = expect.unreachable()] = dataSet.records.move;
    const records = { ...dataSet.records, move: [{ ...move, slug: '../x' }] };
    const folder = write({ ...dataSet, records });
    const error = catchError(() => openSnapshot(folder).data().records);
    expect(error.message).toContain(
      'move.ndjson line 1 › slug: got "../x", expected a safe slug',
    );
    expect(error.hint).toBe(refresh);
  });

  it('reads no name files until the names are needed', () => {
    const folder = write();
    const file = path.join(folder, 'names/fr.json');
    rmSync(file);
    const data = openSnapshot(folder).data();
    expect(data.namesSummary).toEqual(encodeDataSet(dataSet).namesSummary);
    expect(() => data.readNames()).toThrow(
      `${file}: does not exist, expected a snapshot`,
    );
  });

  it('rejects names that belong to unknown records', () => {
    const names = [namesIn('fr', { move: { nobody: 'Personne' } })];
    const namesSummary = summarizeNames(names);
    const folder = snapshotFolder({
      ...encodeDataSet(dataSet),
      namesSummary,
      readNames: () => names,
    });
    expect(() => openSnapshot(folder).data().readNames()).toThrow(
      `${folder} › names.digest: got sha256:`,
    );
  });
});

describe('readPreviousSnapshot', () => {
  it('returns undefined for an empty folder', () => {
    expect(readPreviousSnapshot(temporaryFolder())).toBeUndefined();
  });

  it("reads a snapshot's records, provenance and history", () => {
    const data = encodeDataSet(dataSet);
    const folder = snapshotFolder(data, {
      path: 'changes.json',
      body: '{"steps":[]}',
    });
    const previous = readPreviousSnapshot(folder);
    expect(previous).toMatchObject({
      source: 'rest',
      captured: '2026-01-02',
      digest: data.digest,
    });
    expect(previous?.records()).toEqual(data.records);
    expect(previous?.readPast(false)).toEqual({ ...emptyPast, notices: [] });
  });

  /** Writes a snapshot with other moves, and adapts its digest. */
  function writeMoves(moves: string): string {
    const folder = write();
    writeFileSync(path.join(folder, 'move.ndjson'), moves);
    const readLines = (kind: Kind): Buffer =>
      readFileSync(path.join(folder, `${kind}.ndjson`));
    const digest = digestLines(readLines);
    const file = path.join(folder, 'provenance.json');
    const provenance = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...provenance, digest }));
    return folder;
  }

  it('accepts records with fields from another version', () => {
    const folder = writeMoves('{"power":40,"slug":"a","id":1}\n{"id":2,"slug":"b"}');
    const records = readPreviousSnapshot(folder)?.records();
    // The text also shows that the order of the fields is kept.
    expect(JSON.stringify(records?.move)).toBe(
      '[{"power":40,"slug":"a","id":1},{"id":2,"slug":"b"}]',
    );
  });

  it('rejects a record whose id is not a number', () => {
    const folder = writeMoves('{"id":"1","slug":"a"}\n');
    expect(() => readPreviousSnapshot(folder)?.records()).toThrow(
      'move.ndjson line 1: got ',
    );
  });
});

it('reads an empty history from a snapshot without changes.json', () => {
  expect(openSnapshot(write()).past.history()).toEqual(emptyHistory);
});

it("rejects a history that does not end with the snapshot's data", () => {
  const files = renamedSite().files();
  const changes = files.filter((file) => file.path === 'changes.json');
  const folder = snapshotFolder(encodeDataSet(dataSet), ...changes);
  const error = catchError(() => openSnapshot(folder).past.history());
  expect(error.message).toMatch(
    /changes\.json › steps\[0\]\.to\.digest: got sha256:\w+, expected sha256/,
  );
  expect(error.hint).toBe('Delete changes.json to start a new history.');
});

it('keeps the steps up to the previous snapshot if changes.json is newer', () => {
  const first = versionOf([rawMove(1, { slug: 'a' })]);
  const second = versionOf([rawMove(1, { slug: 'b' })]);
  const third = versionOf([rawMove(1, { slug: 'c' })]);
  const firstStep = compare(first, second);
  const secondStep = compare(second, third);
  const data = dataSetOf({ move: [rawMove(1, { slug: 'b' })], item: [] });
  const folder = snapshotFolder(encodeDataSet(data), {
    path: 'changes.json',
    body: encodeHistory({ steps: [secondStep, firstStep] }),
  });
  const { history, notices } = readPreviousSnapshot(folder)?.readPast(false) ?? {};
  expect(history).toEqual({ steps: [firstStep] });
  expect(notices).toEqual([
    expect.stringContaining('its steps up to the published data are kept'),
  ]);
});

it('rejects a history without steps', () => {
  const folder = write();
  writeFileSync(path.join(folder, 'changes.json'), '{}');
  expect(() => openSnapshot(folder).past.history()).toThrow(
    'changes.json › steps: got nothing',
  );
});

describe('the bundled data set', () => {
  it('contains all records from the tables that it was built from', () => {
    const bundled = openSnapshot(BUNDLED_DATA).data();
    const { records, warnings, provenance } = decodeDataSet(bundled);
    expect(records.move).toHaveLength(746);
    expect(records.item).toHaveLength(954);
    expect(warnings).toEqual([]);
    expect(provenance).toMatchObject({
      source: 'csv',
      upstream: expect.stringContaining('pokedex@1.1.0'),
    });
    expect(records.move[0]).toMatchObject({
      id: 1,
      slug: 'pound',
      name: 'Pound',
      generation: 1,
    });
    const icon = 'sprites/items/master-ball.png';
    expect(records.item[0]).toMatchObject({ id: 1, slug: 'master-ball', icon });
  });

  it("includes the bundled data's license", () => {
    const license = readFileSync(path.join(BUNDLED_DATA, 'LICENSE.txt'), 'utf8');
    expect(license).toContain('Redistribution and use');
  });

  it.each(['provenance.json', 'move.ndjson', 'former.json'])(
    'ignores the bundled data set if %s is damaged',
    (file) => {
      const folder = write();
      expect(readBundledSnapshot(folder)).toMatchObject({ counts: { move: 3 } });
      writeFileSync(path.join(folder, file), '<<<<<<< HEAD\n{');
      expect(readBundledSnapshot(folder)).toBeUndefined();
    },
  );
});
