import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { UpstreamError } from '../../src/errors.ts';
import { BUNDLED_DATA } from '../../src/package.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { stateNumber } from '../support/editions.ts';
import { deserted, startServer } from '../support/local-server.ts';
import { listen } from '../support/loopback.ts';
import { loadFrom } from '../support/reading.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { body, reset, silent, stalled, status } from '../support/test-client.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import type { Fault } from '../support/upstream-server.ts';

/** What the bundled data is, and lacks. */
const AGE = ': built from bundled data of 2017-12-08, generations 1 to 7; the live upstream has more';

const loadAuto = (upstream: string, options: Partial<SourceContext> = {}) =>
  loadFrom('auto', upstream, { retries: 2, dataFolder: BUNDLED_DATA, ...options });

describe('auto, if the upstream cannot be reached', () => {
  it.each([
    { failure: 'nobody listens', upstream: deserted },
    { failure: 'its name does not resolve', upstream: async () => 'http://nothing.invalid' },
    { failure: 'nothing comes back in time', upstream: async () => (await startServer(silent)).url },
  ])('reads the bundled data: $failure', async ({ upstream }) => {
    const address = await upstream();
    const result = await loadAuto(address, { timeouts: { headers: 100 } });
    expect(result).toMatchObject({ source: 'snapshot', fallback: `${address} could not be reached${AGE}` });
    expect(result.cause).toBeInstanceOf(UpstreamError);
    expect(result.dataSet.records.move).toHaveLength(746);
  });

  it.each([
    { origin: 'https://upstream.test', refusal: 403, told: 'the proxy refused to connect, with status 403' },
    { origin: 'https://upstream.test', refusal: 407, told: 'the proxy refused to connect, with status 407' },
    { origin: 'https://upstream.test', refusal: 502, told: 'the proxy refused to connect, with status 502' },
    { origin: 'http://upstream.test', refusal: 407, told: 'the proxy refused to connect, with status 407' },
    { origin: 'http://upstream.test', refusal: 502, told: 'got 502, expected 200' },
  ])(
    'reads the bundled data: the proxy refuses $origin, with $refusal',
    async ({ origin, refusal, told }) => {
      const proxy = createServer((_, response) => status(refusal)(response)).on('connect', (_, socket) =>
        socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`),
      );
      const { url, stop } = await listen(proxy);
      onTestFinished(stop);
      vi.stubEnv('HTTP_PROXY', url);
      onTestFinished(() => void vi.unstubAllEnvs());
      const result = await loadAuto(origin);
      expect(result.fallback).toBe(`${origin} could not be reached${AGE}`);
      expect(result.cause?.message).toContain(`: through the proxy ${url}: ${told}`);
    },
  );

  it.each([502, 503, 504, 520, 523, 527, 530])(
    'reads the bundled data: a gateway says so, with %i, whether there is a cache or not',
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

  it('asks only once more', async () => {
    const server = await startServer(silent);
    await loadAuto(server.url, { retries: 9, timeouts: { headers: 100 } });
    expect(server.requests).toHaveLength(2);
  });

  it('says so to its caller, in the report and in the site', async () => {
    const upstream = `${await deserted()}/api/v2`;
    const out = path.join(temporaryFolder(), 'site');
    const told: unknown[] = [];

    const report = await build({
      ...{ source: 'auto', upstream, baseUrl: 'https://example.test', out, cache: false, retries: 0 },
      onFallback: (message, cause) => told.push(message, cause?.message),
    });

    const fallback = `${upstream} could not be reached${AGE}`;
    expect(told).toEqual([
      fallback,
      expect.stringContaining(`GET ${upstream}/move/?limit=100000&offset=0: `),
    ]);
    const counts = { move: 746, item: 954 };
    expect(report).toMatchObject({ source: 'snapshot', fallback, requests: null, counts });
    const meta: unknown = JSON.parse(readFileSync(path.join(out, 'meta.json'), 'utf8'));
    expect(meta).toMatchObject({ fallback, upstream: 'npm package pokedex@1.1.0, data/csv', counts });
  });
});

describe('auto, if the upstream is there', () => {
  it('reads it and says nothing', async () => {
    const server = await serveUpstream(upstreamOf(tinyUpstream()));
    const result = await loadAuto(server.url);
    expect(result).toMatchObject({ source: 'rest', dataSet: { provenance: { upstream: server.url } } });
    expect(result.fallback).toBeUndefined();
  });

  it.each([
    ...[429, 500, 501, 507, 529].map((code) => ({
      ...{ answer: `an error of its own, ${code}`, fault: status(code), problem: `got ${code}` },
    })),
    { answer: 'that there is nothing', fault: status(404), problem: 'got 404' },
    { answer: 'HTML', fault: body('<html>'), problem: 'got "<html>"' },
    { answer: 'a redirect', fault: status(302, { location: '/login' }), problem: 'a redirect to "/login"' },
    { answer: 'another list', fault: body('{"results":[]}'), problem: 'move › list › count: got nothing' },
    { answer: 'a reset', fault: reset, problem: 'ECONNRESET' },
    { answer: 'half a body', fault: stalled, problem: 'Body Timeout' },
  ])('fails for a wrong answer: $answer', async ({ fault, problem }) => {
    const server = await startServer(fault);
    await expect(loadAuto(server.url, { retries: 0, timeouts: { body: 100 } })).rejects.toThrow(problem);
  });

  it('fails if only a record is behind a broken gateway', async () => {
    const fault: Fault = ({ url }, response) =>
      Boolean(url?.endsWith('/move/2/') && response.writeHead(522).end());
    const server = await serveUpstream(upstreamOf(tinyUpstream()), { fault });
    await expect(loadAuto(server.url)).rejects.toThrow('/move/2/: got 522, expected 200 (3 attempts)');
  });

  it.each([2, 4])('fails if it vanishes before request %i', async (from) => {
    const vanish: Fault = (request, _, at) => {
      if (at === from) void server.close();
      if (at >= from) request.socket.destroy();
      return at >= from;
    };
    const server = await serveUpstream(upstreamOf(tinyUpstream()), { fault: vanish });
    await expect(loadAuto(server.url, { concurrency: 1 })).rejects.toThrow('ECONNREFUSED');
  });
});
