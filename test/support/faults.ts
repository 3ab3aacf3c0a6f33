/** Everything that an upstream can do wrong, and what a build makes of it: the one table behind the tests and FAULTS.md. */

import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Kind } from '../../src/contract/kinds.ts';
import { editionNumber } from './editions.ts';
import { type Answer, itemAnswer, moveAnswer } from './upstream-data.ts';

/** Which answer is spoilt: a list, or one record of it. */
export interface Place {
  readonly name: string;
  readonly kind: Kind;
  /** Undefined for the list. */
  readonly id?: number;
}

/** What a fault may use: the request's answer, and what would have been right. */
export interface Exchange {
  readonly response: ServerResponse;
  /** The right body. */
  readonly own: string;
  readonly conditional: boolean;
  readonly place: Place;
  readonly answers: Record<Kind, Answer[]>;
  /** Ends the whole upstream. */
  stop(): void;
}

/** What is known of the place when an error about it is expected. */
export interface Told {
  readonly url: string;
  readonly kind: string;
  readonly slug: string;
  readonly id: number | string;
  /** The longest time for a response, in seconds. */
  readonly seconds: number;
}

type Problem = (told: Told) => string;

export interface Fault {
  readonly name: string;
  readonly group: keyof typeof groups;
  /** Answers in its own way. */
  readonly answer?: (exchange: Exchange) => unknown;
  /** Changes the record itself, and so its list. */
  readonly spoil?: (record: Answer) => unknown;
  /** The address of an upstream that is not there at all. */
  readonly address?: string;
  readonly at: 'anywhere' | 'first list' | 'lists' | 'records';
  readonly retried: boolean;
  /** An error's code and message without its place; `like` if a part of it differs from machine to machine. */
  readonly outcome:
    | { readonly code: 'upstream' | 'data' | 'guard'; readonly problem: Problem; readonly like?: RegExp }
    | { readonly code: 'built'; readonly says: string; readonly holds?: string };
  /** Which of the client's time-outs it takes. */
  readonly slow?: 'parts' | 'whole';
  /** The upstream names editions, and deploys a new one before the build that meets the fault. */
  readonly editions?: boolean;
  /** It is met under every address of the answer, and told of the upstream as a whole. */
  readonly everywhere?: boolean;
  /** The client has no ETag to send. */
  readonly uncached?: boolean;
  /** Cannot be over by itself. */
  readonly lasting?: boolean;
}

/** A fault of its group: where its group is, and retried as its group is, unless it says so. */
type Row = Omit<Fault, 'group' | 'at' | 'retried'> & Partial<Pick<Fault, 'at' | 'retried'>>;

const failing =
  (code: 'upstream' | 'data' | 'guard') =>
  (problem: string | Problem, like?: RegExp): Fault['outcome'] => ({
    code,
    problem: typeof problem === 'string' ? () => problem : problem,
    ...(like && { like }),
  });
const upstream = failing('upstream');
const data = failing('data');
const guard = failing('guard');
const same: Fault['outcome'] = { code: 'built', says: 'as without it' };

const JSON_TYPE = { 'content-type': 'application/json' };
const send =
  (status: number, body: string | Buffer = '{}', headers: Record<string, string> = JSON_TYPE) =>
  ({ response }: Exchange) =>
    response.writeHead(status, headers).end(body);

/** The record as it is, but for some fields. */
const tell = (fields: object) => retell((own) => JSON.stringify({ ...JSON.parse(own), ...fields }));

/** The right text, changed. */
const retell =
  (change: (own: string) => string | Buffer) =>
  ({ response, own }: Exchange) =>
    response.writeHead(200, JSON_TYPE).end(change(own));

/** The list with its results changed. */
const relist = (change: (results: { name: string; url: string }[]) => unknown[], count?: number) =>
  retell((own) => {
    const results = change(JSON.parse(own).results);
    return JSON.stringify({ count: count ?? results.length, results });
  });

const relink = (id: string) =>
  relist((results) =>
    results.map(({ name, url }, at) => ({ name, url: at === 0 ? url.replace(/\d+\/$/, id) : url })),
  );

const CHALLENGE = '<!doctype html><title>Just a moment...</title><script src="/challenge.js"></script>';
const MEGABYTE = Buffer.alloc(1 << 20, ' ');
const LARGE_MEGABYTES = 200;
const TOO_LARGE = 'got more than 8388608 bytes';

/** Compressed once, and only if requested. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
const gzipBomb = lazily(() => gzipSync(Buffer.alloc(LARGE_MEGABYTES << 20), { level: 1 }));
const brotliBomb = lazily(() =>
  brotliCompressSync(Buffer.alloc(LARGE_MEGABYTES << 20), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  }),
);
const nested = lazily(() => '['.repeat(1_000_000) + ']'.repeat(1_000_000));

function sendLarge({ response }: Exchange): void {
  response.writeHead(200, JSON_TYPE);
  let left = LARGE_MEGABYTES;
  const more = (): void => {
    while (left-- > 0) if (!response.write(MEGABYTE)) return void response.once('drain', more);
    response.end();
  };
  more();
}

const connection: Row[] = [
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
  {
    name: 'a refused connection',
    answer: ({ response, stop }) => {
      stop();
      response.socket?.resetAndDestroy();
    },
    lasting: true,
    outcome: upstream(
      'connect ECONNREFUSED <address>',
      /^connect ECONNREFUSED 127\.0\.0\.1:\d+ \(2 attempts\)$/,
    ),
  },
  {
    name: 'a reset connection',
    answer: ({ response }) => response.socket?.resetAndDestroy(),
    outcome: upstream(
      'read ECONNRESET',
      /^(?:read ECONNRESET|other side closed \(UND_ERR_SOCKET\)) \(2 attempts\)$/,
    ),
  },
  {
    name: 'a connection closed without an answer',
    answer: ({ response }) => response.socket?.end(),
    outcome: upstream('other side closed (UND_ERR_SOCKET)'),
  },
  {
    name: 'something that is no HTTP',
    answer: ({ response }) => response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'),
    outcome: upstream(
      'invalid HTTP response: Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)',
    ),
  },
  {
    name: 'a stall before the headers',
    answer: () => {},
    slow: 'parts',
    outcome: upstream('Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)'),
  },
  {
    name: 'a stall inside the body',
    answer: ({ response, own }) =>
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(own)) }).write(own.slice(0, 9)),
    slow: 'parts',
    outcome: upstream('Body Timeout Error (UND_ERR_BODY_TIMEOUT)'),
  },
  {
    name: 'a slow drip',
    answer: ({ response }) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
    slow: 'whole',
    outcome: upstream(({ seconds }) => `no complete response within ${seconds} s`),
  },
  {
    name: 'a truncated body',
    answer: ({ response, own }) => {
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(own)) }).write(own.slice(0, 9));
      setTimeout(() => response.socket?.end(), 5);
    },
    outcome: upstream('other side closed (UND_ERR_SOCKET)'),
  },
  {
    name: 'a chunked body without its end',
    answer: ({ response, own }) => {
      response.writeHead(200, JSON_TYPE).write(own);
      setTimeout(() => response.socket?.end(), 5);
    },
    outcome: upstream('other side closed (UND_ERR_SOCKET)'),
  },
  {
    name: 'a length that says less than there is',
    answer: ({ response, own }) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n${own}`),
    outcome: upstream(
      'got the first 9 bytes, expected JSON',
      /^got "\S+", expected JSON \(2 attempts\)$|HPE_/,
    ),
  },
];

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
const status: Row[] = [
  ...[429, 500, 502, 503, 504].map(
    (code): Row => ({
      name: `${code}`,
      answer: send(code),
      retried: true,
      outcome: upstream(`got ${code}, expected 200`),
    }),
  ),
  {
    name: '429 with `Retry-After` in seconds',
    answer: send(429, '{}', { 'retry-after': '1' }),
    retried: true,
    outcome: upstream('got 429 with Retry-After 1 s, expected 200'),
  },
  {
    name: '429 with `Retry-After` as a date',
    answer: (exchange) => send(429, '{}', { 'retry-after': inSeconds(2) })(exchange),
    retried: true,
    outcome: upstream(
      'got 429 with Retry-After 2 s, expected 200',
      /^got 429 with Retry-After [12] s, expected 200 \(2 attempts\)$/,
    ),
  },
  {
    name: '429 with `Retry-After` of an hour',
    answer: send(429, '{}', { 'retry-after': '3600' }),
    outcome: upstream('got 429 with Retry-After 3600 s, expected 200'),
  },
  ...[204, 400, 404, 410].map(
    (code): Row => ({
      name: `${code}`,
      answer: send(code, code === 204 ? '' : '{}'),
      outcome: upstream(`got ${code}, expected 200`),
    }),
  ),
  {
    name: '403 with a challenge page',
    answer: send(403, CHALLENGE, { 'content-type': 'text/html' }),
    outcome: upstream('got 403, expected 200'),
  },
  ...[
    ['another host', 'http://127.0.0.2:9/api/v2/'],
    ['a loop', '/api/v2/'],
    ['`file:`', 'file:///etc/passwd'],
  ].map(
    ([to = '', location = '']): Row => ({
      name: `a redirect to ${to}`,
      answer: send(302, '', { location }),
      outcome: upstream(`got 302, a redirect to "${location}", expected 200`),
    }),
  ),
];

const body: Row[] = [
  ...(
    [
      ['200 with HTML', CHALLENGE, `${JSON.stringify(CHALLENGE.slice(0, 60)).slice(0, -1)}…"`],
      ['200 with `OK`', 'OK', '"OK"'],
      ['nothing', '', 'an empty body'],
      ['invalid JSON', '{"id":1,}', String.raw`"{\"id\":1,}"`],
      ['two JSON values', '{}{}', '"{}{}"'],
    ] as const
  ).map(
    ([name, text, shown]): Row => ({
      name,
      answer: send(200, text),
      retried: true,
      outcome: upstream(`got ${shown}, expected JSON`),
    }),
  ),
  {
    name: 'invalid UTF-8',
    answer: retell((own) =>
      Buffer.concat([Buffer.from(own.slice(0, -1)), Buffer.from(',"x":"\xff"}', 'latin1')]),
    ),
    retried: true,
    outcome: upstream(
      'got <n> bytes that are not UTF-8',
      /^got \d+ bytes that are not UTF-8 \(2 attempts\)$/,
    ),
  },
  {
    name: 'a byte order mark',
    answer: retell((own) => `\uFEFF${own}`),
    outcome: same,
  },
  {
    name: 'a million nested arrays',
    answer: ({ response }) => response.writeHead(200, JSON_TYPE).end(nested()),
    outcome: data('got a value nested too deeply to show: expected object, received array'),
  },
  {
    name: 'a million nested arrays in a field that nobody reads',
    answer: retell((own) => `${own.slice(0, -1)},"more":${nested()}}`),
    outcome: same,
  },
  {
    name: `a body of ${LARGE_MEGABYTES} MB`,
    answer: sendLarge,
    outcome: upstream(TOO_LARGE),
  },
  ...(
    [
      ['gzip', gzipBomb],
      ['br', brotliBomb],
    ] as const
  ).map(
    ([encoding, bomb]): Row => ({
      name: `a compression bomb (${encoding})`,
      answer: (exchange) => send(200, bomb(), { 'content-encoding': encoding })(exchange),
      outcome: upstream(TOO_LARGE),
    }),
  ),
  {
    name: 'a body that does not match its encoding says',
    answer: send(200, '{"plain":1}', { 'content-encoding': 'gzip' }),
    retried: true,
    outcome: upstream('got 11 bytes that are not valid gzip'),
  },
  ...(['Identity', 'x-gzip', 'GZIP'] as const).map(
    (encoding): Row => ({
      name: `an encoding by another name (${encoding})`,
      answer: (exchange) => {
        const body = encoding === 'Identity' ? exchange.own : gzipSync(exchange.own);
        return send(200, body, { 'content-encoding': encoding })(exchange);
      },
      outcome: same,
    }),
  ),
  {
    name: 'an encoding that nobody asked for',
    answer: send(200, '{}', { 'content-encoding': 'zstd' }),
    retried: true,
    outcome: upstream('got Content-Encoding "zstd", expected gzip, br'),
  },
];

const cache: Row[] = [
  {
    name: 'an ETag that stays although the answer changed',
    answer: ({ response, conditional }) => response.writeHead(conditional ? 304 : 200).end(),
    outcome: { code: 'built', says: 'with the answer as it was: nobody can know better' },
  },
  {
    name: 'an ETag that changes although the answer stays',
    answer: ({ response, own }) => response.writeHead(200, { etag: `"${Math.random()}"` }).end(own),
    outcome: same,
  },
  {
    name: 'a 304 that nobody asked for',
    answer: ({ response }) => response.writeHead(304).end(),
    uncached: true,
    outcome: upstream('got 304, expected 200'),
  },
];

const list: Row[] = [
  {
    name: 'a count of more than there are',
    answer: relist((results) => results, 4),
    outcome: data('got 3 results: expected 4, its count'),
  },
  {
    name: 'a count of fewer than there are',
    answer: relist((results) => results, 2),
    outcome: data('got 3 results: expected 2, its count'),
  },
  {
    name: 'a page that is cut off by a limit of the upstream’s own',
    answer: relist((results) => results.slice(0, 1), 3),
    outcome: data('got 1 results: expected 3, its count'),
  },
  {
    name: 'a record that appears twice',
    answer: relist((results) => [...results, ...results.slice(0, 1)]),
    outcome: data(
      ({ slug, id }) => `got repeated ids: ${id} (${slug}), ${id} (${slug}): expected unique ids`,
    ),
  },
  {
    name: 'a record that is gone from the list',
    answer: relist((results) => results.slice(1)),
    outcome: guard(
      'got 2 records, the last build had 3: expected at most 1 % to disappear; missing: <slug>',
      /: got 2 records, the last build had 3: .*; missing: \S+/,
    ),
  },
  {
    name: 'an empty list',
    answer: relist(() => []),
    outcome: guard(
      'got 0 records, the last build had 3: expected at most 1 % to disappear; missing: <slug>, <slug>, <slug>',
      /: got 0 records, the last build had 3: .*; missing: \S+, \S+, \S+/,
    ),
  },
  {
    name: 'a record that is gone once the list was read',
    answer: send(404),
    at: 'records',
    outcome: upstream('got 404, expected 200'),
  },
  {
    name: 'a record that is renamed once the list was read',
    answer: tell({ name: 'renamed' }),
    at: 'records',
    outcome: data(
      ({ id, slug }) => `got id ${id}, name "renamed": expected ${id}, "${slug}", as in the list`,
    ),
  },
  {
    name: 'another record than the one asked for',
    answer: tell({ id: 77, name: 'other' }),
    at: 'records',
    outcome: data(({ id, slug }) => `got id 77, name "other": expected ${id}, "${slug}", as in the list`),
  },
  {
    name: 'a record that comes once the list was read',
    answer: ({ response, own, place, answers }) => {
      response.writeHead(200, JSON_TYPE).end(own);
      answers[place.kind].push(place.kind === 'move' ? moveAnswer(50) : itemAnswer(50));
    },
    outcome: { code: 'built', says: 'without it: the next build has it' },
  },
  {
    name: 'a link to another host',
    answer: relist((results) =>
      results.map(({ name, url }) => ({ name, url: url.replace(/127\.0\.0\.1:\d+/, 'other.test') })),
    ),
    outcome: data(
      ({ kind, slug }) =>
        `${kind} › ${slug} › url: got "http://other.test/…": expected a link to <upstream>/${kind}/<id>/`,
      /^(\w+) › \1-1 › url: got "http:\/\/other\.test\/api\/v2\/\1\/1\/": expected a link to http:\/\/127\.0\.0\.1:\d+\/api\/v2\/\1\/<id>\/$/,
    ),
  },
];

const listedIds = [
  'pound/',
  '-1/',
  '1.5/',
  '0/',
  '007/',
  '1e3/',
  '../1/',
  '1%2F..%2F2/',
  '99999999999999999/',
];
const toldIds: [name: string, id: unknown, got: string][] = [
  ['a string', '1', '"1": expected number, received string'],
  ['negative', -1, '-1: Too small: expected number to be >=1'],
  ['zero', 0, '0: Too small: expected number to be >=1'],
  ['a fraction', 1.5, '1.5: expected int, received number'],
  ['2^53', 2 ** 53, '9007199254740992: Too big: expected int to be <=9007199254740991'],
  ['null', null, 'null: expected number, received null'],
  ['missing', undefined, 'nothing: expected number, received undefined'],
];
const id: Row[] = [
  ...listedIds.map(
    (path): Row => ({
      name: `a listed id: \`${path}\``,
      answer: relink(path),
      at: 'lists',
      outcome: data(
        ({ kind, slug }) =>
          `${kind} › ${slug} › url: got "<link>": expected a link to <upstream>/${kind}/<id>/`,
        /^(\w+) › \1-1 › url: got "http:\S+": expected a link to http:\S+\/\1\/<id>\/$/,
      ),
    }),
  ),
  ...toldIds.map(
    ([name, value, got]): Row => ({
      name: `an id: ${name}`,
      answer: tell({ id: value }),
      at: 'records',
      outcome: data(`› id: got ${got}`),
    }),
  ),
  {
    name: 'an id that no number holds',
    answer: retell((own) => own.replace(/"id":\d+/, '"id":1e400')),
    at: 'records',
    outcome: data(
      '› id: got null: expected number, received Infinity',
      /› id: got null: expected \w+, received \w+$/,
    ),
  },
];

const key: Row[] = [
  {
    name: '`__proto__` and `constructor` as keys',
    answer: retell(
      (own) =>
        `{"__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}},${own.slice(1)}`,
    ),
    outcome: same,
  },
  {
    name: '`__proto__` instead of the fields',
    answer: retell((own) => `{"__proto__":${own}}`),
    at: 'records',
    outcome: data('› id: got nothing: expected number, received undefined'),
  },
];

const badSlugs = [
  '..',
  '../x',
  'a/b',
  'a\\b',
  '/etc/passwd',
  'a\0b',
  '.',
  'con',
  'nul',
  'com1',
  'lpt9',
  'offset',
  'a_b',
  'a\nb',
  '攻擊',
];
/** Slug → what Django's slugify makes of it. */
const adaptedSlugs: readonly (readonly [slug: string, adapted: string])[] = [
  ['koraidon’s-poké-ball', 'koraidons-poke-ball'],
  ['steel-bottle-(r)', 'steel-bottle-r'],
  ['..%2fx', '2fx'],
  ['a.b', 'ab'],
  ['.hidden', 'hidden'],
  ['index.json', 'indexjson'],
  ['Upper-Case', 'upper-case'],
  ['a b', 'a-b'],
  ['-a', 'a'],
  ['__proto__', 'proto'],
  ['javascript:x', 'javascriptx'],
  ['<b>', 'b'],
];
const slug: Row[] = [
  ...badSlugs.map(
    (name): Row => ({
      name: `the slug \`${JSON.stringify(name)}\``,
      spoil: (record) => Object.assign(record, { name }),
      outcome: data(
        `› slug: got ${JSON.stringify(name)}: expected a safe slug: lower-case letters, digits and inner hyphens`,
      ),
    }),
  ),
  ...adaptedSlugs.map(
    ([name, adapted]): Row => ({
      name: `the slug \`${name}\``,
      spoil: (record) => Object.assign(record, { name }),
      outcome: { code: 'built', says: `as \`${adapted}\``, holds: `"slug":"${adapted}"` },
    }),
  ),
  {
    name: 'a slug of 300 characters',
    spoil: (record) => Object.assign(record, { name: 'a'.repeat(300) }),
    outcome: data(`› slug: got "${'a'.repeat(79)}…: Too big: expected string to have <=200 characters`),
  },
  {
    name: 'an empty slug',
    spoil: (record) => Object.assign(record, { name: '' }),
    outcome: data('› name: got "": Too small: expected string to have >=1 characters'),
  },
  {
    name: 'the slug `"constructor"`',
    spoil: (record) => Object.assign(record, { name: 'constructor' }),
    outcome: { code: 'built', says: 'with it: it is a word like any other', holds: '"slug":"constructor"' },
  },
];

/** Another English name; those in other languages stay, as a record that loses them is refused for that. */
const english = (name: string) => (record: Answer) => {
  const names = (record.names as { language: { name: string } }[]).filter(
    (own) => own.language.name !== 'en',
  );
  const language = { name: 'en', url: '/api/v2/language/9/' };
  return Object.assign(record, { names: [{ name, language }, ...names] });
};
const badNames: [name: string, text: string][] = [
  ['a line break', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['a line separator', 'a\u2028b'],
  ['an escape sequence', 'a\u001b[31mb'],
  ['NUL', 'a\0b'],
  ['a C1 control', 'a\u009bb'],
  ['a right-to-left override', 'a\u202eb'],
  ['a bidirectional isolate', 'a\u2066b'],
  ['half a surrogate pair', 'a\ud800b'],
];
const name: Row[] = [
  ...badNames.map(
    ([what, text]): Row => ({
      name: `a name with ${what}`,
      spoil: english(text),
      outcome: data(
        `› name: got ${JSON.stringify(text)}: expected text without control, bidirectional or line-break characters`,
      ),
    }),
  ),
  {
    name: 'a name of a million characters',
    spoil: english('a'.repeat(1_000_000)),
    outcome: data(`› name: got "${'a'.repeat(79)}…: Too big: expected string to have <=200 characters`),
  },
  ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '=HYPERLINK("x")', '__proto__'].map(
    (text): Row => ({
      name: `the name \`${text}\``,
      spoil: english(text),
      outcome: { code: 'built', says: 'with it as plain text', holds: `"name":${JSON.stringify(text)}` },
    }),
  ),
];

/** The right answer, which names an edition. */
const nameEdition =
  (headers: Record<string, string>) =>
  ({ response, own }: Exchange) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(own);
const headersOf = ({ hash, deployed }: ReturnType<typeof editionNumber>) => ({
  'x-pokeapi-hash': hash,
  'x-pokeapi-deploy-date': String(deployed),
});
const older = nameEdition(headersOf(editionNumber(1)));

const edition: Row[] = [
  {
    name: 'an answer of an older edition, which a CDN still holds',
    answer: older,
    editions: true,
    outcome: same,
  },
  {
    name: 'an answer of an older edition, wherever it is asked for',
    answer: older,
    editions: true,
    everywhere: true,
    outcome: upstream(
      'got answers of several editions: <n> of edition <hash> of <day>, <n> of edition <hash> of <day>: expected one',
      /^got answers of several editions: \d+ of edition 0{8} of 2026-04-03, \d+ of edition 0{8} of 2026-04-01: expected one$/,
    ),
  },
  {
    name: 'an answer that names no edition, unlike the others',
    answer: nameEdition({}),
    editions: true,
    outcome: same,
  },
  ...(
    [
      ['an edition, unlike the others', headersOf(editionNumber(1))],
      ['an edition that is no commit', { ...headersOf(editionNumber(1)), 'x-pokeapi-hash': 'main' }],
      ['an edition of an absurd date', { ...headersOf(editionNumber(1)), 'x-pokeapi-deploy-date': '-1' }],
    ] as const
  ).map(
    ([what, headers]): Row => ({
      name: `an answer that names ${what}`,
      answer: nameEdition(headers),
      outcome: same,
    }),
  ),
];

const groups = { connection, status, body, cache, edition, list, id, key, slug, name };
const usual: Partial<Record<keyof typeof groups, Pick<Row, 'at' | 'retried'>>> = {
  connection: { retried: true },
  list: { at: 'lists' },
  slug: { at: 'records' },
  name: { at: 'records' },
};

export const faults: readonly Fault[] = (Object.keys(groups) as (keyof typeof groups)[]).flatMap((group) =>
  groups[group].map((row) => ({ group, at: 'anywhere', retried: false, ...usual[group], ...row })),
);

/** The whole message that a build fails with. */
export function expectedMessage({ outcome, retried, at }: Fault, told: Told, isList: boolean): string {
  if (outcome.code === 'built') throw new Error('is no error');
  const problem = outcome.problem(told);
  if (outcome.code === 'upstream') return `GET ${told.url}: ${problem}${retried ? ' (2 attempts)' : ''}`;
  if (problem.includes(' › url: ')) return problem;
  if (/^got \d+ records/.test(problem)) return `${told.kind}: ${problem}`;
  const where = isList || at === 'lists' ? `${told.kind} › list` : `${told.kind} › ${told.slug} (${told.id})`;
  return `${where}${problem.startsWith('›') ? ' ' : ': '}${problem}`;
}
