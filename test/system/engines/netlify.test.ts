import path from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { hosts } from '../../../src/hosts/index.ts';
import { bodyText } from '../../support/body.ts';
import { renamedSite } from '../../support/data-set-versions.ts';
import { type Readings, readRedirects } from '../../support/engines/netlify.ts';
import {
  fullSizeRecords,
  hostContext,
  rawRecords,
  siteOf,
} from '../../support/sites.ts';

const ICONS =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/';
const notFound = '404 /404.json';

const readRules = (site: Parameters<typeof hostContext>[0]): Promise<Readings> => {
  const files = hosts['netlify-rules'].createFiles(hostContext(site));
  return readRedirects(
    bodyText(files.find(({ path }) => path === '_redirects')?.body ?? ''),
  );
};

/** Returns the response of both readings, which must agree. */
function respond(
  { engine, exactSet }: Readings,
  path: string,
  query = '',
): string | undefined {
  const response = engine(path, query);
  expect(exactSet(path, query), `${path}?${query}`).toBe(response);
  return response;
}

it('redirects renamed records but not unknown records', async () => {
  const rules = await readRules(renamedSite());
  for (const query of ['', 'format=api']) {
    expect(respond(rules, '/api/gamedata/move/move-1/', query)).toBe(
      '301 /api/gamedata/move/new/',
    );
  }
  expect(respond(rules, '/api/gamedata/move/move-9/')).toBe(notFound);
});

it('needs fewer than 10,000 rules for the full-size site, and serves every record with any query', async () => {
  const site = siteOf(fullSizeRecords());
  const paths = new Set(site.files().map(({ path }) => path));
  const readings = await readRules(site);
  const { errors, rules } = readings;
  expect(errors).toEqual([]);
  expect(rules.length).toBeLessThan(10_000);
  const wrong = rules.filter(({ to, status }) =>
    status === 302
      ? to !== `${ICONS}:splat`
      : !paths.has(to.slice(1)) ||
        status !== (/^\/4\d\d\.json$/.test(to) ? 404 : 200),
  );
  expect(wrong).toEqual([]);
  const own = new Set(
    rules.map(({ path, status, to }) => `${path}index.json ${status} ${to}`),
  );
  const records = [...paths].filter((file) =>
    /^api\/gamedata\/\w+\/(?!offset)[^/]+\/index/.test(file),
  );
  expect(records).toHaveLength(937 + 2223);
  expect(records.filter((file) => !own.has(`/${file} 200 /${file}`))).toEqual([]);
  // The engine takes 20 ms to match one record, and the rules of all records are
  // alike.
  for (const file of records.filter((_, index) => index % 500 === 0)) {
    for (const query of ['', 'format=api', 'utm=1']) {
      expect(respond(readings, `/${path.dirname(file)}`, query)).toBe(
        `200 /${file}`,
      );
    }
  }
});

const values = {
  format: fc.constantFrom('api', 'json', 'xml', ''),
  limit: fc.oneof(
    fc.constant('100'),
    fc.constantFrom('20', '0', 'abc', '', '0100', '-100', '1e2', '100.0'),
  ),
  offset: fc.oneof(
    fc.nat({ max: 6 }).map((page) => `${page * 100}`),
    fc.constantFrom(
      '50',
      '-1',
      '-100',
      '99999999999999999999',
      'abc',
      '',
      '0100',
      '1e2',
      '100.0',
      '00',
    ),
  ),
};
const query = fc
  .shuffledSubarray(['format', 'limit', 'offset'] as const)
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => values[name].map((text) => [name, text] as const)),
    ),
  );

/** Finds the response among the built pages. */
function findExpected(
  count: number,
  pairs: readonly (readonly [string, string])[],
): string {
  const { format = 'api', limit = '100', offset = '0' } = Object.fromEntries(pairs);
  const pages = Math.max(1, Math.ceil(count / 100));
  const built = Array.from({ length: pages }, (_, page) => `${page * 100}`);
  if (
    ['api', 'json'].includes(format) &&
    limit === '100' &&
    built.includes(offset)
  ) {
    const folder = offset === '0' ? '' : `offset/${offset}/`;
    return `200 /api/gamedata/move/${folder}index.json`;
  }
  return pairs.every(([name]) => name === 'format') ? notFound : '404 /400.json';
}

it('serves built pages for lists of any length and any subset and order of parameters', async () => {
  const lengthAndQueries = [
    fc.integer({ min: 0, max: 520 }),
    fc.array(query, { minLength: 50, maxLength: 50 }),
  ] as const;
  await fc.assert(
    fc.asyncProperty(...lengthAndQueries, async (count, queries) => {
      const rules = await readRules(siteOf(rawRecords(count, 1)));
      expect(rules.errors).toEqual([]);
      for (const pairs of queries) {
        const text = pairs.map((pair) => pair.join('=')).join('&');
        expect(respond(rules, '/api/gamedata/move/', text), text).toBe(
          findExpected(count, pairs),
        );
      }
    }),
    { numRuns: 12, examples: [[0, [[['offset', '0']], [['offset', '100']]]]] },
  );
});
