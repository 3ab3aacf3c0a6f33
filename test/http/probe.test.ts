import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createProbe, type Probe } from '../../src/http/probe.ts';
import {
  deserted,
  type Responder,
  reset,
  startServer,
} from '../support/local-server.ts';

async function probe(respond: Responder): Promise<Probe> {
  const { url } = await startServer(respond);
  const created = createProbe(url, { concurrency: 4 });
  onTestFinished(() => created.close());
  return created;
}

it('sends any method and headers, and returns any status', async () => {
  const { send } = await probe((response, { method, headers }) =>
    response
      .writeHead(405, { 'X-Method': method, Vary: ['Accept', 'Origin'] })
      .end(String(headers['x-test'])),
  );
  const headers = { 'X-Test': 'yes', Accept: '*/*' };
  const response = await send({ method: 'DELETE', path: '/a?b=c', headers });
  const request = 'DELETE /a?b=c (X-Test: yes; Accept: */*)';
  expect(response).toMatchObject({
    request,
    status: 405,
    text: 'yes',
    json: undefined,
  });
  const received = ['x-method', 'VARY', 'none'].map(response.header);
  expect(received).toEqual(['DELETE', 'Accept, Origin', undefined]);
});

it.each([
  { how: 'breaks', fault: (response: ServerResponse) => response.destroy() },
  { how: 'is reset', fault: reset },
])('repeats a request once if the connection $how', async ({ fault }) => {
  const once = await probe((response, _, at) =>
    at === 1 ? fault(response) : response.end('{}'),
  );
  expect(await once.send({ path: '/' })).toMatchObject({ status: 200, json: {} });
  const always = await probe(fault);
  await expect(always.send({ path: '/' })).rejects.toMatchObject({
    message: expect.stringMatching(/ \(2 attempts\)$/),
    request: { attempts: 2 },
    cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
  });
});

it('aborts pending requests and rejects new ones when it is closed', async () => {
  const { url, requests } = await startServer((response) => response.write('{'));
  const { send, close } = createProbe(url, { concurrency: 1 });
  const pending = send({ path: '/' });
  pending.catch(() => {});
  await close();
  await expect(pending).rejects.toMatchObject({ code: 'upstream' });
  const sent = requests.length;
  await expect(send({ path: '/' })).rejects.toThrow(/The client is destroyed/);
  expect(requests).toHaveLength(sent);
});

it('limits the size of a body', async () => {
  const { send } = await probe((response) => response.end('x'.repeat(1001)));
  await expect(send({ path: '/', maxBytes: 1000 })).rejects.toThrow(
    /got more than 1000 bytes$/,
  );
  expect((await send({ path: '/', maxBytes: 1001 })).text).toHaveLength(1001);
});

it('reports a missing server and a failed TLS handshake', async () => {
  const { url } = await startServer((response) => response.end());
  for (const [address, error] of [
    [await deserted(), { code: 'upstream', request: { unreachable: true } }],
    [
      url.replace('http:', 'https:'),
      { hint: expect.stringContaining('Try http://') },
    ],
  ] as const) {
    const { send, close } = createProbe(address, { concurrency: 1 });
    onTestFinished(close);
    await expect(send({ path: '/' })).rejects.toMatchObject(error);
  }
});
