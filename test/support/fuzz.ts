/**
 * Random requests to `gamedata serve`, which must respond as the request handler
 * does, and never anything dangerous.
 */

import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import * as fc from 'fast-check';
import { API_PREFIX } from '../../src/contract/paths.ts';
import { commonHeaders } from '../../src/contract/responses.ts';
import {
  type Asset,
  createResponder,
  type PlainResponse,
  type Responder,
} from '../../src/serve/handler/index.ts';
import { splitTarget } from '../../src/serve/respond.ts';
import { startServe } from './engines/serve.ts';
import { inFolder } from './folders.ts';
import { browsePage, handledSite } from './handled-site.ts';
import { publishFiles } from './publishing.ts';
import { findFailures } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

/**
 * Picks one of the words in a text, or one of the other values. Words that occur
 * several times are picked more often.
 */
function oneOf(text: string, ...others: string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...text.split(' '), ...others);
}

const codes = fc.array(fc.integer({ min: 33, max: 254 }), { maxLength: 39 });
const bytes = codes.map((numbers) => `/${String.fromCharCode(...numbers)}`);
const segment = fc.oneof(
  oneOf(
    'api gamedata move item offset 100 index.json move-1 item-3 sprites items MOVE-1 unknown.png passwd',
  ),
  oneOf(
    '.. . %2e%2e %2E. ..%2f %2f %5c \\ %00 % %zz %ff %c3%a9 ~ ;x * # _headers',
    'a'.repeat(300),
    '',
  ),
  oneOf('.git con __proto__ constructor etc'),
);
/**
 * A start, some segments between slashes, and an end, such as
 * `/api/gamedata/../move-1/`.
 */
const joinedPath = fc
  .tuple(
    oneOf(
      `/ // ${API_PREFIX} ${API_PREFIX} /api/gamedata/move/ http://other.test/`,
      '',
    ),
    fc.array(segment, { maxLength: 5 }),
    oneOf('/', ''),
  )
  .map(([start, segments, end]) => start + segments.join('/') + end);
const address = fc.oneof(
  oneOf(
    '/ /api/gamedata/ /api/gamedata/move /api/gamedata/move/ /api/gamedata/item/',
  ),
  oneOf('/browse.html /meta.json /api/gamedata/move/move-7/'),
  bytes,
  joinedPath,
);
const number = fc.oneof(
  fc.nat({ max: 399 }).map(String),
  oneOf(
    '0 99 100 101 137 250 251 1000 -1 -0 +5 %207 1.5 1e2 0x10 007 9007199254740993',
    '',
  ),
  oneOf('NaN %D9%A3 00 --1'),
);
const pagingParameter = fc.tuple(
  oneOf(
    'limit offset limit offset Limit li%6dit page __proto__ % limit[] +limit',
    '',
  ),
  number,
);
const formatParameter = fc.tuple(
  fc.constant('format'),
  oneOf('api json xml API %61pi api%00 html', ''),
);
const parameter = fc
  .oneof(pagingParameter, formatParameter)
  .map(([name, value]) => `${name}=${value}`);
const query = fc
  .tuple(fc.array(parameter, { maxLength: 4 }), oneOf('& & & ; &&'))
  .map(([parameters, separator]) => {
    if (parameters.length === 0) return '';
    return `?${parameters.join(separator)}`;
  });

type Header = readonly [name: string, value: string];

/** Generates a header for one request of `every` requests, and none for the others. */
function header(
  name: string,
  every: number,
  values: fc.Arbitrary<string>,
): fc.Arbitrary<Header[]> {
  const sent = values.map((value): Header[] => [[name, value]]);
  return fc.oneof(
    { weight: every - 1, arbitrary: fc.constant<Header[]>([]) },
    { weight: 1, arbitrary: sent },
  );
}
const accept = fc.constantFrom(
  '*/*',
  'text/html',
  'application/json',
  'text/html,*/*;q=0.8',
  'text/*',
  'image/png',
  'a/b/c',
  ';q=',
  'application/json;indent=999999999',
  '*/*;q=0',
  'text/html;q=NaN',
  ','.repeat(500),
  '\xff',
);
const ifNoneMatch = oneOf(
  '* "x" W/"x" " W/ ,',
  `"${'a'.repeat(900)}"`,
  '"a", "b", W/"c"',
  '',
);

interface FuzzRequest {
  readonly method: string;
  /** The path and the query as they are sent. */
  readonly target: string;
  readonly headers: readonly Header[];
}

const request: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    oneOf('GET GET GET GET GET HEAD OPTIONS POST PUT DELETE PATCH TRACE PROPFIND'),
    address,
    query,
    header('Accept', 3, accept),
    header('If-None-Match', 5, ifNoneMatch),
    header('Access-Control-Request-Method', 12, oneOf('GET PUT', '')),
    header('Range', 12, oneOf('bytes=0-1 bytes=9-1 bytes=- x')),
  )
  .map(([method, address, query, ...headers]) => ({
    method,
    target: address + query,
    headers: headers.flat(),
  }));

const STATUSES = [200, 204, 301, 302, 304, 400, 404, 405];
const SPRITES = 'https://raw.githubusercontent.com/PokeAPI/sprites/';

/**
 * Finds problems that no response may have, whatever was requested, such as a
 * redirect to another host or a missing header.
 */
function judge({ status, headers }: PlainResponse): string[] {
  const { Location: location = '' } = headers;
  const problems: string[] = [];
  if (!STATUSES.includes(status)) problems.push(`status ${status}`);
  // A path that starts with two slashes would be read as a host.
  const isLocalPath = /^\/(?!\/)\S*$/.test(location);
  if (status === 301 && !isLocalPath) problems.push(`a redirect to ${location}`);
  if (status === 302 && !location.startsWith(SPRITES)) {
    problems.push(`a redirect to ${location}`);
  }
  for (const [name, expected] of Object.entries(commonHeaders)) {
    const value = headers[name];
    if (value !== expected) problems.push(`${name}: ${value}, expected ${expected}`);
  }
  return problems;
}

/**
 * Sends bytes as they are. Returns the bytes that the server sent until it closed the
 * connection, or undefined if it kept the connection open for ten seconds.
 */
function exchange(port: number, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let response = '';
    socket.setEncoding('latin1').setTimeout(10_000, () => {
      resolve(undefined);
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(response));
  });
}

/**
 * The text between the chunks of a body, and at its beginning and end. A body
 * without `Content-Length` is sent in chunks.
 */
const CHUNK_BORDER = /\r\n[\da-f]+\r\n|^[\da-f]+\r\n|\r\n0\r\n\r\n$/i;

/**
 * Compares a response's bytes with the handler's response. Headers may be added or
 * be in another order, and the body may be chunked. Responses from Node's parser are
 * not compared, because the handler does not get such requests.
 */
function compare(
  wire: string | undefined,
  { status, headers, body }: PlainResponse,
  isHead: boolean,
): string[] {
  if (wire === undefined) return ['hangs'];
  const parts = /^HTTP\/1\.1 (\d{3}).*?\r\n(.*?\r\n)\r\n(.*)$/s.exec(wire) ?? [];
  const [, sentStatus = '', sentHeaders = '', sentBody = ''] = parts;
  if (sentStatus === '431' || sentBody === '{"detail":"Bad Request."}') return [];

  const problems: string[] = [];
  if (sentStatus !== String(status)) {
    problems.push(`status ${sentStatus}, expected ${status}`);
  }
  const sentLines = sentHeaders.toLowerCase();
  for (const [name, value] of Object.entries(headers)) {
    // Compression changes the values of these.
    const isAnyValue = name === 'ETag' || name === 'Vary';
    const expectedLine = isAnyValue ? `${name}: ` : `${name}: ${value}\r\n`;
    if (!sentLines.includes(expectedLine.toLowerCase())) {
      problems.push(`no header ${name}: ${value}`);
    }
  }
  const expectedBody = isHead ? '' : Buffer.concat(body ?? []).toString('latin1');
  const joinedBody = sentBody.split(CHUNK_BORDER).join('');
  if (sentBody !== expectedBody && joinedBody !== expectedBody) {
    problems.push(`body ${JSON.stringify(sentBody.slice(0, 80))}`);
  }
  return problems;
}

const AT_ONCE = 8;

/** Such as `api/gamedata/index.json`, without `..`, hidden files or escapes. */
const HARMLESS_PATH = /^[\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)+$/;

/**
 * Creates the request handler for a site's files. The handler may request only
 * harmless paths.
 */
function createLocalResponder(files: ReadonlyMap<string, Asset>): Responder {
  return createResponder({
    async get(file) {
      if (!HARMLESS_PATH.test(file)) throw new Error(`asked for the file ${file}`);
      return files.get(file);
    },
  });
}

/** Formats a request as it goes over the wire. */
function formatRequest({ method, target, headers }: FuzzRequest): string {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: close'];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Sends a request to a server, and compares the response with that of the handler in
 * this process. Returns the problems.
 */
async function attempt(
  request: FuzzRequest,
  port: number,
  respond: Responder,
): Promise<string[]> {
  const { method, target, headers } = request;
  const wire = await exchange(port, formatRequest(request));
  const local = splitTarget(target);
  // The handler gets only paths, but the server must also respond to other targets.
  if (!local.path.startsWith('/')) return wire === undefined ? ['hangs'] : [];
  const sentHeaders = new Headers();
  for (const [name, value] of headers) sentHeaders.append(name, value);
  const response = await respond({ method, ...local, headers: sentHeaders });
  return [...judge(response), ...compare(wire, response, method === 'HEAD')];
}

/**
 * Publishes a site, serves it with `gamedata serve`, and sends requests, some in
 * parallel, until one has problems. Each response is compared with the response from
 * a request handler in this process. Returns the requests that had problems.
 */
export function fuzz(requests: number, seed: number): Promise<string[]> {
  return inFolder(async (parent) => {
    const records = rawRecords(250, 137);
    const folder = path.join(parent, 'site');
    writeFileSync(path.join(parent, 'passwd'), 'outside the site');
    const site = siteOf(records, { extras: [browsePage] });
    await publishFiles(folder, site.files());
    const respond = createLocalResponder(handledSite(records).files);
    const { url, stop } = await startServe(folder);
    const port = Number(new URL(url).port);

    const batches = fc.array(request, {
      minLength: 1,
      maxLength: AT_ONCE,
      size: 'max',
    });
    const property = fc.asyncProperty(batches, async (batch) => {
      const attempts = batch.map((sent) => attempt(sent, port, respond));
      const results = await Promise.all(attempts);
      const problems = results.flat();
      if (problems.length > 0) throw new Error(problems.join('; '));
    });
    const numRuns = Math.ceil(requests / AT_ONCE);
    try {
      return await findFailures(property, { numRuns, seed });
    } finally {
      await stop();
    }
  });
}
