import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DataError, UpstreamError } from '../../src/errors.ts';
import { decodeJson } from '../../src/http/body.ts';
import { toAttemptError } from '../../src/http/retry.ts';
import { deserted, startServer } from '../support/local-server.ts';
import { body, ok, stalled, status, testClient, truncated } from '../support/test-client.ts';

const failure = async (promise: Promise<unknown>): Promise<UpstreamError> => {
  const error = await promise.then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof UpstreamError)) throw error;
  return error;
};

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

// What is retried, and how each failure is told, is in the table of faults (test/support/faults.ts).
describe('a request that always fails', () => {
  it('is given up after its retries, with the reason', async () => {
    const server = await startServer(body('<html>'));
    const error = await failure(testClient().get(`${server.url}/move/1/`, decodeJson));
    const url = `${server.url}/move/1/`;
    expect(error.message).toBe(`GET ${url}: got "<html>", expected JSON (3 attempts)`);
    expect(error.request).toMatchObject({ method: 'GET', url, attempts: 3, unreachable: false });
    expect(error.cause).toBeInstanceOf(SyntaxError);
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['answered', ok],
    ['answered wrongly', status(500)],
    ['cut its answer short', truncated],
    ['begun to answer', stalled],
  ])('is said to be unreachable if nobody listens, and not once anybody has %s', async (_, answer) => {
    const { get } = testClient({ retries: 0, timeouts: { body: 100 } });
    const [gone, server] = [await deserted(), await startServer(answer)];
    expect((await failure(get(gone, decodeJson))).request.unreachable).toBe(true);
    await get(server.url, decodeJson).catch(() => {});
    expect((await failure(get(gone, decodeJson))).request.unreachable).toBe(false);
  });
});

describe('a body', () => {
  const noise = randomBytes(1000);

  it.each<[what: string, content: Buffer, headers: Record<string, string>]>([
    ['as large as allowed', noise, {}],
    ['larger when compressed', gzipSync(noise), { 'content-encoding': 'gzip' }],
  ])('may be %s', async (_, content, headers) => {
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

describe('an error of the system', () => {
  it('is named by its code if it has no message', () => {
    const error = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(toAttemptError(error)).toMatchObject({
      message: 'connection failed (ECONNREFUSED)',
      failure: { retryable: true },
      cause: error,
    });
  });

  it('that has neither is a bug, and stays what it is', () => {
    expect(() => toAttemptError(new TypeError('a bug'))).toThrow(TypeError);
  });
});

describe('redirects', () => {
  const hint = 'Redirects are not followed: use the final URL.';
  const redirect = ', a redirect to "/there"';
  it.each([
    [299, '', undefined],
    ...[300, 301, 302, 307, 308, 399].map((code) => [code, redirect, hint] as const),
    [400, '', undefined],
  ] as const)('are not followed, but rejected with a hint: %i', async (code, got, expected) => {
    const server = await startServer(status(code, { location: '/there' }));
    const error = await failure(testClient().get(server.url, decodeJson));
    expect(error.message).toBe(`GET ${server.url}: got ${code}${got}, expected 200`);
    expect(error.hint).toBe(expected);
    expect(server.requests).toHaveLength(1);
  });
});
