/**
 * An upstream that costs as little as one can: every response is compressed and kept in memory before the first request,
 * and requests are read no further than needed. Prints one line of JSON with its addresses, and ends with its stdin.
 */

import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { kindNames } from '../../../src/contract/kinds.ts';
import { hasRecordedUpstream, recordedUpstream } from '../../../test/support/upstream-data.ts';
import { madeUpstream } from '../made-upstream.ts';
import type { Upstream } from '../upstream.ts';

interface Answer {
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

interface Behaviour {
  /** Milliseconds before a response. */
  readonly latency?: number;
  readonly editions?: 'same' | 'deploying';
}

/** Links of records, which nobody follows, keep the live upstream's origin. */
const ORIGIN = 'https://pokeapi.co';
const DAY = 86_400;
const META = '/api/v2/meta/';
const FIRST_DEPLOY = Date.UTC(2026, 0, 1) / 1000;

const data = hasRecordedUpstream ? recordedUpstream() : madeUpstream();
const lists = kindNames.map((kind) => ({ kind, entries: data.list(kind) }));
const records = new Map(
  lists.flatMap(({ kind, entries }) =>
    entries.map(({ id }) => {
      const text = data.record(kind, id) ?? '';
      return [`/api/v2/${kind}/${id}/`, answer(text.replaceAll('"/api/v2/', `"${ORIGIN}/api/v2/`))];
    }),
  ),
);

const latency = Number(process.argv[2] ?? 0);
const upstream: Upstream = {
  data: data.name,
  paths: [...records.keys()],
  plain: await listen({}),
  same: await listen({ editions: 'same' }),
  deploying: await listen({ editions: 'deploying' }),
  distant: await listen({ latency }),
};
process.stdout.write(`${JSON.stringify(upstream)}\n`);
process.stdin.on('end', () => process.exit()).resume();

function answer(text: string): Answer {
  const plain = Buffer.from(text);
  const etag = `W/"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`;
  return { etag, plain, gzip: gzipSync(plain) };
}

async function listen({ latency = 0, editions }: Behaviour): Promise<string> {
  const answers = new Map(records);
  let edition = 1;
  const server = createServer({ noDelay: true }, (socket) => {
    let received = '';
    socket.on('error', () => socket.destroy());
    socket.setEncoding('latin1').on('data', (part: string) => {
      received += part;
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const request = received.slice(0, end + 2);
        received = received.slice(end + 4);
        if (latency === 0) send(socket, request);
        else setTimeout(send, latency, socket, request);
      }
    });
  });

  function send(socket: Socket, request: string): void {
    const path = request.slice('GET '.length, request.indexOf(' ', 'GET '.length));
    if (editions === 'deploying' && path === META) edition++;
    const hash = String(edition).padStart(40, '0');
    const deployed = FIRST_DEPLOY + edition;
    const meta =
      editions && path === META && answer(JSON.stringify({ deploy_date: `${deployed}`, hash, tag: null }));
    const found = meta || answers.get(path.replace(/\?.*/, ''));
    if (!found) {
      socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const named = editions ? `x-pokeapi-hash: ${hash}\r\nx-pokeapi-deploy-date: ${deployed}\r\n` : '';
    const common = `etag: ${found.etag}\r\nvary: accept-encoding\r\ncache-control: public, max-age=${DAY}\r\n${named}`;
    if (request.includes(found.etag)) {
      socket.write(`HTTP/1.1 304 Not Modified\r\n${common}\r\n`);
      return;
    }
    const compress = /\r\naccept-encoding:[^\r]*\bgzip\b/i.test(request);
    const body = compress ? found.gzip : found.plain;
    const encoding = compress ? 'content-encoding: gzip\r\n' : '';
    socket.cork();
    socket.write(
      `HTTP/1.1 200 OK\r\n${common}content-type: application/json; charset=utf-8\r\n${encoding}content-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    socket.uncork();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const { kind, entries } of lists) {
    const results = entries.map(({ id, name }) => ({ name, url: `${origin}/api/v2/${kind}/${id}/` }));
    const list = { count: entries.length, next: null, previous: null, results };
    answers.set(`/api/v2/${kind}/`, answer(JSON.stringify(list)));
  }
  return `${origin}/api/v2`;
}
