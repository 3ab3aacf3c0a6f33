/** The reference framework's behaviour cell by cell, with the differences that the contract decides. */

import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';

const { ask } = handledSite(recordsWithGaps());

const LIST = '/api/gamedata/move/';
const RECORD = '/api/gamedata/move/pound/';
const notFound = '{"detail":"Not found."}';

const common = {
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
  allow: 'GET, HEAD, OPTIONS',
  vary: 'Accept',
};
const headersOf = (response: Response) =>
  Object.fromEntries(Object.keys(common).map((name) => [name, response.headers.get(name)]));

describe.each([
  ['list', LIST, 'Move List'],
  ['record', RECORD, 'Move Instance'],
  ['list of items', '/api/gamedata/item/', 'Item List'],
  ['record of an item', '/api/gamedata/item/poke-ball/', 'Item Instance'],
  ['root', '/api/gamedata/', 'Api Root'],
])('methods on a %s', (_, path, name) => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'FOO'])('%s is not allowed', async (method) => {
    const response = await ask(path, { method });
    expect(response.status).toBe(405);
    expect(headersOf(response)).toEqual(common);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe(`{"detail":"Method \\"${method}\\" not allowed."}`);
  });

  it('OPTIONS says what there is', async () => {
    const response = await ask(path, { method: 'OPTIONS' });
    expect(response.status).toBe(200);
    expect(headersOf(response)).toEqual(common);
    expect(await response.json()).toEqual({
      name,
      description: '',
      renders: ['application/json', 'text/html'],
      parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    });
  });

  it('a CORS preflight passes', async () => {
    const headers = { Origin: 'https://app.test', 'Access-Control-Request-Method': 'GET' };
    const response = await ask(path, { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(headersOf(response)).toEqual(common);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).toBe('*');
  });

  it('HEAD is GET without the body', async () => {
    const [get, head] = await Promise.all([ask(path), ask(path, { method: 'HEAD' })]);
    expect(head.status).toBe(200);
    expect([...head.headers]).toEqual([...get.headers]);
    expect(await head.text()).toBe('');
    expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
  });
});

describe('the order of decisions: format, Accept, method, lookup', () => {
  it.each([
    ['POST', `${LIST}?format=xml`, '*/*', 404],
    ['POST', LIST, 'image/png', 406],
    ['POST', `${LIST}?format=api`, 'application/json', 405],
    ['POST', '/api/gamedata/move/nope/', '*/*', 405],
    ['DELETE', '/api/gamedata/move/nope/', '*/*', 405],
    ['OPTIONS', '/api/gamedata/move/nope/', '*/*', 200],
    ['OPTIONS', `${LIST}?format=xml`, '*/*', 404],
    ['HEAD', '/api/gamedata/move/nope/', '*/*', 404],
    ['GET', '/api/gamedata/move/nope/', 'image/png', 406],
  ])('%s %s with Accept %s is %i', async (method, path, accept, status) => {
    expect((await ask(path, { method, headers: { Accept: accept } })).status).toBe(status);
  });
});

describe('Accept and format', () => {
  const queries = [
    '',
    'format=api',
    'format=json',
    'format=xml',
    'format=API',
    'format=',
    'FORMAT=api',
    'format=api&format=json',
    'format=json&format=api',
  ];
  const program = ['json', 'json', 'json', 404, 404, 'json', 'json', 'json', 'json'];
  const browser = ['html', 'html', 'json', 404, 404, 'html', 'html', 'json', 'html'];
  const neither = [406, 406, 'json', 404, 404, 406, 406, 'json', 406];

  it.each([
    [undefined, program],
    ['*/*', program],
    ['application/json', program],
    ['application/*', program],
    ['application/json; indent=4', program],
    ['text/html;q=0.1, application/json', program],
    ['application/json;q=0', program],
    ['text/html', browser],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', browser],
    ['text/*', browser],
    ['application/json;q=0.1, text/html', browser],
    ['image/png', neither],
    ['', neither],
    ['application/vnd.api+json', neither],
    ['nonsense', neither],
  ])('Accept %j', async (accept, expected) => {
    for (const path of [LIST, RECORD]) {
      const got: unknown[] = [];
      for (const query of queries) {
        const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
        const response = await ask(`${path}?${query}`, { headers });
        expect(headersOf(response)).toEqual(common);
        const type = response.headers.get('content-type');
        const isPage = response.status === 404 && expected === browser && !query.endsWith('json');
        if (response.status !== 200)
          expect(type).toBe(isPage ? 'text/html; charset=utf-8' : 'application/json');
        got.push(
          response.status === 200 ? (type === 'text/html; charset=utf-8' ? 'html' : 'json') : response.status,
        );
      }
      expect(got, path).toEqual(expected);
    }
  });

  it('says why: 404 and 406', async () => {
    expect(await (await ask(`${RECORD}?format=xml`)).text()).toBe(notFound);
    const refused = await ask(RECORD, { headers: { Accept: 'image/png' } });
    expect(await refused.text()).toBe('{"detail":"Could not satisfy the request Accept header."}');
  });

  it.each(['move/nope/', 'move/nope/?format=xml', 'nope', 'nope/', 'move/a/b/', 'move/%zz/'])(
    'answers what is not there with a page for browsers and JSON for programs: %s',
    async (path) => {
      const page = await ask(`/api/gamedata/${path}`, { headers: { Accept: 'text/html' } });
      expect([page.status, await page.text()]).toEqual([404, '<!doctype html><title>browse</title>']);
      expect(headersOf(page)).toEqual(common);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      for (const Accept of ['*/*', 'application/json', 'image/png'])
        if (Accept !== 'image/png' || !path.startsWith('move/nope'))
          expect(await (await ask(`/api/gamedata/${path}`, { headers: { Accept } })).text()).toBe(notFound);
    },
  );

  it('answers other methods and format=json with JSON, whoever asks', async () => {
    const headers = { Accept: 'text/html' };
    const posted = await ask('/api/gamedata/move/nope/', { method: 'POST', headers });
    expect([posted.status, posted.headers.get('content-type')]).toEqual([405, 'application/json']);
    const json = await ask('/api/gamedata/move/nope/?format=json', { headers });
    expect(await json.text()).toBe(notFound);
    const head = await ask('/api/gamedata/move/nope/', { method: 'HEAD', headers });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      404,
      'text/html; charset=utf-8',
      '',
    ]);
  });
});

type Place = readonly [limit: number, offset: number | string] | null;

describe('limit and offset', () => {
  const many = '9'.repeat(4300);
  const first: Place = [100, 100];

  it.each<[query: string, records: number, ids: string, next: Place, previous: Place]>([
    ['', 100, '1-100', first, null],
    ['limit=0', 100, '1-100', first, null],
    ['limit=-1', 100, '1-100', first, null],
    ['limit=abc', 100, '1-100', first, null],
    ['limit=', 100, '1-100', first, null],
    ['limit=1e3', 100, '1-100', first, null],
    ['limit=1', 1, '1-1', [1, 1], null],
    ['limit=007', 7, '1-7', [7, 7], null],
    ['limit=%2B5', 5, '1-5', [5, 5], null],
    // The reference framework takes blanks, underscores and digits of other scripts.
    ['limit=%205', 100, '1-100', first, null],
    ['limit=1_0', 100, '1-100', first, null],
    ['limit=%EF%BC%95', 100, '1-100', first, null],
    ['limit=1000', 1000, '1-1051', [1000, 1000], null],
    ['limit=2223', 2223, '1-2279', null, null],
    ['limit=100000', 2223, '1-2279', null, null],
    ['limit=9223372036854775807', 2223, '1-2279', null, null],
    // The reference framework fails here.
    ['limit=9223372036854775808', 2223, '1-2279', null, null],
    [`limit=${many}`, 2223, '1-2279', null, null],
    [`limit=9${many}`, 100, '1-100', first, null],
    ['offset=0', 100, '1-100', first, null],
    ['offset=1', 100, '2-101', [100, 101], [100, 0]],
    ['offset=100', 100, '101-200', [100, 200], [100, 0]],
    ['offset=0100', 100, '101-200', [100, 200], [100, 0]],
    ['offset=150', 100, '151-250', [100, 250], [100, 50]],
    ['offset=-1', 100, '1-100', first, null],
    ['offset=abc', 100, '1-100', first, null],
    ['offset=2122', 100, '2179-2278', [100, 2222], [100, 2022]],
    ['offset=2123', 100, '2180-2279', null, [100, 2023]],
    ['offset=2222', 1, '2279-2279', null, [100, 2122]],
    ['offset=2223', 0, 'none', null, [100, 2123]],
    ['offset=2300', 0, 'none', null, [100, 2200]],
    ['offset=999999999999999999999999999999', 0, 'none', null, [100, '999999999999999999999999999899']],
    ['limit=10&offset=10', 10, '11-20', [10, 20], [10, 0]],
    ['limit=10&offset=5', 10, '6-15', [10, 15], [10, 0]],
    ['limit=0&offset=30', 100, '31-130', [100, 130], [100, 0]],
    ['limit=10&limit=20', 20, '1-20', [20, 20], null],
    ['limit=20&limit=abc', 100, '1-100', first, null],
    ['offset=10&offset=20', 100, '21-120', [100, 120], [100, 0]],
    ['foo=1&foo=2&limit=3', 3, '1-3', [3, 3], null],
    ['offset=100&zoo=1&alpha=2', 100, '101-200', [100, 200], [100, 0]],
    ['a=b%20c%2Bd%26', 100, '1-100', first, null],
    ['LIMIT=3', 100, '1-100', first, null],
    ['limit=3;offset=2', 100, '1-100', first, null],
    ['limit[]=3', 100, '1-100', first, null],
    ['page=2&search=ball&ordering=-id', 100, '1-100', first, null],
    ['format=json&offset=150', 100, '151-250', [100, 250], [100, 50]],
    ['offset=100&format=json&limit=50', 50, '101-150', [50, 150], [50, 50]],
    ['format=&limit=5', 5, '1-5', [5, 5], null],
  ])('?%.60s', async (query, records, ids, next, previous) => {
    const response = await ask(`/api/gamedata/item/?${query}`);
    expect(response.status).toBe(200);
    const page = (await response.json()) as { results: { id: number }[] };
    const got = page.results.map(({ id }) => id);
    // Links keep the format that they were asked in.
    const format = new URLSearchParams(query).getAll('format').at(-1) || 'api';
    const link = (place: Place) =>
      place &&
      `https://example.test/api/gamedata/item/?format=${format}&limit=${place[0]}&offset=${place[1]}`;
    expect(Object.keys(page)).toEqual(['count', 'next', 'previous', 'results']);
    expect(page).toMatchObject({ count: 2223, next: link(next), previous: link(previous) });
    expect(got).toHaveLength(records);
    expect(got.length > 0 ? `${got[0]}-${got.at(-1)}` : 'none').toBe(ids);
  });

  it('echo a limit of thousands of digits in the link back', async () => {
    const response = await ask(`/api/gamedata/move/?limit=${many}&offset=5`);
    const base = 'https://example.test/api/gamedata/move/?format=api';
    expect(await response.json()).toMatchObject({
      next: null,
      previous: `${base}&limit=${many}&offset=0`,
    });
  });
});

describe('paths', () => {
  it.each([
    ['/api/gamedata/move', '/api/gamedata/move/'],
    ['/api/gamedata/move?limit=1&format=api', '/api/gamedata/move/?limit=1&format=api'],
    ['/api/gamedata/move/pound', '/api/gamedata/move/pound/'],
    ['/api/gamedata/move/pound?format=api&x=%20%C3%A9', '/api/gamedata/move/pound/?format=api&x=%20%C3%A9'],
    ['/api/gamedata/move/nope', '/api/gamedata/move/nope/'],
    ['//api/gamedata/move', '/api/gamedata/move/'],
    ['/api/gamedata', '/api/gamedata/'],
    ['/api/gamedata/move/pound%3Fformat=api', '/api/gamedata/move/pound%3Fformat=api/'],
  ])('%s redirects for good to %s, whatever the method', async (path, location) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      const response = await ask(path, { method });
      expect(response.status, method).toBe(301);
      expect(response.headers.get('location')).toBe(location);
      expect(headersOf(response)).toEqual(common);
    }
  });

  it.each([
    '//api/gamedata/move/',
    '/api/gamedata/move/p%6Fund/',
    '/api/gamedata/move/%70%6F%75%6E%64/',
    '/api/gamedata/move/pound%2F',
  ])('%s is there', async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  it.each([
    '/api/gamedata/move//',
    '/api//gamedata/move/',
    '/api/gamedata/move/nope/',
    '/api/gamedata/move/Pound/',
    '/api/gamedata/MOVE/pound/',
    '/api/gamedata/move/1/',
    '/api/gamedata/move/offset/100/',
    '/api/gamedata/move/pound%00/',
    '/api/gamedata/move/pound%0A/',
    '/api/gamedata/move/%/',
    '/api/gamedata/move/%C3%A9/',
    '/api/gamedata/move/pound;x=1/',
    '/api/gamedata/move/pound.json',
    '/api/gamedata/move/pound/x/',
    '/api/gamedata/move/%2e%2e%2f%2e%2e%2fetc%2fpasswd/',
    '/api/gamedata/move/..%2Fitem/',
    `/api/gamedata/item/${'a'.repeat(5000)}/`,
    '/api/gamedata/berry/',
    '/api/',
    '/nothing',
  ])('%.80s is a JSON 404', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe(notFound);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(headersOf(response)).toEqual(common);
  });
});

describe('bytes', () => {
  it('are compact, unescaped and the same whatever the host and the like', async () => {
    const move =
      '{"url":"https://example.test/api/gamedata/move/pound/?format=api","id":1,"slug":"pound","name":"Pound","generation":1}';
    for (const headers of [
      {},
      { 'X-Forwarded-Host': 'evil.test' },
      { Range: 'bytes=0-9' },
      { Origin: 'null' },
    ])
      expect(await (await ask(RECORD, { headers })).text()).toBe(move);
    expect(await (await ask('/api/gamedata/item/poke-ball/')).text()).toContain('"name":"Poké Ball"');
    expect(await (await ask('/api/gamedata/item/?limit=1&offset=3')).text()).toContain('"name":"Poké Ball"');
  });

  it('of the root are the two lists', async () => {
    expect(await (await ask('/api/gamedata/')).text()).toBe(
      '{"move":"https://example.test/api/gamedata/move/?format=api","item":"https://example.test/api/gamedata/item/?format=api"}',
    );
  });
});
