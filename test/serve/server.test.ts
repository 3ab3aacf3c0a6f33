import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/serve/server.ts';
import { openSocket, readAll, sendTarget, sendText } from '../support/serving.ts';

const createGet = (target: string, end = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
const CLOSE = 'Connection: close\r\n';
const LARGE_BYTES = 30_000_000;
const large = [new Uint8Array(LARGE_BYTES)];
const small = [new Uint8Array(Buffer.from('{"small":1}'))];

/** Starts a server with fixed responses, which runs until the test ends. */
async function start() {
  const requested: string[] = [];
  const lines: string[] = [];
  const problems: string[] = [];
  const { address, stop } = await startServer({
    port: 0,
    listen: '127.0.0.1',
    async respond({ url = '' }) {
      requested.push(url);
      if (url === '/fault') throw new Error('no disk');
      if (url === '/moved') {
        return { status: 301, headers: { Location: '/small' }, body: null };
      }
      const body = url === '/large' ? large : small;
      const headers = { 'Content-Length': `${body[0]?.length}` };
      return { status: 200, headers, body };
    },
    onRequest: (line) => lines.push(line),
    onProblem: (line) => problems.push(line),
  });
  onTestFinished(stop);
  const { port } = address;
  const isServing = async () => (await fetch(`http://127.0.0.1:${port}/small`)).ok;
  /** Requests a long body and reads only its beginning. */
  async function startReading(target: string) {
    const socket = await openSocket(port);
    socket.write(createGet(target));
    await once(socket, 'readable');
    return socket;
  }
  return { port, requested, lines, problems, isServing, startReading, stop };
}

describe('a server', () => {
  it('responds to queued requests in order', async () => {
    const { port } = await start();
    const sent = createGet('/large') + createGet('/moved') + createGet('/', CLOSE);
    const { text } = await sendText(port, sent);
    const statuses = text.match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 301', 'HTTP/1.1 200']);
    expect(text.length).toBeGreaterThan(LARGE_BYTES);
  });

  it('disconnects a client that sends more than 100 requests at once', async () => {
    const { port, requested, isServing } = await start();
    const { text } = await sendText(
      port,
      createGet('/large') + createGet('/').repeat(200),
    );
    expect(text.length).toBeLessThan(LARGE_BYTES);
    expect(requested).toHaveLength(100);
    expect(await isServing()).toBe(true);
  });

  it('keeps serving even if clients reset their connections', async () => {
    const { port, isServing } = await start();
    const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x';
    const tunnel = 'CONNECT x:443 HTTP/1.1\r\nHost: x';
    for (const text of [tunnel, 'hello', upgrade, createGet('/large')]) {
      for (let delay = 0; delay < 10; delay++) {
        const socket = await openSocket(port);
        socket.write(`${text}\r\n\r\n`);
        await setTimeout(delay % 3);
        socket.resetAndDestroy();
      }
    }
    expect(await isServing()).toBe(true);
  });

  it('sends a Content-Length of 0 for an empty body', async () => {
    const { port } = await start();
    const { status, text } = await sendText(port, createGet('/moved', CLOSE));
    expect(status).toBe(301);
    expect(text).toContain('\r\nContent-Length: 0\r\n');
  });

  it('reports each request in one line without control characters', async () => {
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
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ detail: 'Internal server error.' });
    expect(problems).toEqual(['GET /fault: no disk']);
  });
});

describe('stop', () => {
  it('closes idle connections when the server stops', async () => {
    const { port, startReading, stop } = await start();
    await openSocket(port);
    const socket = await startReading('/small');
    await Promise.all([stop(), readAll(socket)]);
  });

  it('rejects new connections when the server stops, but finishes the current responses', async () => {
    const { isServing, startReading, stop } = await start();
    const socket = await startReading('/large');
    const stopped = stop();
    await expect(isServing()).rejects.toThrow('fetch failed');
    const text = await readAll(socket);
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(LARGE_BYTES);
    await stopped;
  });

  it('does not wait indefinitely for slow clients when the server stops', async () => {
    const { startReading, stop } = await start();
    const socket = await startReading('/large');
    socket.pause();
    await stop();
  });
});
