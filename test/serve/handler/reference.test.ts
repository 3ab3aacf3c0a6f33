import { describe, expect, it } from 'vitest';
import { browsePage, handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { forOthers } from '../../support/kinds.ts';

const { send } = handledSite(recordsWithGaps());

const LIST = '/api/gamedata/move/';
const RECORD = '/api/gamedata/move/pound/';
const JSON_TYPE = 'application/json';
const API_CACHING = 'public, max-age=300, stale-while-revalidate=86400';
const HTML_TYPE = 'text/html; charset=utf-8';
const notFound = '{"detail":"Not found."}';

const common = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  allow: 'GET, HEAD, OPTIONS',
  vary: 'Accept',
};

describe.each([
  ['list', LIST, 'Move List'],
  ['record', RECORD, 'Move Instance'],
  ['item list', '/api/gamedata/item/', 'Item List'],
  ['item record', '/api/gamedata/item/poke-ball/', 'Item Instance'],
  ['root', '/api/gamedata/', 'Api Root'],
])('methods on the %s', (_, path, name) => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'FOO'])('rejects %s', async (method) => {
    const { status, headers, text } = await send(path, { method });
    expect([status, text]).toEqual([405, `{"detail":"Method \\"${method}\\" not allowed."}`]);
    expect(headers).toMatchObject({ ...common, 'content-type': JSON_TYPE });
  });

  it('describes the endpoint in response to OPTIONS', async () => {
    const { status, headers, text } = await send(path, { method: 'OPTIONS' });
    expect(status).toBe(200);
    expect(headers).toMatchObject(common);
    expect(JSON.parse(text)).toEqual({
      name,
      description: '',
      renders: ['application/json', 'text/html'],
      parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    });
  });

  it('accepts a CORS preflight', async () => {
    const headers = { Origin: 'https://app.test', 'Access-Control-Request-Method': 'GET' };
    const allowed = { 'access-control-allow-methods': common.allow };
    const others = { 'access-control-allow-headers': '*, Authorization' };
    const response = await send(path, { method: 'OPTIONS', headers });
    expect(response).toMatchObject({ status: 204, headers: { ...common, ...allowed, ...others } });
  });

  it('responds to HEAD as to GET, but without the body', async () => {
    const get = await send(path);
    expect(await send(path, { method: 'HEAD' })).toEqual({ ...get, body: Buffer.of(), text: '' });
    expect(get).toMatchObject({ status: 200, headers: { 'content-length': `${get.body.length}` } });
  });
});

const NOPE = `${LIST}nope/`;
it.each([
  ['POST', `${LIST}?format=xml`, '*/*', 404],
  ['POST', LIST, 'image/png', 405],
  ['POST', `${LIST}?format=api`, 'application/json', 405],
  ['POST', NOPE, '*/*', 405],
  ['POST', NOPE, 'text/html', 405],
  ['DELETE', NOPE, '*/*', 405],
  ['OPTIONS', NOPE, '*/*', 200],
  ['OPTIONS', `${LIST}?format=xml`, '*/*', 404],
  ['HEAD', NOPE, '*/*', 404],
  ['HEAD', NOPE, 'text/html', 404, HTML_TYPE],
  ['GET', `${NOPE}?format=json`, 'text/html', 404],
  ['GET', LIST, 'image/png', 200],
] as const)(
  'checks the format, then the method, then the lookup: %s %s with Accept %s returns %i',
  async (method, path, Accept, status, type: string = JSON_TYPE) => {
    const response = await send(path, { method, headers: { Accept } });
    expect(response).toMatchObject({ status, headers: { 'content-type': type } });
  },
);

describe('Accept and format', () => {
  const rows = {
    '': ['json', 'html'],
    'format=api': ['json', 'html'],
    'format=json': ['json', 'json'],
    'format=xml': [404, 404],
    'format=API': [404, 404],
    'format=': ['json', 'html'],
    'FORMAT=api': ['json', 'html'],
    'format=api&format=json': ['json', 'json'],
    'format=json&format=api': ['json', 'html'],
  };
  const split = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' | '));
  const programs = [
    ...[undefined, ''],
    ...split(
      '*/* | application/json | application/* | application/json; indent=4 | text/html;q=0.1, application/json',
      'text/*, application/json | text/html;q=x, application/json;q=0.1 | application/json;q=0 | text/html;q=0',
      'text/html;level=1;q=0.1, application/json;q=0.5 | text/html;q=0, application/json;q=0 | image/png',
      'text/html;q=0.4, */*;q=0.5 | application/json;q=0.9, text/html;q=0.8, */*;q=0.1 | nonsense',
      'application/vnd.api+json | x text/html | text/html x | text/html, image/gif, image/jpeg, */*; q=0.2',
      'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    ),
  ];
  const browsers = split(
    'text/html | text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | */*, text/html | text/*',
    'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5',
    'text/html; q=1.0, */*; q=0.8 | text/html, application/* | application/json;q=0.1, text/html',
    'text/*;q=0.1, text/html;q=0.9, application/json;q=0.5 |  text/html ; q=1 , image/png',
    'text/html;q=0.9, text/*;q=0.1, application/json;q=0.5 | application/json;q=0.1, */*;q=0.5',
    'text/html, text/html;q=0 | text/html,',
    '*/*;q=0.1, text/*;q=0.9, application/json;q=0.5 | text/*;q=0.9, */*;q=0.1, application/json;q=0.5',
  );

  it.each([
    ...programs.map((accept) => [accept, 'program'] as const),
    ...browsers.map((accept) => [accept, 'browser'] as const),
  ])('treats a client with Accept %j as a %s', async (accept, client) => {
    const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
    for (const path of [LIST, RECORD])
      for (const [query, expected] of Object.entries(rows)) {
        const { status, headers: got } = await send(`${path}?${query}`, { headers });
        const wanted = expected[client === 'program' ? 0 : 1];
        const isPage = wanted === 'html' || (wanted === 404 && client === 'browser');
        const type = isPage ? HTML_TYPE : JSON_TYPE;
        expect([query, status]).toEqual([query, typeof wanted === 'number' ? wanted : 200]);
        const caching = isPage ? 'private, max-age=0, must-revalidate' : API_CACHING;
        const policy = typeof wanted === 'number' ? 'no-cache' : caching;
        expect(got).toMatchObject({ ...common, 'content-type': type, 'cache-control': policy });
      }
  });

  it.each(['move/nope/', 'move/nope/?format=xml', 'nope', 'nope/', 'move/a/b/', 'move/%zz/'])(
    'responds with a 404 page to browsers and a JSON 404 to other clients: %s',
    async (path) => {
      const page = await send(`/api/gamedata/${path}`, { headers: { Accept: 'text/html' } });
      expect([page.status, page.text]).toEqual([404, browsePage.body]);
      const policy = expect.stringContaining("default-src 'none'");
      const headers = { ...common, 'cache-control': 'no-cache', 'content-security-policy': policy };
      expect(page.headers).toMatchObject(headers);
      for (const Accept of ['*/*', 'application/json'])
        expect((await send(`/api/gamedata/${path}`, { headers: { Accept } })).text).toBe(notFound);
    },
  );
});

describe('paths', () => {
  it.each([
    ['/api/gamedata/move', '/api/gamedata/move/'],
    ['/api/gamedata/move?limit=1&format=api', '/api/gamedata/move/?limit=1&format=api'],
    ['/api/gamedata/move/pound', '/api/gamedata/move/pound/'],
    [
      '/api/gamedata/move/pound?format=api&x=%20%C3%A9',
      '/api/gamedata/move/pound/?format=api&x=%20%C3%A9',
    ],
    ['/api/gamedata/move/nope', '/api/gamedata/move/nope/'],
    ['/api/gamedata', '/api/gamedata/'],
    ['/api/gamedata/move/pound%3Fformat=api', '/api/gamedata/move/pound%3Fformat=api/'],
  ])('redirects %s to %s for every method', async (path, location) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'])
      expect(await send(path, { method })).toMatchObject({
        status: 301,
        headers: { ...common, location },
      });
  });

  it.each(['p%6Fund/', 'pound%2F'])('decodes percent-encoded characters: %s', async (path) => {
    expect((await send(LIST + path)).status).toBe(200);
  });

  const missing = [
    'move// move/nope/ move/Pound/ MOVE/pound/ move/1/ move/offset/100/ move/pound%00/ move/pound%0A/ move/%/',
    'move/%C3%A9/ move/pound;x=1/ move/pound.json move/pound/x/ move/%2e%2e%2f%2e%2e%2fetc%2fpasswd/ berry/',
    `move/..%2Fitem/ item/${'a'.repeat(5000)}/`,
  ].flatMap((line) => line.split(' '));
  it.each([
    ...missing.map((path) => `/api/gamedata/${path}`),
    ...['/api//gamedata/move/', '/api/', '/nothing'],
  ])('responds to %.80s with a JSON 404', async (path) => {
    const headers = { ...common, 'content-type': JSON_TYPE };
    expect(await send(path)).toMatchObject({ status: 404, headers, text: notFound });
  });
});

describe('a body', () => {
  it('contains compact, unescaped JSON, regardless of Host, Range and Origin', async () => {
    const { text: move } = await send(RECORD);
    expect(move).toBe(JSON.stringify(JSON.parse(move)));
    expect(move).toContain(
      '{"url":"https://example.test/api/gamedata/move/pound/?format=api","id":1,"slug":"pound",',
    );
    for (const headers of [
      { 'X-Forwarded-Host': 'evil.test' },
      { Range: 'bytes=0-9' },
      { Origin: 'null' },
    ])
      expect((await send(RECORD, { headers })).text).toBe(move);
    for (const path of ['poke-ball/', '?limit=1&offset=3'])
      expect((await send(`/api/gamedata/item/${path}`)).text).toContain('"name":"Poké Ball"');
  });

  it('lists the kinds in the root response', async () => {
    const list = (kind: string) =>
      `"${kind}":"https://example.test/api/gamedata/${kind}/?format=api"`;
    const others = forOthers((kind) => `,${list(kind)}`);
    expect((await send('/api/gamedata/')).text).toBe(`{${list('move')},${list('item')}${others}}`);
  });
});
