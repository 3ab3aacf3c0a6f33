import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runCli, startCli } from '../support/run-cli.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const FULL = '/dev/full';

it("keeps serving if the log's reader exits", async () => {
  const { upstream } = await smallSource();
  const out = path.join(temporaryFolder(), 'site');
  await runCli(['build', '--source', 'snapshot', '--upstream', upstream, '--out', out]);
  const { child } = startCli(['serve', out, '--port', '0', '--access-log']);
  const url = await new Promise<string>((resolve) => {
    child.stdout?.on('data', (text) => {
      const [found] = /http:\S+(?=\/)/.exec(String(text)) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  child.stdout?.destroy();
  for (let at = 0; at < 5; at++) expect((await fetch(`${url}/meta.json`)).status).toBe(200);
  expect(child.exitCode).toBeNull();
});

it('ends diff without a stack trace if its reader exits', async () => {
  const sources = [await smallSource(), await smallSource(rawRecords(200, 60))];
  const { child, finished } = startCli(['diff', ...sources.map(({ upstream }) => upstream)]);
  child.stdout?.destroy();
  expect(await finished).toMatchObject({ code: 0, stderr: '' });
});

it('waits for a slow reader', async () => {
  const sources = [await smallSource(), await smallSource(rawRecords(3000, 3000))];
  const folders = sources.map(({ upstream }) => upstream);
  const { child, finished } = startCli(['diff', ...folders, '--format', 'json']);
  child.stdout?.pause();
  await sleep(1000);
  child.stdout?.resume();
  const { code, stdout } = await finished;
  expect(code).toBe(0);
  // Larger than the buffer of a pipe.
  expect(stdout.length).toBeGreaterThan(200_000);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

it.runIf(existsSync(FULL))('fails if the result cannot be written, but not if the log cannot', async () => {
  const { upstream } = await smallSource();
  const out = path.join(temporaryFolder(), 'site');
  const args = ['build', '--source', 'snapshot', '--upstream', upstream, '--json', '--out', out];
  const unlogged = await runCli(args, { redirect: `2> ${FULL}` });
  expect(unlogged).toMatchObject({ code: 0, stdout: expect.stringContaining('"changed":true') });
  for (const command of [args, ['build', '--help']]) {
    const { code, stderr } = await runCli(command, { redirect: `1> ${FULL}` });
    expect(code, command[0]).toBe(1);
    expect(stderr).toMatch(/error: the output cannot be written \(ENOSPC\)\n$/);
  }
  expect(existsSync(path.join(out, 'meta.json'))).toBe(true);
});
