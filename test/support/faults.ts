/**
 * The table of upstream faults. Each entry describes one faulty response from the
 * upstream, and how a build reacts to it: it tries again, it fails, or it uses the
 * response.
 */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

/** A request that gets a faulty response. */
interface Exchange {
  readonly response: ServerResponse;
  /** The body that a working upstream sends. */
  readonly correctBody: string;
  /** The hash of another edition than the current one. */
  readonly otherEdition: string;
}

/** Sends the faulty response. */
type Respond = (exchange: Exchange) => unknown;

export interface Fault {
  readonly name: string;
  readonly reaction: 'again' | 'fail' | 'use';
  /** The reason in the error. */
  readonly text: string;
  readonly at: 'list' | 'record';
  readonly respond: Respond;
}

type Headers = Record<string, string>;

const JSON_TYPE: Headers = { 'content-type': 'application/json' };

function send(status: number, body: string | Buffer, headers = JSON_TYPE): Respond {
  return ({ response }) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Sends the correct body after a change. */
function sendChanged(changeBody: (correctBody: string) => string | Buffer): Respond {
  return ({ response, correctBody }) => {
    response.writeHead(200, JSON_TYPE);
    response.end(changeBody(correctBody));
  };
}

/** Sends the first bytes of a longer body, and closes the connection after a moment. */
function sendStart({ response, correctBody }: Exchange): void {
  const length = Buffer.byteLength(correctBody);
  response.writeHead(200, { 'content-length': String(length) });
  response.write(correctBody.slice(0, 9));
  setTimeout(() => response.socket?.end(), 5);
}

function again(name: string, text: string, respond: Respond): Fault {
  return { name, reaction: 'again', text, at: 'record', respond };
}

const connectionFaults: readonly Fault[] = [
  again('a reset connection', '', ({ response }) =>
    response.socket?.resetAndDestroy(),
  ),
  again('a closed connection', 'other side closed', ({ response }) =>
    response.socket?.end(),
  ),
  again('a truncated body', 'other side closed', sendStart),
  again('another protocol', 'does not match the HTTP/1.1 protocol', (exchange) =>
    exchange.response.socket?.end('SSH-2.0-OpenSSH_9.7\r\n'),
  ),
];

const temporaryStatuses = [
  202, 204, 304, 403, 404, 408, 410, 421, 425, 429, 500, 530,
];
const finalStatuses = [400, 401, 451];

function listStatusFaults(): Fault[] {
  const faults: Fault[] = [];
  for (const status of temporaryStatuses) {
    const hasBody = status !== 204 && status !== 304;
    const respond = send(status, hasBody ? '{}' : '');
    const fault = again(`a ${status}`, `got ${status}, expected 200`, respond);
    faults.push({ ...fault, at: 'list' }, fault);
  }
  for (const status of finalStatuses) {
    const respond = send(status, '{}');
    const fault = again(`a ${status}`, `got ${status}, expected 200`, respond);
    faults.push({ ...fault, at: 'list', reaction: 'fail' });
  }
  return faults;
}

function sendTwentyMegabytes({ response }: Exchange): void {
  const chunks = Array<Buffer>(20).fill(Buffer.alloc(1 << 20, ' '));
  response.writeHead(200, JSON_TYPE);
  // A pipe waits for the client, so the whole body is never in memory at once.
  Readable.from(chunks).pipe(response);
}

/** Adds the byte 0xff, which UTF-8 never contains. */
function appendInvalidByte(correctBody: string): Buffer {
  const withoutBrace = correctBody.slice(0, -1);
  return Buffer.from(`${withoutBrace},"x":"\xff"}`, 'latin1');
}

/** Writes the text itself, because an object literal would set its prototype. */
function pollute(correctBody: string): string {
  const withoutBrace = correctBody.slice(1);
  return `{"__proto__":{"name":"polluted"},${withoutBrace}`;
}

const gzip = { 'content-encoding': 'gzip' };
const zstd = { 'content-encoding': 'zstd' };

const bodyFaults: readonly Fault[] = [
  again('an error in JSON', 'got nothing', send(200, '{"detail":"Not found."}')),
  again('a page', 'got invalid JSON: ', send(200, '<!doctype html>')),
  again('a body of 20 MB', 'got more than', sendTwentyMegabytes),
  again('a compression bomb', 'got more than', (exchange) => {
    // Compressing takes a while, so it happens only when the fault is tried.
    const bomb = gzipSync(Buffer.alloc(20 << 20), { level: 1 });
    send(200, bomb, gzip)(exchange);
  }),
  again('a body without compression', 'not valid gzip', send(200, '{"a":1}', gzip)),
  again('an unknown encoding', 'Content-Encoding "zstd"', send(200, '{}', zstd)),
  again('invalid UTF-8', 'not UTF-8', sendChanged(appendInvalidByte)),
  again(
    'another id',
    '› id: got "2", expected number',
    sendChanged((body) => body.replace('"id":2', '"id":"2"')),
  ),
  again(
    'another slug than in the list',
    'as in the list',
    sendChanged((body) => body.replace('item-2', 'renamed')),
  ),
  again('another edition', 'got edition "0000', ({ response, ...exchange }) => {
    const edition = { 'x-pokeapi-hash': exchange.otherEdition };
    response.writeHead(200, { ...JSON_TYPE, ...edition });
    response.end(exchange.correctBody);
  }),
  {
    name: '__proto__ as a key',
    reaction: 'use',
    text: '',
    at: 'record',
    respond: sendChanged(pollute),
  },
  {
    name: 'no edition',
    reaction: 'use',
    text: '',
    at: 'record',
    respond: sendChanged((body) => body),
  },
];

const listFaults: readonly Fault[] = [
  {
    name: 'a wrong count',
    reaction: 'again',
    text: "got 3 results, expected 4 (the list's count)",
    at: 'list',
    respond: sendChanged((body) => body.replace('"count":3', '"count":4')),
  },
  {
    name: 'a link to another host',
    reaction: 'again',
    text: 'expected a link to',
    at: 'list',
    respond: sendChanged((body) => body.replace('http://127.0.0.1', 'http://other')),
  },
];

export const faults: readonly Fault[] = [
  ...connectionFaults,
  ...listStatusFaults(),
  ...bodyFaults,
  ...listFaults,
];
