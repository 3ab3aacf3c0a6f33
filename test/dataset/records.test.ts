import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import {
  addUrl,
  digestLines,
  digestRecords,
  encodeLine,
  provenanceSchema,
  removeUrl,
  warningSchema,
} from '../../src/dataset/data-set.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { dataSetOf, rawItem, rawMove } from '../support/sites.ts';

describe('the digest', () => {
  const moves = Array.from({ length: 2001 }, (_, at) => rawMove(at + 1));
  const { records, digest } = versionOf(moves, [rawItem(1)]);

  it('is the SHA-256 of the kinds and their records, one on each line', () => {
    const lines = kindNames.flatMap((kind) => [kind, ...records[kind].map((one) => JSON.stringify(one))]);
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

describe('a record as it is served', () => {
  it('has its url first, and is the record without it', () => {
    const [record] = dataSetOf({ move: [rawMove(1)] }).records.move;
    if (!record) throw new Error('expected a move');
    const own = addUrl({ baseUrl: 'https://example.test', links: 'query' }, 'move', record);
    const line = JSON.stringify(record);
    expect(JSON.stringify(own)).toBe(
      line.replace('{', '{"url":"https://example.test/api/gamedata/move/move-1/?format=api",'),
    );
    expect(removeUrl(own)).toEqual(record);
    expect(encodeLine(record)).toBe(`${line}\n`);
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
  it('of a version without editions has none', () => {
    const { edition: _, ...older } = provenance;
    expect(provenanceSchema.parse(older)).toEqual(provenance);
  });

  it.each([{ source: 'site' }, { upstream: '' }, { captured: '2026-02-30' }])('is not %j', (wrong) => {
    expect(provenanceSchema.safeParse({ ...provenance, ...wrong }).success).toBe(false);
  });
});
