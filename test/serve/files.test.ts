import { describe, expect, it } from 'vitest';
import { getRaw, PAGE, serveSite } from '../support/serving.ts';

const big = { path: 'downloads/all.bin', body: new Uint8Array(300_000).map((_, at) => at % 251) };

describe('a file beside the API', () => {
  it('is sent with ETags, its type and the common headers', async () => {
    const { url, port } = await serveSite({ extras: [PAGE, big] });
    const response = await fetch(`${url}/${big.path}`);
    expect(Buffer.from(await response.arrayBuffer()).equals(big.body)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'content-length': '300000',
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    });
    const etag = response.headers.get('etag') ?? '';
    // `fetch` would add Cache-Control: no-cache; this is the request without it.
    const again = await getRaw(port, `/${big.path}`, 'GET', `If-None-Match: ${etag}\r\n`);
    expect(again).toMatch(/^HTTP\/1\.1 304 .*Access-Control-Allow-Origin: \*.*\r\n\r\n$/s);
  });

  it('is sent in parts', async () => {
    const { url } = await serveSite({ extras: [PAGE, big] });
    const response = await fetch(`${url}/${big.path}`, { headers: { Range: 'bytes=1000-1009' } });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe('bytes 1000-1009/300000');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(big.body.slice(1000, 1010));
    // A suffix that is longer than the file is the whole file.
    for (const [range, length] of [
      ['bytes=-10', 10],
      ['bytes=-9999999', 300_000],
    ] as const) {
      const end = await fetch(`${url}/${big.path}`, { headers: { Range: range } });
      expect(new Uint8Array(await end.arrayBuffer())).toEqual(big.body.slice(-length));
    }
    const beyond = await fetch(`${url}/${big.path}`, { headers: { Range: 'bytes=300000-' } });
    expect(beyond.headers.get('content-range')).toBe('bytes */300000');
    expect(beyond.headers.get('access-control-allow-origin')).toBe('*');
    expect([beyond.status, await beyond.json()]).toEqual([416, { detail: 'Range Not Satisfiable.' }]);
    const changed = await fetch(`${url}/${big.path}`, { headers: { 'If-Match': '"other"' } });
    expect([changed.status, await changed.json()]).toEqual([412, { detail: 'Precondition Failed.' }]);
  });

  it.each([
    ['"a"', 200],
    ['W/"a"', 200],
    [new Date(Date.now() + 60_000).toUTCString(), 206],
  ])('in part for If-Range: %s is answered with %d', async (validator, status) => {
    const { url } = await serveSite();
    const headers = { Range: 'bytes=0-4', 'If-Range': validator };
    expect((await fetch(`${url}/meta.json`, { headers })).status).toBe(status);
  });
});
