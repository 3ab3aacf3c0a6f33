import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { UpstreamError } from '../../src/errors.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { stateNumber } from '../support/editions.ts';
import { body, deserted, reset, silent, stalled, startServer, status } from '../support/local-server.ts';
import { listen } from '../support/loopback.ts';
import { loadFrom } from '../support/reading.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import type { Fault } from '../support/upstream-server.ts';

const AGE = ': built from bundled data from 2017-12-08, generations 1 to 7; the live upstream has more';

const loadAuto = (upstream: string, options: Partial<SourceContext> = {}) =>
  loadFrom('auto', upstream, { retries: 2, dataFolder: BUNDLED_DATA, ...options });

describe('auto reads the bundled data', () => {
  it.each([
    ['nothing listens', deserted],
    ['the name does not resolve', async () => 'http://nothing.invalid'],
    ['nothing responds in time', async () => (await startServer(silent)).url],
  ])('if %s', async (_, start) => {
    const upstream = await start();
    const result = await loadAuto(upstream, { timeouts: { headers: 100 } });
    expect(result).toMatchObject({ source: 'snapshot', fallback: `${upstream} could not be reached${AGE}` });
    expect(result.cause).toBeInstanceOf(UpstreamError);
    expect(result.dataSet.records.move).toHaveLength(746);
  });

  it.each([
    ...[403, 407, 502].map((code) => ['https', code, `the proxy refused to connect (status ${code})`]),
    ['http', 407, 'the proxy refused to connect (status 407)'],
    ['http', 502, 'got 502, expected 200'],
  ] as [string, number, string][])('if the proxy for %s responds with %i', async (scheme, code, problem) => {
    const proxy = createServer((_, response) => status(code)(response)).on('connect', (_, socket) =>
      socket.end(`HTTP/1.1 ${code} No\r\n\r\n`),
    );
    const { url, stop } = await listen(proxy);
    onTestFinished(stop);
    vi.stubEnv('HTTP_PROXY', url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const result = await loadAuto(`${scheme}://upstream.test`);
    expect(result.fallback).toBe(`${scheme}://upstream.test could not be reached${AGE}`);
    expect(result.cause?.message).toContain(`: through the proxy ${url}: ${problem}`);
  });

  it.each([502, 503, 504, 520, 523, 527, 530])(
    'if a gateway responds with %i, regardless of the cache',
    async (code) => {
      let isBroken = false;
      const fault: Fault = (_, response) => isBroken && Boolean(response.writeHead(code).end());
      const data = upstreamOf(tinyUpstream());
      const server = await serveUpstream(data, { fault, stateOf: () => stateNumber(1, data) });
      const cacheFolder = temporaryFolder();
      await loadAuto(server.url, { cacheFolder });
      isBroken = true;
      for (const options of [{}, { cacheFolder }]) {
        const result = await loadAuto(server.url, options);
        expect(result.fallback).toBe(`${server.url} could not be reached${AGE}`);
        expect(result.cause?.message).toContain(`got ${code}, expected 200 (2 attempts)`);
      }
    },
  );

  it('after one retry, and reports the fallback to the caller, in the report and in meta.json', async () => {
    const server = await startServer(silent);
    await loadAuto(server.url, { retries: 9, timeouts: { headers: 100 } });
    expect(server.requests).toHaveLength(2);

    const upstream = `${await deserted()}/api/v2`;
    const out = path.join(temporaryFolder(), 'site');
    const onFallback = vi.fn();
    const report = await build({
      ...{ source: 'auto', upstream, baseUrl: 'https://example.test', out, cache: false, retries: 0 },
      onFallback,
    });
    const fallback = `${upstream} could not be reached${AGE}`;
    const message = expect.stringContaining(`GET ${upstream}/move/?limit=100000&offset=0: `);
    expect(onFallback.mock.calls).toEqual([[fallback, expect.objectContaining({ message })]]);
    const counts = { move: 746, item: 954 };
    expect(report).toMatchObject({ source: 'snapshot', fallback, requests: null, counts });
    const meta: unknown = JSON.parse(readFileSync(path.join(out, 'meta.json'), 'utf8'));
    expect(meta).toMatchObject({ fallback, upstream: 'npm package pokedex@1.1.0, data/csv', counts });
  });
});

describe('auto reads the upstream', () => {
  it('without printing a notice', async () => {
    const { url } = await serveUpstream(upstreamOf(tinyUpstream()));
    const result = await loadAuto(url);
    expect(result).toMatchObject({ source: 'rest', dataSet: { provenance: { upstream: url } } });
    expect(result.fallback).toBeUndefined();
  });

  it.each([
    ...[404, 429, 500, 501, 507, 529].map((code) => ({ fault: status(code), problem: `got ${code}` })),
    { fault: body('<html>'), problem: 'got "<html>"' },
    { fault: status(302, { location: '/login' }), problem: 'a redirect to "/login"' },
    { fault: body('{"results":[]}'), problem: 'move › list › count: got nothing' },
    { fault: reset, problem: 'ECONNRESET' },
    { fault: stalled, problem: 'Body Timeout' },
  ])('and fails if a response is invalid: $problem', async ({ fault, problem }) => {
    const { url } = await startServer(fault);
    await expect(loadAuto(url, { retries: 0, timeouts: { body: 100 } })).rejects.toThrow(problem);
  });

  it('and fails if a gateway error affects only one record', async () => {
    const fault: Fault = ({ url }, response) =>
      Boolean(url?.endsWith('/move/2/') && response.writeHead(522).end());
    const server = await serveUpstream(upstreamOf(tinyUpstream()), { fault });
    await expect(loadAuto(server.url)).rejects.toThrow('/move/2/: got 522, expected 200 (3 attempts)');
  });

  it.each([2, 4])('and fails if the upstream disappears before request %i', async (from) => {
    const fault: Fault = (request, _, at) => {
      if (at === from) void server.close();
      if (at >= from) request.socket.destroy();
      return at >= from;
    };
    const server = await serveUpstream(upstreamOf(tinyUpstream()), { fault });
    await expect(loadAuto(server.url, { concurrency: 1 })).rejects.toThrow('ECONNREFUSED');
  });
});
