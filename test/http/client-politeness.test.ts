import net, { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { createClient } from '../../src/http/client.ts';
import { VERSION } from '../../src/package.ts';
import { deserted, startServer } from '../support/local-server.ts';
import { body, ok, status, testClient } from '../support/test-client.ts';

describe('Retry-After', () => {
  it.each([1, 4])('holds back every request until then, over %i connections', async (concurrency) => {
    const server = await startServer((response, _, at) =>
      at === 1 ? response.writeHead(429, { 'retry-after': '1' }).end() : ok(response),
    );
    const { get, stats } = testClient({ concurrency });
    const first = get(`${server.url}/1`, decodeJson);
    const second = concurrency === 1 ? get(`${server.url}/2`, decodeJson) : undefined;
    await expect.poll(() => stats.retries).toBe(1);
    await Promise.all([first, second, get(`${server.url}/3`, decodeJson)]);
    const [refused = 0, ...others] = server.requests.map(({ time }) => time);
    expect(others).toHaveLength(concurrency === 1 ? 3 : 2);
    // A timer may be a moment early.
    expect(Math.min(...others)).toBeGreaterThanOrEqual(refused + 980);
  });
});

describe('a request whose time is over before it is sent', () => {
  it('is not sent later', async () => {
    const server = await startServer(() => {});
    const { request, close } = createClient({ concurrency: 1, retries: 0, timeouts: { total: 200 } });
    onTestFinished(close);
    const send = (path: string) => request(server.url + path, { maxBytes: 100 });
    const outcomes = await Promise.allSettled([send('/1'), send('/2')]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { message: 'no complete response within 0.2 s' } });
    await sleep(50);
    expect(server.requests.map(({ path }) => path)).toEqual(['/1']);
  });

  it('does not wait for a connection any more', async () => {
    const proxy = createServer(() => {});
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { get } = testClient({ retries: 0, timeouts: { total: 100 } });
    await expect(get('https://upstream.test', decodeJson)).rejects.toThrow(
      'no complete response within 0.1 s',
    );
  });
});

describe('what is sent', () => {
  it('names the project and its version, and asks for compression', async () => {
    const server = await startServer(ok);
    await testClient().get(server.url, decodeJson);
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(new RegExp(`^gamedata/${VERSION.replaceAll('.', '\\.')} \\(`)),
      'accept-encoding': 'gzip, br',
      accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
    });
  });

  const date = 'Wed, 21 Oct 2026 07:28:00 GMT';

  it.each([
    ['if-none-match', 'W/"1"', { etag: 'W/"1"' }],
    ['if-modified-since', date, { lastModified: date }],
  ])('has a validator as %s, so that 304 is a response', async (header, value, revalidation) => {
    const server = await startServer(status(304, { 'cache-control': 'max-age=60', age: '20' }));
    const client = testClient();
    const answer = await client.get(server.url, decodeJson, { revalidation });
    expect(client.stats).toEqual({ requests: 1, bodies: 0, notModified: 1, retries: 0, bytes: 0 });
    expect(answer).toEqual({ status: 304, revalidation, freshForMs: 40_000, edition: null });
    expect(server.requests[0]?.headers[header]).toBe(value);
  });

  it('is conditional the next time: the response’s ETag and date are returned', async () => {
    const server = await startServer(body('{}', { etag: 'W/"1"', 'last-modified': date }));
    const client = testClient();
    expect(await client.get(server.url, decodeJson)).toMatchObject({
      revalidation: { etag: 'W/"1"', lastModified: date },
    });
    expect(client.stats).toEqual({ requests: 1, bodies: 1, notModified: 0, retries: 0, bytes: 2 });
  });

  it('has what counts of a repeated header: the first', async () => {
    const server = await startServer((response) =>
      response
        .writeHead(200, ['ETag', '"1"', 'ETag', '"2"', 'Age', '10', 'Cache-Control', 'max-age=60'])
        .end('{}'),
    );
    expect(await testClient().get(server.url, decodeJson)).toMatchObject({
      revalidation: { etag: '"1"' },
      freshForMs: 50_000,
    });
  });

  it.each([
    { control: 'public, max-age=60', age: '', freshForMs: 60_000 },
    { control: 'max-age=60', age: '50', freshForMs: 10_000 },
    { control: 'max-age=60', age: '90', freshForMs: 0 },
    { control: 'max-age=315360000', age: '', freshForMs: 86_400_000 },
    { control: 'max-age=315360000', age: '400', freshForMs: 86_000_000 },
    { control: 'no-cache, max-age=60', age: '', freshForMs: 0 },
    { control: 'no-store', age: '', freshForMs: 0 },
    { control: '', age: '', freshForMs: 0 },
  ])('is not sent again for $freshForMs ms after "$control" with age "$age"', async (row) => {
    const server = await startServer(body('{}', { 'cache-control': row.control, age: row.age }));
    expect(await testClient().get(server.url, decodeJson)).toMatchObject({ freshForMs: row.freshForMs });
  });
});

describe('connections', () => {
  it('are kept alive, and never more than the concurrency', async () => {
    const server = await startServer((response) => setTimeout(() => response.end('{}'), 2));
    const { get } = testClient({ concurrency: 3 });
    await Promise.all(Array.from({ length: 60 }, (_, at) => get(`${server.url}/${at}`, decodeJson)));
    expect(server.requests).toHaveLength(60);
    expect(server.seen).toEqual({ connections: 3, busiest: 3 });
  });

  it('have their next request before the response is decoded', async () => {
    const server = await startServer(ok);
    const { get, stats } = testClient({ concurrency: 1 });
    const sent: number[] = [];
    const decode = (): void => void sent.push(stats.requests);
    await Promise.all([1, 2, 3].map((id) => get(`${server.url}/${id}`, decode)));
    expect(sent).toEqual([2, 3, 3]);
    expect(server.seen.busiest).toBe(1);
  });

  it.each(['directly', 'to a proxy'])('give each of several addresses a second, %s', async (way) => {
    const server = await startServer(ok);
    if (way === 'to a proxy') vi.stubEnv('HTTP_PROXY', server.url);
    const connected = vi.spyOn(net, 'connect');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      connected.mockRestore();
    });
    await testClient().get(server.url, decodeJson);
    expect(connected.mock.calls).toEqual([
      [expect.objectContaining({ autoSelectFamilyAttemptTimeout: 1000 })],
    ]);
  });

  it('end at once when the client closes, and so do waits', async () => {
    const server = await startServer((response, _, at) => at === 1 && response.writeHead(503).end());
    const { get, close, stats } = testClient({ retryBaseMs: 60_000 });
    const pending = Promise.allSettled([1, 2].map((id) => get(`${server.url}/${id}`, decodeJson)));
    await expect.poll(() => [server.requests.length, stats.retries]).toEqual([2, 1]);
    const closed = Date.now();
    await close();
    expect((await pending).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(Date.now() - closed).toBeLessThan(5000);
  });
});

describe('requests that wait for a retry', () => {
  it('are counted, with the time until the first is sent again, and cause no warning of Node', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => void warned.mockRestore());
    const url = await deserted();
    const client = testClient({ concurrency: 40, retries: 1, retryBaseMs: 20_000 });
    const failed = Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => client.get(`${url}/${at}`, decodeJson)),
    );
    await expect.poll(() => client.getRetryStatus().requests, { interval: 5 }).toBe(40);
    const { nextInMs } = client.getRetryStatus();
    expect(nextInMs).toBeGreaterThan(0);
    expect(nextInMs).toBeLessThanOrEqual(20_000);
    await client.close();
    await failed;
    expect(client.getRetryStatus()).toEqual({ requests: 0, nextInMs: 0 });
    expect(warned).not.toHaveBeenCalled();
  });
});
