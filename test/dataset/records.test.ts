import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { provenanceSchema, warningSchema } from '../../src/dataset/data-set.ts';
import { digestLines, digestRecords, encodeLine } from '../../src/dataset/digest.ts';
import { servedText } from '../../src/dataset/encode.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawItem, rawMove } from '../support/sites.ts';

describe('the digest', () => {
  const moves = Array.from({ length: 2001 }, (_, at) => rawMove(at + 1));
  const { records, digest } = versionOf(moves, [rawItem(1)]);

  it('is the SHA-256 of the kinds and their records, one on each line', () => {
    const lines = [
      'move',
      ...records.move.map(({ json }) => json),
      'item',
      ...records.item.map(({ json }) => json),
    ];
    const sum = createHash('sha256')
      .update(lines.map((line) => `${line}\n`).join(''))
      .digest('hex');
    expect(digest).toBe(`sha256:${sum}`);
  });

  it('is the same by the text of each kind', () => {
    expect(digestLines((kind) => records[kind].map(encodeLine).join(''))).toBe(digest);
    expect(digestRecords({ ...records, item: [] })).not.toBe(digest);
  });
});

describe('the text of a record', () => {
  it('has its url first when it is served', () => {
    const record = { id: 1, slug: 'pound', json: '{"id":1,"slug":"pound"}' };
    expect(servedText({ baseUrl: 'https://example.test', links: 'query' }, 'move', record)).toBe(
      '{"url":"https://example.test/api/gamedata/move/pound/?format=api","id":1,"slug":"pound"}',
    );
    expect(encodeLine(record)).toBe('{"id":1,"slug":"pound"}\n');
  });
});

describe('warnings', () => {
  it('may have codes that only another version knows', () => {
    const warning = { code: 'new', kind: 'move', id: 1, message: 'x' };
    expect(warningSchema.parse(warning)).toEqual(warning);
  });
});

describe('a provenance', () => {
  const provenance = { source: 'csv', upstream: 'x', captured: '2026-01-02', edition: null };
  it('says source, upstream and day', () => {
    expect(provenanceSchema.parse(provenance)).toEqual(provenance);
    expect(provenanceSchema.parse({ ...provenance, source: 'rest' }).source).toBe('rest');
  });

  it('of a version without editions has none', () => {
    const { edition: _, ...older } = provenance;
    expect(provenanceSchema.parse(older)).toEqual(provenance);
  });

  it.each([{ source: 'site' }, { upstream: '' }, { captured: '2026-02-30' }])('is not %j', (wrong) => {
    expect(provenanceSchema.safeParse({ ...provenance, ...wrong }).success).toBe(false);
  });
});
