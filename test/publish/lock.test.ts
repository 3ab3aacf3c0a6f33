import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import {
  openAgain,
  plainManifest,
  publishTree,
  readTree,
  treeFiles,
} from '../support/publishing.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const KILL_AT = new URL('../support/kill-at.mjs', import.meta.url).href;
const tree = { 'a.json': '1' };
const createOut = (): string => path.join(temporaryFolder(), 'site');

/** Starts a program with process ids of its own, as in another container. */
const ELSEWHERE = [
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--mount-proc',
] as const;
const hasNamespaces = spawnSync('unshare', [...ELSEWHERE, 'true']).status === 0;

/** Waits until the kernel reports that a process is stopped. */
async function waitUntilStopped(pid: number | undefined): Promise<void> {
  // The third field is the process's state. T means stopped.
  const readState = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8');
  await expect.poll(readState).toContain(') T ');
}

describe('the lock of a site folder', () => {
  it('rejects a second build in the same process until the first one has ended', async () => {
    const out = createOut();
    await withOutput(out, async (output) => {
      await expect(publishTree(out, tree)).rejects.toMatchObject({
        code: 'output',
        message: `${out}: another build is publishing there`,
        hint: 'Wait until it has finished, or choose another folder.',
      });
      await output.publish(treeFiles(tree), plainManifest);
    });
    expect(readTree(out)).toEqual(tree);
    expect(await publishTree(out, { 'a.json': '2' })).toMatchObject({
      changed: true,
    });
  });

  it.runIf(hasNamespaces)(
    'prevents processes in another PID namespace from locking the folder',
    async () => {
      const out = createOut();
      const tryLock = [...ELSEWHERE, 'flock', '-n', out, 'true'];
      await withOutput(out, async () => {
        expect(spawnSync('unshare', tryLock).status).toBe(1);
      });
      await publishTree(out, tree);
      expect(spawnSync('unshare', tryLock).status).toBe(0);
    },
  );

  it('stays locked while a build is stopped, until the build is killed', async () => {
    const cwd = temporaryFolder();
    const { upstream } = await smallSource();
    const args = [
      'build',
      '--source',
      'snapshot',
      '--upstream',
      upstream,
      '--quiet',
    ];
    const env = {
      NODE_OPTIONS: `--import=${KILL_AT}`,
      KILL_AT: 'writeFileSync:1:SIGSTOP',
      KILL_PATHS: '/\\.gamedata/',
    };
    const stopped = startCli(args, { cwd, env });
    await waitUntilStopped(stopped.child.pid);
    expect(await runCli(args, { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('build: another build is publishing there'),
    });
    stopped.child.kill('SIGKILL');
    await stopped.finished;
    expect(await runCli(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  /** Replaces the program `flock` with a shell script, or with nothing. */
  function replaceFlock(script: string | undefined): void {
    const bin = temporaryFolder();
    if (script !== undefined) {
      const text = `#!/bin/sh\n${script}\n`;
      writeFileSync(path.join(bin, 'flock'), text, { mode: 0o755 });
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PATH', bin);
  }

  it.each<[string, script: string | undefined, reason: string]>([
    ['is missing', undefined, 'ENOENT'],
    ['fails', 'echo "flock: not supported" >&2; exit 65', 'flock: not supported'],
    ['fails with status 1', 'echo "flock: Bad file" >&2; exit 1', 'flock: Bad file'],
  ])(
    'builds without a lock and reports a notice if flock %s',
    async (_, script, reason) => {
      const out = createOut();
      replaceFlock(script);
      expect(await openAgain(out)).toEqual([
        `two builds at once are not detected in ${out}, because it cannot be locked with flock (${reason})`,
      ]);
    },
  );
});
