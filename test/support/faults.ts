/** The table of upstream faults and how a build ends. docs/FAULTS.md summarizes it. */

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

/**
 * Either the code and the problem of a failed build, or a text in the built records (by default, nothing changes). In a problem,
 * `<url>`, `<kind>`, `<slug>` and `<id>` stand for those of the faulty response, and other words in angle brackets for any word.
 */
export type Outcome =
  | { readonly code: 'upstream' | 'data' | 'guard'; readonly problem: string | RegExp }
  | { readonly code: 'built'; readonly contains?: string };

export interface Fault {
  readonly name: string;
  readonly respond?: (exchange: Exchange) => unknown;
  /** Changes the record itself, so that its list also changes. */
  readonly change?: (record: Answer) => unknown;
  readonly at: 'lists' | 'records' | 'items' | 'everything';
  readonly outcome: Outcome;
  readonly isRetried?: boolean;
  readonly timeout?: 'parts' | 'whole';
  /** Whether the upstream has editions, and deploys a new one before the faulty build. */
  readonly hasEditions?: boolean;
  /** Whether only an intermediate cache has the fault. */
  readonly isCached?: boolean;
  /** Whether the error is about the whole upstream. */
  readonly isGlobal?: boolean;
  readonly withoutCache?: boolean;
  /** Whether the fault cannot end by itself. */
  readonly isPermanent?: boolean;
}

const failWith =
  (code: 'upstream' | 'data' | 'guard') =>
  (problem: string | RegExp): Outcome => ({ code, problem });
const [upstream, data, guard] = [failWith('upstream'), failWith('data'), failWith('guard')];
const unchanged: Outcome = { code: 'built' };
const built = (contains: string): Outcome => ({ code: 'built', contains });

type Respond = NonNullable<Fault['respond']>;
type Options = Partial<Fault>;

const anywhere = (name: string, respond: Respond, outcome: Outcome, options: Options = {}): Fault => ({
  ...{ name, respond, outcome, at: 'everything' },
  ...options,
});
const retried = (name: string, respond: Respond, outcome: Outcome, options: Options = {}): Fault =>
  anywhere(name, respond, outcome, { isRetried: true, ...options });

const JSON_TYPE = { 'content-type': 'application/json' };
const send =
  (status: number, body: string | Buffer = '{}', headers: Record<string, string> = JSON_TYPE): Respond =>
  ({ response }) =>
    response.writeHead(status, headers).end(body);
/** Sends the correct body after a change. */
const edit =
  (change: (own: string) => string | Buffer, headers: Record<string, string> = {}): Respond =>
  ({ response, own }) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(change(own));

/** Sends the first bytes of a longer body. */
const begin: Respond = ({ response, own }) =>
  response.writeHead(200, { 'content-length': String(Buffer.byteLength(own)) }).write(own.slice(0, 9));
const closeAfter =
  (start: Respond): Respond =>
  (exchange) => {
    start(exchange);
    setTimeout(() => exchange.response.socket?.end(), 5);
  };
const CLOSED = upstream('other side closed (UND_ERR_SOCKET)');

const connectionFaults: Fault[] = [
  retried(
    'a refused connection',
    ({ response, stop }) => {
      stop();
      response.socket?.resetAndDestroy();
    },
    upstream('connect ECONNREFUSED <address>'),
    { isPermanent: true },
  ),
  retried(
    'a reset connection',
    ({ response }) => response.socket?.resetAndDestroy(),
    upstream(/(?:read ECONNRESET|other side closed \(UND_ERR_SOCKET\)) \(2 attempts\)$/),
  ),
  retried('a closed connection', ({ response }) => response.socket?.end(), CLOSED),
  retried('a truncated body', closeAfter(begin), CLOSED),
  retried(
    'a chunked body without its end',
    closeAfter(({ response, own }) => response.writeHead(200, JSON_TYPE).write(own)),
    CLOSED,
  ),
  retried(
    'another protocol',
    ({ response }) => response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'),
    upstream(/invalid HTTP response: Response does not match the HTTP\/1\.1 protocol/),
  ),
  retried(
    'a stall before the headers',
    () => {},
    upstream('Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)'),
    {
      timeout: 'parts',
    },
  ),
  retried('a stall inside the body', begin, upstream('Body Timeout Error (UND_ERR_BODY_TIMEOUT)'), {
    timeout: 'parts',
  }),
  retried(
    'a slow drip',
    ({ response }) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
    upstream('no complete response within <n> s'),
    { timeout: 'whole' },
  ),
  retried(
    'a length that is too short',
    ({ response, own }) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n${own}`),
    upstream(/got ".+" in line 1, column 10, expected JSON \(2 attempts\)$|HPE_/),
  ),
];

const redirects = {
  'another host': 'http://127.0.0.2:9/api/v2/',
  'another URL': '/api/v2/',
  'a file': 'file:///x',
};
const retryAfter = {
  'in seconds': () => '1',
  'as a date': () => new Date(Date.now() + 2000).toUTCString(),
};
const statusFaults: Fault[] = [
  ...[403, 404, 408, 410, 421, 425, 429, 500, 502, 503, 504, 507, 509, 520, 527, 529, 530].map((code) =>
    retried(`${code}`, send(code), upstream(`got ${code}, expected 200`)),
  ),
  ...[204, 400, 401, 501].map((code) =>
    anywhere(`${code}`, send(code, code === 204 ? '' : '{}'), upstream(`got ${code}, expected 200`)),
  ),
  ...[403, 404, 410].map((code) => retried(`${code} in a cache`, send(code), unchanged, { isCached: true })),
  ...Object.entries(retryAfter).map(([name, header]) =>
    retried(
      `429 with Retry-After ${name}`,
      (exchange) => send(429, '{}', { 'retry-after': header() })(exchange),
      upstream('got 429 with Retry-After <n> s, expected 200'),
    ),
  ),
  anywhere(
    '429 with Retry-After of an hour',
    send(429, '{}', { 'retry-after': '3600' }),
    upstream('got 429 with Retry-After 3600 s, expected 200'),
  ),
  ...Object.entries(redirects).map(([to, location]) =>
    anywhere(
      `a redirect to ${to}`,
      send(302, '', { location }),
      upstream(`got 302, a redirect to "${location}", expected 200`),
    ),
  ),
];

const MEGABYTE = Buffer.alloc(1 << 20, ' ');
const TOO_LARGE = upstream('got more than <n> bytes');
const NESTED = '['.repeat(500_000) + ']'.repeat(500_000);
const bombs = {
  gzip: (large: Buffer) => gzipSync(large, { level: 1 }),
  br: (large: Buffer) => brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
const invalidJson = {
  '<!doctype html><title>Just a moment</title>': '"<!doctype html><title>Just a m…" in line 1, column 1',
  OK: '"OK" in line 1, column 1',
  '': 'nothing',
  '{"id":1,}': String.raw`"{\"id\":1,}" in line 1, column 9`,
};
const bodyFaults: Fault[] = [
  ...Object.entries(invalidJson).map(([text, got]) =>
    retried(`the body ${JSON.stringify(text)}`, send(200, text), upstream(`got ${got}, expected JSON`)),
  ),
  retried('an invalid body in a cache', send(200, 'OK'), unchanged, { isCached: true }),
  retried(
    'invalid UTF-8',
    edit((own) => Buffer.from(`${own.slice(0, -1)},"x":"\xff"}`, 'latin1')),
    upstream('got <n> bytes that are not UTF-8'),
  ),
  anywhere(
    'a byte order mark',
    edit((own) => `\uFEFF${own}`),
    unchanged,
  ),
  anywhere(
    'half a million nested arrays',
    edit(() => NESTED),
    data('got a value nested too deeply to show, expected object'),
  ),
  anywhere(
    'half a million nested arrays in an unused field',
    edit((own) => `${own.slice(0, -1)},"more":${NESTED}}`),
    unchanged,
  ),
  anywhere(
    'a body of 20 MB',
    ({ response }) =>
      Readable.from(Array<Buffer>(20).fill(MEGABYTE)).pipe(response.writeHead(200, JSON_TYPE)),
    TOO_LARGE,
  ),
  ...Object.entries(bombs).map(([encoding, compress]) =>
    anywhere(
      `a compression bomb (${encoding})`,
      (exchange) => send(200, compress(Buffer.alloc(20 << 20)), { 'content-encoding': encoding })(exchange),
      TOO_LARGE,
    ),
  ),
  retried(
    'a body that is not compressed',
    send(200, '{"plain":1}', { 'content-encoding': 'gzip' }),
    upstream('got 11 bytes that are not valid gzip'),
  ),
  retried(
    'an unknown encoding',
    send(200, '{}', { 'content-encoding': 'zstd' }),
    upstream('got Content-Encoding "zstd", expected gzip, br'),
  ),
  anywhere(
    'an ETag that stays although the response changes',
    ({ response, isConditional, own }) =>
      isConditional ? response.writeHead(304).end() : response.writeHead(200, JSON_TYPE).end(own),
    unchanged,
  ),
  anywhere(
    'an ETag that changes although the response stays',
    ({ response, own }) => response.writeHead(200, { etag: `"${Math.random()}"` }).end(own),
    unchanged,
  ),
  anywhere('an unexpected 304', send(304, ''), upstream('got 304, expected 200'), { withoutCache: true }),
];

const first = {
  'x-pokeapi-hash': editionNumber(1).hash,
  'x-pokeapi-deploy-date': String(editionNumber(1).deployed),
};
const nameEdition = (what: string, headers: Record<string, string>, options: Options = {}): Fault =>
  anywhere(
    `a response ${what}`,
    edit((own) => own, headers),
    unchanged,
    { isCached: true, ...options },
  );
const two = '<n> of edition <hash> from <day>, <n> of edition <hash> from <day>';
const editionFaults: Fault[] = [
  nameEdition('of an older edition in a CDN', first, { hasEditions: true }),
  nameEdition('of an older edition at every URL', first, {
    ...{ hasEditions: true, isGlobal: true, isCached: false },
    outcome: upstream(`got responses from several editions: ${two}, expected one`),
  }),
  nameEdition('without an edition', {}, { hasEditions: true }),
  nameEdition('with an edition, unlike the others', first),
  nameEdition('with an invalid edition', { ...first, 'x-pokeapi-hash': 'main' }),
  nameEdition('with an edition of an invalid date', { ...first, 'x-pokeapi-deploy-date': '-1' }),
];

type Listed = { name: string; url: string };
const list = (
  name: string,
  change: (all: Listed[]) => Listed[],
  outcome: Outcome,
  options: { count?: number } = {},
): Fault => ({
  ...{ name, outcome, at: 'lists' },
  respond: edit((own) => {
    const results = change(JSON.parse(own).results);
    return JSON.stringify({ count: results.length, ...options, results });
  }),
});
const invalidLink = data('<kind> › <slug> › url: got "<link>", expected a link to <upstream>/<kind>/<n>/');
const invalidIds = 'pound/ -1/ 1.5/ 0/ 007/ 1e3/ ../1/ 1%2F..%2F2/ 99999999999999999/'.split(' ');
const listFaults: Fault[] = [
  list('a count that is too large', (all) => all, data("got 3 results, expected 4 (the list's count)"), {
    count: 4,
  }),
  list('a count that is too small', (all) => all, data("got 3 results, expected 2 (the list's count)"), {
    count: 2,
  }),
  list(
    'a repeated record',
    (all) => [...all, ...all.slice(0, 1)],
    data('got repeated ids: <id> (<slug>), <id> (<slug>), expected unique ids'),
  ),
  list(
    'a missing record',
    (all) => all.slice(1),
    guard('got 1 of 3 records missing, expected at most 1 %: <slug>'),
  ),
  list('an empty list', () => [], guard('got 0 records, expected at least one')),
  ...['http://other.test/move/1/', ...invalidIds].map((link) =>
    list(
      `the link ${link}`,
      (all) => all.map((one, at) => (at === 0 ? { ...one, url: one.url.replace(/\d+\/$/, link) } : one)),
      invalidLink,
    ),
  ),
  anywhere(
    'a record that is added after the list was read',
    ({ response, own, kind, answers }) => {
      response.writeHead(200, JSON_TYPE).end(own);
      answers[kind].push(kind === 'move' ? moveAnswer(50) : itemAnswer(50));
    },
    unchanged,
  ),
];

const record = (name: string, fields: object, outcome: Outcome): Fault =>
  anywhere(
    name,
    edit((own) => JSON.stringify({ ...JSON.parse(own), ...fields })),
    outcome,
    { at: 'records' },
  );
const changed = (name: string, fields: object, outcome: Outcome, options: Options = {}): Fault => ({
  ...{ name, outcome, at: 'records', change: (record) => Object.assign(record, fields) },
  ...options,
});
const english = (name: string) => ({ names: [{ language: { name: 'en' }, name }] });
const polluted = '"__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}}';
const recordFaults: Fault[] = [
  record('the id "1"', { id: '1' }, data('› id: got "1", expected number')),
  record('a missing id', { id: undefined }, data('› id: got nothing, expected number')),
  record(
    'another slug than in the list',
    { name: 'renamed' },
    data('got id <id>, name "renamed", expected <id>, "<slug>", as in the list'),
  ),
  anywhere(
    '__proto__ and constructor as keys',
    edit((own) => `{${polluted},${own.slice(1)}`),
    unchanged,
  ),
  anywhere(
    '__proto__ instead of the fields',
    edit((own) => `{"__proto__":${own}}`),
    data('› id: got nothing, expected number'),
    { at: 'records' },
  ),
  ...['../x', 'con', '攻擊'].map((name) => {
    const got = JSON.stringify(name);
    const rule = 'a safe slug: lower-case letters, digits and inner hyphens';
    return changed(`the slug ${got}`, { name }, data(`› slug: got ${got}, expected ${rule}`));
  }),
  ...[
    ['koraidon’s-poké-ball', 'koraidons-poke-ball'],
    ['constructor', 'constructor'],
  ].map(([name, slug]) => changed(`the slug ${name}`, { name }, built(`"slug":"${slug}"`))),
  ...['a\u001b[31mb', 'a\u202eb'].map((name) => {
    const got = JSON.stringify(name);
    const rule = 'text without control, bidirectional or line-break characters';
    return changed(`the name ${got}`, english(name), data(`› name: got ${got}, expected ${rule}`));
  }),
  changed(
    'an icon that is not a link',
    { sprites: { default: 7 } },
    built('"icon":"sprites/items/unknown.png"'),
    {
      at: 'items',
    },
  ),
];

export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...statusFaults,
  ...bodyFaults,
  ...editionFaults,
  ...listFaults,
  ...recordFaults,
];
