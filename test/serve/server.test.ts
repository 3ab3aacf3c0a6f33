import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createBoundedServer,
  defaultLimits,
  type Limits,
} from '../../src/serve/server.ts';
import {
  openSocket,
  readAll,
  sendTarget,
  sendText,
  waitUntil,
} from '../support/serving.ts';

const GET = 'GET / HTTP/1.1\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';
const createGet = (target: string, end = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
const CLOSE = 'Connection: close\r\n';
const part = new Uint8Array(1_000_000);
const bodies: Record<string, Uint8Array<ArrayBuffer>[]> = {
  '/large': [new Uint8Array(30_000_000)],
  '/parts': Array.from({ length: 30 }, () => part),
};
const small = [new Uint8Array(Buffer.from('{"small":1}'))];
const HOUR = 3_600_000;
const patient = {
  headersMs: HOUR,
  requestMs: HOUR,
  keepAliveMs: HOUR,
  idleMs: HOUR,
  stopMs: HOUR,
};

/** Starts a server with fixed responses, which runs until the test ends. */
async function start(limits: Partial<Limits> = {}) {
  const requested: string[] = [];
  const lines: string[] = [];
  const problems: string[] = [];
  const server = createBoundedServer({
    async respond({ url = '' }) {
      requested.push(url);
      if (url === '/fault') throw new Error('no disk');
      if (url === '/moved') {
        return { status: 301, headers: { Location: '/small' }, body: null };
      }
      const body = bodies[url] ?? small;
      const length = body.reduce((sum, { length }) => sum + length, 0);
      return { status: 200, headers: { 'Content-Length': `${length}` }, body };
    },
    limits: { ...defaultLimits, ...limits },
    onRequest: (line) => lines.push(line),
    onProblem: (line) => problems.push(line),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  onTestFinished(() => server.stop());
  const isServing = async () => (await fetch(`http://127.0.0.1:${port}/small`)).ok;
  /** Requests a long body and reads only its beginning. */
  async function startReading(target: string, more = '') {
    const socket = await openSocket(port);
    socket.write(createGet(target) + more);
    await once(socket, 'readable');
    return socket;
  }
  return {
    port,
    requested,
    lines,
    problems,
    isServing,
    startReading,
    stop: server.stop,
  };
}

describe('a server', () => {
  it.each(['', `${GET}Host: x\r\nX-Slow:`])(
    'responds with a 408 if the headers arrive too slowly: %j',
    async (text) => {
      const { port } = await start({ headersMs: 200, requestMs: 400 });
      expect(await sendText(port, text)).toMatchObject({
        status: 408,
        text: expect.stringContaining(CLOSE),
      });
    },
  );

  it.each(['pause', 'destroy'] as const)(
    'ends and logs a response if the client calls %s',
    async (act) => {
      const { lines, problems, startReading } = await start({ idleMs: 200 });
      (await startReading('/parts'))[act]();
      const line = expect.stringMatching(
        /^GET \/parts 200 30000000 B .* ms, cut off$/,
      );
      await expect
        .poll(() => lines, waitUntil('the response is logged'))
        .toEqual([line]);
      expect(problems).toEqual([]);
    },
  );

  it('closes a connection that stays idle too long', async () => {
    const { port } = await start({ keepAliveMs: 200 });
    const { status } = await sendText(port, createGet('/small'));
    expect(status).toBe(200);
  });

  it('keeps an idle connection longer than load balancers do', () => {
    expect(defaultLimits.keepAliveMs).toBe(75_000);
  });

  it('responds to 100 queued requests in order after a long body', async () => {
    const { port, requested } = await start();
    const targets = Array.from({ length: 100 }, (_, at) => `/${at}`);
    const sent = targets.map((target) =>
      createGet(target, target === '/99' ? CLOSE : ''),
    );
    const { text } = await sendText(port, createGet('/parts') + sent.join(''));
    expect(text.length).toBeGreaterThan(30 * part.length);
    expect(text.match(/HTTP\/1\.1 200|\{"small":1\}$/g)).toHaveLength(102);
    expect(requested).toEqual(['/parts', ...targets]);
  });

  it('disconnects a client with more than 100 queued requests', async () => {
    const { port, isServing } = await start();
    const { text } = await sendText(
      port,
      createGet('/large') + createGet('/', 'Expect: x\r\n').repeat(101),
    );
    expect(text.length).toBeLessThan(30_000_000);
    expect(await isServing()).toBe(true);
  });

  it('computes no responses for a client that has disconnected', async () => {
    const { requested, problems, isServing, startReading } = await start();
    (await startReading('/large', createGet('/small').repeat(50))).destroy();
    expect(await isServing()).toBe(true);
    expect(requested).toEqual(['/large', '/small']);
    expect(problems).toEqual([]);
  });

  it.each<[string, string, number]>([
    ['no host', GET, 400],
    ['two hosts', `${GET}Host: a\r\nhost: b\r\n`, 400],
    ['an unknown expectation', `${GET}Host: a\r\nExpect: pizza\r\n`, 417],
    [
      'headers of more than 16 kB',
      `${GET}Host: x\r\nX: ${'x'.repeat(20_000)}\r\n`,
      431,
    ],
    [
      'a target of more than 16 kB',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n`,
      431,
    ],
    ['no HTTP', 'hello\r\n', 400],
    ['a line break in a header’s name', `${GET}Host: x\r\nA\nB: c\r\n`, 400],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n`, 400],
    [
      'a tunnel',
      'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n',
      405,
    ],
  ])(
    'responds to %s with an uncached JSON error and closes the connection',
    async (_, sent, status) => {
      const { port, isServing } = await start();
      const response = await sendText(port, `${sent}\r\n`);
      expect(response).toMatchObject({
        status,
        body: expect.stringMatching(/^\{"detail":"[^"]+"\}$/),
      });
      const headers = ['Content-Type: application/json', 'Cache-Control: no-cache'];
      expect(response.text.split('\r\n')).toEqual(expect.arrayContaining(headers));
      expect(await isServing()).toBe(true);
    },
  );

  it.each([
    ['garbage', 400],
    ['CONNECT x:443 HTTP/1.1\r\nHost: x', 405],
  ])('responds to earlier requests before rejecting %j', async (text, status) => {
    const { port } = await start();
    const response = await sendText(port, `${createGet('/small')}${text}\r\n\r\n`);
    const parts = response.text.match(/HTTP\/1\.1 \d+|small/g);
    expect(parts).toEqual(['HTTP/1.1 200', 'small', `HTTP/1.1 ${status}`]);
  });

  it('keeps serving even if clients reset their connections', async () => {
    const { port, isServing } = await start();
    const upgrade = `${GET}Host: x\r\nConnection: Upgrade\r\nUpgrade: x`;
    for (const text of ['CONNECT x:443 HTTP/1.1\r\nHost: x', 'hello', upgrade]) {
      for (let delay = 0; delay < 10; delay++) {
        const socket = await openSocket(port);
        socket.write(`${text}\r\n\r\n`);
        await setTimeout(delay % 3);
        socket.resetAndDestroy();
      }
    }
    expect(await isServing()).toBe(true);
  });

  it('accepts a request without a host in HTTP/1.0', async () => {
    const { port } = await start();
    const { status } = await sendText(port, 'GET / HTTP/1.0\r\n\r\n');
    expect(status).toBe(200);
  });

  it.each(['', 'a b', '[::', '<script>', 'http://', '\xff\xfe', 'x'.repeat(5000)])(
    'accepts any value of the Host header: %.20s',
    async (host) => {
      const { port } = await start();
      const { status } = await sendText(port, `${GET}Host: ${host}\r\n${CLOSE}\r\n`);
      expect(status).toBe(200);
    },
  );

  it('responds without reading a huge request body', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    socket.write(`${POST}Content-Length: 2000000000\r\n\r\n`);
    const chunk = Buffer.alloc(65_536);
    const writeMore = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', writeMore);
    writeMore();
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200/);
    expect(socket.bytesWritten).toBeLessThan(200_000_000);
  });

  it.each([
    'Content-Length: 5\r\nExpect: 100-continue\r\n',
    'Content-Length: 3\r\n\r\nabc',
  ])('ignores the body of a request: %j', async (body) => {
    const { port } = await start();
    async function post(headers?: string): Promise<string> {
      const { text } = await sendTarget(port, '/', 'POST', headers);
      return text.replace(/Date: .*\r\n/, '');
    }
    const withBody = await post(body);
    const withoutBody = await post();
    expect(withBody).toBe(withoutBody);
  });

  it('sends a Content-Length of 0 for an empty body', async () => {
    const { port } = await start();
    const { status, text } = await sendText(port, createGet('/moved', CLOSE));
    expect([status, text]).toEqual([
      301,
      expect.stringContaining('\r\nContent-Length: 0\r\n'),
    ]);
  });

  it('escapes control characters in the log', async () => {
    const { port, lines } = await start();
    await sendTarget(port, '/api/gamedata/%1b[2J%0a');
    await sendTarget(port, '/\x9b2J');
    expect(lines).toEqual([
      expect.stringMatching(/^GET \/api\/gamedata\/%1b\[2J%0a 200 11 B [\d.]+ ms$/),
    ]);
  });

  it('responds to an internal error with a JSON 500 and reports it in one line', async () => {
    const { port, problems } = await start();
    const response = await fetch(`http://127.0.0.1:${port}/fault`);
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: 'Internal Server Error.' },
    ]);
    expect(problems).toEqual(['GET /fault: no disk']);
  });
});

describe('stop', () => {
  it('closes idle connections and connections with an incomplete request', async () => {
    const { port, startReading, stop } = await start(patient);
    await openSocket(port);
    (await openSocket(port)).write('GET / HTTP/1.1\r\nHo');
    await startReading('/small');
    await stop();
  });

  it('rejects new connections but finishes the current responses', async () => {
    const { isServing, startReading, stop } = await start(patient);
    const socket = await startReading('/large');
    const stopped = stop();
    await expect(isServing()).rejects.toThrow('fetch failed');
    const text = await readAll(socket);
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(30_000_000);
    await stopped;
    await stop();
  });

  it('does not wait for slow clients indefinitely', async () => {
    const { startReading, stop } = await start({ ...patient, stopMs: 100 });
    (await startReading('/large')).pause();
    await stop();
  });
});
