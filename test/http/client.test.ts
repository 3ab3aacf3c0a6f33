import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DataError, UpstreamError } from '../../src/errors.ts';
import { decodeJson } from '../../src/http/body.ts';
import type { Revalidation } from '../../src/http/client.ts';
import { VERSION } from '../../src/package.ts';
import {
  body,
  deserted,
  ok,
  type Responder,
  startServer,
  status,
  testClient,
  truncated,
} from '../support/local-server.ts';

/** Returns the error from a request that must fail. */
async function catchError(request: Promise<unknown>): Promise<UpstreamError> {
  const [outcome] = await Promise.allSettled([request]);
  if (outcome.status === 'fulfilled') throw new Error('the request did not fail');
  expect(outcome.reason).toBeInstanceOf(UpstreamError);
  return outcome.reason;
}

/**
 * Responds to the first request with the given response, and to all others with a
 * 200.
 */
function failOnce(respond: typeof ok): Responder {
  return (response, _, at) => {
    if (at === 1) respond(response);
    else ok(response);
  };
}

describe('get', () => {
  // The table of faults in test/support/faults.ts covers every kind of failure.
  it('reports the reason, the request and the number of attempts if every attempt fails', async () => {
    const server = await startServer(body('<html>'));
    const url = `${server.url}/move/1/`;
    const request = testClient().get(url, decodeJson, { hint: 'Do this.' });
    expect(await catchError(request)).toMatchObject({
      message: `GET ${url}: got "<html>" in line 1, column 1, expected JSON (3 attempts)`,
      hint: 'Do this.',
      request: { method: 'GET', url, attempts: 3, unreachable: false },
      cause: expect.any(SyntaxError),
    });
  });

  it('uses a new cache-busting URL for each retry after an invalid body', async () => {
    const server = await startServer(body('<html>'));
    await catchError(testClient().get(`${server.url}/move/1/`, decodeJson));
    const paths = server.requests.map(({ path }) => path);
    const bypass = expect.stringMatching(/^\/move\/1\/\?edition=\d+$/);
    expect(paths).toEqual(['/move/1/', bypass, bypass]);
    expect(new Set(paths).size).toBe(3);
  });

  /**
   * Lets the first request fail. Returns the path and the ETag of that request and
   * of its retry.
   */
  async function retryAfter(respond: typeof ok) {
    const server = await startServer(failOnce(respond));
    const options = { revalidation: { etag: '"1"' }, retriesMissing: true };
    await testClient().get(`${server.url}/a?b=c`, decodeJson, options);
    const requests: [path: string, etag: string | undefined][] = [];
    for (const { path, headers } of server.requests) {
      requests.push([path, headers['if-none-match']]);
    }
    return requests;
  }

  it.each<[failure: string, respond: typeof ok]>([
    ['an invalid body', body('OK')],
    ['an unknown encoding', body('{}', { 'content-encoding': 'zstd' })],
    ['202', status(202)],
    ['204', status(204)],
    ['403', status(403)],
    ['404', status(404)],
    ['410', status(410)],
  ])('bypasses caches in the retry after %s', async (_, respond) => {
    const requests = await retryAfter(respond);
    const newPath = expect.stringMatching(/^\/a\?b=c&edition=\d+$/);
    expect(requests).toEqual([
      ['/a?b=c', '"1"'],
      [newPath, undefined],
    ]);
  });

  it.each([429, 500, 503])(
    'sends the same request again after the status %i',
    async (code) => {
      const requests = await retryAfter(status(code));
      expect(requests).toEqual([
        ['/a?b=c', '"1"'],
        ['/a?b=c', '"1"'],
      ]);
    },
  );

  it('retries once after a 404 even if no retries are allowed', async () => {
    const server = await startServer(status(404));
    const { get } = testClient({ retries: 0 });
    const options = { retriesMissing: true, hint: 'Do this.' };
    const error = await catchError(get(server.url, decodeJson, options));
    const message = `GET ${server.url}: got 404, expected 200 (2 attempts)`;
    expect(error).toMatchObject({ message, hint: 'Do this.' });
    expect(server.requests).toHaveLength(2);
  });

  it('does not retry after a 404 if the file may be missing', async () => {
    const server = await startServer(status(404));
    const { get } = testClient();
    await catchError(get(server.url, decodeJson));
    expect(server.requests).toHaveLength(1);
  });

  const throttled = 'Try again with --concurrency 1 --retries 20.';
  it.each<[codes: number[], hint: string | undefined]>([
    [[429], throttled],
    [[503], undefined],
    [[200, 503], throttled],
    [[500], 'Do this.'],
  ])('fails after the statuses %j with the hint %j', async (codes, hint) => {
    const server = await startServer((response, _, at) => {
      const respond = status(codes[at - 1] ?? 0);
      respond(response);
    });
    const { get } = testClient({ retries: 0 });
    // All requests before the last one succeed.
    for (const _ of codes.slice(1)) await get(server.url, decodeJson);
    const lastRequest = get(server.url, decodeJson, { hint: 'Do this.' });
    const error = await catchError(lastRequest);
    expect(error.hint).toBe(hint);
  });

  it.each([
    ['responded', status(500)],
    ['sent half a response', truncated],
  ])(
    'reports another host as unreachable only until the upstream has %s',
    async (_, respond) => {
      const { get } = testClient({ retries: 0 });
      const goneUrl = await deserted();
      const server = await startServer(respond);
      const errorBefore = await catchError(get(goneUrl, decodeJson));
      expect(errorBefore.request.unreachable).toBe(true);
      await catchError(get(server.url, decodeJson));
      const errorAfter = await catchError(get(goneUrl, decodeJson));
      expect(errorAfter.request.unreachable).toBe(false);
    },
  );

  it('does not retry if the decoder has a bug', async () => {
    const server = await startServer(ok);
    const error = new TypeError('a bug');
    const decode = (): never => {
      throw error;
    };
    await expect(testClient().get(server.url, decode)).rejects.toBe(error);
    expect(server.requests).toHaveLength(1);
  });

  it('bypasses caches to request a rejected body again, even if no retries are allowed', async () => {
    const server = await startServer(ok);
    const error = new DataError('got 1', {});
    const decode = (): never => {
      throw error;
    };
    const request = testClient({ retries: 0 }).get(server.url, decode);
    await expect(request).rejects.toBe(error);
    const paths = server.requests.map(({ path }) => path);
    expect(paths).toEqual(['/', expect.stringMatching(/^\/\?edition=\d+$/)]);
  });

  it('bypasses caches after a 304 that was not requested', async () => {
    const server = await startServer(failOnce(status(304)));
    const { value } = await testClient().get(server.url, decodeJson);
    expect(value).toEqual({ ok: true });
    expect(server.requests[1]?.path).toMatch(/^\/\?edition=\d+$/);
  });

  it('accepts a response with status 203 from a proxy', async () => {
    const server = await startServer((response) => {
      response.writeHead(203);
      response.end('{"ok":true}');
    });
    const { value } = await testClient().get(server.url, decodeJson);
    expect(value).toEqual({ ok: true });
  });

  it('does not send more first retries than retries are allowed', async () => {
    const { get } = testClient({ retries: 0, firstRetries: 1 });
    const error = await catchError(get(await deserted(), decodeJson));
    expect(error.request.attempts).toBe(1);
  });

  it('counts waiting retries without triggering a warning from Node', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => void warned.mockRestore());
    const url = await deserted();
    const client = testClient({ concurrency: 40, retries: 1, retryBaseMs: 20_000 });
    const requests: Promise<unknown>[] = [];
    for (let id = 1; id <= 40; id += 1) {
      requests.push(client.get(`${url}/${id}`, decodeJson));
    }
    const failed = Promise.allSettled(requests);
    const countWaiting = (): number => client.getRetryStatus().requests;
    await expect.poll(countWaiting, { interval: 5 }).toBe(40);
    const { nextInMs } = client.getRetryStatus();
    expect(nextInMs).toBeGreaterThan(0);
    expect(nextInMs).toBeLessThanOrEqual(20_000);
    await client.close();
    await failed;
    expect(client.getRetryStatus()).toEqual({ requests: 0, nextInMs: 0 });
    expect(warned).not.toHaveBeenCalled();
  });
});

describe('pauses', () => {
  /** Sends a date, because whole seconds would make the tests slow. */
  function retryAfter(ms: number) {
    const date = new Date(Date.now() + ms);
    return { 'retry-after': date.toISOString() };
  }

  it.each([
    { cause: 'Retry-After', concurrency: 1, hasHeader: true, retryBaseMs: 1 },
    { cause: 'Retry-After', concurrency: 4, hasHeader: true, retryBaseMs: 1 },
    {
      cause: 'a 429 without Retry-After',
      concurrency: 4,
      hasHeader: false,
      retryBaseMs: 200,
    },
  ])(
    'delays all requests after $cause (concurrency $concurrency)',
    async ({ concurrency, hasHeader, retryBaseMs }) => {
      const refuse = (response: ServerResponse): void => {
        const headers = hasHeader ? retryAfter(100) : {};
        status(429, headers)(response);
      };
      const server = await startServer(failOnce(refuse));
      const { get, stats } = testClient({ concurrency, retryBaseMs });
      const requests = [get(`${server.url}/1`, decodeJson)];
      // With a higher concurrency, the second request would be sent before the pause.
      if (concurrency === 1) requests.push(get(`${server.url}/2`, decodeJson));
      await expect.poll(() => stats.retries, { interval: 1 }).toBe(1);
      requests.push(get(`${server.url}/3`, decodeJson));
      await Promise.all(requests);
      const times = server.requests.map(({ time }) => time);
      const [refusedAt = 0, ...otherTimes] = times;
      expect(otherTimes).toHaveLength(requests.length);
      // A timer may fire slightly too early.
      expect(Math.min(...otherTimes)).toBeGreaterThanOrEqual(refusedAt + 90);
    },
  );

  it.each([
    [50, 150],
    [150, 50],
  ])(
    'waits for the longest pause if responses demand %i and %i ms',
    async (firstDelay, secondDelay) => {
      let first: ServerResponse | undefined;
      const server = await startServer((response, _, at) => {
        if (at > 2) {
          ok(response);
          return;
        }
        if (at === 1) {
          first = response;
          return;
        }
        // Refuses both requests at the same time.
        if (first) status(429, retryAfter(firstDelay))(first);
        status(429, retryAfter(secondDelay))(response);
      });
      const { get } = testClient();
      await Promise.all([get(server.url, decodeJson), get(server.url, decodeJson)]);
      const times = server.requests.map(({ time }) => time);
      expect(times).toHaveLength(4);
      const [, refusedAt = 0, retriedAt = 0] = times;
      expect(retriedAt - refusedAt).toBeGreaterThanOrEqual(140);
    },
  );
});

describe('redirects', () => {
  function redirect(location: string) {
    return status(301, { location });
  }

  it.each([
    ['/a', '/a/'],
    ['/a/', '/a'],
    ['/a/?b=c', '/a?b=c'],
  ])('follows one redirect from %s to %s', async (from, to) => {
    const server = await startServer((response, { url }, at) => {
      if (at === 2) ok(response);
      else if (url === from) redirect(to)(response);
      else redirect(from)(response);
    });
    const { get, stats } = testClient({ retries: 0 });
    const { value } = await get(server.url + from, decodeJson);
    expect(value).toEqual({ ok: true });
    // Now both URLs redirect to each other.
    await catchError(get(server.url + from, decodeJson));
    expect(server.requests.map(({ path }) => path)).toEqual([from, to, from, to]);
    expect(stats.retries).toBe(0);
  });

  it.each([
    '/there',
    '/a/?b=c',
    'http://127.0.0.2/a/',
    '//127.0.0.2/a/',
    'http://[',
  ])('rejects a redirect to %s with a hint', async (location) => {
    const server = await startServer(redirect(location));
    const url = `${server.url}/a`;
    const request = testClient().get(url, decodeJson, { hint: 'Do this.' });
    expect(await catchError(request)).toMatchObject({
      message: `GET ${url}: got 301, a redirect to "${location}", expected 200`,
      hint: 'Use the final URL, because redirects to other URLs are not followed. Do this.',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('follows up to three redirects within the origin if allowed', async () => {
    const server = await startServer((response, { url = '' }) => {
      redirect(`${url}x`)(response);
    });
    const { get } = testClient({ retries: 0 });
    const options = { followsRedirects: true };
    const error = await catchError(get(server.url, decodeJson, options));
    expect(error.message).toContain('got 301, a redirect to "/xxxx"');
    expect(server.requests).toHaveLength(4);
  });
});

describe('a body', () => {
  const noise = randomBytes(1000);

  it.each<[what: string, content: Buffer, headers: Record<string, string>]>([
    ['as sent', noise, {}],
    ['larger when compressed', gzipSync(noise), { 'content-encoding': 'gzip' }],
  ])('limits the size of a body: %s', async (_, content, headers) => {
    const server = await startServer(body(content, headers));
    const { get } = testClient();
    const decode = (received: Buffer): Buffer => received;
    const { value } = await get(server.url, decode, { maxBytes: 1000 });
    expect(value).toEqual(noise);
    const error = await catchError(get(server.url, decode, { maxBytes: 999 }));
    expect(error.message).toContain('got more than 999 bytes');
  });

  it('decodes a body that arrives in many chunks with repeated Content-Encoding headers', async () => {
    const large = randomBytes(300_000);
    const server = await startServer((response) => {
      response.writeHead(200, [
        'Content-Encoding',
        'aws-chunked',
        'Content-Encoding',
        'gzip',
      ]);
      response.end(gzipSync(large));
    });
    const { value } = await testClient().get(server.url, (received) => received);
    expect(large.equals(value)).toBe(true);
  });
});

describe('a request', () => {
  it('sends the version of gamedata and the accepted encodings', async () => {
    const server = await startServer(ok);
    await testClient().get(server.url, decodeJson);
    const headers = server.requests[0]?.headers;
    expect(headers?.['user-agent']?.startsWith(`gamedata/${VERSION} (`)).toBe(true);
    expect(headers).toMatchObject({
      'accept-encoding': 'gzip, br',
      accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
    });
  });

  const date = 'Wed, 21 Oct 2026 07:28:00 GMT';

  it.each([
    ['if-none-match', 'W/"1"', { etag: 'W/"1"' }],
    ['if-modified-since', date, { lastModified: date }],
  ])(
    'sends %s and returns the cached value after a 304',
    async (header, value, revalidation) => {
      const server = await startServer(
        status(304, { 'cache-control': 'max-age=60', age: '20' }),
      );
      const client = testClient();
      const response = await client.get(server.url, decodeJson, {
        revalidation,
        cachedValue: 7,
      });
      expect(client.stats).toMatchObject({
        requests: 1,
        bodies: 0,
        notModified: 1,
        retries: 0,
        bytes: 0,
      });
      expect(response).toEqual({
        status: 304,
        value: 7,
        revalidation,
        freshForMs: 40_000,
        edition: null,
      });
      expect(server.requests[0]?.headers[header]).toBe(value);
    },
  );

  it.each<[what: string, revalidation: Revalidation, sent: object]>([
    [
      'only the ETag if there is a date as well',
      { etag: '"1"', lastModified: date },
      { 'if-none-match': '"1"' },
    ],
    ['no date before 1990', { lastModified: 'Tue, 01 Jan 1980 00:00:01 GMT' }, {}],
    ['no text that is not a date', { lastModified: 'yesterday' }, {}],
  ])('sends %s', async (_, revalidation, sent) => {
    const server = await startServer(ok);
    const options = { revalidation, cachedValue: 7 };
    const { value } = await testClient().get(server.url, decodeJson, options);
    expect(value).toEqual({ ok: true });
    const { headers = {} } = server.requests[0] ?? {};
    const conditions: Record<string, unknown> = {};
    for (const [name, header] of Object.entries(headers)) {
      if (name.startsWith('if-')) conditions[name] = header;
    }
    expect(conditions).toEqual(sent);
  });

  it.each([
    { control: 'public, max-age=60', age: '', freshForMs: 60_000 },
    { control: 'max-age=60', age: '50', freshForMs: 10_000 },
    { control: 'max-age=60', age: '90', freshForMs: 0 },
    { control: 'no-cache, max-age=60', age: '', freshForMs: 0 },
    { control: 'no-store, max-age=60', age: '', freshForMs: 0 },
    { control: '', age: '', freshForMs: 0 },
  ])(
    'returns validators and a freshness lifetime of $freshForMs ms for "$control" with Age "$age"',
    async ({ control, age, freshForMs }) => {
      // The names and values alternate, because this is the only way to repeat a
      // header.
      const headers = ['ETag', 'W/"1"', 'ETag', '"2"', 'Last-Modified', date];
      headers.push('Cache-Control', control, 'Age', age);
      const server = await startServer((response) => {
        response.writeHead(200, headers);
        response.end('{}');
      });
      const client = testClient();
      const response = await client.get(server.url, decodeJson);
      expect(response.revalidation).toEqual({ etag: 'W/"1"', lastModified: date });
      expect(response.freshForMs).toBe(freshForMs);
      expect(client.stats).toMatchObject({
        requests: 1,
        bodies: 1,
        notModified: 0,
        retries: 0,
        bytes: 2,
      });
    },
  );

  it('waits up to ten minutes for a response if data keeps arriving', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startServer((response) => response.write('{'));
    const { get } = testClient({ retries: 0, timeouts: { headers: 0, body: 0 } });
    let problem = '';
    const failed = get(server.url, decodeJson).catch((error: Error) => {
      problem = error.message;
    });
    await expect.poll(() => server.requests.length, { interval: 1 }).toBe(1);
    await vi.advanceTimersByTimeAsync(599_000);
    expect(problem).toBe('');
    await vi.advanceTimersByTimeAsync(1000);
    await failed;
    expect(problem).toContain('no complete response within 600 s');
  });

  it('fails if no connection is established before the timeout', async () => {
    const silent = net.createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { get } = testClient({ retries: 0, timeouts: { total: 100 } });
    const { port } = silent.address() as AddressInfo;
    await expect(get(`https://127.0.0.1:${port}`, decodeJson)).rejects.toThrow(
      'no complete response within 0.1 s',
    );
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
    for (let id = 1; id <= 20; id += 1)
      requests.push(get(`${url}/${id}`, decodeJson));
    await Promise.all(requests);
    const connectOptions = connected.mock.calls.map(([options]) => options);
    return { server, connectOptions };
  }

  it.each(['the upstream', 'a proxy'] as const)(
    'reuses as many connections to %s as the concurrency allows',
    async (target) => {
      const { server } = await sendTwenty(target);
      expect(server.requests).toHaveLength(20);
      expect(server.seen).toEqual({ connections: 3, busiest: 3 });
    },
  );

  it.each(['the upstream', 'a proxy'] as const)(
    'tries each address of %s for one second',
    async (target) => {
      const { connectOptions } = await sendTwenty(target);
      const options = { autoSelectFamilyAttemptTimeout: 1000 };
      const expected = expect.objectContaining(options);
      expect(connectOptions).toEqual([expected, expected, expected]);
    },
  );

  it('sends the next request before it decodes the previous response', async () => {
    const server = await startServer(ok);
    const { get, stats } = testClient({ concurrency: 1 });
    /** The number of sent requests when each response is decoded. */
    const sentRequests: number[] = [];
    const decode = (): unknown => sentRequests.push(stats.requests);
    await Promise.all([
      get(`${server.url}/1`, decode),
      get(`${server.url}/2`, decode),
      get(`${server.url}/3`, decode),
    ]);
    expect(sentRequests).toEqual([2, 3, 3]);
    expect(server.seen.busiest).toBe(1);
  });

  it('aborts all requests and waiting retries when the client is closed', async () => {
    const refuse = status(503, { 'retry-after': '800' });
    const server = await startServer((response, _, at) => {
      // Never responds to the second request.
      if (at === 1) refuse(response);
    });
    const { get, close, stats } = testClient();
    const first = get(`${server.url}/1`, decodeJson);
    const second = get(`${server.url}/2`, decodeJson);
    const pending = Promise.allSettled([first, second]);
    await expect.poll(() => [server.requests.length, stats.retries]).toEqual([2, 1]);
    await close();
    const [firstOutcome, secondOutcome] = await pending;
    expect(firstOutcome.status).toBe('rejected');
    expect(secondOutcome.status).toBe('rejected');
  });
});
