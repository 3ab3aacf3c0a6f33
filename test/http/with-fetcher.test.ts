import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { type FetcherOptions, withFetcher } from '../../src/http/fetcher.ts';
import { startServer } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { body } from '../support/test-client.ts';

const codec = { decode: decodeJson, revive: (cached: unknown) => cached };

/** A server whose responses are fresh for an hour, and runs of a fetcher for it. */
async function scene(overrides: Partial<FetcherOptions> = {}) {
  const server = await startServer(body('1', { 'cache-control': 'max-age=3600' }));
  const cacheFolder = temporaryFolder();
  const options = { concurrency: 1, retries: 0, cacheFolder, ...overrides };
  const run = (paths: string[], { version = '1', fails = false } = {}) =>
    withFetcher(options, { upstream: `${server.url}/http://x`, version }, async (fetcher) => {
      for (const path of paths) await fetcher.load(`${server.url}${path}`, codec);
      if (fails) throw new RangeError('too bad');
      return fetcher.stats;
    });
  return { server, cacheFolder, run };
}

describe('work with a fetcher', () => {
  it('has a cache of its own upstream, in a file named after it', async () => {
    const { server, cacheFolder, run } = await scene();
    expect(await run(['/1', '/2'])).toMatchObject({ requests: 2, cacheHits: 0 });
    expect(await run(['/1', '/2'])).toMatchObject({ requests: 2, cacheHits: 0 });
    await expect(run(['/3'], { fails: true })).rejects.toThrow('too bad');
    expect(await run(['/1', '/2', '/3'])).toMatchObject({ requests: 2, cacheHits: 1 });
    expect(server.requests).toHaveLength(2 + 2 + 1 + 2);
    expect(readdirSync(cacheFolder)).toEqual([`127.0.0.1-${server.port}-http-x.ndjson`]);
  });

  it('does not use values of another version', async () => {
    const { run } = await scene();
    await run(['/1']);
    expect(await run(['/1'], { version: '2' })).toMatchObject({ requests: 1 });
  });

  it('keeps what was fetched if it fails, and only what was used if it does not', async () => {
    const { run } = await scene();
    await expect(run(['/1', '/2'], { fails: true })).rejects.toThrow('too bad');
    expect(await run(['/1'])).toMatchObject({ requests: 0, cacheHits: 1 });
    await expect(run(['/3'], { fails: true })).rejects.toThrow('too bad');
    expect(await run(['/1', '/2', '/3'])).toMatchObject({ requests: 2, cacheHits: 1 });
  });

  it('needs no folder', async () => {
    const { run } = await scene({ cacheFolder: undefined });
    expect(await run(['/1'])).toMatchObject({ requests: 1 });
    expect(await run(['/1'])).toMatchObject({ requests: 1 });
  });

  it('makes nothing if it is aborted already', async () => {
    const { cacheFolder, run } = await scene({ signal: AbortSignal.abort(new RangeError('stop')) });
    await expect(run(['/1'])).rejects.toThrow('stop');
    expect(readdirSync(cacheFolder)).toEqual([]);
  });
});
