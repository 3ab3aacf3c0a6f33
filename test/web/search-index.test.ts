import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import type { SearchIndex } from '../../src/contract/served.ts';
import { createSearchIndex, generationOf, readSearchIndex } from '../../src/web/search/search-index.ts';
import { encodeDataSet, type Records } from '../support/decode.ts';
import { otherKinds } from '../support/kinds.ts';
import { dataSetOf, fullSizeRecords, rawItem, rawMove, rawRecords } from '../support/sites.ts';
import { hasRecordedUpstream } from '../support/upstream-data.ts';

const { records, provenance } = dataSetOf({
  move: [
    rawMove(1, { slug: 'pound', englishName: 'Pound' }),
    rawMove(10_001, { slug: 'u--turn', englishName: 'U-turn <b>', generation: 4 }),
  ],
  item: [
    rawItem(4, { slug: 'poke-ball', englishName: 'Poké Ball', sprite: 'x/sprites/items/poke-ball.png' }),
    rawItem(7, {
      slug: 'odd',
      englishName: 'Odd',
      sprite: 'x/sprites/items/dream-world/odd.png',
      gameIndices: [
        { generation: 5, index: 0 },
        { generation: 3, index: 9 },
      ],
    }),
  ],
});

const encoded = (records: Records) => encodeDataSet({ records, warnings: [], provenance, names: [] }).records;
const indexOf = (records: Records): SearchIndex =>
  JSON.parse(JSON.stringify(createSearchIndex(encoded(records))));

describe('the search index', () => {
  it('has a column for each property, without what follows from the slug', () => {
    const { move, item, ...others } = indexOf(records);
    expect(Object.keys(others)).toEqual(otherKinds);
    expect({ move, item }).toEqual({
      move: { id: [1, 10_000], slug: 'pound u--turn', name: '\nU-turn <b>', generation: [1, 4], icon: null },
      item: {
        id: [4, 3],
        slug: 'poke-ball odd',
        name: 'Poké Ball\n',
        generation: [null, 3],
        icon: ' dream-world/odd.png',
      },
    });
  });

  it.each([
    ['a few odd records', records],
    ['no records', dataSetOf(rawRecords(0, 0)).records],
    ['the whole data', dataSetOf(fullSizeRecords()).records],
  ])('holds %s', (_, held) => {
    const read = readSearchIndex(indexOf(held));
    const expected = kindNames.flatMap((kind) =>
      held[kind].map((record) => ({
        kind,
        id: record.id,
        slug: record.slug,
        name: record.name,
        generation: generationOf(record),
        icon: 'icon' in record ? record.icon : null,
      })),
    );
    expect(read).toEqual(expected);
  });

  it('is rejected if its columns are not of one length', () => {
    const index = indexOf(records);
    const short = { ...index, item: { ...index.item, slug: 'poke-ball' } };
    expect(() => readSearchIndex(short)).toThrow('item: got columns of 1, 2, 2, 2, expected 2 each');
  });

  it.runIf(hasRecordedUpstream)('takes at most 22 kB of the real data with gzip, and 17 with Brotli', () => {
    const text = JSON.stringify(indexOf(dataSetOf(fullSizeRecords()).records));
    expect(gzipSync(text).length).toBeLessThan(22_000);
    expect(brotliCompressSync(text).length).toBeLessThan(17_000);
  });
});
