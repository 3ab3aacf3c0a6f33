/** Clients that are slow, send malformed or huge requests, disconnect, or are connected when the server stops. */

import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logRequest } from '../../src/serve/respond.ts';
import { createBoundedServer, defaultLimits, type Limits } from '../../src/serve/server.ts';
import { getRaw, openSocket, readAll, sendRaw, statusOf } from '../support/serving.ts';

const GET = 'GET / HTTP/1.1\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';
const GET_SMALL = 'GET /small HTTP/1.1\r\nHost: x\r\n\r\n';
const GET_LARGE = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n';
const part = new Uint8Array(1_000_000);
const bodies: Record<string, Uint8Array<ArrayBuffer>[]> = {
  '/large': [new Uint8Array(30_000_000)],
  '/parts': Array.from({ length: 30 }, () => part),
};
const small = [new Uint8Array(Buffer.from('{"small":1}'))];
const HOUR = 3_600_000;
/** Nothing ends by itself. */
const patient = { headersMs: HOUR, requestMs: HOUR, keepAliveMs: HOUR, idleMs: HOUR, stopMs: HOUR };

/** Serves canned responses until the test ends. */
async function start(limits: Partial<Limits> = {}) {
  const [asked, lines, problems] = [[], [], []] as string[][];
  const server = createBoundedServer({
    async respond({ url = '' }) {
      asked?.push(url);
      if (url === '/fault') throw new Error('no disk');
      const body = bodies[url] ?? small;
      const length = body.reduce((sum, { length }) => sum + length, 0);
      return { status: 200, headers: { 'Content-Length': `${length}` }, body };
    },
    limits: { ...defaultLimits, ...limits },
    onResponse: (request, response) => logRequest(request, response, (line) => lines?.push(line)),
    onProblem: (line) => problems?.push(line),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  onTestFinished(() => server.stop());
  const isServing = async () => (await fetch(`http://127.0.0.1:${port}/small`)).ok;
  return { port, asked, lines, problems, isServing, stop: server.stop };
}

describe('a slow client', () => {
  it.each(['', `${GET}Host: x\r\nX-Slow:`])('gets 408 for slow headers: %j', async (text) => {
    const { port } = await start({ headersMs: 200, requestMs: 400 });
    const answer = await sendRaw(port, text);
    expect(statusOf(answer)).toBe(408);
    expect(answer).toContain('Connection: close');
  });

  it.each(['/large', '/parts'])('is cut off if it does not read %s', async (target) => {
    const { port, lines, problems } = await start({ idleMs: 300 });
    const socket = await openSocket(port);
    socket.pause().write(GET_LARGE.replace('/large', target));
    await expect.poll(() => lines, { timeout: 60_000 }).toEqual([expect.stringMatching(/, cut off$/)]);
    expect(problems).toEqual([]);
  });

  it('is cut off if its next request is late', async () => {
    const { port } = await start({ keepAliveMs: 200 });
    expect(statusOf(await sendRaw(port, GET_SMALL))).toBe(200);
    expect(defaultLimits.keepAliveMs).toBe(75_000);
  });
});

it('writes a long body part by part, and then the next response', async () => {
  const { port } = await start();
  const answer = await sendRaw(
    port,
    GET_LARGE.replace('/large', '/parts') + GET_SMALL.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
  );
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(answer.length).toBeGreaterThan(30 * part.length);
  expect(answer.endsWith('{"small":1}')).toBe(true);
});

describe('a client that does not wait for responses', () => {
  it('gets them in the order of its requests, of which 100 may wait', async () => {
    const { port, asked } = await start();
    const targets = Array.from({ length: 100 }, (_, at) => `/${at}`);
    const waiting = targets.map((target) => GET_SMALL.replace('/small', target)).join('');
    const answer = await sendRaw(
      port,
      GET_LARGE + waiting.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'),
    );
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(101);
    expect(asked).toEqual(['/large', ...targets]);
  });

  it.each([
    ['requests', GET_SMALL],
    ['requests with an unknown expectation', GET_SMALL.replace('Host', 'Expect: pizza\r\nHost')],
  ])('is cut off if more wait: %s', async (_, text) => {
    const { port, isServing } = await start();
    const answer = await sendRaw(port, GET_LARGE + text.repeat(101));
    expect(answer.length).toBeLessThan(30_000_000);
    expect(await isServing()).toBe(true);
  });

  it('gets nothing computed after it disconnects', async () => {
    const { port, asked, problems, isServing } = await start();
    const socket = await openSocket(port);
    socket.write(GET_LARGE + GET_SMALL.repeat(50));
    await once(socket, 'readable');
    socket.destroy();
    expect(await isServing()).toBe(true);
    expect(asked).toEqual(['/large', '/small']);
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
  ])('with %s gets uncached JSON and the end of the connection', async (_, text, status) => {
    const { port, isServing } = await start();
    const answer = await sendRaw(port, `${text}\r\n`);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(/\r\nContent-Type: application\/json\r\n/);
    expect(answer).toMatch(/\r\nCache-Control: no-cache\r\n/);
    expect(answer).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/);
    expect(answer).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/);
    expect(await isServing()).toBe(true);
  });

  it('gets its error after the responses to earlier requests', async () => {
    const { port } = await start();
    const answer = await sendRaw(port, `${GET_SMALL}garbage\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(answer.indexOf('"small"')).toBeLessThan(answer.indexOf('HTTP/1.1 400'));
  });

  it.each([
    'CONNECT x:443 HTTP/1.1\r\nHost: x',
    'hello',
    `${GET}Host: x\r\nConnection: Upgrade\r\nUpgrade: x`,
  ])('does not end the server if the client resets the connection: %j', async (text) => {
    const { port, isServing } = await start();
    for (let delay = 0; delay < 10; delay++) {
      const socket = await openSocket(port);
      socket.write(`${text}\r\n\r\n`);
      await setTimeout(delay % 3);
      socket.resetAndDestroy();
    }
    expect(await isServing()).toBe(true);
  });

  it('is not one without a host in HTTP/1.0, and a host may be any text', async () => {
    const { port } = await start();
    expect(statusOf(await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n'))).toBe(200);
    for (const host of ['', 'a b', '[::', '<script>', 'http://', '\xff\xfe', 'x'.repeat(5000)])
      expect(statusOf(await sendRaw(port, `${GET}Host: ${host}\r\nConnection: close\r\n\r\n`)), host).toBe(
        200,
      );
  });
});

describe('a request body', () => {
  it('is not read if it is huge: the response comes immediately, and the connection ends', async () => {
    const { port } = await start();
    const total = 2_000_000_000;
    const upload = request({ port, host: '127.0.0.1', method: 'POST', path: '/' });
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
    expect(await response).toBe(200);
    await ended;
    expect(sent).toBeLessThan(total / 10);
  });

  it.each(['Content-Length: 5\r\nExpect: 100-continue\r\n', 'Content-Length: 3\r\n\r\nabc'])(
    'makes no difference to the response: %j',
    async (body) => {
      const { port } = await start();
      const undated = (text: string): string => text.replace(/Date: .*\r\n/, '');
      expect(undated(await getRaw(port, '/', 'POST', body))).toBe(undated(await getRaw(port, '/', 'POST')));
    },
  );
});

describe('the access log', () => {
  it('contains nothing that moves the cursor or starts a line', async () => {
    const { port, lines } = await start();
    await getRaw(port, '/api/gamedata/%1b[2J%0a');
    await getRaw(port, '/\x9b2J');
    expect(lines).toEqual([expect.stringMatching(/^GET \/api\/gamedata\/%1b\[2J%0a 200 11 B [\d.]+ ms$/)]);
  });

  it.each(['/large', '/parts'])('shows that the client disconnected: %s', async (target) => {
    const { port, lines, problems } = await start();
    const socket = await openSocket(port);
    socket.write(GET_LARGE.replace('/large', target));
    await once(socket, 'readable');
    socket.destroy();
    await expect
      .poll(() => lines)
      .toEqual([expect.stringMatching(/^GET \/\w+ 200 30000000 B .* ms, cut off$/)]);
    expect(problems).toEqual([]);
  });
});

it('responds to a failure with a JSON 500, and reports one line', async () => {
  const { port, problems } = await start();
  const response = await fetch(`http://127.0.0.1:${port}/fault`);
  expect([response.status, await response.json()]).toEqual([500, { detail: 'Internal Server Error.' }]);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(problems).toEqual(['GET /fault: no disk']);
});

describe('a server that stops', () => {
  it('ends connections that wait, that never sent anything and that sent half a request', async () => {
    const { port, stop } = await start(patient);
    const sockets = await Promise.all([openSocket(port), openSocket(port), openSocket(port)]);
    const [, half, kept] = sockets;
    half?.write('GET / HTTP/1.1\r\nHo');
    kept?.write(GET_SMALL);
    await once(kept ?? sockets, 'data');
    await stop();
  });

  it('accepts no new connection, and lets running responses end', async () => {
    const { port, isServing, stop } = await start(patient);
    const socket = await openSocket(port);
    socket.write(GET_LARGE);
    await once(socket, 'readable');
    const stopped = stop();
    await expect(isServing()).rejects.toThrow('fetch failed');
    const answer = await readAll(socket);
    expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(30_000_000);
    await stopped;
    await stop();
  });

  it('does not wait indefinitely', async () => {
    const { port, stop } = await start({ ...patient, stopMs: 100 });
    const socket = await openSocket(port);
    socket.pause().write(GET_LARGE);
    await once(socket, 'readable');
    await stop();
  });
});
