/**
 * The table of upstream faults. Each entry describes one faulty response from the
 * upstream, and how a build reacts to it. docs/FAULTS.md summarizes the table.
 */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Kind } from '../../src/contract/kinds.ts';
import { editionNumber } from './editions.ts';
import { type Answer, itemAnswer, moveAnswer } from './upstream-data.ts';

/**
 * A request that gets a faulty response, with everything that the response may need.
 */
export interface Exchange {
  readonly response: ServerResponse;
  /** The body that a working upstream sends. */
  readonly correctBody: string;
  /** Whether the request has an `If-None-Match` header. */
  readonly isConditional: boolean;
  readonly kind: Kind;
  /** All records of the upstream, which a fault may change. */
  readonly answers: Record<Kind, Answer[]>;
  /** Stops the upstream's server. */
  stop(): void;
}

/** How a build reacts to a fault. */
interface Reaction {
  /** The build's error code, or `built` if the build succeeds. */
  readonly code: 'upstream' | 'data' | 'guard' | 'built';
  /**
   * The error of a failed build. `<url>`, `<kind>`, `<slug>` and `<id>` are replaced
   * with the faulty response's values. Other words in angle brackets match any word.
   */
  readonly problem?: string | RegExp;
  /** A text in the built records. By default, nothing changes. */
  readonly contains?: string;
  /** Whether the build requests the faulty response a second time. */
  readonly isRetried?: boolean;
  /** Whether only a timeout ends the faulty request. */
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
  /** Whether the build runs without its disk cache. */
  readonly withoutCache?: boolean;
  /** Whether the fault cannot end by itself. */
  readonly isPermanent?: boolean;
}

/** Sends the faulty response. */
type Respond = (exchange: Exchange) => unknown;

export interface Fault extends Reaction {
  readonly name: string;
  /** The only responses that can have this fault. By default, all responses can. */
  readonly at?: 'lists' | 'records' | 'items';
  readonly respond?: Respond;
  /** Changes the record itself, so that its list also changes. */
  readonly change?: (record: Answer) => unknown;
}

type Options = Partial<Reaction>;

function upstreamError(problem: string | RegExp, options?: Options): Reaction {
  return { code: 'upstream', problem, ...options };
}

function dataError(problem: string | RegExp, options?: Options): Reaction {
  return { code: 'data', problem, ...options };
}

function guardError(problem: string | RegExp, options?: Options): Reaction {
  return { code: 'guard', problem, ...options };
}

function built(options?: Options): Reaction {
  return { code: 'built', ...options };
}

function createFault(name: string, reaction: Reaction, respond: Respond): Fault {
  return { ...reaction, name, respond };
}

/** Creates a fault after which the build requests the response a second time. */
function createRetriedFault(
  name: string,
  reaction: Reaction,
  respond: Respond,
): Fault {
  return { ...reaction, name, respond, isRetried: true };
}

type Headers = Record<string, string>;

const JSON_TYPE: Headers = { 'content-type': 'application/json' };

function send(
  status: number,
  body: string | Buffer = '{}',
  headers: Headers = JSON_TYPE,
): Respond {
  return ({ response }) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

type ChangeBody = (correctBody: string) => string | Buffer;

/** Sends the correct body after a change. */
function sendChanged(changeBody: ChangeBody, headers?: Headers): Respond {
  const allHeaders = { ...JSON_TYPE, ...headers };
  return ({ response, correctBody }) => {
    response.writeHead(200, allHeaders);
    response.end(changeBody(correctBody));
  };
}

/** Sends the first bytes of a longer body, and keeps the connection open. */
function sendStart({ response, correctBody }: Exchange): void {
  const length = Buffer.byteLength(correctBody);
  response.writeHead(200, { 'content-length': String(length) });
  response.write(correctBody.slice(0, 9));
}

/** Sends the correct body in chunks, but omits the chunk that ends the body. */
function sendWithoutEnd({ response, correctBody }: Exchange): void {
  response.writeHead(200, JSON_TYPE);
  response.write(correctBody);
}

/** Closes the connection after a moment, so that the start arrives first. */
function closeAfter(respond: Respond): Respond {
  return (exchange) => {
    respond(exchange);
    setTimeout(() => exchange.response.socket?.end(), 5);
  };
}

function refuseConnections({ response, stop }: Exchange): void {
  stop();
  response.socket?.resetAndDestroy();
}

function resetConnection({ response }: Exchange): void {
  response.socket?.resetAndDestroy();
}

function closeConnection({ response }: Exchange): void {
  response.socket?.end();
}

function sendOtherProtocol({ response }: Exchange): void {
  response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n');
}

function sendNothing(): void {}

/** Sends one space at a time, so that only the limit for the whole response helps. */
function sendSlowly({ response }: Exchange): void {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

/** Writes to the socket, because `response` rejects a body longer than its length. */
function sendWithShortLength({ response, correctBody }: Exchange): void {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n';
  response.socket?.end(head + correctBody);
}

const CLOSED = upstreamError('other side closed (UND_ERR_SOCKET)');
// The client may notice the end of the connection before its reset.
const RESET = upstreamError(
  /(?:read ECONNRESET|other side closed \(UND_ERR_SOCKET\)) \(2 attempts\)$/,
);
const UNPARSED = upstreamError(
  /invalid HTTP response: Response does not match the HTTP\/1\.1 protocol/,
);
// The parser may reject the surplus bytes before the client parses the first nine.
const TOO_LONG = upstreamError(
  /got ".+" in line 1, column 10, expected JSON \(2 attempts\)$|HPE_/,
);
const NO_HEADERS = 'Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)';
const NO_BODY = 'Body Timeout Error (UND_ERR_BODY_TIMEOUT)';
const INCOMPLETE = 'no complete response within <n> s';

const connectionFaults: Fault[] = [
  createRetriedFault(
    'a refused connection',
    upstreamError('connect ECONNREFUSED <address>', { isPermanent: true }),
    refuseConnections,
  ),
  createRetriedFault('a reset connection', RESET, resetConnection),
  createRetriedFault('a closed connection', CLOSED, closeConnection),
  createRetriedFault('a truncated body', CLOSED, closeAfter(sendStart)),
  createRetriedFault(
    'a chunked body without its end',
    CLOSED,
    closeAfter(sendWithoutEnd),
  ),
  createRetriedFault('another protocol', UNPARSED, sendOtherProtocol),
  createRetriedFault(
    'a stall before the headers',
    upstreamError(NO_HEADERS, { hasTimeout: true }),
    sendNothing,
  ),
  createRetriedFault(
    'a stall inside the body',
    upstreamError(NO_BODY, { hasTimeout: true }),
    sendStart,
  ),
  createRetriedFault(
    'a slow drip',
    upstreamError(INCOMPLETE, { hasTimeout: true }),
    sendSlowly,
  ),
  createRetriedFault('a length that is too short', TOO_LONG, sendWithShortLength),
];

/** Each status is final, so the build does not request the response again. */
const finalStatuses = [400, 401, 501, 511];
const retriedStatuses = [
  403, 404, 408, 410, 421, 425, 429, 500, 502, 503, 504, 507, 509, 520, 527, 529,
  530,
];
/** Caches may still have an earlier response that reports the page as missing. */
const cachedStatuses = [403, 404, 410];
const redirectTargets = ['http://127.0.0.2:9/api/v2/', '/api/v2/', 'file:///x'];

function statusError(status: number): Reaction {
  return upstreamError(`got ${status}, expected 200`);
}

function createTooManyRequests(
  name: string,
  createHeader: () => string,
  problem: string,
): Fault {
  // The header is created for each request, because its date must be in the future.
  const respond: Respond = ({ response }) => {
    response.writeHead(429, { 'retry-after': createHeader() });
    response.end('{}');
  };
  const reaction = upstreamError(problem);
  return createFault(`429 with Retry-After ${name}`, reaction, respond);
}

function createRedirect(location: string): Fault {
  const problem = `got 302, a redirect to "${location}", expected 200`;
  return createFault(
    `a redirect to ${location}`,
    upstreamError(problem),
    send(302, '', { location }),
  );
}

function listStatusFaults(): Fault[] {
  const faults: Fault[] = [];
  for (const status of retriedStatuses) {
    const error = statusError(status);
    faults.push(createRetriedFault(`${status}`, error, send(status)));
  }
  faults.push(createRetriedFault('202', statusError(202), send(202)));
  for (const status of [204, 206]) {
    const error = statusError(status);
    faults.push(createRetriedFault(`${status}`, error, send(status, '')));
  }
  const onlyInCache = built({ isCached: true });
  for (const status of [202, 204]) {
    const name = `${status} in a cache`;
    faults.push(createRetriedFault(name, onlyInCache, send(status, '')));
  }
  const sendWithStatus203: Respond = ({ response, correctBody }) => {
    response.writeHead(203, JSON_TYPE);
    response.end(correctBody);
  };
  faults.push(createFault('203', built(), sendWithStatus203));
  for (const status of finalStatuses) {
    faults.push(createFault(`${status}`, statusError(status), send(status)));
  }
  for (const status of cachedStatuses) {
    const name = `${status} in a cache`;
    faults.push(createRetriedFault(name, onlyInCache, send(status)));
  }
  const soon = 'got 429 with Retry-After <n> s, expected 200';
  const createDate = (): string => new Date(Date.now() + 2000).toUTCString();
  const inSeconds = createTooManyRequests('in seconds', () => '1', soon);
  const asDate = createTooManyRequests('as a date', createDate, soon);
  faults.push({ ...inSeconds, isRetried: true });
  faults.push({ ...asDate, isRetried: true });
  const later = 'got 429 with Retry-After 3600 s, expected 200';
  faults.push(createTooManyRequests('of an hour', () => '3600', later));
  for (const location of redirectTargets) {
    faults.push(createRedirect(location));
  }
  return faults;
}

const MEGABYTE = Buffer.alloc(1 << 20, ' ');
const TOO_LARGE = upstreamError('got more than <n> bytes');
const NESTED = '['.repeat(500_000) + ']'.repeat(500_000);
const TOO_DEEP = dataError('got a value nested too deeply to show, expected object');
const NOT_UTF8 = upstreamError('got <n> bytes that are not UTF-8');
const NOT_GZIP = upstreamError('got 11 bytes that are not valid gzip');
const UNKNOWN_ENCODING = upstreamError(
  'got Content-Encoding "zstd", expected gzip, br',
);
const UNEXPECTED_304 = upstreamError('got 304, expected 200', {
  withoutCache: true,
});

/** The functions that compress as fast as possible, by content encoding. */
const compressors = {
  gzip: (large: Buffer) => gzipSync(large, { level: 1 }),
  br(large: Buffer) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
    return brotliCompressSync(large, { params });
  },
};

/** Bodies that are not JSON, and how the error message quotes each of them. */
const invalidJson = {
  '<!doctype html><title>Just a moment</title>':
    '"<!doctype html><title>Just a m…" in line 1, column 1',
  OK: '"OK" in line 1, column 1',
  '': 'nothing',
  '{"id":1,}': String.raw`"{\"id\":1,}" in line 1, column 9`,
};

/** Valid JSON that is neither a record nor a list, and the error for it. */
const otherJson = {
  null: dataError('got null, expected object'),
  '[]': dataError('got [], expected object'),
  '"OK"': dataError('got "OK", expected object'),
  '{}': dataError(/^\w+ › .* › (?:id|count): got nothing, expected number$/),
  '{"detail":"Not found."}': dataError(
    /› (?:id|count): got nothing, expected number$/,
  ),
};

/** Adds a field to the object that the body contains. */
function appendField(correctBody: string, field: string): string {
  const withoutBrace = correctBody.slice(0, -1);
  return `${withoutBrace},${field}}`;
}

/** Adds the byte 0xff, which UTF-8 never contains. */
function appendInvalidByte(correctBody: string): Buffer {
  return Buffer.from(appendField(correctBody, '"x":"\xff"'), 'latin1');
}

function sendTwentyMegabytes({ response }: Exchange): void {
  const chunks = Array<Buffer>(20).fill(MEGABYTE);
  response.writeHead(200, JSON_TYPE);
  // A pipe waits for the client, so the whole body is never in memory at once.
  Readable.from(chunks).pipe(response);
}

function createBomb(encoding: keyof typeof compressors): Fault {
  // Compressing takes a while, so we do it only when the fault is tried.
  const respond: Respond = (exchange) => {
    const large = Buffer.alloc(20 << 20);
    const body = compressors[encoding](large);
    send(200, body, { 'content-encoding': encoding })(exchange);
  };
  return createFault(`a compression bomb (${encoding})`, TOO_LARGE, respond);
}

/** Confirms each ETag, although the upstream's records have changed. */
function confirmAnyEtag({ response, isConditional, correctBody }: Exchange): void {
  if (isConditional) {
    response.writeHead(304);
    response.end();
    return;
  }
  response.writeHead(200, JSON_TYPE);
  response.end(correctBody);
}

function sendWithRandomEtag({ response, correctBody }: Exchange): void {
  response.writeHead(200, { etag: `"${Math.random()}"` });
  response.end(correctBody);
}

function listBodyFaults(): Fault[] {
  const faults: Fault[] = [];
  for (const [text, reaction] of Object.entries(otherJson)) {
    const name = `the body ${text}`;
    faults.push(createRetriedFault(name, reaction, send(200, text)));
  }
  const onlyInCache = built({ isCached: true });
  for (const text of ['null', '{"detail":"Not found."}']) {
    const name = `the body ${text} in a cache`;
    faults.push(createRetriedFault(name, onlyInCache, send(200, text)));
  }
  for (const [text, shownText] of Object.entries(invalidJson)) {
    const name = `the body ${JSON.stringify(text)}`;
    const error = upstreamError(`got ${shownText}, expected JSON`);
    faults.push(createRetriedFault(name, error, send(200, text)));
  }
  faults.push(
    createRetriedFault('an invalid body in a cache', onlyInCache, send(200, 'OK')),
    createRetriedFault('invalid UTF-8', NOT_UTF8, sendChanged(appendInvalidByte)),
    createFault(
      'a byte order mark',
      built(),
      sendChanged((correctBody) => `\uFEFF${correctBody}`),
    ),
    createRetriedFault('nested arrays', TOO_DEEP, send(200, NESTED)),
    createFault(
      'nested arrays in an unused field',
      built(),
      sendChanged((correctBody) => appendField(correctBody, `"more":${NESTED}`)),
    ),
    createFault('a body of 20 MB', TOO_LARGE, sendTwentyMegabytes),
    createBomb('gzip'),
    createBomb('br'),
    createRetriedFault(
      'a body without compression',
      NOT_GZIP,
      send(200, '{"plain":1}', { 'content-encoding': 'gzip' }),
    ),
    createRetriedFault(
      'an unknown encoding',
      UNKNOWN_ENCODING,
      send(200, '{}', { 'content-encoding': 'zstd' }),
    ),
    createFault(
      'an ETag that stays although the response changes',
      built(),
      confirmAnyEtag,
    ),
    createFault(
      'an ETag that changes although the response stays',
      built(),
      sendWithRandomEtag,
    ),
    createRetriedFault('an unexpected 304', UNEXPECTED_304, send(304, '')),
  );
  return faults;
}

const OLDER_EDITION: Headers = {
  'x-pokeapi-hash': editionNumber(1).hash,
  'x-pokeapi-deploy-date': String(editionNumber(1).deployed),
};
const INVALID_HASH = { ...OLDER_EDITION, 'x-pokeapi-hash': 'main' };
const INVALID_DATE = { ...OLDER_EDITION, 'x-pokeapi-deploy-date': '-1' };
const OLD_GROUP = '<n> of edition <hash> from <day>';
const MIXED = upstreamError(
  `got responses from several editions: ${OLD_GROUP}, ${OLD_GROUP}, expected one`,
  { hasEditions: true, isGlobal: true },
);

/**
 * Creates a response that states a different edition than the other responses. An
 * edition is one deployment of the upstream.
 */
function createOtherEdition(
  name: string,
  headers: Headers,
  reaction: Reaction,
): Fault {
  const respond = sendChanged((correctBody) => correctBody, headers);
  return createFault(`a response ${name}`, reaction, respond);
}

const WITHOUT_EDITIONS = built({ isCached: true });
const WITH_EDITIONS = built({ isCached: true, hasEditions: true });

const editionFaults: Fault[] = [
  createOtherEdition('of an older edition in a CDN', OLDER_EDITION, WITH_EDITIONS),
  createOtherEdition('of an older edition at every URL', OLDER_EDITION, MIXED),
  createOtherEdition('without an edition', {}, WITH_EDITIONS),
  createOtherEdition(
    'with an edition, unlike the others',
    OLDER_EDITION,
    WITHOUT_EDITIONS,
  ),
  createOtherEdition('with an invalid edition', INVALID_HASH, WITHOUT_EDITIONS),
  createOtherEdition(
    'with an edition of an invalid date',
    INVALID_DATE,
    WITHOUT_EDITIONS,
  ),
];

interface ListedRecord {
  readonly name: string;
  readonly url: string;
}

type ChangeRecords = (records: readonly ListedRecord[]) => readonly ListedRecord[];

/** @param count the list's `count`; by default, the number of its records */
function createListFault(
  name: string,
  reaction: Reaction,
  changeRecords: ChangeRecords,
  count?: number,
): Fault {
  const respond = sendChanged((correctBody) => {
    const list = JSON.parse(correctBody) as { results: ListedRecord[] };
    const results = changeRecords(list.results);
    return JSON.stringify({ count: count ?? results.length, results });
  });
  return { ...reaction, name, at: 'lists', respond };
}

function createWrongCount(count: number): Fault {
  const problem = `got 3 results, expected ${count} (the list's count)`;
  return createListFault(
    `a count of ${count} instead of 3`,
    dataError(problem),
    (records) => records,
    count,
  );
}

const INVALID_LINK = dataError(
  '<kind> › <slug> › url: got "<link>", expected a link to <upstream>/<kind>/<n>/',
  { isRetried: true },
);

/** @param link replaces the id at the end of the first record's URL */
function createInvalidLink(link: string): Fault {
  return createListFault(`the link ${link}`, INVALID_LINK, (records) => {
    const [firstRecord, ...otherRecords] = records;
    if (!firstRecord) return records;
    const url = firstRecord.url.replace(/\d+\/$/, link);
    return [{ ...firstRecord, url }, ...otherRecords];
  });
}

const REPEATED = dataError(
  'got repeated ids: <id> (<slug>), <id> (<slug>), expected unique ids',
);
const MISSING = guardError(
  'got 1 of 3 records missing, expected at most 1 %: <slug>',
);
const EMPTY = guardError('got 0 records, expected at least one');
const invalidLinks = [
  'http://other.test/move/1/',
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

/** Sends the response, and then adds a record that the list does not have. */
function addRecordAfterwards(exchange: Exchange): void {
  const { response, correctBody, kind, answers } = exchange;
  response.writeHead(200, JSON_TYPE);
  response.end(correctBody);
  const newRecord = kind === 'move' ? moveAnswer(50) : itemAnswer(50);
  answers[kind].push(newRecord);
}

const listFaults: Fault[] = [
  createWrongCount(4),
  createWrongCount(2),
  createListFault('a repeated record', REPEATED, (records) => [
    ...records,
    ...records.slice(0, 1),
  ]),
  createListFault('a missing record', MISSING, (records) => records.slice(1)),
  createListFault('an empty list', EMPTY, () => []),
  ...invalidLinks.map(createInvalidLink),
  createFault(
    'a record that is added after the list was read',
    built(),
    addRecordAfterwards,
  ),
];

/**
 * Creates a fault in the response for a record. The list that contains the record is
 * correct.
 */
function createRecordFault(
  name: string,
  reaction: Reaction,
  changeBody: ChangeBody,
): Fault {
  return { ...reaction, name, at: 'records', respond: sendChanged(changeBody) };
}

/**
 * Creates a fault in the record itself, so the list that contains it has the same
 * fault.
 */
function createChangedRecord(
  name: string,
  reaction: Reaction,
  fields: object,
): Fault {
  const change = (record: Answer): unknown => Object.assign(record, fields);
  return { ...reaction, name, at: 'records', change };
}

function replaceFields(fields: object): ChangeBody {
  return (correctBody) => {
    const record = JSON.parse(correctBody);
    return JSON.stringify({ ...record, ...fields });
  };
}

const POLLUTED_FIELDS =
  '"__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}}';

/** Writes the text itself, because an object literal would set its prototype. */
function pollute(correctBody: string): string {
  const withoutBrace = correctBody.slice(1);
  return `{${POLLUTED_FIELDS},${withoutBrace}`;
}

function nestInProto(correctBody: string): string {
  return `{"__proto__":${correctBody}}`;
}

const TEXT_ID = dataError('› id: got "1", expected number', { isRetried: true });
const NO_ID = dataError('› id: got nothing, expected number', { isRetried: true });
const OTHER_SLUG = dataError(
  'got id <id>, name "renamed", expected <id>, "<slug>", as in the list',
);
const NO_ICON = built({ contains: '"icon":"sprites/items/unknown.png"' });
const SLUG_RULE = 'a safe slug: lower-case letters, digits and inner hyphens';
const NAME_RULE = 'text without control, bidirectional or line-break characters';

/** The slugs of the built records, by upstream name. */
const convertedSlugs = {
  'koraidon’s-poké-ball': 'koraidons-poke-ball',
  constructor: 'constructor',
};

function listRecordFaults(): Fault[] {
  const faults: Fault[] = [
    createRecordFault('the id "1"', TEXT_ID, replaceFields({ id: '1' })),
    createRecordFault('a missing id', NO_ID, replaceFields({ id: undefined })),
    createRecordFault(
      'another slug than in the list',
      OTHER_SLUG,
      replaceFields({ name: 'renamed' }),
    ),
    createRecordFault('__proto__ instead of the fields', NO_ID, nestInProto),
    createFault('__proto__ and constructor as keys', built(), sendChanged(pollute)),
  ];
  for (const name of ['../x', 'con', '攻擊']) {
    const error = dataError(`› slug: got "${name}", expected ${SLUG_RULE}`);
    faults.push(createChangedRecord(`the slug ${name}`, error, { name }));
  }
  for (const [name, slug] of Object.entries(convertedSlugs)) {
    const reaction = built({ contains: `"slug":"${slug}"` });
    faults.push(createChangedRecord(`the slug ${name}`, reaction, { name }));
  }
  for (const name of ['a\u001b[31mb', 'a\u202eb']) {
    const shownName = JSON.stringify(name);
    const error = dataError(`› name: got ${shownName}, expected ${NAME_RULE}`);
    const names = [{ language: { name: 'en' }, name }];
    faults.push(createChangedRecord(`the name ${shownName}`, error, { names }));
  }
  const sprites = { default: 7 };
  faults.push({
    ...createChangedRecord('an icon that is not a link', NO_ICON, { sprites }),
    at: 'items',
  });
  return faults;
}

export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...listStatusFaults(),
  ...listBodyFaults(),
  ...editionFaults,
  ...listFaults,
  ...listRecordFaults(),
];
