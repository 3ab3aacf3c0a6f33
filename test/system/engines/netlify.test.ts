import path from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compare } from '../../../src/data/compare.ts';
import { emptyHistory, extendHistory } from '../../../src/data/history.ts';
import { hosts } from '../../../src/hosts/index.ts';
import { bodyText } from '../../support/body.ts';
import { type Readings, readRedirects } from '../../support/engines/netlify.ts';
import { hostContext, rawMove, rawRecords, siteOf } from '../../support/sites.ts';
import { versionOf } from '../../support/stored-data.ts';

const ICONS =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/';
const notFound = '404 /404.json';

type RedirectSite = Parameters<typeof hostContext>[0];

/** A site of three moves. The first is `new`, and its old slug is `move-1`. */
function renamedSite(): RedirectSite {
  const { move, item } = rawRecords(3, 1);
  const renamed = [rawMove(1, { slug: 'new' }), ...move.slice(1)];
  const step = compare(versionOf(move, item), versionOf(renamed, item));
  return siteOf(
    { move: renamed, item },
    { history: extendHistory(emptyHistory, step) },
  );
}

/** Reads the redirect rules that a build writes for a site. */
function readRules(site: RedirectSite): Promise<Readings> {
  const files = hosts['netlify-rules'].createFiles(hostContext(site));
  const redirects = files.find(({ path }) => path === '_redirects');
  return readRedirects(bodyText(redirects?.body ?? ''));
}

/** Returns the response from both readings, which must agree. */
function respond(
  { engine, exactSet }: Readings,
  path: string,
  query = '',
): string | undefined {
  const response = engine(path, query);
  expect(exactSet(path, query), `${path}?${query}`).toBe(response);
  return response;
}

it.each(['', 'format=api'])(
  'redirects a renamed record with the query "%s"',
  async (query) => {
    const rules = await readRules(renamedSite());
    const response = respond(rules, '/api/gamedata/move/move-1/', query);
    expect(response).toBe('301 /api/gamedata/move/new/');
  },
);

it('does not redirect an unknown record', async () => {
  const rules = await readRules(renamedSite());
  expect(respond(rules, '/api/gamedata/move/move-9/')).toBe(notFound);
});

describe('the redirect rules of a full-size site', () => {
  const site = siteOf(rawRecords(937, 2223));
  const files = new Set(site.files().map(({ path }) => path));
  const recordFiles = [...files].filter((file) =>
    /^api\/gamedata\/\w+\/(?!offset)[^/]+\/index/.test(file),
  );
  let readings: Readings;
  beforeAll(async () => {
    readings = await readRules(site);
  });

  it('are valid, and fewer than 10,000', () => {
    expect(readings.errors).toEqual([]);
    expect(readings.rules.length).toBeLessThan(10_000);
  });

  it("serve only the site's files, and redirect only to icons", () => {
    for (const { to, status } of readings.rules) {
      if (status === 302) {
        expect(to).toBe(`${ICONS}:splat`);
        continue;
      }
      expect(files).toContain(to.slice(1));
      const isError = /^\/4\d\d\.json$/.test(to);
      expect(status, to).toBe(isError ? 404 : 200);
    }
  });

  it('include a rule for every record', () => {
    const rules = new Set<string>();
    for (const { path, status, to } of readings.rules) {
      rules.add(`${path}index.json ${status} ${to}`);
    }
    const missing = recordFiles.filter(
      (file) => !rules.has(`/${file} 200 /${file}`),
    );
    expect(recordFiles).toHaveLength(937 + 2223);
    expect(missing).toEqual([]);
  });

  it.each(['', 'format=api', 'utm=1'])(
    'serve records with the query "%s"',
    (query) => {
      // The engine takes 20 ms to match one record, and the rules for all records
      // are alike.
      const sample = recordFiles.filter((_, index) => index % 500 === 0);
      for (const file of sample) {
        const response = respond(readings, `/${path.dirname(file)}`, query);
        expect(response).toBe(`200 /${file}`);
      }
    },
  );
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
type Name = keyof typeof values;
type Parameter = readonly [name: Name, value: string];

function createParameter(name: Name): fc.Arbitrary<Parameter> {
  return values[name].map((value) => [name, value]);
}

/** Any of the parameters, in any order. */
const query = fc
  .shuffledSubarray<Name>(['format', 'limit', 'offset'])
  .chain((names) => fc.tuple(...names.map(createParameter)));

/** Finds the response among a list's built pages. */
function findExpected(count: number, parameters: readonly Parameter[]): string {
  const given = new Map(parameters);
  const format = given.get('format') ?? 'api';
  const limit = given.get('limit') ?? '100';
  const offset = given.get('offset') ?? '0';
  const builtOffsets = new Set(['0']);
  for (let start = 100; start < count; start += 100) builtOffsets.add(`${start}`);
  const isJson = format === 'api' || format === 'json';
  if (isJson && limit === '100' && builtOffsets.has(offset)) {
    const folder = offset === '0' ? '' : `offset/${offset}/`;
    return `200 /api/gamedata/move/${folder}index.json`;
  }
  const hasPageRange = given.has('limit') || given.has('offset');
  return hasPageRange ? '404 /400.json' : notFound;
}

it('serves the built pages of a list of any length, whatever parameters the query contains', async () => {
  const length = fc.integer({ min: 0, max: 520 });
  const fiftyQueries = fc.array(query, { minLength: 50, maxLength: 50 });
  const property = fc.asyncProperty(length, fiftyQueries, async (count, queries) => {
    const rules = await readRules(siteOf(rawRecords(count, 1)));
    expect(rules.errors).toEqual([]);
    for (const parameters of queries) {
      const text = parameters.map((parameter) => parameter.join('=')).join('&');
      const response = respond(rules, '/api/gamedata/move/', text);
      expect(response, text).toBe(findExpected(count, parameters));
    }
  });
  const firstPage: Parameter[] = [['offset', '0']];
  const secondPage: Parameter[] = [['offset', '100']];
  await fc.assert(property, {
    numRuns: 12,
    examples: [[0, [firstPage, secondPage]]],
  });
});
