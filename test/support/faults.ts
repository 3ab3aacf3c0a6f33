/**
 * The table of upstream faults. Each entry describes one faulty response from the
 * upstream, and how a build reacts to it: it tries again, or it fails. docs/FAULTS.md
 * summarizes the table.
 */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { editionNumber } from './editions.ts';
import type { Answer } from './upstream-data.ts';

/** A request that gets a faulty response. */
export interface Exchange {
  readonly response: ServerResponse;
  /** The body that a working upstream sends. */
  readonly correctBody: string;
}

/** Sends the faulty response. */
type Respond = (exchange: Exchange) => unknown;

export interface Fault {
  readonly name: string;
  /**
   * `again`: the build tries again, and fails if every attempt has the fault. `fail`:
   * the build fails at once. `use`: the build uses the response.
   */
  readonly reaction: 'again' | 'fail' | 'use';
  /** The reason in the error, or a text in the built records. */
  readonly text: string;
  /** The only responses that can have this fault. By default, all responses can. */
  readonly at?: 'lists' | 'records' | 'items';
  readonly respond?: Respond;
  /** Changes the record itself, so that its list also changes. */
  readonly change?: (record: Answer) => unknown;
  /** Whether only a timeout ends the faulty request. */
  readonly hasTimeout?: boolean;
}

type Headers = Record<string, string>;

const JSON_TYPE: Headers = { 'content-type': 'application/json' };

function again(name: string, text: string, respond: Respond, more = {}): Fault {
  return { name, reaction: 'again', text, respond, ...more };
}

function fail(name: string, text: string, respond: Respond): Fault {
  return { name, reaction: 'fail', text, respond };
}

function use(name: string, respond: Respond): Fault {
  return { name, reaction: 'use', text: '', respond };
}

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
function sendChanged(changeBody: ChangeBody, headers: Headers = {}): Respond {
  return ({ response, correctBody }) => {
    response.writeHead(200, { ...JSON_TYPE, ...headers });
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

/** Sends one space at a time, so that only the limit for the whole response helps. */
function sendSlowly({ response }: Exchange): void {
  response.writeHead(200, JSON_TYPE);
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

const SLOW = { hasTimeout: true };

const connectionFaults: readonly Fault[] = [
  again('a reset connection', '', ({ response }) => {
    response.socket?.resetAndDestroy();
  }),
  again('a closed connection', 'other side closed', ({ response }) => {
    response.socket?.end();
  }),
  again('a truncated body', 'other side closed', closeAfter(sendStart)),
  again(
    'a chunked body without its end',
    'other side closed',
    closeAfter(sendWithoutEnd),
  ),
  again('another protocol', 'does not match the HTTP/1.1 protocol', (exchange) => {
    exchange.response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n');
  }),
  again('a stall before the headers', 'Headers Timeout Error', () => {}, SLOW),
  again('a stall inside the body', 'Body Timeout Error', sendStart, SLOW),
  again('a slow drip', 'no complete response within', sendSlowly, SLOW),
];

const temporaryStatuses = [
  202, 204, 206, 304, 403, 404, 408, 410, 421, 425, 429, 500, 501, 503, 511, 530,
];
const finalStatuses = [400, 401, 402, 405, 406, 451];
const redirectTargets = ['http://127.0.0.2:9/api/v2/', '/api/v2/', 'file:///x'];

function listStatusFaults(): Fault[] {
  const faults: Fault[] = [];
  for (const status of temporaryStatuses) {
    const hasBody = status !== 204 && status !== 304;
    const respond = send(status, hasBody ? '{}' : '');
    faults.push(again(`${status}`, `got ${status}, expected 200`, respond));
  }
  for (const status of finalStatuses) {
    faults.push(fail(`${status}`, `got ${status}, expected 200`, send(status)));
  }
  for (const location of redirectTargets) {
    const text = `got 302, a redirect to "${location}", expected 200`;
    const respond = send(302, '', { location });
    faults.push(fail(`a redirect to ${location}`, text, respond));
  }
  const later = { 'retry-after': '901' };
  faults.push(
    fail(
      'a pause of more than 15 minutes',
      'Retry-After 901 s',
      send(503, '', later),
    ),
    use('203', ({ response, correctBody }) => {
      response.writeHead(203, JSON_TYPE);
      response.end(correctBody);
    }),
  );
  return faults;
}

const MEGABYTE = Buffer.alloc(1 << 20, ' ');
const NESTED = '['.repeat(500_000) + ']'.repeat(500_000);

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

const POLLUTED_FIELDS =
  '"__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}}';

/** Writes the text itself, because an object literal would set its prototype. */
function pollute(correctBody: string): string {
  const withoutBrace = correctBody.slice(1);
  return `{${POLLUTED_FIELDS},${withoutBrace}`;
}

const bombs = {
  gzip: () => gzipSync(Buffer.alloc(20 << 20), { level: 1 }),
  br() {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
    return brotliCompressSync(Buffer.alloc(20 << 20), { params });
  },
};

function listBodyFaults(): Fault[] {
  const faults: Fault[] = [];
  const bodies = {
    null: 'got null, expected object',
    '[]': 'got [], expected object',
    '{"detail":"Not found."}': 'got nothing, expected number',
    '<!doctype html>': 'got invalid JSON: ',
    '': 'got invalid JSON: ',
  };
  for (const [body, text] of Object.entries(bodies)) {
    faults.push(again(`the body ${JSON.stringify(body)}`, text, send(200, body)));
  }
  for (const [encoding, compress] of Object.entries(bombs)) {
    // Compressing takes a while, so we do it only when the fault is tried.
    const headers = { 'content-encoding': encoding };
    const respond: Respond = (exchange) => send(200, compress(), headers)(exchange);
    faults.push(again(`a compression bomb (${encoding})`, 'got more than', respond));
  }
  const gzip = { 'content-encoding': 'gzip' };
  const zstd = { 'content-encoding': 'zstd' };
  faults.push(
    again('a body of 20 MB', 'got more than', sendTwentyMegabytes),
    again(
      'a body without compression',
      'not valid gzip',
      send(200, '{"a":1}', gzip),
    ),
    again('an unknown encoding', 'Content-Encoding "zstd"', send(200, '{}', zstd)),
    again('invalid UTF-8', 'not UTF-8', sendChanged(appendInvalidByte)),
    again('nested arrays', 'nested too deeply to show', send(200, NESTED)),
    use(
      'nested arrays in an unused field',
      sendChanged((body) => appendField(body, `"more":${NESTED}`)),
    ),
    use(
      'a byte order mark',
      sendChanged((body) => `\uFEFF${body}`),
    ),
    use('__proto__ and constructor as keys', sendChanged(pollute)),
    again(
      'a response of another edition',
      'got edition "0000000000000000000000000000000000000001"',
      sendChanged((body) => body, { 'x-pokeapi-hash': editionNumber(1).hash }),
    ),
    use(
      'a response without an edition',
      sendChanged((body) => body),
    ),
  );
  return faults;
}

interface ListedRecord {
  readonly name: string;
  readonly url: string;
}

type ChangeRecords = (records: readonly ListedRecord[]) => readonly ListedRecord[];

/** @param count the list's `count`; by default, the number of its records */
function createListFault(
  name: string,
  text: string,
  changeRecords: ChangeRecords,
  count?: number,
): Fault {
  const respond = sendChanged((correctBody) => {
    const list = JSON.parse(correctBody) as { results: ListedRecord[] };
    const results = changeRecords(list.results);
    return JSON.stringify({ count: count ?? results.length, results });
  });
  return again(name, text, respond, { at: 'lists' });
}

function createWrongCount(count: number): Fault {
  const text = `got 3 results, expected ${count} (the list's count)`;
  return createListFault(`a count of ${count}`, text, (records) => records, count);
}

/** @param link replaces the id at the end of the first record's URL */
function createInvalidLink(link: string): Fault {
  return createListFault(`the link ${link}`, 'expected a link to', (records) => {
    const [firstRecord, ...otherRecords] = records;
    if (!firstRecord) return records;
    const url = firstRecord.url.replace(/\d+\/$/, link);
    return [{ ...firstRecord, url }, ...otherRecords];
  });
}

const invalidLinks = ['http://other.test/move/1/', 'pound/', '-1/', '007/', '../1/'];

const listFaults: readonly Fault[] = [
  createWrongCount(4),
  createWrongCount(2),
  ...invalidLinks.map(createInvalidLink),
  {
    ...createListFault('a missing record', '1 of 3 records are gone', (records) =>
      records.slice(1),
    ),
    reaction: 'fail',
  },
  {
    ...createListFault('an empty list', '3 of 3 records are gone', () => []),
    reaction: 'fail',
  },
  {
    ...createListFault('a repeated record', '', (records) => [
      ...records,
      ...records.slice(0, 1),
    ]),
    reaction: 'use',
  },
];

/** Creates a fault in the response for a record that the list describes correctly. */
function createRecordFault(name: string, text: string, fields: object): Fault {
  const respond = sendChanged((correctBody) =>
    JSON.stringify({ ...JSON.parse(correctBody), ...fields }),
  );
  return again(name, text, respond, { at: 'records' });
}

/** Creates a fault in the record itself, so that its list has the same fault. */
function createChange(
  name: string,
  reaction: Fault['reaction'],
  text: string,
  fields: object,
): Fault {
  const change = (record: Answer): unknown => Object.assign(record, fields);
  return { name, reaction, text, at: 'records', change };
}

function listRecordFaults(): Fault[] {
  const faults: Fault[] = [
    createRecordFault('the id "1"', '› id: got "1", expected number', { id: '1' }),
    createRecordFault('another slug than in the list', 'as in the list', {
      name: 'renamed',
    }),
    createChange('an unsafe slug', 'use', '"slug":"koraidons-poke-ball"', {
      name: 'koraidon’s-poké-ball',
    }),
  ];
  for (const name of ['../x', 'con', '攻擊']) {
    const text = `› slug: got "${name}", expected a safe slug`;
    faults.push(createChange(`the slug ${name}`, 'fail', text, { name }));
  }
  for (const name of ['a\u001b[31mb', 'a\u202eb']) {
    const text = `› name: got ${JSON.stringify(name)}, expected text without control`;
    const names = [{ language: { name: 'en' }, name }];
    faults.push(createChange(`the name ${text}`, 'fail', text, { names }));
  }
  const icon = '"icon":"sprites/items/unknown.png"';
  const sprites = { default: 7 };
  faults.push({
    ...createChange('an icon that is not a link', 'use', icon, { sprites }),
    at: 'items',
  });
  return faults;
}

export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...listStatusFaults(),
  ...listBodyFaults(),
  ...listFaults,
  ...listRecordFaults(),
];
