import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startServe } from '../support/engines/serve.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { rawRecords } from '../support/sites.ts';
import { sharedSite, smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const FULL = '/dev/full';
const { site, described } = sharedSite();

it('serve keeps running if the program that reads its log exits', async () => {
  const { url, child, stop } = await startServe(site, ['--access-log']);
  onTestFinished(stop);
  child.stdout.destroy();
  for (let at = 0; at < 5; at++) {
    expect((await fetch(`${url}/meta.json`)).status).toBe(200);
  }
  expect(child.exitCode).toBeNull();
});

it('diff exits without a stack trace if the program that reads its output exits, and waits if that program is slow', async () => {
  const { upstream } = await smallSource(rawRecords(3000, 3000));
  const args = ['diff', described.upstream, upstream, '--format', 'json'];
  const exited = startCli(args);
  exited.child.stdout?.destroy();
  expect(await exited.finished).toMatchObject({ code: 0, stderr: '' });

  const slow = startCli(args);
  slow.child.stdout?.pause();
  await sleep(1000);
  slow.child.stdout?.resume();
  const { code, stdout } = await slow.finished;
  expect(code).toBe(0);
  // The output must be larger than a pipe's buffer.
  expect(stdout.length).toBeGreaterThan(200_000);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

it.runIf(existsSync(FULL))(
  'build fails if its result cannot be written, but not if only its log cannot be written',
  async () => {
    const out = path.join(temporaryFolder(), 'site');
    const args = [
      'build',
      '--source',
      'snapshot',
      '--upstream',
      described.upstream,
      '--json',
      '--out',
      out,
    ];
    const unlogged = await runCli(args, { redirect: `2> ${FULL}` });
    expect(unlogged).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"changed":true'),
    });
    for (const command of [args, ['build', '--help']]) {
      const { code, stderr } = await runCli(command, { redirect: `1> ${FULL}` });
      expect(code, command[0]).toBe(1);
      expect(stderr).toMatch(/error: the output cannot be written \(ENOSPC\)\n$/);
    }
    expect(existsSync(path.join(out, 'meta.json'))).toBe(true);
  },
);
