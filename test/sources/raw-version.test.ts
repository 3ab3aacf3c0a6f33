import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { RAW_VERSION } from '../../src/sources/rest.ts';
import { rawOf } from '../support/sites.ts';
import { handMadeUpstream } from '../support/upstream-data.ts';

/** `RAW_VERSION` → what the cache contains in that version: the reduction of every odd record. */
const fingerprints: Readonly<Record<number, string>> = {
  // With names in other languages.
  3: 'd635dbfa9bb9ee0c',
};

it('the cache has a new version whenever the reduced records change', () => {
  const reduced = Object.values(rawOf(handMadeUpstream())).flat();
  const fingerprint = createHash('sha256').update(JSON.stringify(reduced)).digest('hex').slice(0, 16);
  const hint = 'increase RAW_VERSION in src/sources/rest.ts, and add its fingerprint here';
  expect(fingerprint, hint).toBe(fingerprints[RAW_VERSION]);
});
