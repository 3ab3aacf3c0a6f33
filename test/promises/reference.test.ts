import { describe, expect, it } from 'vitest';
import {
  browsePage,
  handledSite,
  recordsWithGaps,
} from '../support/handled-site.ts';
import { forOthers } from '../support/kinds.ts';

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
  ['root', '/api/gamedata/', 'Api Root'],
])('methods on the %s', (_, path, name) => {
  it.each(['POST', 'DELETE', 'FOO'])('rejects the method %s', async (method) => {
    const { status, headers, text } = await send(path, { method });
    expect([status, text]).toEqual([
      405,
      `{"detail":"Method \\"${method}\\" not allowed."}`,
    ]);
    expect(headers).toMatchObject({ ...common, 'content-type': JSON_TYPE });
  });

  it('describes the endpoint in the response to OPTIONS', async () => {
    const { status, headers, text } = await send(path, { method: 'OPTIONS' });
    expect(status).toBe(200);
    expect(headers).toMatchObject(common);
    expect(JSON.parse(text)).toEqual({
      name,
      description: '',
      renders: ['application/json', 'text/html'],
      parses: [
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ],
    });
  });

  it('accepts a CORS preflight', async () => {
    const headers = {
      Origin: 'https://app.test',
      'Access-Control-Request-Method': 'GET',
    };
    const response = await send(path, { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      ...common,
      'access-control-allow-methods': common.allow,
      'access-control-allow-headers': '*, Authorization',
    });
  });

  it('responds to HEAD with the same headers as to GET, but without a body', async () => {
    const getResponse = await send(path);
    const headResponse = await send(path, { method: 'HEAD' });
    expect(headResponse).toEqual({ ...getResponse, body: Buffer.of(), text: '' });
    expect(getResponse.status).toBe(200);
    expect(getResponse.headers['content-length']).toBe(
      String(getResponse.body.length),
    );
  });
});

const NOPE = `${LIST}nope/`;
it.each([
  ['POST', `${LIST}?format=xml`, '*/*', 404],
  ['POST', LIST, 'image/png', 405],
  ['POST', `${LIST}?format=api`, 'application/json', 405],
  ['POST', NOPE, 'text/html', 405],
  ['OPTIONS', NOPE, '*/*', 200],
  ['HEAD', NOPE, '*/*', 404],
  ['HEAD', NOPE, 'text/html', 404, HTML_TYPE],
  ['GET', `${NOPE}?format=json`, 'text/html', 404],
  ['GET', LIST, 'image/png', 200],
] as const)(
  'checks the format, then the method, and then the record: %s %s with Accept %s returns %i',
  async (method, path, Accept, status, type: string = JSON_TYPE) => {
    const response = await send(path, { method, headers: { Accept } });
    expect(response).toMatchObject({ status, headers: { 'content-type': type } });
  },
);

type Client = 'program' | 'browser';

/** The content that each client gets for a query. */
const expectedByQuery: Readonly<
  Record<string, Record<Client, 'json' | 'html' | 404>>
> = {
  '': { program: 'json', browser: 'html' },
  'format=api': { program: 'json', browser: 'html' },
  'format=json': { program: 'json', browser: 'json' },
  'format=xml': { program: 404, browser: 404 },
  'format=API': { program: 404, browser: 404 },
  'format=': { program: 'json', browser: 'html' },
  'format=api&format=json': { program: 'json', browser: 'json' },
  'format=json&format=api': { program: 'json', browser: 'html' },
};

const programs = [
  '',
  '*/*',
  'application/json',
  'application/json; indent=4',
  'text/html;q=0.1, application/json',
  'text/html;q=x, application/json;q=0.1',
  'text/html;q=0',
  'text/html;level=1;q=0.1, application/json;q=0.5',
  'image/png',
  'text/html;q=0.4, */*;q=0.5',
  'application/json;q=0.9, text/html;q=0.8, */*;q=0.1',
  'nonsense',
  'text/html x',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
];

const browsers = [
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/*',
  'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5',
  'text/html; q=1.0, */*; q=0.8',
  'application/json;q=0.1, text/html',
  'text/*;q=0.1, text/html;q=0.9, application/json;q=0.5',
  ' text/html ; q=1 , image/png',
  'application/json;q=0.1, */*;q=0.5',
  'text/*;q=0.9, */*;q=0.1, application/json;q=0.5',
];

describe('Accept and format', () => {
  async function expectResponses(
    client: Client,
    headers: Record<string, string>,
  ): Promise<void> {
    for (const path of [LIST, RECORD]) {
      for (const [query, expected] of Object.entries(expectedByQuery)) {
        const response = await send(`${path}?${query}`, { headers });
        expect(response, query).toMatchObject(
          describeResponse(expected[client], client),
        );
      }
    }
  }

  function describeResponse(content: 'json' | 'html' | 404, client: Client): object {
    const isError = content === 404;
    const isPage = content === 'html' || (isError && client === 'browser');
    const caching = isPage ? 'private, max-age=0, must-revalidate' : API_CACHING;
    const headers = {
      ...common,
      'content-type': isPage ? HTML_TYPE : JSON_TYPE,
      'cache-control': isError ? 'no-cache' : caching,
    };
    return { status: isError ? 404 : 200, headers };
  }

  it('treats a client without an Accept header as a program', async () => {
    await expectResponses('program', {});
  });

  it.each(programs)(
    'treats a client with Accept %j as a program',
    async (accept) => {
      await expectResponses('program', { Accept: accept });
    },
  );

  it.each(browsers)(
    'treats a client with Accept %j as a browser',
    async (accept) => {
      await expectResponses('browser', { Accept: accept });
    },
  );

  it.each(['move/nope/', 'move/nope/?format=xml', 'nope/', 'move/a/b/'])(
    'responds with a 404 page to browsers and with a JSON 404 to other clients: %s',
    async (path) => {
      const url = `/api/gamedata/${path}`;
      const page = await send(url, { headers: { Accept: 'text/html' } });
      expect([page.status, page.text]).toEqual([404, browsePage.body]);
      expect(page.headers).toMatchObject({
        ...common,
        'cache-control': 'no-cache',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      for (const Accept of ['*/*', 'application/json']) {
        const error = await send(url, { headers: { Accept } });
        expect(error.text).toBe(notFound);
      }
    },
  );
});

describe('paths', () => {
  it.each([
    ['/api/gamedata/move', '/api/gamedata/move/'],
    [
      '/api/gamedata/move?limit=1&format=api',
      '/api/gamedata/move/?limit=1&format=api',
    ],
    ['/api/gamedata/move/pound', '/api/gamedata/move/pound/'],
    [
      '/api/gamedata/move/pound?format=api&x=%20%C3%A9',
      '/api/gamedata/move/pound/?format=api&x=%20%C3%A9',
    ],
    ['/api/gamedata', '/api/gamedata/'],
  ])('redirects %s to %s for every method', async (path, location) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      const response = await send(path, { method });
      expect(response).toMatchObject({
        status: 301,
        headers: { ...common, location },
      });
    }
  });

  it.each(['p%6Fund/', 'pound%2F'])(
    'decodes percent-encoded characters: %s',
    async (path) => {
      const { status } = await send(LIST + path);
      expect(status).toBe(200);
    },
  );

  it.each([
    '/nothing',
    '/api//gamedata/move/',
    '/api/gamedata/berry/',
    '/api/gamedata/move/nope/',
    '/api/gamedata/move/Pound/',
    '/api/gamedata/move/1/',
    '/api/gamedata/move/offset/100/',
    '/api/gamedata/move/pound%00/',
    '/api/gamedata/move/%/',
    '/api/gamedata/move/pound.json',
    '/api/gamedata/move/pound/x/',
    '/api/gamedata/move/%2e%2e%2f%2e%2e%2fetc%2fpasswd/',
    `/api/gamedata/item/${'a'.repeat(5000)}/`,
  ])('responds to $0 with a JSON 404', async (path) => {
    const headers = { ...common, 'content-type': JSON_TYPE };
    expect(await send(path)).toMatchObject({ status: 404, headers, text: notFound });
  });
});

describe('the body', () => {
  it('sends compact JSON without unnecessary escapes', async () => {
    const { text: move } = await send(RECORD);
    expect(move).toBe(JSON.stringify(JSON.parse(move)));
    const start =
      '{"url":"https://example.test/api/gamedata/move/pound/?format=api","id":1,';
    expect(move.startsWith(start)).toBe(true);
    for (const path of ['poke-ball/', '?limit=1&offset=3']) {
      const { text } = await send(`/api/gamedata/item/${path}`);
      expect(text).toContain('"name":"Poké Ball"');
    }
  });

  it.each([
    { 'X-Forwarded-Host': 'evil.test' },
    { Range: 'bytes=0-9' },
    { Origin: 'null' },
  ])('returns the same body for a request with the header %j', async (headers) => {
    const { text: move } = await send(RECORD);
    const { text } = await send(RECORD, { headers });
    expect(text).toBe(move);
  });

  it('lists the kinds in the API root', async () => {
    const describeList = (kind: string): string =>
      `"${kind}":"https://example.test/api/gamedata/${kind}/?format=api"`;
    const otherLists = forOthers((kind) => `,${describeList(kind)}`);
    const { text } = await send('/api/gamedata/');
    expect(text).toBe(
      `{${describeList('move')},${describeList('item')}${otherLists}}`,
    );
  });
});
