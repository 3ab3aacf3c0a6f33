import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openSocket, readAll, serveSite } from '../support/serving.ts';

const HOUR = 3_600_000;
/** Nothing ends by itself. */
const patient = { headersMs: HOUR, requestMs: HOUR, keepAliveMs: HOUR, idleMs: HOUR, stopMs: HOUR };
const large = { path: 'large.bin', body: new Uint8Array(30_000_000) };

describe('a server that is closed', () => {
  it('ends connections that wait, that never spoke and that are half a request', async () => {
    const { port, close } = await serveSite({ limits: patient });
    const sockets = await Promise.all([openSocket(port), openSocket(port), openSocket(port)]);
    const [, half, kept] = sockets;
    half?.write('GET / HTTP/1.1\r\nHo');
    kept?.write('GET /meta.json HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(kept ?? port, 'data');
    await close();
  });

  it('takes no new connection, and lets running answers end', async () => {
    const { port, url, close } = await serveSite({ limits: patient, extras: [large] });
    const socket = await openSocket(port);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
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
    socket.pause().write('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    await close();
  });
});
