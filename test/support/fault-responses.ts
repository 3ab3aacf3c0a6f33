/** What an upstream can do wrong with any response, whatever is in it. */

import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { editionNumber } from './editions.ts';
import {
  built,
  data,
  type Exchange,
  JSON_TYPE,
  type Row,
  retell,
  row,
  same,
  send,
  upstream,
} from './fault-row.ts';

const CHALLENGE = '<!doctype html><title>Just a moment...</title><script src="/challenge.js"></script>';
const MEGABYTE = Buffer.alloc(1 << 20, ' ');
const LARGE_MEGABYTES = 20;
const TOO_LARGE = upstream('got more than <n> bytes');

const sendLarge = ({ response }: Exchange) =>
  Readable.from(Array<Buffer>(LARGE_MEGABYTES).fill(MEGABYTE)).pipe(response.writeHead(200, JSON_TYPE));

/** Compressed once, and only if requested. */
function bomb(encoding: string, compress: (large: Buffer) => Buffer): Row {
  let compressed: Buffer | undefined;
  const answer = (exchange: Exchange) => {
    compressed ??= compress(Buffer.alloc(LARGE_MEGABYTES << 20));
    send(200, compressed, { 'content-encoding': encoding })(exchange);
  };
  return row(`a compression bomb (${encoding})`, answer, TOO_LARGE);
}
const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const NESTED = '['.repeat(500_000) + ']'.repeat(500_000);

/** The first bytes of a body, of which more was promised. */
const begin = ({ response, own }: Exchange) =>
  response.writeHead(200, { 'content-length': String(Buffer.byteLength(own)) }).write(own.slice(0, 9));

const CLOSED = upstream('other side closed (UND_ERR_SOCKET)');
/** Starts to respond, and closes the connection a moment later. */
const cutOff = (start: (exchange: Exchange) => unknown) => (exchange: Exchange) => {
  start(exchange);
  setTimeout(() => exchange.response.socket?.end(), 5);
};

export const connection: Row[] = [
  {
    name: 'a name that does not resolve',
    address: 'http://upstream.invalid/api/v2',
    at: 'first list',
    lasting: true,
    outcome: upstream(
      'getaddrinfo ENOTFOUND upstream.invalid',
      /^getaddrinfo (?:ENOTFOUND|EAI_AGAIN) upstream\.invalid/,
    ),
  },
  row(
    'a refused connection',
    ({ response, stop }) => {
      stop();
      response.socket?.resetAndDestroy();
    },
    upstream('connect ECONNREFUSED <address>'),
    { lasting: true },
  ),
  row(
    'a reset connection',
    ({ response }) => response.socket?.resetAndDestroy(),
    upstream('read ECONNRESET', /^(?:read ECONNRESET|other side closed \(UND_ERR_SOCKET\)) \(2 attempts\)$/),
  ),
  row('a connection closed without an answer', ({ response }) => response.socket?.end(), CLOSED),
  row(
    'something that is no HTTP',
    ({ response }) => response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'),
    upstream(
      'invalid HTTP response: Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)',
    ),
  ),
  row('a stall before the headers', () => {}, upstream('Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)'), {
    slow: 'parts',
  }),
  row('a stall inside the body', begin, upstream('Body Timeout Error (UND_ERR_BODY_TIMEOUT)'), {
    slow: 'parts',
  }),
  row(
    'a slow drip',
    ({ response }) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
    upstream('no complete response within <n> s'),
    { slow: 'whole' },
  ),
  row('a truncated body', cutOff(begin), CLOSED),
  row(
    'a chunked body without its end',
    cutOff(({ response, own }) => response.writeHead(200, JSON_TYPE).write(own)),
    CLOSED,
  ),
  row(
    'a length that says less than there is',
    ({ response, own }) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n${own}`),
    upstream('got the first 9 bytes, expected JSON', /^got "\S+", expected JSON \(2 attempts\)$|HPE_/),
  ),
];

function sendInTurn(codes: number[]) {
  let sent = 0;
  return (exchange: Exchange) => send(codes[sent++ % codes.length] ?? 0)(exchange);
}
const retried = { retried: true };
/** When to come back, as a header says it and as the error does. */
const retryAfter: [name: string, header: () => string, shown: string, more?: Partial<Row>][] = [
  ['in seconds', () => '1', '1 s', retried],
  ['as a date', () => new Date(Date.now() + 2000).toUTCString(), '<n> s', retried],
  ['of an hour', () => '3600', '3600 s'],
];
const redirects = {
  'another host': 'http://127.0.0.2:9/api/v2/',
  'a loop': '/api/v2/',
  '`file:`': 'file:///etc/passwd',
};
export const status: Row[] = [
  ...[408, 421, 425, 429, 500, 502, 503, 504, 507, 509, 529, 530].map((code) =>
    row(`${code}`, send(code), upstream(`got ${code}, expected 200`), retried),
  ),
  row(
    '520 to 527',
    sendInTurn([520, 521, 522, 523, 524, 525, 526, 527]),
    upstream('got <n>, expected 200'),
    retried,
  ),
  ...retryAfter.map(([name, header, shown, more]) =>
    row(
      `429 with \`Retry-After\` ${name}`,
      (exchange) => send(429, '{}', { 'retry-after': header() })(exchange),
      upstream(`got 429 with Retry-After ${shown}, expected 200`),
      more,
    ),
  ),
  ...[204, 400, 401, 501].map((code) =>
    row(`${code}`, send(code, code === 204 ? '' : '{}'), upstream(`got ${code}, expected 200`)),
  ),
  ...[403, 404, 410].flatMap((code) => [
    row(`${code}`, send(code), upstream(`got ${code}, expected 200`), retried),
    row(`${code} from a cache on the way`, send(code), same, { retried: true, held: true }),
  ]),
  row(
    '403 with a challenge page',
    send(403, CHALLENGE, { 'content-type': 'text/html' }),
    upstream('got 403, expected 200'),
    retried,
  ),
  ...Object.entries(redirects).map(([to, location]) =>
    row(
      `a redirect to ${to}`,
      send(302, '', { location }),
      upstream(`got 302, a redirect to "${location}", expected 200`),
    ),
  ),
];

const notJson: [name: string, text: string, shown: string][] = [
  ['200 with HTML', CHALLENGE, `${JSON.stringify(CHALLENGE.slice(0, 60)).slice(0, -1)}…"`],
  ['200 with `OK`', 'OK', '"OK"'],
  ['nothing', '', 'an empty body'],
  ['invalid JSON', '{"id":1,}', String.raw`"{\"id\":1,}"`],
  ['two JSON values', '{}{}', '"{}{}"'],
];
export const body: Row[] = [
  ...notJson.map(([name, text, shown]) =>
    row(name, send(200, text), upstream(`got ${shown}, expected JSON`), retried),
  ),
  row(
    'invalid UTF-8',
    retell((own) => Buffer.from(`${own.slice(0, -1)},"x":"\xff"}`, 'latin1')),
    upstream('got <n> bytes that are not UTF-8'),
    retried,
  ),
  row(
    'a byte order mark',
    retell((own) => `\uFEFF${own}`),
    same,
  ),
  row(
    'half a million nested arrays',
    retell(() => NESTED),
    data('got a value nested too deeply to show: expected object, received array'),
  ),
  row(
    'half a million nested arrays in a field that is not read',
    retell((own) => `${own.slice(0, -1)},"more":${NESTED}}`),
    same,
  ),
  row(`a body of ${LARGE_MEGABYTES} MB`, sendLarge, TOO_LARGE),
  bomb('gzip', (large) => gzipSync(large, { level: 1 })),
  bomb('br', (large) => brotliCompressSync(large, fastBrotli)),
  row(
    'a body that does not match its encoding says',
    send(200, '{"plain":1}', { 'content-encoding': 'gzip' }),
    upstream('got 11 bytes that are not valid gzip'),
    retried,
  ),
  ...['Identity', 'x-gzip', 'GZIP'].map((encoding) =>
    row(
      `an encoding by another name (${encoding})`,
      retell((own) => (encoding === 'Identity' ? own : gzipSync(own)), { 'content-encoding': encoding }),
      same,
    ),
  ),
  row(
    'an encoding that nobody asked for',
    send(200, '{}', { 'content-encoding': 'zstd' }),
    upstream('got Content-Encoding "zstd", expected gzip, br'),
    retried,
  ),
];

export const cache: Row[] = [
  row(
    'an ETag that stays although the answer changed',
    ({ response, conditional, own }) =>
      conditional ? response.writeHead(304).end() : response.writeHead(200, JSON_TYPE).end(own),
    built('with the answer as it was: nobody can know better'),
  ),
  row(
    'an ETag that changes although the answer stays',
    ({ response, own }) => response.writeHead(200, { etag: `"${Math.random()}"` }).end(own),
    same,
  ),
  row('a 304 that nobody asked for', send(304, ''), upstream('got 304, expected 200'), {
    uncached: true,
  }),
];

const firstEdition = {
  'x-pokeapi-hash': editionNumber(1).hash,
  'x-pokeapi-deploy-date': String(editionNumber(1).deployed),
};
/** The right answer, which names an edition. */
const naming = (what: string, headers: object, outcome = same, more: Partial<Row> = {}): Row =>
  row(
    `an answer ${what}`,
    ({ response, own }) => response.writeHead(200, { ...JSON_TYPE, ...headers }).end(own),
    outcome,
    more,
  );
const two = '<n> of edition <hash> of <day>, <n> of edition <hash> of <day>';
const severalEditions = upstream(`got responses of several editions: ${two}, expected one`);
const editions = { editions: true };
export const edition: Row[] = [
  naming('of an older edition, which a CDN still holds', firstEdition, same, editions),
  naming('of an older edition, wherever it is asked for', firstEdition, severalEditions, {
    ...{ editions: true, everywhere: true, held: false },
  }),
  naming('that names no edition, unlike the others', {}, same, editions),
  naming('that names an edition, unlike the others', firstEdition),
  naming('that names an edition that is no commit', { ...firstEdition, 'x-pokeapi-hash': 'main' }),
  naming('that names an edition of an absurd date', { ...firstEdition, 'x-pokeapi-deploy-date': '-1' }),
];
