/** The verifier finds what is wrong, by the guarantee that it breaks, and nothing if nothing is. */

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { GuaranteeName, Level } from '../../src/contract/guarantees.ts';
import { compare } from '../../src/dataset/compare.ts';
import { emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import { createProbe } from '../../src/http/probe.ts';
import { type AssetStore, createHandler } from '../../src/serve/handler/index.ts';
import { checkGuarantees, verifyDeployment } from '../../src/verify/deployment.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { startWebServer as serveHandler } from '../support/engines/web-server.ts';
import { type Responder, startServer } from '../support/local-server.ts';
import { rawItem, rawMove, rawRecords, siteOf } from '../support/sites.ts';

type Tamper = (request: Request, response: Response) => Response | Promise<Response>;

const BASE_URL = 'https://example.test';
const page = new TextEncoder().encode('<!doctype html>');

/** A handler over a small site in memory: 120 moves, the first renamed, 3 items, the first without an icon of its own. */
function smallHandler() {
  const raw = rawRecords(120, 3);
  const item = [rawItem(1, { sprite: null }), ...raw.item.slice(1)];
  const before = versionOf([rawMove(1, { slug: 'old-1' }), ...raw.move.slice(1)], item);
  const history = extendHistory(emptyHistory, compare(before, versionOf(raw.move, item)));
  const { files } = siteOf({ ...raw, item }, { history });
  const bodies = new Map(
    [...files()].map(({ path, body }) => [
      path,
      typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body),
    ]),
  );
  bodies.set('browse.html', page);
  const store: AssetStore = {
    async get(file) {
      const body = bodies.get(file);
      // As hashes in Base64 may have it.
      return body && { body, etag: `"${file}W/"` };
    },
  };
  return createHandler(store);
}

/** The guarantees that a tampered deployment breaks. */
async function brokenBy(tamper: Tamper, level: Level = 'full'): Promise<GuaranteeName[]> {
  const handler = smallHandler();
  const { url, stop } = await serveHandler(async (request) => tamper(request, await handler(request)));
  try {
    const report = await verifyDeployment(url, { level, concurrency: 8, linkBase: BASE_URL });
    return report.guarantees.filter(({ failures }) => failures.length > 0).map(({ guarantee }) => guarantee);
  } finally {
    await stop();
  }
}

const isList = ({ url }: Request): boolean => /\/(?:move|item)\/$/.test(new URL(url).pathname);
const query = ({ url }: Request): URLSearchParams => new URL(url).searchParams;
const isJson = (response: Response): boolean =>
  response.headers.get('content-type') === 'application/json' && response.status === 200;

/** The same answer with another body. */
async function rewritten(response: Response, change: (text: string) => string): Promise<Response> {
  if (!isJson(response) || response.body === null) return response;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(change(await response.text()), { status: response.status, headers });
}

function withHeader(response: Response, name: string, value: string | null): Response {
  const headers = new Headers(response.headers);
  if (value === null) headers.delete(name);
  else headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

const asText = (status: number) => () =>
  new Response('no', { status, headers: { 'content-type': 'text/plain' } });

/** Applies to some requests only. */
const where =
  (isOne: (request: Request) => boolean, tamper: Tamper): Tamper =>
  (request, response) =>
    isOne(request) ? tamper(request, response) : response;
const at = (part: string, tamper: Tamper): Tamper => where(({ url }) => url.includes(part), tamper);
/** A header set to another value, or removed. */
const header =
  (name: string, value: string | null): Tamper =>
  (_, response) =>
    withHeader(response, name, value);
const body =
  (from: string | RegExp, to: string): Tamper =>
  (_, response) =>
    rewritten(response, (text) => text.replace(from, to));
/** The answer to another request. */
const as =
  (change: (url: string) => string): Tamper =>
  ({ url }) =>
    smallHandler()(new Request(change(url)));
const asFirstPage = as((url) => url.split('?')[0] ?? '');
const asksFor = (name: string, value: string) => (request: Request) => query(request).get(name) === value;
const wantsHtml = ({ headers }: Request): boolean => headers.get('accept')?.startsWith('text/html') === true;
const withoutQuery: Tamper = (_, response) =>
  withHeader(response, 'location', response.headers.get('location')?.split('?')[0] ?? null);
const jsonOf =
  (text: string, status = 200) =>
  () =>
    new Response(text, { status, headers: { 'content-type': 'application/json' } });

test('finds nothing wrong with an ETag that is weaker with 200 than with 304, whatever it is made of', async () => {
  const weakened: Tamper = (_, response) => {
    const etag = response.headers.get('etag');
    return response.status === 304 || !etag ? response : withHeader(response, 'etag', `W/${etag}`);
  };
  expect(await brokenBy(weakened)).toEqual([]);
});

describe('finds by its guarantee', () => {
  const isSecondPage = (request: Request) => isList(request) && query(request).get('offset') === '100';
  const rows: [guarantee: GuaranteeName, what: string, tamper: Tamper][] = [
    ['moved', 'an old address that is not found', at('/old-1/', asText(404))],
    ['moved', 'an old address that loses the query', withoutQuery],
    ['moved', 'a moved address that is a record’s', at('/moved.json', body('/old-1/', '/move-2/'))],
    ['root', 'a root that lists nothing', where(({ url }) => url.endsWith('/gamedata/'), jsonOf('{}'))],
    ['lists', 'a wrong count', where(isSecondPage, body('"count":120', '"count":121'))],
    ['lists', 'keys in another order', body('"id":7,"slug":"move-7"', '"slug":"move-7","id":7')],
    ['lists', 'a link to another host', body(/"next":"https:..example.test/, '"next":"https://other.test')],
    ['records', 'a record that differs from the list', at('/move-9/', body('Move 9', 'Move nine'))],
    ['records', 'a record that is not there', at('/move-77/', asText(404))],
    ['icons', 'a placeholder that is no icon', at('unknown.png', header('content-type', 'text/html'))],
    ['media-type', 'JSON as text', where(isList, header('content-type', 'text/json'))],
    ['head', 'a HEAD that is refused', where(({ method }) => method === 'HEAD', asText(405))],
    ['etag', 'no validator', header('etag', null)],
    ['etag', 'one validator for all', header('etag', '"same"')],
    [
      'not-modified',
      'a 304 without what the response varies on',
      (_, response) => (response.status === 304 ? withHeader(response, 'vary', null) : response),
    ],
    [
      'not-modified',
      'a 304 with another ETag',
      (_, response) => (response.status === 304 ? withHeader(response, 'etag', '"other"') : response),
    ],
    ['link', 'no Link header', header('link', null)],
    ['link', 'a Link header that leads elsewhere', header('link', '</>; rel="next"')],
    [
      'link',
      'a Link header without the ends of the list',
      (_, response) => {
        const link = response.headers.get('link')?.replace(/, [^,]*"first".*/, '') ?? null;
        return withHeader(response, 'link', link);
      },
    ],
    ['cors', 'no CORS on errors', at('no-such-slug', header('access-control-allow-origin', null))],
    ['page-policy', 'a page without a policy', header('content-security-policy', null)],
    [
      'page-policy',
      'a page that may run what stands in it',
      (_, response) =>
        withHeader(
          response,
          'content-security-policy',
          `${response.headers.get('content-security-policy')}`.replace(
            "script-src 'self'",
            "script-src 'self' 'unsafe-inline'",
          ),
        ),
    ],
    ['nosniff', 'no nosniff', header('x-content-type-options', null)],
    ['caching', 'another Cache-Control', header('cache-control', 'no-store')],
    ['vary', 'a Vary without Accept', header('vary', 'Accept-Encoding')],
    ['parameters', 'an offset that counts only behind a limit', at('?offset=100', asFirstPage)],
    ['no-wrong-page', 'the first page for a small limit', where(asksFor('limit', '20'), asFirstPage)],
    [
      'browser',
      'JSON for a browser that asks for an unknown slug',
      at('no-such-slug', where(wantsHtml, jsonOf('{"detail":"Not found."}', 404))),
    ],
    [
      'browser',
      'an error page with the status of a success',
      at(
        'no-such-kind',
        where(wantsHtml, (_, { body, headers }) => new Response(body, { headers })),
      ),
    ],
    ['unknown-path', 'a text for an unknown path', at('no-such-kind', asText(404))],
    [
      'unknown-format',
      'a list in any format',
      at(
        'xml',
        as((url) => url.replace('xml', 'json')),
      ),
    ],
    [
      'unknown-record-format',
      'a record in any format',
      at(
        'xml',
        as((url) => url.replace('xml', 'json')),
      ),
    ],
    ['allow', 'an Allow without HEAD', header('allow', 'GET')],
    ['encoded-names', 'the first page for an encoded name', at('%66', asFirstPage)],
    ['slash', 'a redirect that loses the query', withoutQuery],
    [
      'slash',
      'a redirect to nowhere',
      (_, response) => (response.status === 301 ? withHeader(response, 'location', 'http://[') : response),
    ],
    ['link', 'a list page that is none', where(asksFor('limit', '7'), jsonOf('{}'))],
    [
      'options',
      'a preflight without methods',
      where(({ method }) => method === 'OPTIONS', header('access-control-allow-methods', null)),
    ],
    ['method', 'a POST that is taken', where(({ method }) => method === 'POST', jsonOf('{}'))],
    [
      'browser',
      'the page for a program',
      where(
        ({ url, headers }) => url.endsWith('?format=api') && headers.get('accept') === '*/*',
        () => new Response(page, { headers: { 'content-type': 'text/html' } }),
      ),
    ],
    [
      'windows',
      'a window cut short',
      where(
        asksFor('limit', '7'),
        as((url) => url.replace('limit=7', 'limit=6')),
      ),
    ],
    [
      'repeated',
      'the first of repeated limits',
      at(
        'limit=10&limit=20',
        as((url) => url.replace('&limit=20', '')),
      ),
    ],
    [
      'not-acceptable',
      'JSON for who wants an icon',
      where(
        ({ headers }) => headers.get('accept') === 'image/png',
        as((url) => url),
      ),
    ],
  ];
  test.each(rows)('%s: %s', async (guarantee, _, tamper) => {
    const handler = smallHandler();
    const { url, stop } = await serveHandler(async (request) => tamper(request, await handler(request)));
    const probe = createProbe(url, { concurrency: 8 });
    try {
      const linkBase = { baseUrl: BASE_URL, links: 'query' } as const;
      const { results } = await checkGuarantees(probe, linkBase, [guarantee]);
      expect(results).toMatchObject([{ guarantee, failures: expect.arrayContaining([expect.anything()]) }]);
    } finally {
      await probe.close();
      await stop();
    }
  });
});

test('holds to the static level what no host without code can keep', async () => {
  const refuseWindows: Tamper = (request, response) => {
    if (!isList(request) || (query(request).get('limit') ?? '100') === '100') return response;
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    return new Response('{"detail":"Not found."}', { status: 404, headers });
  };
  expect(await brokenBy(refuseWindows, 'static')).toEqual([]);
  expect(await brokenBy(refuseWindows, 'full')).toEqual(['windows', 'repeated', 'link']);
});

test('an address that gives no response is an error', async () => {
  const { url, stop } = await serveHandler(smallHandler());
  await stop();
  await expect(verifyDeployment(url, { level: 'static', concurrency: 8 })).rejects.toThrow(
    'connect ECONNREFUSED',
  );
});

describe('a deployment that never ends', () => {
  const record = { url: 'https://example.test/x', id: 1, slug: 'x' };

  function* megabytes() {
    for (;;) yield Buffer.alloc(2 ** 20, 'x');
  }

  const listPage = (url = ''): string => {
    const offset = Number(/offset=(\d+)/.exec(url)?.[1] ?? 0) + 100;
    const next = `${BASE_URL}/api/gamedata/move/?format=api&limit=100&offset=${offset}`;
    return JSON.stringify({ count: 1e15, next, previous: null, results: Array(100).fill(record) });
  };

  test.each<[string, Responder, RegExp]>([
    ['a body', (response) => void Readable.from(megabytes()).pipe(response), /got more than 8388608 bytes/],
    [
      'a list',
      (response, { url }) => response.end(listPage(url)),
      /^got count 1000000000000000, expected 0$/,
    ],
  ])('is left after so much: %s', async (_, respond, problem) => {
    const { url, requests } = await startServer(respond);
    const verified = verifyDeployment(url, { level: 'static', concurrency: 2, linkBase: BASE_URL });
    const problems = await verified.then(
      ({ guarantees }) => guarantees.flatMap(({ failures }) => failures.map(({ problem }) => problem)),
      (error: Error) => [error.message],
    );
    expect(problems).toContainEqual(expect.stringMatching(problem));
    expect(requests.length).toBeLessThan(400);
  });
});
