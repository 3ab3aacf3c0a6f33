import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { decodeJson } from '../../src/http/body.ts';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import {
  deserted,
  ok,
  startServer,
  status,
  testClient,
} from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';

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
  /** Whether the error reports the upstream as unreachable. */
  readonly unreachable: boolean;
  respond(socket: Socket): void;
}

const brokenProxies: readonly BrokenProxy[] = [
  {
    failure: 'closes the connection',
    problem: /^other side closed \((?:UND_ERR_SOCKET|ECONNRESET)\)/,
    unreachable: false,
    respond: (socket) => void socket.end(),
  },
  {
    failure: 'does not respond',
    problem: /^Headers Timeout Error \(UND_ERR_HEADERS_TIMEOUT\)/,
    unreachable: true,
    respond: () => {},
  },
  {
    failure: 'speaks another protocol',
    problem: /^invalid HTTP response: /,
    unreachable: false,
    respond: (socket) => void socket.end('SSH-2.0-OpenSSH_9.7\r\n'),
  },
  {
    failure: 'asks for a password',
    problem: /^the proxy refused to connect \(status 407\)/,
    unreachable: true,
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
      const response = await testClient().get(url, decodeJson);
      expect(response).toMatchObject({ status: 200, value: { ok: true } });
      // Plain HTTP does not need a tunnel.
      const paths = server.requests.map(({ path }) => path);
      expect(paths).toEqual([url]);
    },
  );

  /**
   * Starts a proxy that opens each tunnel to a server without TLS. Returns its URL,
   * and the hosts of the requested tunnels.
   */
  async function startTunnel() {
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
    const address = await startProxy(tunnel);
    return { proxy: `http://${address}`, hosts };
  }

  it('opens a tunnel for HTTPS', async () => {
    const { proxy, hosts } = await startTunnel();
    vi.stubEnv('HTTPS_PROXY', proxy);
    const request = testClient().get('https://upstream.test/', decodeJson);
    await expect(request).rejects.toThrow();
    expect(hosts).toEqual(['upstream.test:443']);
  });

  it('mentions the proxy in errors from a tunnel', async () => {
    const { proxy } = await startTunnel();
    vi.stubEnv('HTTPS_PROXY', proxy);
    const request = testClient().get('https://upstream.test/', decodeJson);
    await expect(request).rejects.toMatchObject({
      message: `GET https://upstream.test/: through the proxy ${proxy}: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)`,
      hint: 'Try http:// or another port. The server does not seem to use TLS on this port.',
    });
  });

  it.each(brokenProxies)(
    'mentions the proxy without its password in the error if it $failure',
    async (brokenProxy) => {
      const { problem, unreachable } = brokenProxy;
      const address = await startProxy(createBrokenProxy(brokenProxy));
      vi.stubEnv('HTTP_PROXY', `http://user:secret@${address}`);
      const { get } = testClient({ retries: 0, timeouts: { headers: 300 } });
      for (const url of ['http://upstream.test/', 'https://upstream.test/']) {
        const [outcome] = await Promise.allSettled([get(url, decodeJson)]);
        if (outcome.status === 'fulfilled') throw new Error('got a response');
        const error = outcome.reason;
        expect(error).toMatchObject({
          hint: expect.stringContaining('add the host to NO_PROXY'),
          request: { unreachable },
        });
        const prefix = `GET ${url}: through the proxy http://${address}: `;
        const { message } = error;
        expect(message.startsWith(prefix), message).toBe(true);
        expect(message.slice(prefix.length)).toMatch(problem);
      }
    },
  );

  it.each([
    ['the proxy does not exist', deserted, 'connect ECONNREFUSED'],
    ['a 403 may come from the proxy', startForbidding, 'got 403, expected 200'],
  ])(
    'mentions the proxy in the error if %s',
    async (_, startFaultyProxy, problem) => {
      const proxy = await startFaultyProxy();
      vi.stubEnv('HTTP_PROXY', proxy);
      const { get } = testClient({ retries: 0 });
      const url = 'http://upstream.test/';
      await expect(get(url, decodeJson)).rejects.toThrow(
        `GET ${url}: through the proxy ${proxy}: ${problem}`,
      );
    },
  );

  async function startForbidding(): Promise<string> {
    const { url } = await startServer(status(403));
    return url;
  }

  const noProxies = [
    { noProxy: 'upstream.invalid', host: 'upstream.invalid' },
    { noProxy: '*.upstream.invalid', host: 'a.upstream.invalid' },
    { noProxy: 'other.test,upstream.invalid:80', host: 'upstream.invalid' },
  ];

  it.each(noProxies)(
    'sends no requests to the proxy if NO_PROXY is $noProxy and the host is $host',
    async ({ noProxy, host }) => {
      vi.stubEnv('HTTP_PROXY', await deserted());
      vi.stubEnv('NO_PROXY', noProxy);
      const { get } = testClient({ retries: 0 });
      // No name server can resolve a host below `.invalid`.
      await expect(get(`http://${host}/`, decodeJson)).rejects.toThrow(
        /^GET [^ ]+: getaddrinfo /,
      );
    },
  );

  it.each(noProxies)(
    'sends requests for other hosts to the proxy if NO_PROXY is $noProxy',
    async ({ noProxy }) => {
      vi.stubEnv('HTTP_PROXY', await deserted());
      vi.stubEnv('NO_PROXY', noProxy);
      const { get } = testClient({ retries: 0 });
      const request = get('http://upstream.invalid.test/', decodeJson);
      await expect(request).rejects.toThrow(': through the proxy ');
    },
  );

  it.each(['nonsense', 'localhost:8080', 'ftp://localhost'])(
    'rejects %j as the URL of a proxy',
    (address) => {
      vi.stubEnv('HTTP_PROXY', address);
      const error = new UsageError(
        'HTTP_PROXY or HTTPS_PROXY: expected a proxy URL, such as http://127.0.0.1:8080',
        { cause: expect.any(Error) },
      );
      expect(() => testClient()).toThrow(error);
    },
  );
});

/**
 * Starts a server that requires a client certificate. Node's own servers do not send
 * a TLS alert.
 */
async function startStrictServer(): Promise<string> {
  const { cert, key } = makeCertificate(temporaryFolder());
  const args = [
    's_server',
    '-accept',
    '127.0.0.1:0',
    '-cert',
    cert,
    '-key',
    key,
    '-www',
    '-Verify',
    '1',
    '-verify_return_error',
  ];
  const server = spawn('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void server.kill());
  for await (const line of createInterface(server.stdout)) {
    // The server prints the port that it has chosen.
    const [, port] = /^ACCEPT .*:(\d+)$/.exec(line) ?? [];
    if (port !== undefined) return `https://127.0.0.1:${port}/`;
  }
  throw new Error('openssl did not start');
}

it.skipIf(missingOpenssl())(
  'reports the alert of a server that requires a client certificate',
  async () => {
    const url = await startStrictServer();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });
    await expect(testClient().get(url, decodeJson)).rejects.toMatchObject({
      message: `GET ${url}: tlsv13 alert certificate required (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)`,
      hint: expect.stringContaining('wants no client certificate'),
      request: { unreachable: false, attempts: 1 },
    });
  },
);
