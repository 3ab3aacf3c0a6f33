import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DataError, UpstreamError } from '../../src/errors.ts';
import { decodeJson, MAX_BODY_BYTES } from '../../src/http/body.ts';
import { asFailedAttempt } from '../../src/http/retry.ts';
import { deserted, type Responder, startServer } from '../support/local-server.ts';
import {
  body,
  dripping,
  ok,
  reset,
  silent,
  stalled,
  status,
  testClient,
  truncated,
} from '../support/test-client.ts';

const failure = async (promise: Promise<unknown>): Promise<UpstreamError> => {
  const error = await promise.then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof UpstreamError)) throw error;
  return error;
};

describe('a request that fails once', () => {
  it.each([
    { name: 'with 429', fault: status(429) },
    { name: 'with 503', fault: status(503, { 'retry-after': '0' }) },
    { name: 'with a reset connection', fault: reset },
    { name: 'with a truncated body', fault: truncated },
    { name: 'with no headers in time', fault: silent },
    { name: 'with no further body in time', fault: stalled },
    { name: 'with no end in time', fault: dripping },
    { name: 'with HTML', fault: body('<html>') },
    { name: 'with an empty body', fault: body('') },
    { name: 'with an unknown encoding', fault: body('{}', { 'content-encoding': 'zstd' }) },
  ])('$name is sent again', async ({ fault }) => {
    const server = await startServer((response, _, at) => (at === 1 ? fault : ok)(response));
    const { get, stats } = testClient({ timeouts: { headers: 100, body: 100, total: 300 } });

    expect(await get(server.url, decodeJson)).toMatchObject({ status: 200, value: { ok: true } });
    expect(stats).toMatchObject({ requests: 2, retries: 1, bodies: 1 });
  });
});

it('waits as long as the upstream asks for, also if it asks for more while others wait', async () => {
  const [first, second] = [
    { wait: '1', after: 0 },
    { wait: '2', after: 300 },
  ] as const;
  const times: number[] = [];
  const server = await startServer((response, _, at) => {
    times.push(performance.now());
    const asked = [first, second][at - 1];
    if (!asked) return ok(response);
    setTimeout(() => status(429, { 'retry-after': asked.wait })(response), asked.after);
  });
  const { get } = testClient();
  await Promise.all([get(server.url, decodeJson), get(server.url, decodeJson)]);
  expect(times).toHaveLength(4);
  const [start = 0, , third = 0] = times;
  expect(third - start).toBeGreaterThan(2250);
});

describe('a request that always fails', () => {
  const cap = 'got more than 8388608 bytes';
  it.each<[string, answer: Responder, attempts: number, problem: string]>([
    ['503', status(503), 3, 'got 503, expected 200'],
    ['a reset connection', reset, 3, 'read ECONNRESET'],
    ['a truncated body', truncated, 3, 'other side closed (UND_ERR_SOCKET)'],
    ['HTML', body('<html>'), 3, 'got "<html>", expected JSON'],
    ['404', status(404), 1, 'got 404, expected 200'],
    ['204', status(204), 1, 'got 204, expected 200'],
    ['304 that nobody asked for', status(304), 1, 'got 304, expected 200'],
    [
      'a wait that is too long',
      status(429, { 'retry-after': '3600' }),
      1,
      'got 429 with Retry-After 3600 s, expected 200',
    ],
    ['too much', body(Buffer.alloc(MAX_BODY_BYTES + 1, ' ')), 1, cap],
    ['a gzip bomb', body(gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1)), { 'content-encoding': 'gzip' }), 1, cap],
  ])('by %s is given up', async (_, answer, attempts, problem) => {
    const server = await startServer(answer);
    const { get } = testClient();

    const error = await failure(get(`${server.url}/move/1/`, decodeJson));

    const times = attempts === 1 ? '' : ` (${attempts} attempts)`;
    expect(error.message).toBe(`GET ${server.url}/move/1/: ${problem}${times}`);
    expect(error.request).toMatchObject({ method: 'GET', url: `${server.url}/move/1/`, attempts });
    if (problem === cap) expect(error.cause).toBeInstanceOf(RangeError);
    expect(server.requests).toHaveLength(attempts);
  });

  it.each<[string, Responder, timeouts: object, unreachable: boolean]>([
    ['Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)', silent, { headers: 100 }, true],
    ['Body Timeout Error (UND_ERR_BODY_TIMEOUT)', stalled, { body: 100 }, false],
    ['no complete response within 0.1 s', dripping, { total: 100 }, false],
  ])('by taking its time is given up: %s', async (problem, answer, timeouts, unreachable) => {
    const server = await startServer(answer);
    const error = await failure(testClient({ retries: 0, timeouts }).get(server.url, decodeJson));
    expect(error.message).toBe(`GET ${server.url}: ${problem}`);
    expect(error.request).toMatchObject({ attempts: 1, unreachable });
  });

  it.each([
    { what: 'answered', answer: ok },
    { what: 'answered wrongly', answer: status(500) },
    { what: 'cut its answer short', answer: truncated },
    { what: 'begun to answer', answer: stalled },
  ])('is said to be unreachable if nobody listens, and not once anybody has $what', async ({ answer }) => {
    const { get } = testClient({ retries: 0, timeouts: { body: 100 } });
    const [gone, server] = [await deserted(), await startServer(answer)];
    expect((await failure(get(gone, decodeJson))).request.unreachable).toBe(true);
    await get(server.url, decodeJson).catch(() => {});
    expect((await failure(get(gone, decodeJson))).request.unreachable).toBe(false);
  });
});

describe('a body', () => {
  const noise = randomBytes(1000);

  it.each([
    { what: 'as large as allowed', content: noise, headers: {} },
    {
      what: 'as large as allowed, and larger when compressed',
      content: gzipSync(noise),
      headers: { 'content-encoding': 'gzip' },
    },
  ])('may be $what', async ({ content, headers }) => {
    const server = await startServer(body(content, headers));
    const { get } = testClient();
    expect(await get(server.url, (received) => received, { maxBytes: 1000 })).toMatchObject({ value: noise });
    expect((await failure(get(server.url, (received) => received, { maxBytes: 999 }))).message).toContain(
      'got more than 999 bytes',
    );
  });

  it('may come in many parts', async () => {
    const large = randomBytes(3_000_000);
    const server = await startServer(body(large));
    const { value } = await testClient().get(server.url, (received) => received);
    expect(large.equals(value)).toBe(true);
  });

  it.each([new TypeError('a bug'), new DataError('got 1', {})])(
    'that cannot be used is not asked for again: %s',
    async (error) => {
      const server = await startServer(ok);
      const decode = (): never => {
        throw error;
      };
      await expect(testClient().get(server.url, decode)).rejects.toBe(error);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('what is not HTTP', () => {
  it('is asked for again, and named', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on('error', () => {}).end('nonsense\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const error = await failure(testClient().get(url, decodeJson));
    expect(error.message).toMatch(/: invalid HTTP response: .+ \(3 attempts\)$/);
    expect(error.cause).toMatchObject({ name: 'HTTPParserError' });
    expect(connections).toBe(3);
  });
});

describe('an error of the system', () => {
  it('is named by its code if it has no message', () => {
    const error = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(asFailedAttempt(error)).toMatchObject({
      message: 'connection failed (ECONNREFUSED)',
      failure: { retryable: true },
      cause: error,
    });
  });

  it('that has neither is a bug, and stays what it is', () => {
    expect(() => asFailedAttempt(new TypeError('a bug'))).toThrow(TypeError);
  });
});

describe('redirects', () => {
  const hint = 'Redirects are not followed: use the URL that they lead to.';
  it.each([
    { code: 299, problem: 'got 299, expected 200' },
    ...[300, 301, 302, 307, 308, 399].map((code) => ({
      code,
      problem: `got ${code}, a redirect to "/there", expected 200`,
      hint,
    })),
    { code: 400, problem: 'got 400, expected 200' },
  ])('are not followed, but rejected with a hint: $code', async ({ code, problem, ...rejected }) => {
    const server = await startServer(status(code, { location: '/there' }));
    const error = await failure(testClient().get(server.url, decodeJson));
    expect(error.message).toBe(`GET ${server.url}: ${problem}`);
    expect(error).toMatchObject({ hint: undefined, ...rejected });
    expect(server.requests).toHaveLength(1);
  });
});
