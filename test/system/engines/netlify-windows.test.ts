/** Netlify's rules for lists of any length, against a plain reading of what is built, under both readings of a query. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { netlifyRules } from '../../../src/hosts/netlify-rules.ts';
import { bodyText } from '../../support/body.ts';
import { readRedirects } from '../../support/netlify.ts';
import { hostContext, rawRecords, siteOf } from '../../support/sites.ts';

const format = fc.constantFrom('api', 'json', 'xml', '');
const limit = fc.oneof(
  fc.constant('100'),
  fc.constantFrom('20', '0', 'abc', '', '0100', '-100', '1e2', '100.0', '1000'),
);
const offset = fc.oneof(
  fc.nat({ max: 6 }).map((page) => `${page * 100}`),
  fc.constantFrom('50', '-1', '-100', '99999999999999999999', 'abc', '', '0100', '1e2', '100.0', '00'),
);
const value = { format, limit, offset };
const query = fc
  .shuffledSubarray(['format', 'limit', 'offset'] as const)
  .chain((names) => fc.tuple(...names.map((name) => value[name].map((text) => [name, text] as const))));

/** What is built, and nothing else. */
function expected(count: number, pairs: readonly (readonly [string, string])[]): string {
  const { format = 'api', limit = '100', offset = '0' } = Object.fromEntries(pairs);
  const pages = Math.max(1, Math.ceil(count / 100));
  const built = Array.from({ length: pages }, (_, page) => `${page * 100}`);
  if (['api', 'json'].includes(format) && limit === '100' && built.includes(offset)) {
    const folder = offset === '0' ? '' : `offset/${offset}/`;
    return `200 /api/gamedata/move/${folder}index.json`;
  }
  return pairs.every(([name]) => name === 'format') ? '404 /404.json' : '404 /400.json';
}

it('a list of any length is answered by what is built of it, in every subset and order of the parameters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 520 }),
      fc.array(query, { minLength: 50, maxLength: 50 }),
      async (count, queries) => {
        const { routes } = siteOf(rawRecords(count, 1));
        const rules = netlifyRules.files(hostContext(routes)).find(({ path }) => path === '_redirects');
        const { engine, exactSet, errors } = await readRedirects(bodyText(rules?.body ?? ''));
        expect(errors).toEqual([]);
        for (const pairs of queries) {
          const text = pairs.map((pair) => pair.join('=')).join('&');
          expect(engine('/api/gamedata/move/', text), text).toBe(expected(count, pairs));
          expect(exactSet('/api/gamedata/move/', text), text).toBe(expected(count, pairs));
        }
      },
    ),
    { numRuns: 12 },
  );
});
