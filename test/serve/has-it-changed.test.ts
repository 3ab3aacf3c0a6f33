import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { metaSchema } from '../../src/contract/meta.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

describe('a client that asks whether anything has changed', () => {
  it('needs one small conditional request', async () => {
    const answers = tinyUpstream();
    const upstream = await serveUpstream(upstreamOf(answers));
    const out = path.join(temporaryFolder(), 'site');
    const rebuild = () =>
      build({
        source: 'rest',
        upstream: upstream.url,
        cache: false,
        out,
        maxShrink: 100,
        baseUrl: 'https://example.test',
      });
    await rebuild();
    const server = await serve({ dir: out, port: 0 });
    onTestFinished(() => server.close());
    const ask = (etag = '') => fetch(`${server.url}/meta.json`, { headers: { 'If-None-Match': etag } });

    const first = await ask();
    const known = first.headers.get('ETag') ?? '';
    const { digest } = metaSchema.parse(await first.json());
    expect(Number(first.headers.get('Content-Length'))).toBeLessThan(1000);

    await rebuild();
    const again = await ask(known);
    expect([again.status, await again.text()]).toEqual([304, '']);

    answers.move.pop();
    await build({
      source: 'rest',
      upstream: upstream.url,
      cache: false,
      out,
      maxShrink: 50,
      baseUrl: 'https://example.test',
    });
    await expect.poll(async () => (await ask(known)).status, { timeout: 10_000 }).toBe(200);
    const meta = metaSchema.parse(await (await ask(known)).json());
    expect(meta.digest).not.toBe(digest);
    expect(meta.captured).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('finds the feed under its own type', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await build({ source: 'snapshot', out, baseUrl: 'https://example.test' });
    const server = await serve({ dir: out, port: 0 });
    onTestFinished(() => server.close());
    const feed = await fetch(`${server.url}/changes.atom`);
    expect([feed.status, feed.headers.get('Content-Type')]).toEqual([200, 'application/atom+xml']);
    expect((await fetch(`${server.url}/changes.json`)).headers.get('Content-Type')).toBe('application/json');
  });
});
