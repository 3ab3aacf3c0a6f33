import { expect, it } from 'vitest';
import { sendRaw, serveSite, statusOf } from '../support/serving.ts';

const close = 'Connection: close\r\n\r\n';

it.each([
  ['no host', `GET / HTTP/1.1\r\n${close}`, 400],
  ['two hosts', `GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n${close}`, 400],
  ['the same host twice', `GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n${close}`, 400],
  ['an unknown expectation', `GET / HTTP/1.1\r\nHost: a\r\nExpect: pizza\r\n${close}`, 417],
])('a request with %s is answered in JSON, and not kept by caches', async (_, text, status) => {
  const { port } = await serveSite();
  const answer = await sendRaw(port, text);
  expect(statusOf(answer)).toBe(status);
  expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/i);
  expect(answer).toMatch(/\r\ncache-control: no-cache\r\n/i);
  expect(answer).toMatch(/\r\naccess-control-allow-origin: \*\r\n/i);
  expect(answer).toMatch(/\r\n\r\n\{"detail":"[^"]+"\}$/);
});

it('HTTP/1.0 needs no host', async () => {
  const { port } = await serveSite();
  expect(statusOf(await sendRaw(port, `GET / HTTP/1.0\r\n${close}`))).toBe(200);
});

it.each([
  ['"a"', 200],
  ['W/"a"', 200],
  [new Date(Date.now() + 60_000).toUTCString(), 206],
])('a part for If-Range: %s is answered with %d', async (validator, status) => {
  const { port } = await serveSite();
  const range = `Range: bytes=0-4\r\nIf-Range: ${validator}\r\n`;
  expect(statusOf(await sendRaw(port, `GET /meta.json HTTP/1.1\r\nHost: a\r\n${range}${close}`))).toBe(
    status,
  );
});
