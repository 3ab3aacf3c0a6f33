import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
} from '../../src/contract/guarantees.ts';
import { compare } from '../../src/data/compare.ts';
import { emptyHistory, extendHistory } from '../../src/data/history.ts';
import { createHandler } from '../../src/serve/handler/index.ts';
import { createManifest } from '../../src/site/archive.ts';
import { verifyDeployment } from '../../src/verify/deployment.ts';
import type { VerifyProgress } from '../../src/verify/progress.ts';
import { startWebServer } from '../support/engines/engine.ts';
import { browsePage } from '../support/handled-site.ts';
import { rawItem, rawMove, rawRecords, siteOf } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';

type Tamper = (request: Request, response: Response) => Response | Promise<Response>;

// The site has 120 moves, of which the first was renamed, and 3 items, of which the
// first has no icon.
const raw = rawRecords(120, 3);
const item = [rawItem(1, { sprite: null }), rawItem(2), rawItem(3)];
const before = versionOf(
  [rawMove(1, { slug: 'old-1' }), ...raw.move.slice(1)],
  item,
);
const history = extendHistory(
  emptyHistory,
  compare(before, versionOf(raw.move, item)),
);
/** Creates a handler for the site at this base URL. */
function createSiteHandler(baseUrl: string) {
  const options = { history, baseUrl, extras: [browsePage] };
  const files: { path: string; body: Uint8Array }[] = [];
  for (const { path, body } of siteOf({ ...raw, item }, options).files()) {
    files.push({ path, body: Buffer.from(body) });
  }
  files.push(createManifest(files, 'gamedata/0.0.0'));
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { path, body } of files) bodies.set(path, new Uint8Array(body));
  return createHandler({
    async get(file) {
      const body = bodies.get(file);
      // Some servers derive ETags from the file size. Hashes in Base64 may contain
      // `W/`, which must not be mistaken for the prefix of a weak ETag.
      return body && { body, etag: `"${body.length}W/"` };
    },
  });
}

/** Starts a deployment of the site that tampers with its own responses. */
async function startDeployment(tamper: Tamper): Promise<string> {
  let handle: ReturnType<typeof createSiteHandler> | undefined;
  const { url, stop } = await startWebServer(async (request) => {
    handle ??= createSiteHandler(new URL(request.url).origin);
    return tamper(request, await handle(request));
  });
  onTestFinished(stop);
  return url;
}

/** Returns which of some guarantees a tampered deployment breaks. */
async function findBroken(tamper: Tamper, names: readonly GuaranteeName[]) {
  const url = await startDeployment(tamper);
  const report = await verifyDeployment(url, { guarantees: names, concurrency: 8 });
  const broken: GuaranteeName[] = [];
  for (const { guarantee, failures } of report.guarantees) {
    if (failures.length > 0) broken.push(guarantee);
  }
  return broken;
}

const isList = ({ url }: Request): boolean =>
  /\/(?:move|item)\/$/.test(new URL(url).pathname);
const query = ({ url }: Request): URLSearchParams => new URL(url).searchParams;
const wantsHtml = ({ headers }: Request): boolean =>
  headers.get('accept')?.startsWith('text/html') === true;
const asksFor = (name: string, value: string) => (request: Request) =>
  query(request).get(name) === value;

/** Tampers only with certain requests, URLs or statuses. */
const where =
  (isOne: (request: Request) => boolean, tamper: Tamper): Tamper =>
  (request, response) =>
    isOne(request) ? tamper(request, response) : response;
const at = (part: string, tamper: Tamper): Tamper =>
  where(({ url }) => url.includes(part), tamper);
const of =
  (status: number, tamper: Tamper): Tamper =>
  (request, response) =>
    response.status === status ? tamper(request, response) : response;

/** Replaces or removes a header of each response. */
const header =
  (
    name: string,
    value: string | null | ((own: string) => string | undefined),
  ): Tamper =>
  (_, response) => {
    const headers = new Headers(response.headers);
    const to = typeof value === 'function' ? value(headers.get(name) ?? '') : value;
    if (to) headers.set(name, to);
    else headers.delete(name);
    return new Response(response.body, { status: response.status, headers });
  };
/** Replaces text in the bodies of JSON responses. */
const body =
  (from: string | RegExp, to: string): Tamper =>
  async (_, response) => {
    const headers = new Headers(response.headers);
    const isJson =
      headers.get('content-type') === 'application/json' && response.status === 200;
    if (!isJson || response.body === null) return response;
    headers.delete('content-length');
    return new Response((await response.text()).replace(from, to), { headers });
  };
/** Responds as if a different URL had been requested. */
const as =
  (from: string | RegExp, to: string): Tamper =>
  ({ url }) =>
    createSiteHandler(new URL(url).origin)(new Request(url.replace(from, to)));
const asFirstPage = as(/\?.*/, '');
const withoutQuery = header('location', (own) => own.split('?')[0]);
const toOtherHost = header('location', (own) => `https://example.test${own}`);
const answer =
  (text: string, type: string, status = 200): Tamper =>
  () =>
    new Response(text, { status, headers: { 'content-type': type } });
const asText = (status: number) => answer('no', 'text/plain', status);
const json = (text: string, status = 200) =>
  answer(text, 'application/json', status);
const NOT_FOUND = '{"detail":"Not found."}';

/** The handler does not compress. */
const handlerGuarantees = guaranteeNames.filter((name) => name !== 'compression');

test('accepts a weak ETag in a 200 and a strong ETag in the 304', async () => {
  const weaken = header('etag', (own) => own && `W/${own}`);
  expect(await findBroken(of(200, weaken), handlerGuarantees)).toEqual([]);
});

test('checks only the guarantees that plain files can keep if the site names no hosts', async () => {
  const url = await startDeployment((_, response) => response);
  const report = await verifyDeployment(url, { concurrency: 8 });
  const checked = report.guarantees.map(({ guarantee }) => guarantee);
  const byFiles = guaranteeNames.filter(
    (name) => guarantees[name].needs === 'files',
  );
  expect(checked).toEqual(byFiles);
  expect(report).toMatchObject({ hosts: [], failed: 0 });
});

test('fails if the deployment is replaced while it is checked', async () => {
  let manifests = 0;
  const replace: Tamper = async (_, response) => {
    manifests++;
    const text = await response.text();
    // The manifest is read at the start, for the data set, and at the end.
    return new Response(manifests > 2 ? text.replace('0.0.0', '0.0.1') : text);
  };
  const url = await startDeployment(at('/manifest.json', replace));
  await expect(verifyDeployment(url, { concurrency: 8 })).rejects.toMatchObject({
    message: `${url}: was replaced while it was verified`,
    hint: 'Verify it again.',
  });
});

test('reports progress before each request', async () => {
  const url = await startDeployment((_, response) => response);
  const seen: string[] = [];
  const onProgress = ({ done, total }: VerifyProgress) =>
    seen.push(`${done} of ${total}`);
  await verifyDeployment(url, { concurrency: 1, onProgress });
  const total = seen.length - 1;
  const requests = Array.from({ length: total }, (_, done) => `${done} of ${total}`);
  expect(seen).toEqual(['0 of 0', ...requests]);
});

describe('finds a broken guarantee', () => {
  const isSecondPage = (request: Request) =>
    isList(request) && query(request).get('offset') === '100';
  const isUsedBy = (accept: string) => (request: Request) =>
    request.headers.get('accept') === accept;
  const isSent = (method: string) => (request: Request) => request.method === method;
  const inlined = (own: string) =>
    own.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'");
  test.each<[guarantee: GuaranteeName, what: string, tamper: Tamper]>([
    ['moved', 'an old path that is not found', at('/old-1/', asText(404))],
    [
      'root',
      'an empty root',
      where(({ url }) => url.endsWith('/gamedata/'), json('{}')),
    ],
    [
      'lists',
      'a wrong count',
      where(isSecondPage, body('"count":120', '"count":121')),
    ],
    [
      'lists',
      'keys in a different order',
      body('"id":7,"slug":"move-7"', '"slug":"move-7","id":7'),
    ],
    [
      'lists',
      'a link to another host',
      body(/"next":"http:..127.0.0.1:\d+/, '"next":"https://other.test'),
    ],
    [
      'records',
      'a record that differs from the list',
      at('/move-9/', body('Move 9', 'Move nine')),
    ],
    [
      'icons',
      'a placeholder that is not an image',
      at('unknown.png', header('content-type', 'text/html')),
    ],
    [
      'media-type',
      'JSON sent as text',
      where(isList, header('content-type', 'text/json')),
    ],
    ['head', 'a rejected HEAD', where(isSent('HEAD'), asText(405))],
    ['etag', 'no ETag', header('etag', null)],
    ['etag', 'a 304 without Vary', of(304, header('vary', null))],
    [
      'cors',
      'no CORS on errors',
      at('no-such-slug', header('access-control-allow-origin', null)),
    ],
    ['security', 'a page without a policy', header('content-security-policy', null)],
    [
      'security',
      'a page that runs inline scripts',
      header('content-security-policy', inlined),
    ],
    ['security', 'no nosniff', header('x-content-type-options', null)],
    [
      'exposed',
      'an ETag hidden from scripts',
      header('access-control-expose-headers', 'Allow'),
    ],
    ['compression', 'a large response without compression', (_, own) => own],
    [
      'caching',
      'cached files',
      at('/meta.json', header('cache-control', 'max-age=300')),
    ],
    [
      'fresh-errors',
      'cached errors',
      of(404, header('cache-control', 'max-age=300')),
    ],
    [
      'browser',
      'a cached page',
      where(wantsHtml, header('cache-control', 'max-age=300')),
    ],
    ['vary', 'a Vary without Accept', header('vary', 'Accept-Encoding')],
    ['allow', 'an Allow without HEAD', header('allow', 'GET')],
    [
      'parameters',
      'an offset that only works after a limit',
      at('?offset=100', asFirstPage),
    ],
    [
      'no-wrong-page',
      'the first page for a small limit',
      where(asksFor('limit', '20'), asFirstPage),
    ],
    [
      'page-ranges',
      'a shorter page range',
      where(asksFor('limit', '7'), as('limit=7', 'limit=6')),
    ],
    ['unknown', 'text for an unknown slug', at('no-such-slug', asText(404))],
    ['unknown', 'a list in any format', at('xml', as('xml', 'json'))],
    [
      'unknown-record-format',
      'a record in any format',
      at('xml', as('xml', 'json')),
    ],
    ['slash', 'a redirect that loses the query', withoutQuery],
    ['slash', 'a redirect to another host', of(301, toOtherHost)],
    [
      'options',
      'a preflight without methods',
      header('access-control-allow-methods', null),
    ],
    ['method', 'an accepted POST', where(isSent('POST'), json('{}'))],
    [
      'browser',
      'JSON for an unknown slug',
      at('no-such-slug', where(wantsHtml, json(NOT_FOUND, 404))),
    ],
    [
      'browser',
      'a page for programs',
      at('?format=api', where(isUsedBy('*/*'), answer('', 'text/html'))),
    ],
  ])('reports the guarantee %s as broken by %s', async (guarantee, _, tamper) => {
    expect(await findBroken(tamper, [guarantee])).toEqual([guarantee]);
  });
});

describe('a deployment without page ranges', () => {
  const hasOtherLimit = (request: Request) =>
    isList(request) && !['100', null].includes(query(request).get('limit'));
  const isRefused = (request: Request) =>
    hasOtherLimit(request) && !wantsHtml(request);
  const refusePageRanges = where(isRefused, json(NOT_FOUND, 404));

  test('reports only the guarantee page-ranges as broken if the deployment rejects page ranges', async () => {
    const broken = await findBroken(refusePageRanges, handlerGuarantees);
    expect(broken).toEqual(['page-ranges']);
  });
});
