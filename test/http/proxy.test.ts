import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { decodeJson } from '../../src/http/body.ts';
import { createProbe } from '../../src/http/probe.ts';
import { startServer } from '../support/local-server.ts';
import { ok, testClient } from '../support/test-client.ts';

/** A proxy on loopback to which every host is this machine. `asked` has the authorities it was asked to reach. */
async function startProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((incoming, response) => {
    const { host, port, pathname } = new URL(incoming.url ?? '');
    asked.push(host);
    request({ port, path: pathname, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
  });
  proxy.on('connect', ({ url = '' }, client, head) => {
    asked.push(url);
    const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

describe('the proxy of the environment', () => {
  beforeEach(() => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
      vi.stubEnv(name, undefined);
      vi.stubEnv(name.toLowerCase(), undefined);
    }
    return () => vi.unstubAllEnvs();
  });

  it.each(['HTTP_PROXY', 'http_proxy'])('gets every request where %s names it', async (variable) => {
    const [proxy, server] = [await startProxy(), await startServer(ok)];
    vi.stubEnv(variable, proxy.url);

    const answer = await testClient().get(`http://upstream.test:${server.port}/move/1/`, decodeJson);

    expect(answer).toMatchObject({ status: 200, value: { ok: true } });
    expect(proxy.asked).toEqual([`upstream.test:${server.port}`]);
    expect(server.requests).toHaveLength(1);
  });

  it('gets the requests of a probe', async () => {
    const [proxy, server] = [await startProxy(), await startServer(ok)];
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const probe = createProbe(`http://deployment.test:${server.port}`, { concurrency: 1 });
    onTestFinished(() => probe.close());
    expect(await probe.send({ path: '/meta.json' })).toMatchObject({ status: 200, json: { ok: true } });
    expect(proxy.asked).toEqual([`deployment.test:${server.port}`]);
  });

  it.each(['127.0.0.1', '*', 'example.test, 127.0.0.1'])(
    'gets none where NO_PROXY is %j',
    async (exceptions) => {
      const [proxy, server] = [await startProxy(), await startServer(ok)];
      vi.stubEnv('HTTP_PROXY', proxy.url);
      vi.stubEnv('NO_PROXY', exceptions);

      await testClient().get(server.url, decodeJson);

      expect(proxy.asked).toEqual([]);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('does not make more connections than the concurrency', async () => {
    const [proxy, server] = [
      await startProxy(),
      await startServer((response) => setTimeout(() => ok(response), 2)),
    ];
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const { get } = testClient({ concurrency: 3 });
    const url = `http://upstream.test:${server.port}`;
    await Promise.all(Array.from({ length: 30 }, (_, at) => get(`${url}/${at}`, decodeJson)));
    expect(server.seen).toEqual({ connections: 3, busiest: 3 });
  });

  it.each(['nonsense', 'localhost:8080', 'ftp://localhost'])('cannot be %j', (address) => {
    vi.stubEnv('HTTP_PROXY', address);
    const message = 'HTTP_PROXY or HTTPS_PROXY: expected the URL of a proxy, such as http://127.0.0.1:8080';
    expect(() => testClient()).toThrow(new UsageError(message, { cause: expect.any(Error) }));
  });
});
