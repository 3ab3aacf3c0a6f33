import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GamedataError } from '../../src/errors.ts';
import { VERSION } from '../../src/package.ts';
import { decodeJson } from '../../src/upstream/body.ts';
import { type AcceptableResponse, findFailure } from '../../src/upstream/client.ts';
import {
  body,
  deserted,
  ok,
  type Responder,
  startServer,
  status,
  testClient,
} from '../support/local-server.ts';

const accept = (response: AcceptableResponse): unknown => decodeJson(response.body);
const acceptBytes = (response: AcceptableResponse): Buffer => response.body;

/** Returns the error from a request that must fail. */
async function catchError(request: Promise<unknown>): Promise<GamedataError> {
  const [outcome] = await Promise.allSettled([request]);
  if (outcome.status === 'fulfilled') throw new Error('the request did not fail');
  expect(outcome.reason).toMatchObject({ code: 'upstream' });
  return outcome.reason;
}

/** Responds to the first requests with the given response, and then with a 200. */
function failFirst(respond: typeof ok, times = 1): Responder {
  return (response, _, at) => {
    if (at <= times) respond(response);
    else ok(response);
  };
}

describe('get', () => {
  // The table of faults in test/support/faults.ts covers every kind of failure.
  it('requests a URL up to five times, and bypasses caches in all attempts except the first', async () => {
    const server = await startServer(body('<html>'));
    const error = await catchError(testClient().get(`${server.url}/a?b=c`, accept));
    expect(error).toMatchObject({
      message: expect.stringMatching(/a\?b=c: got invalid JSON: .* \(5 attempts\)$/),
      cause: { cause: { code: 'data' } },
    });
    const paths = server.requests.map(({ path }) => path);
    const bypassing = expect.stringMatching(/^\/a\?b=c&uncached=\d+$/);
    expect(paths).toEqual(['/a?b=c', ...Array(4).fill(bypassing)]);
  });

  it('retries a request until the caller accepts the response', async () => {
    const server = await startServer(failFirst(body('{"ok":false}'), 3));
    const value = await testClient().get(server.url, (response) => {
      if (String(response.body) === '{"ok":true}') return 'accepted';
      throw new GamedataError('data', 'got false');
    });
    expect(value).toBe('accepted');
    expect(server.requests).toHaveLength(4);
  });

  it.each([403, 404, 410])(
    'fails at once after a %i if the file is optional',
    async (code) => {
      const server = await startServer(failFirst(status(code)));
      const request = testClient().get(server.url, accept, { isOptional: true });
      expect(findFailure(await catchError(request))?.status).toBe(code);
    },
  );

  it('bypasses caches even in the first attempt if the caller asks for it', async () => {
    const server = await startServer(ok);
    await testClient().get(server.url, accept, { mustBypassCaches: true });
    expect(server.requests[0]?.path).toMatch(/^\/\?uncached=\d+$/);
  });

  it('makes fewer attempts only until the upstream has responded for the first time', async () => {
    const { get } = testClient({ firstAttempts: 2 });
    const goneUrl = await deserted();
    const before = await catchError(get(goneUrl, accept));
    expect(before.message).toMatch(/ECONNREFUSED.* \(2 attempts\)$/);
    const server = await startServer(status(500));
    const after = await catchError(get(server.url, accept));
    expect(after.message).toContain('got 500, expected 200 (5 attempts)');
  });

  it("does not retry a request if the caller's function throws an unexpected error", async () => {
    const server = await startServer(ok);
    const error = new TypeError('a bug');
    const request = testClient().get(server.url, () => {
      throw error;
    });
    await expect(request).rejects.toBe(error);
    expect(server.requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  it.each([
    ['12.5', ' with Retry-After 13 s'],
    ['3', ' with Retry-After 3 s'],
    ['soon', ''],
  ])('reads the Retry-After header %j', async (header, shown) => {
    const server = await startServer(status(503, { 'retry-after': header }));
    const { get } = testClient();
    const error = await catchError(get(server.url, accept, { maxAttempts: 1 }));
    const message = `GET ${server.url}: got 503${shown}, expected 200`;
    expect(error.message).toBe(message);
  });

  it('fails at once if Retry-After is longer than 15 minutes', async () => {
    const server = await startServer(status(503, { 'retry-after': '901' }));
    const error = await catchError(testClient().get(server.url, accept));
    expect(error.message).toMatch(/with Retry-After 901 s, expected 200$/);
  });

  it.each([
    ['Retry-After', { 'retry-after': '1' }, 1],
    ['a 429 without Retry-After', {}, 1500],
  ])('delays all requests after %s', async (_, headers, retryBaseMs) => {
    const server = await startServer(failFirst(status(429, headers)));
    const { get } = testClient({ concurrency: 1, retryBaseMs });
    await Promise.all([
      get(`${server.url}/1`, accept),
      get(`${server.url}/2`, accept),
    ]);
    const [refusedAt = 0, ...times] = server.requests.map(({ time }) => time);
    expect(times).toHaveLength(2);
    // A timer may fire slightly too early.
    expect(Math.min(...times)).toBeGreaterThanOrEqual(refusedAt + 700);
  });
});

describe('a redirect', () => {
  const redirect = (location: string) => status(301, { location });

  it.each([
    ['/a', '/a/'],
    ['/a/', '/a'],
    ['/a/?b=c', '/a?b=c'],
  ])('follows a redirect from %s to %s only once', async (from, to) => {
    const server = await startServer((response, { url }, at) => {
      if (at === 2) ok(response);
      else redirect(url === from ? to : from)(response);
    });
    const { get } = testClient();
    expect(await get(server.url + from, accept)).toEqual({ ok: true });
    // Now both URLs redirect to each other.
    await catchError(get(server.url + from, accept));
    expect(server.requests.map(({ path }) => path)).toEqual([from, to, from, to]);
  });

  it.each(['/there', 'http://127.0.0.2/a/', 'http://['])(
    'rejects a redirect to %s',
    async (location) => {
      const server = await startServer(redirect(location));
      const error = await catchError(testClient().get(`${server.url}/a`, accept));
      expect(error.message).toBe(
        `GET ${server.url}/a: got 301, a redirect to "${location}", expected 200`,
      );
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('a response', () => {
  const noise = randomBytes(1000);

  it.each<[what: string, content: Buffer, headers: Record<string, string>]>([
    ['as sent', noise, {}],
    ['larger when compressed', gzipSync(noise), { 'content-encoding': 'gzip' }],
  ])('limits the size of a response: %s', async (_, content, headers) => {
    const server = await startServer(body(content, headers));
    const { get } = testClient();
    expect(await get(server.url, acceptBytes, { maxBytes: 1000 })).toEqual(noise);
    const error = await catchError(get(server.url, acceptBytes, { maxBytes: 999 }));
    expect(error.message).toContain('got more than 999 bytes');
  });

  it.each([
    { limit: 'headers', respond: () => {}, problem: 'Headers Timeout Error' },
    {
      limit: 'body',
      respond: (response: Parameters<typeof ok>[0]) => response.write('{'),
      problem: 'Body Timeout Error',
    },
    {
      limit: 'total',
      respond: (response: Parameters<typeof ok>[0]) => response.write('{'),
      problem: 'no complete response within 0.1 s',
    },
  ])(
    'fails if a response exceeds the $limit time limit',
    async ({ limit, respond, problem }) => {
      const server = await startServer(respond);
      const { get } = testClient({ timeouts: { [limit]: 100 } });
      const error = await catchError(get(server.url, accept, { maxAttempts: 1 }));
      expect(error.message).toContain(problem);
      expect(findFailure(error)?.hasResponse).toBe(false);
    },
  );
});

it('sends the version of gamedata and the accepted encodings', async () => {
  const server = await startServer(ok);
  await testClient().get(server.url, accept);
  const headers = server.requests[0]?.headers;
  expect(headers?.['user-agent']?.startsWith(`gamedata/${VERSION} (`)).toBe(true);
  expect(headers).toMatchObject({
    'accept-encoding': 'gzip, br',
    accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
  });
});

describe('connections', () => {
  /** Sends 20 requests with a concurrency of 3, and records each `net.connect`. */
  async function sendTwenty(target: 'the upstream' | 'a proxy') {
    const server = await startServer((response) => {
      setTimeout(() => response.end('{}'), 2);
    });
    const connected = vi.spyOn(net, 'connect');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      connected.mockRestore();
    });
    let { url } = server;
    if (target === 'a proxy') {
      vi.stubEnv('HTTP_PROXY', server.url);
      url = 'http://upstream.test';
    }
    const { get } = testClient({ concurrency: 3 });
    const requests: Promise<unknown>[] = [];
    for (let id = 1; id <= 20; id += 1) requests.push(get(`${url}/${id}`, accept));
    await Promise.all(requests);
    const connectOptions = connected.mock.calls.map(([options]) => options);
    return { server, connectOptions };
  }

  it.each(['the upstream', 'a proxy'] as const)(
    'reuses connections to %s, opens no more than the concurrency allows, and tries each address for a second',
    async (target) => {
      const { server, connectOptions } = await sendTwenty(target);
      expect(server.requests).toHaveLength(20);
      expect(server.seen).toEqual({ connections: 3, busiest: 3 });
      const options = { autoSelectFamilyAttemptTimeout: 1000 };
      const expected = expect.objectContaining(options);
      expect(connectOptions).toEqual([expected, expected, expected]);
    },
  );

  it('aborts all requests and pauses when the client is closed', async () => {
    const refuse = status(503, { 'retry-after': '800' });
    const server = await startServer((response, _, at) => {
      // Never responds to the second request.
      if (at === 1) refuse(response);
    });
    const { get, close } = testClient();
    const first = get(`${server.url}/1`, accept);
    const second = get(`${server.url}/2`, accept);
    const pending = Promise.allSettled([first, second]);
    await expect.poll(() => server.requests.length).toBe(2);
    await close();
    const [firstOutcome, secondOutcome] = await pending;
    expect(firstOutcome.status).toBe('rejected');
    expect(secondOutcome.status).toBe('rejected');
  });
});
