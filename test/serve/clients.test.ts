import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { getRaw, openSocket, readAll, sendRaw, serveSite, statusOf } from '../support/serving.ts';

describe('many clients at once', () => {
  it('each get their own answer', async () => {
    const { url, problems } = await serveSite({ moves: 250 });
    const windows = Array.from({ length: 200 }, (_, at) => ({ offset: at, limit: 1 + (at % 40) }));
    const answers = await Promise.all(
      windows.map(async ({ offset, limit }) => {
        const response = await fetch(`${url}/api/gamedata/move/?offset=${offset}&limit=${limit}`);
        const { results } = (await response.json()) as { results: { id: number }[] };
        return results.map(({ id }) => id);
      }),
    );
    expect(answers).toEqual(
      windows.map(({ offset, limit }) =>
        Array.from({ length: Math.min(limit, 250 - offset) }, (_, at) => offset + at + 1),
      ),
    );
    expect(problems).toEqual([]);
  });
});

describe('a window of thousands of records', () => {
  it('is whole, and ends without a problem for a client that goes', async () => {
    const { url, problems } = await serveSite({ moves: 7000 });
    const window = `${url}/api/gamedata/move/?limit=7000`;
    const { results } = (await (await fetch(window)).json()) as { results: { id: number }[] };
    expect(results.map(({ id }) => id)).toEqual(Array.from({ length: 7000 }, (_, at) => at + 1));
    const reader = (await fetch(window)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await fetch(`${url}/meta.json`)).status).toBe(200);
    expect(problems).toEqual([]);
  });
});

describe('a client that is slow', () => {
  it('with its headers gets 408 and is cut off', async () => {
    const { port } = await serveSite({ limits: { headersMs: 200, requestMs: 400 } });
    const answer = await sendRaw(port, 'GET /api/gamedata/move/ HTTP/1.1\r\nHost: x\r\nX-Slow:');
    expect(statusOf(answer)).toBe(408);
    expect(answer).toContain('Connection: close');
  });

  it('to say anything is cut off', async () => {
    const { port } = await serveSite({ limits: { headersMs: 200, requestMs: 400 } });
    const socket = await openSocket(port);
    expect(statusOf(await readAll(socket))).toBe(408);
  });

  it('to take its answer is cut off', async () => {
    const large = { path: 'large.bin', body: new Uint8Array(30_000_000) };
    const { port } = await serveSite({ limits: { idleMs: 300 }, extras: [large] });
    const socket = await openSocket(port);
    socket.pause();
    socket.write('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await setTimeout(2000);
    const answer = await readAll(socket.resume());
    expect(answer.length).toBeLessThan(30_000_000);
  });

  it('with its next request is cut off', async () => {
    const { port } = await serveSite({ limits: { keepAliveMs: 200 } });
    const answer = await sendRaw(port, 'GET /meta.json HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statusOf(answer)).toBe(200);
  });
});

describe('a request that is none', () => {
  it.each<[string, string, number]>([
    ['headers of more than 16 kB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a target of more than 16 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a line break in a header’s name', 'GET / HTTP/1.1\r\nHost: x\r\nA\nB: c\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a tunnel', 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n', 405],
  ])('%s, is rejected and the connection closed', async (_, text, status) => {
    const { port, url } = await serveSite();
    const answer = await sendRaw(port, text);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toContain('Content-Type: application/json\r\n');
    expect(answer).toContain('Access-Control-Allow-Origin: *\r\n');
    expect((await fetch(`${url}/meta.json`)).status).toBe(200);
  });

  it('comes after a request that is one, and so does its error', async () => {
    const { port } = await serveSite();
    const answer = await sendRaw(port, 'GET /api/gamedata/move/ HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(answer.indexOf('"count":3')).toBeLessThan(answer.indexOf('HTTP/1.1 400'));
  });

  it.each(['', 'a b', '[::', '<script>', 'http://', '\xff\xfe', 'x'.repeat(5000)])(
    'names a host that is none (%j), and is answered all the same',
    async (host) => {
      const { port } = await serveSite();
      const text = `GET /api/gamedata/move/move-1/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(port, text);
      expect(statusOf(answer)).toBe(200);
      expect(answer).toContain('"slug":"move-1"');
    },
  );
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
      upload.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
    });
    more();
    expect(await response).toBe(405);
    await ended;
    expect(sent).toBeLessThan(total / 10);
  });

  it('is not requested', async () => {
    const { port } = await serveSite();
    const answer = await getRaw(
      port,
      '/api/gamedata/move/',
      'PUT',
      'Content-Length: 5\r\nExpect: 100-continue\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 405 .*"Method \\"PUT\\" not allowed\."\}$/s);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE'])('of %s makes no difference', async (method) => {
    const { port } = await serveSite();
    const plain = await getRaw(port, '/api/gamedata/move/', method);
    const answer = await getRaw(port, '/api/gamedata/move/', method, 'Content-Length: 3\r\n\r\nabc');
    const undated = (text: string): string => text.replace(/Date: .*\r\n/, '');
    expect(undated(answer)).toBe(undated(plain));
    expect(statusOf(plain)).toBe(['GET', 'HEAD', 'OPTIONS'].includes(method) ? 200 : 405);
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
    const extras = [{ path: 'large.bin', body: new Uint8Array(30_000_000) }];
    const { port } = await serveSite({ onRequest: (line) => lines.push(line), extras });
    const socket = await openSocket(port);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    socket.destroy();
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^GET \/large\.bin 200 .* ms, cut off$/)]);
  });
});

describe('an error inside', () => {
  it('is a JSON 500, and one line for whoever runs the server', async () => {
    const { url, folder, problems } = await serveSite();
    writeFileSync(path.join(folder, 'api/gamedata/move/index.json'), 'no JSON');
    const response = await fetch(`${url}/api/gamedata/move/?limit=7`);
    expect([response.status, await response.json()]).toEqual([500, { detail: 'Internal Server Error.' }]);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(problems).toEqual([expect.stringMatching(/^GET \/api\/gamedata\/move\/\?limit=7: .*JSON/)]);
  });
});
