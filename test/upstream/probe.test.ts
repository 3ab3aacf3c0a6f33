import { expect, it, onTestFinished } from 'vitest';
import { createProbe, type Probe } from '../../src/upstream/probe.ts';
import { type Responder, reset, startServer } from '../support/local-server.ts';

/** Starts a server and a probe for it. */
async function startProbe(respond: Responder): Promise<Probe> {
  const { url } = await startServer(respond);
  const probe = createProbe(url, { concurrency: 4 });
  onTestFinished(() => probe.close());
  return probe;
}

it('sends any method and headers, and returns any status', async () => {
  const { send } = await startProbe((response, { method, headers }) => {
    response.writeHead(405, { 'X-Method': method, Vary: ['Accept', 'Origin'] });
    response.end(String(headers['x-test']));
  });
  const headers = { 'X-Test': 'yes', Accept: '*/*' };
  const response = await send({ method: 'DELETE', path: '/a?b=c', headers });
  expect(response).toMatchObject({
    request: 'DELETE /a?b=c (X-Test: yes; Accept: */*)',
    status: 405,
    text: 'yes',
  });
  expect(response.header('x-method')).toBe('DELETE');
  expect(response.header('VARY')).toBe('Accept, Origin');
  expect(response.header('none')).toBeUndefined();
});

const connectionFaults = [{ how: 'is reset', fault: reset }];

it.each(connectionFaults)(
  'retries a request if the connection $how once',
  async ({ fault }) => {
    const { send } = await startProbe((response, _, at) => {
      if (at === 1) fault(response);
      else response.end('{}');
    });
    expect(await send({ path: '/' })).toMatchObject({ status: 200, text: '{}' });
  },
);

it.each(connectionFaults)(
  'fails after two attempts if every connection $how',
  async ({ fault }) => {
    const { send } = await startProbe(fault);
    await expect(send({ path: '/' })).rejects.toMatchObject({
      message: expect.stringMatching(/ \(2 attempts\)$/),
      code: 'upstream',
    });
  },
);

it('aborts pending requests and rejects new ones when the probe is closed', async () => {
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

it('limits the size of a response body', async () => {
  const { send } = await startProbe((response) => response.end('x'.repeat(1001)));
  await expect(send({ path: '/', maxBytes: 1000 })).rejects.toThrow(
    /got more than 1000 bytes$/,
  );
  const { text } = await send({ path: '/', maxBytes: 1001 });
  expect(text).toHaveLength(1001);
});
