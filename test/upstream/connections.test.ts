import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GamedataError } from '../../src/errors.ts';
import { decodeJson } from '../../src/upstream/body.ts';
import type { AcceptableResponse } from '../../src/upstream/client.ts';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { deserted, ok, startServer, testClient } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';

const accept = (response: AcceptableResponse): unknown => decodeJson(response.body);
const once = { maxAttempts: 1 };
const PROXY_HINT = expect.stringContaining('add the host to NO_PROXY');

/** Starts a proxy, and returns its host and port. */
async function startProxy(proxy: Server): Promise<string> {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  return `127.0.0.1:${port}`;
}

/** A broken proxy, and the failure that it causes. */
interface BrokenProxy {
  readonly failure: string;
  readonly problem: RegExp;
  respond(socket: Socket): void;
}

const brokenProxies: readonly BrokenProxy[] = [
  {
    failure: 'closes the connection',
    problem: /other side closed \((?:UND_ERR_SOCKET|ECONNRESET)\)/,
    respond: (socket) => void socket.end(),
  },
  {
    failure: 'asks for a password',
    problem: /\(407\)/,
    respond: (socket) =>
      void socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n'),
  },
];

/** Creates a proxy that responds to the first bytes of each connection. */
function createBrokenProxy({ respond }: BrokenProxy): Server {
  return createTcpServer((socket) => {
    // The client may reset the connection.
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  });
}

describe('the proxy from the environment', () => {
  beforeEach(() => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
      vi.stubEnv(name, undefined);
      vi.stubEnv(name.toLowerCase(), undefined);
    }
    return () => vi.unstubAllEnvs();
  });

  it.each(['HTTP_PROXY', 'http_proxy'])(
    'sends every request to the proxy in %s',
    async (variable) => {
      const server = await startServer(ok);
      vi.stubEnv(variable, server.url);
      const url = 'http://upstream.test/move/1/';
      expect(await testClient().get(url, accept)).toEqual({ ok: true });
      // Plain HTTP does not need a tunnel.
      const paths = server.requests.map(({ path }) => path);
      expect(paths).toEqual([url]);
    },
  );

  it('opens a tunnel through the proxy for HTTPS', async () => {
    const server = await startServer(ok);
    const hosts: (string | undefined)[] = [];
    const tunnel = createServer();
    tunnel.on('connect', ({ url }, client) => {
      hosts.push(url);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      const upstream = connect(server.port, '127.0.0.1');
      client.pipe(upstream);
      upstream.pipe(client);
    });
    vi.stubEnv('HTTPS_PROXY', `http://${await startProxy(tunnel)}`);
    // The server does not use TLS.
    const request = testClient().get('https://upstream.test/', accept, once);
    await expect(request).rejects.toThrow('wrong version number');
    expect(hosts).toEqual(['upstream.test:443']);
  });

  it.each(brokenProxies)(
    'suggests checking the proxy variables, without printing the password, if the proxy fails: $failure',
    async (brokenProxy) => {
      const address = await startProxy(createBrokenProxy(brokenProxy));
      vi.stubEnv('HTTP_PROXY', `http://user:secret@${address}`);
      const { get } = testClient({ timeouts: { headers: 300 } });
      for (const url of ['http://upstream.test/', 'https://upstream.test/']) {
        const request = get(url, accept, once);
        await expect(request).rejects.toMatchObject({
          message: expect.stringMatching(brokenProxy.problem),
          code: 'upstream',
          hint: PROXY_HINT,
        });
        await expect(request).rejects.not.toThrow('secret');
      }
    },
  );

  const noProxies = [
    { noProxy: 'upstream.invalid', host: 'upstream.invalid' },
    { noProxy: 'other.test,upstream.invalid:80', host: 'upstream.invalid' },
  ];

  it.each(noProxies)(
    'sends no requests to the proxy if NO_PROXY is $noProxy and the host is $host',
    async ({ noProxy, host }) => {
      vi.stubEnv('HTTP_PROXY', await deserted());
      vi.stubEnv('NO_PROXY', noProxy);
      const { get } = testClient();
      // No name server can resolve a host below `.invalid`.
      await expect(get(`http://${host}/`, accept, once)).rejects.toThrow(
        /^GET [^ ]+: getaddrinfo /,
      );
    },
  );

  it.each(['nonsense', 'ftp://localhost'])(
    'rejects %j as the URL of a proxy',
    (address) => {
      vi.stubEnv('HTTP_PROXY', address);
      const error = new GamedataError(
        'usage',
        'HTTP_PROXY or HTTPS_PROXY: expected a proxy URL, such as http://127.0.0.1:8080',
        { cause: expect.any(Error) },
      );
      expect(() => testClient()).toThrow(error);
    },
  );
});

it.skipIf(missingOpenssl())(
  'suggests NODE_EXTRA_CA_CERTS for a certificate of an unknown CA',
  async () => {
    const { cert, key } = makeCertificate(temporaryFolder());
    const options = { cert: readFileSync(cert), key: readFileSync(key) };
    const server = createTlsServer(options);
    const address = await startProxy(server);
    await expect(
      testClient().get(`https://${address}/`, accept, once),
    ).rejects.toMatchObject({
      message: expect.stringContaining('(DEPTH_ZERO_SELF_SIGNED_CERT)'),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS=<file>'),
    });
  },
);
