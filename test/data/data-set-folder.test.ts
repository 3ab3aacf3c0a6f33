import { describe, expect, it } from 'vitest';
import { withRecords } from '../../src/data/advance.ts';
import { compare } from '../../src/data/compare.ts';
import { readDataSet, readPreviousDataSet } from '../../src/data/data-set-folder.ts';
import { noOldSlugs } from '../../src/data/old-slugs.ts';
import type { Past } from '../../src/data/past.ts';
import { sha256 } from '../../src/sha256.ts';
import { rawItem, rawMove } from '../support/sites.ts';
import {
  type Bodies,
  createSource,
  createStoredData,
  storeData,
} from '../support/stored-data.ts';

const raw = {
  move: [
    rawMove(1, { slug: 'pound', names: { fr: 'Écras’Face', ja: 'はたく' } }),
    rawMove(2, { slug: 'karate-chop' }),
  ],
  item: [rawItem(1, { gameIndices: [{ generation: 3, index: 0 }] })],
};

const before = createStoredData({ ...raw, move: [rawMove(1), rawMove(2)] });
const after = createStoredData(raw);
const past: Past = {
  history: { steps: [compare(withRecords(before), withRecords(after))] },
  oldSlugs: { ...noOldSlugs, move: new Map([['move-1', 1]]) },
};
const stored = createStoredData(raw, { past });

interface Description {
  [field: string]: unknown;
  digest: string;
  counts: Record<string, number>;
  files: { path: string; bytes: number; sha256: string }[];
}

/** Changes the content of `dataset.json`. */
function changeDescription(
  bodies: Bodies,
  change: (description: Description) => void,
): void {
  const description: Description = JSON.parse(`${bodies.get('dataset.json')}`);
  change(description);
  bodies.set('dataset.json', Buffer.from(JSON.stringify(description)));
}

/** Replaces the text of a file, and describes it correctly in `dataset.json`. */
function replaceText(
  bodies: Bodies,
  file: string,
  change: (text: string) => string,
): void {
  const body = Buffer.from(change(`${bodies.get(file)}`));
  bodies.set(file, body);
  changeDescription(bodies, (description) => {
    for (const entry of description.files) {
      if (entry.path !== file) continue;
      entry.bytes = body.length;
      entry.sha256 = sha256(body);
    }
    description.digest = digestBodies(bodies);
  });
}

function digestBodies(bodies: Bodies): string {
  return `sha256:${sha256(`move\n${bodies.get('move.ndjson')}item\n${bodies.get('item.ndjson')}`)}`;
}

/** Reads every part of a data set. */
async function readAll(bodies: Bodies) {
  const dataSet = await readDataSet(createSource(bodies));
  return {
    ...dataSet,
    records: dataSet.readRecords(),
    names: dataSet.readNames(),
    past: dataSet.readPast(),
  };
}

describe('createDataSetFiles', () => {
  it('writes the same bytes after reading a data set back', async () => {
    const bodies = storeData(stored);
    const copy = await readDataSet(createSource(bodies));
    expect(storeData(copy)).toEqual(bodies);
  });

  it('writes one record, one warning and one listed file per line', () => {
    const warning = { code: 'no-icon', kind: 'item', id: 1, message: 'x' } as const;
    const warnings = [warning, { ...warning, id: 2 }];
    const bodies = storeData({ ...stored, warnings });
    const texts = new Map(Array.from(bodies, ([path, body]) => [path, `${body}`]));
    expect(texts.get('move.ndjson')?.split('\n')).toHaveLength(3);
    const description = texts.get('dataset.json') ?? '';
    for (const listed of [...warnings, { path: 'LICENSE.txt' }]) {
      const start = JSON.stringify(listed).slice(0, -1);
      expect(description).toContain(`\n  ${start}`);
    }
  });

  it('lists exactly the files of the data set in dataset.json', () => {
    const bodies = storeData(stored);
    const { files } = JSON.parse(`${bodies.get('dataset.json')}`);
    const listed = files.map(({ path }: { path: string }) => path);
    expect([...listed, 'dataset.json']).toEqual([...bodies.keys()]);
    expect(listed).toEqual([
      'LICENSE.txt',
      'changes.json',
      'item.ndjson',
      'move.ndjson',
      'names/en.json',
      'names/fr.json',
      'names/ja.json',
      'old-slugs.json',
    ]);
  });
});

describe('readDataSet', () => {
  it.each([...storeData(stored).keys()])(
    'rejects a data set without %s',
    async (file) => {
      const bodies = storeData(stored);
      bodies.delete(file);
      await expect(readAll(bodies)).rejects.toThrow(
        `stored/${file}: does not exist`,
      );
    },
  );

  it('rejects a file whose content does not match the listed size and hash', async () => {
    const bodies = storeData(stored);
    bodies.set('names/fr.json', Buffer.from('{}'));
    const message = 'stored/names/fr.json: has 2 bytes, expected';
    await expect(readAll(bodies)).rejects.toThrow(message);
  });

  it.each<
    [title: string, file: string, change: (text: string) => string, message: string]
  >([
    [
      'a record with an unknown field',
      'move.ndjson',
      (text) => text.replace('{', '{"power":40,'),
      'stored/move.ndjson line 1',
    ],
    [
      'a record without a field',
      'move.ndjson',
      (text) => text.replace(',"generation":1', ''),
      'stored/move.ndjson line 1 › generation: got nothing',
    ],
    [
      'records that are not in order of id',
      'move.ndjson',
      (text) => text.trimEnd().split('\n').reverse().join('\n').concat('\n'),
      'expected ascending ids',
    ],
    [
      'two records with the same slug',
      'move.ndjson',
      (text) => text.replace('karate-chop', 'pound'),
      'unique slugs',
    ],
    [
      'fields in an unusual order',
      'move.ndjson',
      (text) => text.replace('"id":1,"slug":"pound"', '"slug":"pound","id":1'),
      'fields in the usual order',
    ],
    [
      'a different number of records than dataset.json lists',
      'move.ndjson',
      (text) => text.slice(text.indexOf('\n') + 1),
      'stored/move.ndjson: got 1 records, expected 2, as in dataset.json',
    ],
    [
      'a history that ends at different records',
      'changes.json',
      (text) => text.replace(stored.digest, `sha256:${'0'.repeat(64)}`),
      'stored/changes.json › steps[0].to.digest',
    ],
    [
      'old slugs that are not slugs',
      'old-slugs.json',
      (text) => text.replace('move-1', '../move'),
      'stored/old-slugs.json › move["../move"]',
    ],
  ])('rejects %s, and names the file', async (_, file, change, message) => {
    const bodies = storeData(stored);
    replaceText(bodies, file, change);
    await expect(readAll(bodies)).rejects.toThrow(message);
  });

  it.each<
    [title: string, change: (description: Description) => void, message: string]
  >([
    [
      'a digest that does not match the records',
      (description) => {
        description.digest = `sha256:${'0'.repeat(64)}`;
      },
      'stored/dataset.json › digest: got sha256:0000',
    ],
    [
      'a data set in a newer format',
      (description) => {
        description.format = 2;
      },
      'has format 2, but this version of gamedata reads format 1',
    ],
    [
      'a data set that does not fit into memory',
      (description) => {
        for (const file of description.files) file.bytes = 200 * 1024 * 1024;
      },
      'expected at most',
    ],
  ])('rejects %s', async (_, change, message) => {
    const bodies = storeData(stored);
    changeDescription(bodies, change);
    await expect(readAll(bodies)).rejects.toThrow(message);
  });
});

describe('readPreviousDataSet', () => {
  /**
   * Returns a data set as another version wrote it: without items and a field, and with a
   * field that this version does not know.
   */
  function createOther(): Bodies {
    const bodies = storeData(stored);
    bodies.delete('item.ndjson');
    changeDescription(bodies, (description) => {
      delete description.counts.item;
      description.unknown_field = 9000;
      description.files = description.files.filter(
        ({ path }) => path !== 'item.ndjson',
      );
    });
    bodies.set('item.ndjson', Buffer.of());
    replaceText(bodies, 'move.ndjson', (text) =>
      text.replaceAll(/"generation":\d/g, '"unknown_field":40'),
    );
    changeDescription(bodies, (description) => {
      description.digest = `sha256:${sha256(`move\n${bodies.get('move.ndjson')}`)}`;
    });
    replaceHistory(bodies);
    bodies.delete('item.ndjson');
    return bodies;
  }

  /** Lets the history lead to the digest in `dataset.json`. */
  function replaceHistory(bodies: Bodies): void {
    const { digest } = JSON.parse(`${bodies.get('dataset.json')}`);
    replaceText(bodies, 'changes.json', (text) =>
      text.replace(stored.digest, digest),
    );
    changeDescription(bodies, (description) => {
      description.digest = digest;
    });
  }

  it('reads a data set and a history that another version wrote with other fields and kinds', async () => {
    const previous = await readPreviousDataSet(createSource(createOther()));
    expect(previous.counts).toMatchObject({ move: 2, item: 0 });
    expect(previous.readRecords()).toMatchObject({ item: [] });
    expect(previous.readRecords().move[0]).toEqual({
      id: 1,
      slug: 'pound',
      name: 'Move 1',
      unknown_field: 40,
    });
    expect(previous.readPast().oldSlugs).toEqual(past.oldSlugs);
    expect(previous.readPast().history.steps).toHaveLength(1);
    expect(previous.readNames().map(({ language }) => language)).toEqual([
      'en',
      'fr',
      'ja',
    ]);
  });

  it('rejects a source that lacks a field because it is older, and explains how to get a new one', async () => {
    await expect(readAll(createOther())).rejects.toMatchObject({
      message: expect.stringContaining('generation: got nothing'),
      hint: expect.stringContaining('gamedata snapshot'),
    });
  });
});
