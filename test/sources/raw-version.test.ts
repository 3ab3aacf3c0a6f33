import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { kindNames } from '../../src/contract/kinds.ts';
import { rawSchemas } from '../../src/sources/normalize.ts';
import { RAW_VERSION, readAnswer } from '../../src/sources/rest.ts';
import { handMadeUpstream } from '../support/upstream-data.ts';

/** `RAW_VERSION` → what the cache contains in that version: the schemas, and the reduction of every odd record. */
const fingerprints: Readonly<Record<number, string>> = {
  // With names in other languages.
  3: '1088bf3703749e82',
};

function fingerprint(): string {
  const upstream = handMadeUpstream();
  const reduced = kindNames.flatMap((kind) =>
    upstream
      .list(kind)
      .map(({ id }) => readAnswer(kind, JSON.parse(upstream.record(kind, id) ?? ''), `${id}`)),
  );
  const schemas = kindNames.map((kind) => z.toJSONSchema(rawSchemas[kind]));
  return createHash('sha256')
    .update(JSON.stringify([schemas, reduced]))
    .digest('hex')
    .slice(0, 16);
}

it('the cache has a new version whenever the reduced records change', () => {
  expect(
    fingerprint(),
    'increase RAW_VERSION in src/sources/rest.ts, and add its fingerprint here',
  ).toBe(fingerprints[RAW_VERSION]);
});
