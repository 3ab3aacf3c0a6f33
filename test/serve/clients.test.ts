import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { getRaw, openSocket, readAll, sendRaw, serveSite, statusOf } from '../support/serving.ts';

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
    await setTimeout(1200);
    const answer = await readAll(socket.resume());
    expect(answer.length).toBeLessThan(30_000_000);
  });

  it('with its next request is cut off', async () => {
    const { port } = await serveSite({ limits: { keepAliveMs: 200 } });
    const answer = await sendRaw(port, 'GET /meta.json HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statusOf(answer)).toBe(200);
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
    const { port, problems } = await serveSite({ onRequest: (line) => lines.push(line), extras });
    const socket = await openSocket(port);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    socket.destroy();
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^GET \/large\.bin 200 .* ms, cut off$/)]);
    expect(problems).toEqual([]);
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
