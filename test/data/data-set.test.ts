import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import { addUrl } from '../../src/data/api-values.ts';
import {
  digestLines,
  digestRecords,
  encodeLine,
  provenanceSchema,
  warningSchema,
} from '../../src/data/data-set.ts';
import { rawItem, rawMove } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';

it("digestRecords hashes each kind's name, followed by its records line by line", () => {
  const { records, digest } = versionOf([rawMove(1), rawMove(2)], [rawItem(1)]);
  const lines = kindNames.flatMap((kind) => [
    kind,
    ...records[kind].map((one) => JSON.stringify(one)),
  ]);
  const sum = createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest('hex');
  expect(digest).toBe(`sha256:${sum}`);
  expect(digestLines((kind) => records[kind].map(encodeLine).join(''))).toBe(digest);
  expect(digestRecords({ ...records, item: [] })).not.toBe(digest);
});

it('addUrl adds only the URL', () => {
  const record = { id: 1, slug: 'pound', name: 'Pound', generation: 1 };
  const { url, ...fields } = addUrl(
    { baseUrl: 'https://example.test', links: 'query' },
    'move',
    record,
  );
  expect(url).toBe('https://example.test/api/gamedata/move/pound/?format=api');
  expect(fields).toEqual(record);
});

it('warningSchema accepts codes from other versions of gamedata', () => {
  const warning = { code: 'new', kind: 'move', id: 1, message: 'x' };
  expect(warningSchema.parse(warning)).toEqual(warning);
});

it('provenanceSchema accepts data without an edition', () => {
  const provenance = { source: 'csv', upstream: 'x', captured: '2026-01-02' };
  expect(provenanceSchema.parse(provenance)).toEqual({
    ...provenance,
    edition: null,
  });
  for (const wrong of [
    { source: 'site' },
    { upstream: '' },
    { captured: '2026-02-30' },
  ])
    expect(provenanceSchema.safeParse({ ...provenance, ...wrong }).success).toBe(
      false,
    );
});
