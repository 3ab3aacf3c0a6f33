import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { getRaw, sendRaw, serveSite, statusOf } from '../support/serving.ts';

const GET = 'GET / HTTP/1.1\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';

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
});

it('HTTP/1.0 needs no host, and a host may be any text', async () => {
  const { port } = await serveSite();
  expect(statusOf(await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n'))).toBe(200);
  for (const host of ['', 'a b', '[::', '<script>', 'http://', '\xff\xfe', 'x'.repeat(5000)]) {
    const text = `GET /api/gamedata/move/move-1/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(port, text);
    expect(statusOf(answer), host).toBe(200);
    expect(answer).toContain('"slug":"move-1"');
  }
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

  it('makes no difference, whatever the method', async () => {
    const { port } = await serveSite();
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE']) {
      const plain = await getRaw(port, '/api/gamedata/move/', method);
      const answer = await getRaw(port, '/api/gamedata/move/', method, 'Content-Length: 3\r\n\r\nabc');
      const undated = (text: string): string => text.replace(/Date: .*\r\n/, '');
      expect(undated(answer)).toBe(undated(plain));
      expect(statusOf(plain)).toBe(['GET', 'HEAD', 'OPTIONS'].includes(method) ? 200 : 405);
    }
  });
});
