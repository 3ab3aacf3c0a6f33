import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fingerprint } from '../support/fingerprint.ts';
import { startServer } from '../support/local-server.ts';
import { callCli, startCli } from '../support/run-cli.ts';
import { sharedSite } from '../support/small-data.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const { copied } = sharedSite();

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'build stops on %s with exit code %i, and keeps the old site and the cache',
  async (signal, exit) => {
    const site = copied();
    const cwd = path.dirname(site);
    const before = fingerprint(site);
    const server = await serveUpstream(upstreamOf(tinyUpstream(100, 100)), {
      latency: 30,
      maxAge: 3600,
    });
    const args = ['build', '--json', '--source', 'rest', '--upstream', server.url];
    args.push('--concurrency', '4', '--max-shrink', '100', '--out', 'site');
    const { child, finished } = startCli(args, { cwd });
    await expect.poll(() => server.log.length).toBeGreaterThan(60);
    child.kill(signal);
    const { code, stdout, stderr } = await finished;
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toContain(`stopped by ${signal}\n`);
    expect(stderr).not.toContain('error');
    expect(fingerprint(site)).toEqual(before);
    expect(readdirSync(cwd).sort()).toEqual(['.cache', 'site']);

    const resumed = await callCli(args, { cwd });
    expect(resumed.code).toBe(0);
    expect(
      JSON.parse(resumed.stdout).data.requests.cacheHits,
    ).toBeGreaterThanOrEqual(40);
  },
);

it('stops verify on SIGTERM with exit code 143', async () => {
  const { url, requests } = await startServer(() => {});
  const { child, finished } = startCli(['verify', url]);
  await expect.poll(() => requests.length).toBe(1);
  child.kill('SIGTERM');
  expect(await finished).toMatchObject({ code: 143 });
});
