/**
 * The table of upstream faults and how a build ends. docs/FAULTS.md summarizes it.
 */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Kind } from '../../src/contract/kinds.ts';
import { editionNumber } from './editions.ts';
import { type Answer, itemAnswer, moveAnswer } from './upstream-data.ts';

export interface Exchange {
  readonly response: ServerResponse;
  /** The correct body. */
  readonly own: string;
  readonly isConditional: boolean;
  readonly kind: Kind;
  readonly answers: Record<Kind, Answer[]>;
  stop(): void;
}

interface Reaction {
  readonly code: 'upstream' | 'data' | 'guard' | 'built';
  /**
   * The error of a failed build. `<url>`, `<kind>`, `<slug>` and `<id>` stand for
   * those of the faulty response, and other words in angle brackets for any word.
   */
  readonly problem?: string | RegExp;
  /** A text in the built records. By default, nothing changes. */
  readonly contains?: string;
  readonly isRetried?: boolean;
  readonly hasTimeout?: boolean;
  /**
   * Whether the upstream has editions, and deploys a new one before the faulty
   * build.
   */
  readonly hasEditions?: boolean;
  /** Whether only an intermediate cache has the fault. */
  readonly isCached?: boolean;
  /** Whether the error is about the whole upstream. */
  readonly isGlobal?: boolean;
  readonly withoutCache?: boolean;
  /** Whether the fault cannot end by itself. */
  readonly isPermanent?: boolean;
}

export interface Fault extends Reaction {
  readonly name: string;
  readonly at?: 'lists' | 'records' | 'items';
  readonly respond?: (exchange: Exchange) => unknown;
  /** Changes the record itself, so that its list also changes. */
  readonly change?: (record: Answer) => unknown;
}

type Options = Partial<Reaction>;
const failWith =
  (code: Reaction['code']) =>
  (problem: string | RegExp, options: Options = {}): Reaction => ({
    code,
    problem,
    ...options,
  });
const [upstream, data, guard] = [
  failWith('upstream'),
  failWith('data'),
  failWith('guard'),
];
const built = (options: Options = {}): Reaction => ({ code: 'built', ...options });

type Respond = NonNullable<Fault['respond']>;
const once = (name: string, reaction: Reaction, respond: Respond): Fault => ({
  ...reaction,
  name,
  respond,
});
const retried = (name: string, reaction: Reaction, respond: Respond): Fault =>
  once(name, { ...reaction, isRetried: true }, respond);

const JSON_TYPE = { 'content-type': 'application/json' };
const send =
  (
    status: number,
    body: string | Buffer = '{}',
    headers: Record<string, string> = JSON_TYPE,
  ): Respond =>
  ({ response }) =>
    response.writeHead(status, headers).end(body);
/** Sends the correct body after a change. */
const edit =
  (
    change: (own: string) => string | Buffer,
    headers: Record<string, string> = {},
  ): Respond =>
  ({ response, own }) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(change(own));

const edited = (
  name: string,
  reaction: Reaction,
  change: (own: string) => string | Buffer,
): Fault => once(name, reaction, edit(change));

/** Sends the first bytes of a longer body. */
const begin: Respond = ({ response, own }) =>
  response
    .writeHead(200, { 'content-length': String(Buffer.byteLength(own)) })
    .write(own.slice(0, 9));
const closeAfter =
  (start: Respond): Respond =>
  (exchange) => {
    start(exchange);
    setTimeout(() => exchange.response.socket?.end(), 5);
  };
const CLOSED = upstream('other side closed (UND_ERR_SOCKET)');
const RESET = upstream(
  /(?:read ECONNRESET|other side closed \(UND_ERR_SOCKET\)) \(2 attempts\)$/,
);
const UNPARSED = upstream(
  /invalid HTTP response: Response does not match the HTTP\/1\.1 protocol/,
);
const TOO_LONG = upstream(
  /got ".+" in line 1, column 10, expected JSON \(2 attempts\)$|HPE_/,
);
const stalled = (problem: string) => upstream(problem, { hasTimeout: true });

const connectionFaults: Fault[] = [
  retried(
    'a refused connection',
    upstream('connect ECONNREFUSED <address>', { isPermanent: true }),
    ({ response, stop }) => {
      stop();
      response.socket?.resetAndDestroy();
    },
  ),
  retried('a reset connection', RESET, ({ response }) =>
    response.socket?.resetAndDestroy(),
  ),
  retried('a closed connection', CLOSED, ({ response }) => response.socket?.end()),
  retried('a truncated body', CLOSED, closeAfter(begin)),
  retried(
    'a chunked body without its end',
    CLOSED,
    closeAfter(({ response, own }) => response.writeHead(200, JSON_TYPE).write(own)),
  ),
  retried('another protocol', UNPARSED, ({ response }) =>
    response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'),
  ),
  retried(
    'a stall before the headers',
    stalled('Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)'),
    () => {},
  ),
  retried(
    'a stall inside the body',
    stalled('Body Timeout Error (UND_ERR_BODY_TIMEOUT)'),
    begin,
  ),
  retried(
    'a slow drip',
    stalled('no complete response within <n> s'),
    ({ response }) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  ),
  retried('a length that is too short', TOO_LONG, ({ response, own }) =>
    response.socket?.end(
      `HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n${own}`,
    ),
  ),
];

const retryAfter = {
  'in seconds': () => '1',
  'as a date': () => new Date(Date.now() + 2000).toUTCString(),
};
const LATER = upstream('got 429 with Retry-After 3600 s, expected 200');
const statusFaults: Fault[] = [
  ...[
    403, 404, 408, 410, 421, 425, 429, 500, 502, 503, 504, 507, 509, 520, 527, 529,
    530,
  ].map((code) =>
    retried(`${code}`, upstream(`got ${code}, expected 200`), send(code)),
  ),
  ...[202, 204, 206].map((code) =>
    retried(
      `${code}`,
      upstream(`got ${code}, expected 200`),
      send(code, code === 202 ? '{}' : ''),
    ),
  ),
  ...[202, 204].map((code) =>
    retried(`${code} in a cache`, built({ isCached: true }), send(code, '')),
  ),
  once('203', built(), ({ response, own }) =>
    response.writeHead(203, JSON_TYPE).end(own),
  ),
  ...[400, 401, 501, 511].map((code) =>
    once(`${code}`, upstream(`got ${code}, expected 200`), send(code)),
  ),
  ...[403, 404, 410].map((code) =>
    retried(`${code} in a cache`, built({ isCached: true }), send(code)),
  ),
  ...Object.entries(retryAfter).map(([name, header]) =>
    retried(
      `429 with Retry-After ${name}`,
      upstream('got 429 with Retry-After <n> s, expected 200'),
      (exchange) => send(429, '{}', { 'retry-after': header() })(exchange),
    ),
  ),
  once(
    '429 with Retry-After of an hour',
    LATER,
    send(429, '{}', { 'retry-after': '3600' }),
  ),
  ...['http://127.0.0.2:9/api/v2/', '/api/v2/', 'file:///x'].map((location) => {
    const problem = `got 302, a redirect to "${location}", expected 200`;
    return once(
      `a redirect to ${location}`,
      upstream(problem),
      send(302, '', { location }),
    );
  }),
];

const MEGABYTE = Buffer.alloc(1 << 20, ' ');
const TOO_LARGE = upstream('got more than <n> bytes');
const NESTED = '['.repeat(500_000) + ']'.repeat(500_000);
const TOO_DEEP = data('got a value nested too deeply to show, expected object', {
  isRetried: true,
});
const NOT_UTF8 = upstream('got <n> bytes that are not UTF-8', { isRetried: true });
const NOT_GZIP = upstream('got 11 bytes that are not valid gzip');
const UNKNOWN_ENCODING = upstream('got Content-Encoding "zstd", expected gzip, br');
const bombs = {
  gzip: (large: Buffer) => gzipSync(large, { level: 1 }),
  br: (large: Buffer) =>
    brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
const invalidJson = {
  '<!doctype html><title>Just a moment</title>':
    '"<!doctype html><title>Just a m…" in line 1, column 1',
  OK: '"OK" in line 1, column 1',
  '': 'nothing',
  '{"id":1,}': String.raw`"{\"id\":1,}" in line 1, column 9`,
};
/** Valid JSON, but neither a record nor a list. */
const otherJson = {
  null: data('got null, expected object', { isRetried: true }),
  '[]': data('got [], expected object', { isRetried: true }),
  '"OK"': data('got "OK", expected object', { isRetried: true }),
  '{}': data(/^\w+ › .* › (?:id|count): got nothing, expected number$/, {
    isRetried: true,
  }),
  '{"detail":"Not found."}': data(/› (?:id|count): got nothing, expected number$/, {
    isRetried: true,
  }),
};
const bodyFaults: Fault[] = [
  ...Object.entries(otherJson).map(([text, reaction]) =>
    once(`the body ${text}`, reaction, send(200, text)),
  ),
  ...['null', '{"detail":"Not found."}'].map((text) =>
    retried(
      `the body ${text} in a cache`,
      built({ isCached: true }),
      send(200, text),
    ),
  ),
  ...Object.entries(invalidJson).map(([text, got]) =>
    retried(
      `the body ${JSON.stringify(text)}`,
      upstream(`got ${got}, expected JSON`),
      send(200, text),
    ),
  ),
  retried('an invalid body in a cache', built({ isCached: true }), send(200, 'OK')),
  edited('invalid UTF-8', NOT_UTF8, (own) =>
    Buffer.from(`${own.slice(0, -1)},"x":"\xff"}`, 'latin1'),
  ),
  edited('a byte order mark', built(), (own) => `\uFEFF${own}`),
  edited('nested arrays', TOO_DEEP, () => NESTED),
  edited(
    'nested arrays in an unused field',
    built(),
    (own) => `${own.slice(0, -1)},"more":${NESTED}}`,
  ),
  once('a body of 20 MB', TOO_LARGE, ({ response }) =>
    Readable.from(Array<Buffer>(20).fill(MEGABYTE)).pipe(
      response.writeHead(200, JSON_TYPE),
    ),
  ),
  ...Object.entries(bombs).map(([encoding, compress]) =>
    once(`a compression bomb (${encoding})`, TOO_LARGE, (exchange) =>
      send(200, compress(Buffer.alloc(20 << 20)), { 'content-encoding': encoding })(
        exchange,
      ),
    ),
  ),
  retried(
    'a body without compression',
    NOT_GZIP,
    send(200, '{"plain":1}', { 'content-encoding': 'gzip' }),
  ),
  retried(
    'an unknown encoding',
    UNKNOWN_ENCODING,
    send(200, '{}', { 'content-encoding': 'zstd' }),
  ),
  once(
    'an ETag that stays although the response changes',
    built(),
    ({ response, isConditional, own }) =>
      isConditional
        ? response.writeHead(304).end()
        : response.writeHead(200, JSON_TYPE).end(own),
  ),
  once(
    'an ETag that changes although the response stays',
    built(),
    ({ response, own }) =>
      response.writeHead(200, { etag: `"${Math.random()}"` }).end(own),
  ),
  retried(
    'an unexpected 304',
    upstream('got 304, expected 200', { withoutCache: true }),
    send(304, ''),
  ),
];

const first = {
  'x-pokeapi-hash': editionNumber(1).hash,
  'x-pokeapi-deploy-date': String(editionNumber(1).deployed),
};
const MIXED =
  'got responses from several editions: <n> of edition <hash> from <day>, <n> of edition <hash> from <day>, expected one';
/**
 * A response that names another edition, which is one deployment of the upstream,
 * than the others.
 */
const nameEdition = (
  what: string,
  headers: Record<string, string>,
  reaction = built(),
): Fault => ({
  name: `a response ${what}`,
  isCached: true,
  ...reaction,
  respond: edit((own) => own, headers),
});
const editionFaults: Fault[] = [
  nameEdition('of an older edition in a CDN', first, built({ hasEditions: true })),
  nameEdition(
    'of an older edition at every URL',
    first,
    upstream(MIXED, { hasEditions: true, isGlobal: true, isCached: false }),
  ),
  nameEdition('without an edition', {}, built({ hasEditions: true })),
  nameEdition('with an edition, unlike the others', first),
  nameEdition('with an invalid edition', { ...first, 'x-pokeapi-hash': 'main' }),
  nameEdition('with an edition of an invalid date', {
    ...first,
    'x-pokeapi-deploy-date': '-1',
  }),
];

type Listed = { name: string; url: string };
const list = (
  name: string,
  reaction: Reaction,
  change: (all: Listed[]) => Listed[],
  count?: number,
): Fault => ({
  ...reaction,
  name,
  at: 'lists',
  respond: edit((own) => {
    const results = change(JSON.parse(own).results);
    return JSON.stringify({ count: count ?? results.length, results });
  }),
});
const wrongCount = (count: number): Fault => {
  const problem = `got 3 results, expected ${count} (the list's count)`;
  return list(
    `a count of ${count} instead of 3`,
    data(problem),
    (all) => all,
    count,
  );
};
const REPEATED = data(
  'got repeated ids: <id> (<slug>), <id> (<slug>), expected unique ids',
);
const MISSING = guard('got 1 of 3 records missing, expected at most 1 %: <slug>');
const EMPTY = guard('got 0 records, expected at least one');
const invalidLink = data(
  '<kind> › <slug> › url: got "<link>", expected a link to <upstream>/<kind>/<n>/',
  { isRetried: true },
);
const invalidIds =
  'pound/ -1/ 1.5/ 0/ 007/ 1e3/ ../1/ 1%2F..%2F2/ 99999999999999999/'.split(' ');
const listFaults: Fault[] = [
  wrongCount(4),
  wrongCount(2),
  list('a repeated record', REPEATED, (all) => [...all, ...all.slice(0, 1)]),
  list('a missing record', MISSING, (all) => all.slice(1)),
  list('an empty list', EMPTY, () => []),
  ...['http://other.test/move/1/', ...invalidIds].map((link) =>
    list(`the link ${link}`, invalidLink, (all) =>
      all.map((one, at) =>
        at === 0 ? { ...one, url: one.url.replace(/\d+\/$/, link) } : one,
      ),
    ),
  ),
  once(
    'a record that is added after the list was read',
    built(),
    ({ response, own, kind, answers }) => {
      response.writeHead(200, JSON_TYPE).end(own);
      answers[kind].push(kind === 'move' ? moveAnswer(50) : itemAnswer(50));
    },
  ),
];

const record = (...row: Parameters<typeof edited>): Fault => ({
  ...edited(...row),
  at: 'records',
});
const replace = (fields: object) => (own: string) =>
  JSON.stringify({ ...JSON.parse(own), ...fields });
const changed = (name: string, reaction: Reaction, fields: object): Fault => ({
  ...reaction,
  name,
  at: 'records',
  change: (record) => Object.assign(record, fields),
});
const english = (name: string) => ({ names: [{ language: { name: 'en' }, name }] });
const polluted =
  '"__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}}';
const NO_ID = data('› id: got nothing, expected number', { isRetried: true });
const OTHER_SLUG = data(
  'got id <id>, name "renamed", expected <id>, "<slug>", as in the list',
);
const NO_ICON = built({ contains: '"icon":"sprites/items/unknown.png"' });
const recordFaults: Fault[] = [
  record(
    'the id "1"',
    data('› id: got "1", expected number', { isRetried: true }),
    replace({ id: '1' }),
  ),
  record('a missing id', NO_ID, replace({ id: undefined })),
  record('another slug than in the list', OTHER_SLUG, replace({ name: 'renamed' })),
  record('__proto__ instead of the fields', NO_ID, (own) => `{"__proto__":${own}}`),
  edited(
    '__proto__ and constructor as keys',
    built(),
    (own) => `{${polluted},${own.slice(1)}`,
  ),
  ...['../x', 'con', '攻擊'].map((name) => {
    const rule = 'a safe slug: lower-case letters, digits and inner hyphens';
    return changed(
      `the slug ${name}`,
      data(`› slug: got "${name}", expected ${rule}`),
      { name },
    );
  }),
  ...Object.entries({
    'koraidon’s-poké-ball': 'koraidons-poke-ball',
    constructor: 'constructor',
  }).map(([name, slug]) =>
    changed(`the slug ${name}`, built({ contains: `"slug":"${slug}"` }), { name }),
  ),
  ...['a\u001b[31mb', 'a\u202eb'].map((name) => {
    const got = JSON.stringify(name);
    const rule = 'text without control, bidirectional or line-break characters';
    return changed(
      `the name ${got}`,
      data(`› name: got ${got}, expected ${rule}`),
      english(name),
    );
  }),
  {
    ...changed('an icon that is not a link', NO_ICON, { sprites: { default: 7 } }),
    at: 'items',
  },
];

export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...statusFaults,
  ...bodyFaults,
  ...editionFaults,
  ...listFaults,
  ...recordFaults,
];
