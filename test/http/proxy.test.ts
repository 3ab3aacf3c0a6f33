import { createServer } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { decodeJson } from '../../src/http/body.ts';
import {
  deserted,
  ok,
  startServer,
  status,
  testClient,
} from '../support/local-server.ts';

async function startProxy(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
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
      const answer = await testClient().get(
        'http://upstream.test/move/1/',
        decodeJson,
      );
      expect(answer).toMatchObject({ status: 200, value: { ok: true } });
      // Plain HTTP does not need a tunnel.
      expect(server.requests.map(({ path }) => path)).toEqual([
        'http://upstream.test/move/1/',
      ]);
    },
  );

  it('opens a tunnel for HTTPS and mentions the proxy in errors from the tunnel', async () => {
    const server = await startServer(ok);
    const requested: (string | undefined)[] = [];
    const tunnel = createServer().on('connect', ({ url }, client) => {
      requested.push(url);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(connect(server.port, '127.0.0.1')).pipe(client);
    });
    const proxy = `http://${await startProxy(tunnel)}`;
    vi.stubEnv('HTTPS_PROXY', proxy);
    await expect(
      testClient().get('https://upstream.test/', decodeJson),
    ).rejects.toMatchObject({
      message: `GET https://upstream.test/: through the proxy ${proxy}: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)`,
      hint: 'Try http:// or another port. The server does not seem to use TLS on this port.',
    });
    expect(requested).toEqual(['upstream.test:443']);
  });

  it.each<
    [
      failure: string,
      problem: RegExp,
      unreachable: boolean,
      answer: (socket: Socket) => unknown,
    ]
  >([
    [
      'closes the connection',
      /^other side closed \((?:UND_ERR_SOCKET|ECONNRESET)\)/,
      false,
      (socket) => socket.end(),
    ],
    [
      'does not respond',
      /^Headers Timeout Error \(UND_ERR_HEADERS_TIMEOUT\)/,
      true,
      () => {},
    ],
    [
      'speaks another protocol',
      /^invalid HTTP response: /,
      false,
      (socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'),
    ],
    [
      'asks for a password',
      /^the proxy refused to connect \(status 407\)/,
      true,
      (socket) => socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n'),
    ],
  ])(
    'mentions the proxy without its password in the error if it %s',
    async (_, problem, unreachable, answer) => {
      const address = await startProxy(
        createTcpServer((socket) =>
          socket.on('error', () => {}).once('data', () => answer(socket)),
        ),
      );
      vi.stubEnv('HTTP_PROXY', `http://user:secret@${address}`);
      const { get } = testClient({ retries: 0, timeouts: { headers: 300 } });
      for (const url of ['http://upstream.test/', 'https://upstream.test/']) {
        const prefix = `GET ${url}: through the proxy http://${address}: `;
        const error: unknown = await get(url, decodeJson).catch(
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({
          message: expect.stringMatching(prefix.replaceAll('.', '\\.')),
          hint: expect.stringContaining('add the host to NO_PROXY'),
          request: { unreachable },
        });
        expect(String(error).split(prefix)[1]).toMatch(problem);
      }
    },
  );

  it('mentions the proxy in errors that it may have caused', async () => {
    const [gone, server] = [await deserted(), await startServer(status(403))];
    vi.stubEnv('HTTP_PROXY', gone);
    const { get } = testClient({ retries: 0 });
    await expect(get('http://upstream.test/', decodeJson)).rejects.toThrow(
      `GET http://upstream.test/: through the proxy ${gone}: connect ECONNREFUSED`,
    );
    vi.stubEnv('HTTP_PROXY', server.url);
    await expect(
      testClient().get('http://upstream.test/', decodeJson),
    ).rejects.toThrow(
      `GET http://upstream.test/: through the proxy ${server.url}: got 403, expected 200`,
    );
  });

  it.each([
    'upstream.invalid',
    '*.upstream.invalid',
    'other.test,upstream.invalid:80',
  ])(
    'sends no requests to the proxy for hosts that NO_PROXY lists as %j',
    async (listed) => {
      vi.stubEnv('HTTP_PROXY', await deserted());
      vi.stubEnv('NO_PROXY', listed);
      const { get } = testClient({ retries: 0 });
      const host = listed.startsWith('*')
        ? 'a.upstream.invalid'
        : 'upstream.invalid';
      await expect(get(`http://${host}/`, decodeJson)).rejects.toThrow(
        /^GET [^ ]+: getaddrinfo /,
      );
      await expect(get('http://upstream.invalid.test/', decodeJson)).rejects.toThrow(
        ': through the proxy ',
      );
    },
  );

  it.each(['nonsense', 'localhost:8080', 'ftp://localhost'])(
    'rejects %j as the URL of a proxy',
    (address) => {
      vi.stubEnv('HTTP_PROXY', address);
      const message =
        'HTTP_PROXY or HTTPS_PROXY: expected a proxy URL, such as http://127.0.0.1:8080';
      expect(() => testClient()).toThrow(
        new UsageError(message, { cause: expect.any(Error) }),
      );
    },
  );
});
