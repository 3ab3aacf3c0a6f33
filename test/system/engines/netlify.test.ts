/** Netlify's rules under both readings of a query: for the full-size site, and for lists of any length against a plain reading of what is built. */

import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteTable } from '../../../src/contract/routes.ts';
import { hosts } from '../../../src/hosts/index.ts';
import { bodyText } from '../../support/body.ts';
import { renamedSite } from '../../support/data-set-versions.ts';
import { type Readings, readRedirects } from '../../support/netlify.ts';
import { fullSizeSite, hostContext, rawRecords, siteOf } from '../../support/sites.ts';

let site: ReturnType<typeof fullSizeSite>;
let readings: Readings;
beforeAll(async () => {
  site = fullSizeSite();
  readings = await readRedirects(site.configuration.get('_redirects') ?? '');
});

/** What both readings answer; they have to agree. */
function answer(path: string, query = ''): string | undefined {
  const engine = readings.engine(path, query);
  expect(readings.exactSet(path, query), `${path}?${query}`).toBe(engine);
  return engine;
}

const netlifyText = (routes: RouteTable): string =>
  bodyText(
    hosts['netlify-rules'].files(hostContext(routes)).find(({ path }) => path === '_redirects')?.body ?? '',
  );
const notFound = '404 /404.json';
const notBuilt = '404 /400.json';

describe('Netlify’s rules for renamed records', () => {
  it('redirect before the error of what is unknown', async () => {
    const { plan, routes } = renamedSite();
    const text = netlifyText(routes);
    const { engine, exactSet, errors } = await readRedirects(text);
    expect(errors).toEqual([]);
    expect(plan.records.move[0]?.slug).toBe('new');
    for (const match of [engine, exactSet]) {
      expect(match('/api/gamedata/move/move-1/', '')).toBe('301 /api/gamedata/move/new/');
      expect(match('/api/gamedata/move/move-1/', 'format=api')).toBe('301 /api/gamedata/move/new/');
      expect(match('/api/gamedata/move/move-9/', '')).toBe(notFound);
    }
  });
});

describe('Netlify’s rules for the full-size site', () => {
  it('are read without an error, and stay within the budget of 10,000', () => {
    expect(readings.errors).toEqual([]);
    const lines = site.configuration.get('_redirects')?.trimEnd().split('\n') ?? [];
    expect(readings.rules).toHaveLength(lines.length);
    expect(lines.length).toBeGreaterThan(3160);
    expect(lines.length).toBeLessThan(10_000);
  });

  it('lead to files that the site has, with the status that fits', () => {
    const wrong = readings.rules.filter(({ to, status }) => {
      if (status === 302)
        return to !== 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/:splat';
      return !site.paths.has(to.slice(1)) || status !== (/^\/4\d\d\.json$/.test(to) ? 404 : 200);
    });
    expect(wrong).toEqual([]);
  });

  it('answer every record, by any format and without its trailing slash', () => {
    const records = [...site.paths].filter((file) =>
      /^api\/gamedata\/(?:move|item)\/[^/]+\/index\.json$/.test(file),
    );
    expect(records).toHaveLength(937 + 2223);
    const own = new Set(readings.rules.map(({ path, status, to }) => `${path} ${status} ${to}`));
    const pathOf = (file: string): string => `/${file.slice(0, -'index.json'.length)}`;
    expect(records.filter((file) => !own.has(`${pathOf(file)} 200 /${file}`))).toEqual([]);
    // The engine needs 20 ms to find one, and all their rules are alike.
    for (const file of records.filter((_, at) => at % 30 === 0))
      expect(answer(pathOf(file), 'format=api')).toBe(`200 /${file}`);
    const [file = ''] = records;
    for (const query of ['', 'format=json', 'utm=1']) {
      expect(answer(`/${file.slice(0, -'/index.json'.length)}`, query)).toBe(`200 /${file}`);
    }
  });

  it.each([
    ['move/', 'format=API', notFound],
    ['move/', 'format=', notFound],
    ['', 'format=xml', notFound],
    ['', '', '200 /api/gamedata/index.json'],
    ['', 'format=api', '200 /api/gamedata/index.json'],
    ['', 'format=json', '200 /api/gamedata/index.json'],
    ['move/no-such-move/', '', notFound],
    ['move/no-such-move/', 'format=api', notFound],
    ['move/Pound/', '', notFound],
    ['move/offset/', '', notFound],
    ['move/offset/100/', '', notFound],
    ['nothing/', '', notFound],
    ['Move/', '', notFound],
    ['move/pound/more/', '', notFound],
  ])('answer /api/gamedata/%s?%s with %s', (path, query, expected) => {
    expect(answer(`/api/gamedata/${path}`, query)).toBe(expected);
  });

  it('send icons that the site does not hold to the upstream’s, and leave other paths alone', () => {
    expect(answer('/sprites/items/master-ball.png')).toBe(
      '302 https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/master-ball.png',
    );
    expect(site.paths.has('sprites/items/unknown.png')).toBe(true);
    expect(answer('/sprites/items/unknown.png')).toBe('200 /sprites/items/unknown.png');
    for (const path of ['/', '/index.html', '/meta.json', '/manifest.json', '/sprites/']) {
      expect(answer(path)).toBeUndefined();
    }
  });
});

describe('Netlify’s files', () => {
  it('refuse every page but the first of an empty kind', async () => {
    const [redirects] = hosts['netlify-rules'].files(hostContext(siteOf(rawRecords(0, 0)).routes));
    const { engine } = await readRedirects(bodyText(redirects?.body ?? ''));
    const list = '/api/gamedata/item/';
    expect(engine(list, 'format=api&limit=100&offset=0')).toBe('200 /api/gamedata/item/index.json');
    expect(engine(list, 'offset=100')).toBe(notBuilt);
  });
});

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

it('Netlify’s rules answer a list of any length by what is built of it, in every subset and order of the parameters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 520 }),
      fc.array(query, { minLength: 50, maxLength: 50 }),
      async (count, queries) => {
        const { routes } = siteOf(rawRecords(count, 1));
        const { engine, exactSet, errors } = await readRedirects(netlifyText(routes));
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
