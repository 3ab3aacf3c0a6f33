import fs, { renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getRaw, serveSite } from '../support/serving.ts';

const big = { path: 'downloads/all.bin', body: new Uint8Array(300_000).map((_, at) => at % 251) };

async function get(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

describe('a file beside the API', () => {
  it('is sent with ETags, its type and the common headers', async () => {
    const { url, port } = await serveSite({ extras: [big] });
    const { body, headers } = await get(`${url}/${big.path}`);
    expect(body.equals(big.body)).toBe(true);
    expect(headers).toMatchObject({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'content-length': '300000',
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    });
    // `fetch` would add Cache-Control: no-cache; this is the request without it.
    const again = await getRaw(port, `/${big.path}`, 'GET', `If-None-Match: ${headers.etag}\r\n`);
    expect(again).toMatch(/^HTTP\/1\.1 304 .*Access-Control-Allow-Origin: \*.*\r\n\r\n$/s);
  });

  it.each([
    ['bytes=1000-1009', 206, 'bytes 1000-1009/300000', big.body.slice(1000, 1010)],
    ['bytes=-10', 206, 'bytes 299990-299999/300000', big.body.slice(-10)],
    // A suffix that is longer than the file is the whole file.
    ['bytes=-9999999', 200, undefined, big.body],
    ['bytes=300000-', 416, 'bytes */300000', Buffer.from('{"detail":"Range Not Satisfiable."}')],
  ])('is sent in parts: %s', async (Range, status, range, expected) => {
    const { url } = await serveSite({ extras: [big] });
    const { body, ...response } = await get(`${url}/${big.path}`, { Range });
    expect(response).toMatchObject({ status, headers: { 'access-control-allow-origin': '*' } });
    expect(response.headers['content-range']).toBe(range);
    expect(body.equals(expected)).toBe(true);
  });

  it.each([
    ['"a"', 200],
    ['W/"a"', 200],
    [new Date(Date.now() + 60_000).toUTCString(), 206],
  ])('in part for If-Range: %s is answered with %d', async (validator, expected) => {
    const { url } = await serveSite();
    const { status } = await get(`${url}/meta.json`, { Range: 'bytes=0-4', 'If-Range': validator });
    expect(status).toBe(expected);
  });

  it('is not sent if it has to be another one', async () => {
    const { url } = await serveSite();
    const { status, body } = await get(`${url}/meta.json`, { 'If-Match': '"other"' });
    expect([status, `${body}`]).toEqual([412, '{"detail":"Precondition Failed."}']);
  });
});

describe('a file that is replaced after its headers were made, and before it is opened', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Serves a file that is replaced as often as told while it is about to be opened. */
  async function replacedWhileOpened(...bodies: string[]) {
    const { url, folder } = await serveSite({ extras: [{ path: 'note.txt', body: 'first' }] });
    const file = path.join(folder, 'note.txt');
    const real = fs.createReadStream;
    vi.spyOn(fs, 'createReadStream').mockImplementation((name, options) => {
      const body = bodies.shift();
      if (body !== undefined) {
        writeFileSync(`${file}.new`, body);
        renameSync(`${file}.new`, file);
      }
      return real(name, options);
    });
    return { address: `${url}/note.txt`, file };
  }

  it.each([[['another, which is longer']], [['new']], [['one', 'after', 'the other']]])(
    'is sent with its own headers: %j',
    async (bodies) => {
      const last = bodies.at(-1) ?? '';
      const { address, file } = await replacedWhileOpened(...bodies);
      const { body, headers } = await get(address);
      const { size, mtime } = statSync(file);
      expect(`${body}`).toBe(last);
      expect(headers).toMatchObject({
        'content-length': `${last.length}`,
        etag: `W/"${size.toString(16)}-${mtime.getTime().toString(16)}"`,
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it.each([
    ['as the range that is asked for', '0123456789', 206, '123'],
    ['not at all if there is no such range any more', 'x', 416, '{"detail":"Range Not Satisfiable."}'],
  ])('is sent %s', async (_, content, expected, part) => {
    const { address } = await replacedWhileOpened(content);
    const { status, body } = await get(address, { range: 'bytes=1-3' });
    expect([status, `${body}`]).toEqual([expected, part]);
  });
});
