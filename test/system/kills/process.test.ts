import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { runCli, startCli } from '../../support/run-cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { handMadeUpstream, tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

const snapshotArgs = (...rest: string[]) => ['build', '--source', 'snapshot', ...rest];

describe('a build as a process', () => {
  const restArgs = (url: string) => [
    'build',
    '--source',
    'rest',
    '--upstream',
    url,
    '--concurrency',
    '4',
    '--max-shrink',
    '100',
  ];
  const started = async (log: readonly unknown[], requests: number) => {
    while (log.length < requests) await setTimeout(5);
  };

  it('keeps a second one out of its folder', async () => {
    const cwd = temporaryFolder();
    const server = await serveUpstream(handMadeUpstream(), { latency: 30 });
    const first = startCli(restArgs(server.url), { cwd });
    await started(server.log, 3);
    const second = await runCli(snapshotArgs('--json'), { cwd });
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stdout).error.message).toBe(
      `build: locked by another build (process ${first.child.pid})`,
    );
    expect(await first.finished).toMatchObject({ code: 0 });
    expect(verifyFolder(path.join(cwd, 'build'))).toMatchObject({
      counts: { move: 119, item: 211 },
      problems: [],
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'stops at %s with exit code %i: old site untouched, nothing left over, cache kept',
    async (signal, exit) => {
      const cwd = temporaryFolder();
      await runCli(snapshotArgs('--quiet'), { cwd });
      const before = fingerprint(path.join(cwd, 'build'));
      const server = await serveUpstream(handMadeUpstream(), { latency: 30, maxAge: 3600 });
      const { child, finished } = startCli([...restArgs(server.url), '--json'], {
        cwd,
      });
      await started(server.log, 60);
      child.kill(signal);
      const { code, stdout, stderr } = await finished;
      expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
      expect(stderr).toContain(`stopped by ${signal}\n`);
      expect(stderr).not.toContain('error');
      expect(fingerprint(path.join(cwd, 'build'))).toEqual(before);
      expect(readdirSync(cwd).sort()).toEqual(['.cache', 'build']);

      const resumed = await runCli([...restArgs(server.url), '--json'], { cwd });
      expect(resumed.code).toBe(0);
      expect(JSON.parse(resumed.stdout).requests.cacheHits).toBeGreaterThanOrEqual(40);
    },
  );

  it('writes plain lines, without colours or a live line, if stderr is no terminal', async () => {
    const cwd = temporaryFolder();
    const server = await serveUpstream(upstreamOf(tinyUpstream()));
    const { stderr } = await runCli(restArgs(server.url), { cwd });
    expect(stderr).toMatch(/^5 of 5 read · .*\n/);
    for (const control of ['\u001b', '\r']) expect(stderr).not.toContain(control);
    expect(existsSync(path.join(cwd, '.cache'))).toBe(true);
  });

  it('falls back to the bundled data if the upstream cannot be reached, and says so even if quiet', async () => {
    const cwd = temporaryFolder();
    const server = await serveUpstream(handMadeUpstream());
    await server.close();
    const { code, stdout, stderr } = await runCli(
      ['build', '--upstream', server.url, '--quiet', '--json', '--no-cache'],
      { cwd },
    );
    expect(code).toBe(0);
    const fallback = `${server.url} could not be reached: built from bundled data of 2017-12-08, generations 1 to 7; the live upstream has more`;
    expect(JSON.parse(stdout)).toMatchObject({ source: 'snapshot', fallback });
    expect(stderr.split('\n')[0]).toBe(`WARNING: ${fallback}`);
  });
});
