/** Clients that are slow, send what is no request or a huge one, go away, or are connected when the server stops. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getRaw, openSocket, readAll, sendRaw, serveSite, statusOf } from '../support/serving.ts';

const GET = 'GET / HTTP/1.1\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';
const GET_META = 'GET /meta.json HTTP/1.1\r\nHost: x\r\n\r\n';
const GET_LARGE = 'GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n';
const large = { path: 'large.bin', body: new Uint8Array(30_000_000) };
const HOUR = 3_600_000;
/** Nothing ends by itself. */
const patient = { headersMs: HOUR, requestMs: HOUR, keepAliveMs: HOUR, idleMs: HOUR, stopMs: HOUR };

describe('a client that is slow', () => {
  it.each(['', 'GET /api/gamedata/move/ HTTP/1.1\r\nHost: x\r\nX-Slow:'])(
    'with its headers gets 408 and is cut off: %j',
    async (text) => {
      const { port } = await serveSite({ limits: { headersMs: 200, requestMs: 400 } });
      const answer = await sendRaw(port, text);
      expect(statusOf(answer)).toBe(408);
      expect(answer).toContain('Connection: close');
    },
  );

  it('to take its answer is cut off', async () => {
    const lines: string[] = [];
    const onRequest = (line: string) => lines.push(line);
    const { port } = await serveSite({ limits: { idleMs: 300 }, extras: [large], onRequest });
    const socket = await openSocket(port);
    socket.pause().write(GET_LARGE);
    await expect.poll(() => lines, { timeout: 60_000 }).toEqual([expect.stringMatching(/, cut off$/)]);
  });

  it('with its next request is cut off', async () => {
    const { port } = await serveSite({ limits: { keepAliveMs: 200 } });
    expect(statusOf(await sendRaw(port, GET_META))).toBe(200);
  });
});

describe('a client that does not wait for responses', () => {
  const last = GET_META.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

  it('gets them in the order of its requests, of which 100 may wait', async () => {
    const { port } = await serveSite({ extras: [large] });
    const waiting = Array.from({ length: 99 }, (_, at) => GET_META.replace('/meta', `/${at}`));
    const answer = await sendRaw(port, GET_LARGE + waiting.join('') + last);
    const statuses = answer.match(/HTTP\/1\.1 \d+/g)?.map(statusOf);
    expect(statuses).toEqual([200, ...waiting.map(() => 404), 200]);
  });

  it.each([
    ['requests', GET_META],
    ['requests with an unknown expectation', GET_META.replace('Host', 'Expect: pizza\r\nHost')],
  ])('is cut off if more wait: %s', async (_, text) => {
    const { port, url } = await serveSite({ extras: [large] });
    const answer = await sendRaw(port, GET_LARGE + text.repeat(101));
    expect(answer.length).toBeLessThan(large.body.length);
    expect((await fetch(`${url}/meta.json`)).status).toBe(200);
  });

  it('and is gone has nothing computed for it', async () => {
    const { port, url, folder, problems } = await serveSite({ extras: [large] });
    writeFileSync(path.join(folder, 'api/gamedata/move/index.json'), 'no JSON');
    const socket = await openSocket(port);
    socket.write(GET_LARGE + GET_META.replace('meta.json', 'api/gamedata/move/?limit=7').repeat(50));
    await once(socket, 'readable');
    socket.destroy();
    expect((await fetch(`${url}/api/gamedata/item/?limit=1`)).status).toBe(200);
    expect(problems).toEqual([]);
  });
});

describe('a malformed request', () => {
  it.each<[string, string, number]>([
    ['no host', GET, 400],
    ['two hosts', `${GET}Host: a\r\nhost: b\r\n`, 400],
    ['an unknown expectation', `${GET}Host: a\r\nExpect: pizza\r\n`, 417],
    ['headers of more than 16 kB', `${GET}Host: x\r\nX: ${'x'.repeat(20_000)}\r\n`, 431],
    ['a target of more than 16 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n`, 431],
    ['no HTTP', 'hello\r\n', 400],
    ['a line break in a header’s name', `${GET}Host: x\r\nA\nB: c\r\n`, 400],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n`, 400],
    ['a tunnel', 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n', 405],
  ])(
    'with %s is answered in JSON, not kept by caches, and the connection closed',
    async (_, text, status) => {
      const { port, url } = await serveSite();
      const answer = await sendRaw(port, `${text}\r\n`);
      expect(statusOf(answer)).toBe(status);
      expect(answer).toMatch(/\r\nContent-Type: application\/json\r\n/);
      expect(answer).toMatch(/\r\nCache-Control: no-cache\r\n/);
      expect(answer).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/);
      expect(answer).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/);
      expect((await fetch(`${url}/meta.json`)).status).toBe(200);
    },
  );

  it('comes after a request that is one, and so does its error', async () => {
    const { port } = await serveSite();
    const answer = await sendRaw(port, 'GET /api/gamedata/move/ HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(answer.indexOf('"count":3')).toBeLessThan(answer.indexOf('HTTP/1.1 400'));
  });

  it('is none without a host in HTTP/1.0, and a host may be any text', async () => {
    const { port } = await serveSite();
    expect(statusOf(await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n'))).toBe(200);
    for (const host of ['', 'a b', '[::', '<script>', 'http://', '\xff\xfe', 'x'.repeat(5000)]) {
      const text = `GET /api/gamedata/move/move-1/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(port, text);
      expect(statusOf(answer), host).toBe(200);
      expect(answer).toContain('"slug":"move-1"');
    }
  });
});

describe('a body', () => {
  it('that is huge is not read: the response comes at once, and the connection ends', async () => {
    const { port } = await serveSite();
    const total = 2_000_000_000;
    const upload = request({ port, host: '127.0.0.1', method: 'POST', path: '/api/gamedata/move/' });
    upload.setHeader('Content-Length', total);
    let sent = 0;
    const chunk = Buffer.alloc(65_536);
    const ended = new Promise((resolve) => upload.on('close', resolve).on('error', resolve));
    const more = (): void => {
      while (!upload.destroyed) {
        sent += chunk.length;
        if (!upload.write(chunk)) break;
      }
    };
    upload.on('drain', more);
    const response = new Promise<number | undefined>((resolve) => {
      upload.on('response', (answer) => resolve(answer.resume().statusCode));
    });
    more();
    expect(await response).toBe(405);
    await ended;
    expect(sent).toBeLessThan(total / 10);
  });

  it('is not requested', async () => {
    const { port } = await serveSite();
    const headers = 'Content-Length: 5\r\nExpect: 100-continue\r\n';
    const answer = await getRaw(port, '/api/gamedata/move/', 'PUT', headers);
    expect(answer).toMatch(/^HTTP\/1\.1 405 .*"Method \\"PUT\\" not allowed\."\}$/s);
  });

  it.each([
    ['GET', 200],
    ['HEAD', 200],
    ['OPTIONS', 200],
    ['TRACE', 405],
    ['DELETE', 405],
  ])('makes no difference to %s', async (method, status) => {
    const { port } = await serveSite();
    const plain = await getRaw(port, '/api/gamedata/move/', method);
    const answer = await getRaw(port, '/api/gamedata/move/', method, 'Content-Length: 3\r\n\r\nabc');
    const undated = (text: string): string => text.replace(/Date: .*\r\n/, '');
    expect(undated(answer)).toBe(undated(plain));
    expect(statusOf(plain)).toBe(status);
  });
});

describe('the access log', () => {
  it('has nothing in it that moves the cursor or starts a line', async () => {
    const lines: string[] = [];
    const { port } = await serveSite({ onRequest: (line) => lines.push(line) });
    await getRaw(port, '/api/gamedata/%1b[2J%0a');
    await getRaw(port, '/\x9b2J');
    expect(lines).toEqual([expect.stringMatching(/^GET \/api\/gamedata\/%1b\[2J%0a 404 23 B [\d.]+ ms$/)]);
  });

  it('says if a response was cut off', async () => {
    const lines: string[] = [];
    const { port, problems } = await serveSite({ onRequest: (line) => lines.push(line), extras: [large] });
    const socket = await openSocket(port);
    socket.write(GET_LARGE);
    await once(socket, 'readable');
    socket.destroy();
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^GET \/large\.bin 200 .* ms, cut off$/)]);
    expect(problems).toEqual([]);
  });
});

it('an error inside is a JSON 500, and one line for whoever runs the server', async () => {
  const { url, folder, problems } = await serveSite();
  writeFileSync(path.join(folder, 'api/gamedata/move/index.json'), 'no JSON');
  const response = await fetch(`${url}/api/gamedata/move/?limit=7`);
  expect([response.status, await response.json()]).toEqual([500, { detail: 'Internal Server Error.' }]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  });
  expect(problems).toEqual([expect.stringMatching(/^GET \/api\/gamedata\/move\/\?limit=7: .*JSON/)]);
});

describe('a server that is closed', () => {
  it('ends connections that wait, that never spoke and that are half a request', async () => {
    const { port, close } = await serveSite({ limits: patient });
    const sockets = await Promise.all([openSocket(port), openSocket(port), openSocket(port)]);
    const [, half, kept] = sockets;
    half?.write('GET / HTTP/1.1\r\nHo');
    kept?.write(GET_META);
    await once(kept ?? port, 'data');
    await close();
  });

  it('takes no new connection, and lets running answers end', async () => {
    const { port, url, close } = await serveSite({ limits: patient, extras: [large] });
    const socket = await openSocket(port);
    socket.write(GET_LARGE);
    await once(socket, 'readable');
    const closed = close();
    expect(close()).toBe(closed);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    const answer = await readAll(socket);
    expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(large.body.length);
    await closed;
  });

  it('does not wait for ever', async () => {
    const { port, close } = await serveSite({ limits: { ...patient, stopMs: 100 }, extras: [large] });
    const socket = await openSocket(port);
    socket.pause().write(GET_LARGE);
    await once(socket, 'readable');
    await close();
  });
});
