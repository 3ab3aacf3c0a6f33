import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { acquireLock, describeProcess, hasEnded, type LockOwner } from '../../src/publish/lock.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import {
  failing,
  littleChanged,
  publishTree,
  readTree,
  type Tree,
  treeFiles,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => {
  vi.restoreAllMocks();
  vi.resetAllMocks();
  vi.useRealTimers();
});

const tree = { 'a.json': '1' };
/** A process id that no process has. */
const NO_PROCESS = 999_999_999;

function lockable() {
  const paths = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
  const parent = path.dirname(paths.out);
  return { paths, parent, out: paths.out, lock: paths.lockFile, names: () => readdirSync(parent) };
}

const lockOf = (change: Partial<LockOwner>): string =>
  JSON.stringify({ ...describeProcess(), pid: NO_PROCESS, ...change });
const other = lockOf({ host: 'other.test' });

/** Sets the mtime of a file back by minutes. */
function age(file: string, minutes: number): void {
  const time = Date.now() / 1000 - minutes * 60;
  utimesSync(file, time, time);
}

async function startProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid ?? 0;
}

describe('a lock', () => {
  it('is complete from its first moment, and names its process', async () => {
    const { out, lock, names } = lockable();
    let first = '';
    vi.mocked(linkSync).mockImplementation((draft, to) => {
      expect(existsSync(lock)).toBe(false);
      first = readFileSync(draft, 'utf8');
      real.linkSync(draft, to);
    });
    await withOutput(out, async () => expect(readFileSync(lock, 'utf8')).toBe(first));
    expect(JSON.parse(first)).toMatchObject(describeProcess());
    expect(describeProcess().pid).toBe(process.pid);
    if (process.platform === 'linux') expect(describeProcess().namespace).toMatch(/^pid:\[\d+\]$/);
    expect(names()).toEqual([]);
  });

  it('keeps a second build of the same process out until the first one ends', async () => {
    const { parent, out, lock, names } = lockable();
    await withOutput(out, async (output) => {
      age(lock, 60);
      for (const name of [out, path.join(parent, 'x', '..', 'site') + path.sep])
        await expect(publishTree(name, { 'a.json': 'second' })).rejects.toMatchObject({
          code: 'output',
          message: expect.stringMatching(
            /: locked by another build \(process \d+ on .*, renewed .*Z\): .*-lock$/,
          ),
          hint: expect.stringContaining('--out'),
        });
      await output.publish(treeFiles(tree));
    });
    expect(readTree(out)).toEqual(tree);
    expect(await publishTree(out, { 'a.json': 'second' })).toMatchObject({ changed: true });
    expect(names()).toEqual(['site']);
  });

  it.each<[string, string, minutes?: number]>([
    ['of a process that has ended', lockOf({})],
    ['with the process id of this process', lockOf({ pid: process.pid })],
    ['without a process', '{"pid":1}'],
    ['that is not JSON', 'nonsense'],
    ['of another host that was not renewed for ten minutes', other, 11],
    ['from the far future', other, -60],
  ])('is broken: one %s', async (_, text, minutes = 0) => {
    const { out, lock, names } = lockable();
    writeFileSync(lock, text);
    age(lock, minutes);
    await publishTree(out, tree);
    expect(readTree(out)).toEqual(tree);
    expect(names()).toEqual(['site']);
  });

  it('of a running process is respected for ten minutes, unless --take-lock breaks it', async () => {
    const { out, lock } = lockable();
    const pid = await startProcess();
    const publish = (takeLock: boolean) => {
      writeFileSync(lock, lockOf({ pid }));
      age(lock, 9);
      return withOutput(out, ({ publish }) => publish(treeFiles(tree)), { takeLock });
    };
    await expect(publish(false)).rejects.toThrow(
      `locked by another build (process ${pid} on ${hostname()}, `,
    );
    expect(await publish(true)).toMatchObject({ changed: true });
    writeFileSync(lock, lockOf({ pid }));
    age(lock, 11);
    expect(await publishTree(out, tree)).toMatchObject({ changed: false });
  });

  it.each([
    ['renewed five minutes ago', 5, 0],
    ['renewed by a clock that is a little ahead', -5, 0],
    ['renewed now, although this machine’s clock is a day ahead', 0, 86_400_000],
  ])('of another host is respected if it was %s, unless --take-lock breaks it', async (_, minutes, ahead) => {
    const { out, lock, names } = lockable();
    writeFileSync(lock, other);
    age(lock, minutes);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ahead);
    await expect(publishTree(out, tree)).rejects.toMatchObject({
      message: expect.stringMatching(
        /another build \(process \d+ on other.test, renewed \d{4}-.*Z\): .*-lock$/,
      ),
      hint: expect.stringContaining('--take-lock'),
    });
    expect(readFileSync(lock, 'utf8')).toBe(other);
    expect(names()).toEqual(['.site.gamedata-lock']);
    await withOutput(out, ({ publish }) => publish(treeFiles(tree)), { takeLock: true });
    expect(names()).toEqual(['site']);
  });

  it('belongs to a process that has ended if its id is unused or of an earlier boot, except elsewhere', () => {
    const own = { ...describeProcess(), machine: 'm', boot: 'now' };
    const other = { ...own, pid: process.ppid };
    const ended = { ...own, pid: NO_PROCESS };
    expect(hasEnded(other, own)).toBe(false);
    expect(hasEnded(ended, own)).toBe(true);
    for (const change of [{ host: 'x' }, { machine: 'x' }, { namespace: 'pid:[1]' }])
      expect(hasEnded({ ...ended, ...change }, own)).toBe(false);
    expect(hasEnded({ ...other, boot: 'before' }, own)).toBe(true);
    expect(hasEnded({ ...ended, boot: 'before', machine: '' }, { ...own, machine: '' })).toBe(false);
    vi.spyOn(process, 'kill').mockImplementation(failing('EPERM'));
    expect(hasEnded(other, own), 'of another user').toBe(false);
  });

  it('is awaited while it is empty, and stale after a few seconds', async () => {
    const { out, lock } = lockable();
    writeFileSync(lock, '');
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    vi.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
      writeFileSync(lock, other);
      return 'timed-out';
    });
    await expect(publishTree(out, tree)).rejects.toThrow('locked by another build');
    writeFileSync(lock, '');
    vi.mocked(Atomics.wait).mockImplementation(() => {
      now.mockReturnValue(5000);
      return 'timed-out';
    });
    expect(await publishTree(out, tree)).toMatchObject({ changed: true });
  });

  it('is created in place if the file system has no links', () => {
    const { paths, lock, names } = lockable();
    vi.mocked(linkSync).mockImplementation(failing('ENOSYS'));
    const { release } = acquireLock(paths);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject(describeProcess());
    expect(() => acquireLock(paths)).toThrow('locked by another build');
    expect(names()).toEqual(['.site.gamedata-lock']);
    release();
    expect(names()).toEqual([]);
  });

  it('that cannot be written or broken is an error', () => {
    const { paths, lock, names } = lockable();
    vi.mocked(writeFileSync).mockImplementationOnce(failing('ENOSPC'));
    expect(() => acquireLock(paths)).toThrow(`${paths.out}: cannot be locked (ENOSPC)`);
    writeFileSync(lock, lockOf({}));
    vi.mocked(renameSync).mockImplementationOnce(failing('EACCES'));
    expect(() => acquireLock(paths)).toThrow(`${paths.out}: cannot be locked (EACCES)`);
    expect(names()).toEqual(['.site.gamedata-lock']);
  });

  it('that two builds break belongs to the second one', () => {
    const { paths, lock } = lockable();
    writeFileSync(lock, lockOf({}));
    vi.mocked(renameSync).mockImplementationOnce((from, to) => {
      real.renameSync(from, to);
      real.writeFileSync(lock, other);
    });
    expect(() => acquireLock(paths)).toThrow('locked by another build');
    expect(readFileSync(lock, 'utf8')).toBe(other);
  });
});

describe('a lock that is held', () => {
  it('is renewed every 30 seconds, and keeps no process alive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const started = vi.spyOn(globalThis, 'setInterval');
    const { out, lock } = lockable();
    await withOutput(out, async () => {
      expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
      const text = readFileSync(lock, 'utf8');
      for (let times = 0; times < 2; times++) {
        age(lock, 60);
        const { mtimeMs } = statSync(lock);
        vi.advanceTimersByTime(30_000);
        expect(statSync(lock).mtimeMs).toBeGreaterThan(mtimeMs);
        expect(readFileSync(lock, 'utf8')).toBe(text);
      }
      writeFileSync(lock, other);
      age(lock, 60);
      const { mtimeMs } = statSync(lock);
      vi.advanceTimersByTime(60_000);
      expect(statSync(lock).mtimeMs, 'it belongs to another build').toBe(mtimeMs);
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['renewed by the clock of the file system', 'after half a minute', 3_600_000, true],
    ['renewed by the clock of the file system', 'after the clock was set back', -3_600_000, true],
    ['not renewed', 'before', 0, false],
  ])('is %s in synchronous work %s', async (_, __, passed, isRenewed) => {
    const { out, lock } = lockable();
    await withOutput(out, async ({ publish }) => {
      age(lock, 1440);
      const { mtimeMs } = statSync(lock);
      const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + passed);
      await publish(treeFiles(tree));
      expect(statSync(lock).mtimeMs > mtimeMs).toBe(isRenewed);
      expect(Math.abs(statSync(lock).mtimeMs - now())).toBeGreaterThan(1_800_000);
    });
  });

  it('stops its build if it was removed', async () => {
    const { out, lock, names } = lockable();
    const work = withOutput(out, ({ publish }) => {
      rmSync(lock);
      return publish(treeFiles(tree));
    });
    await expect(work).rejects.toMatchObject({
      message: `${out}: the lock of this build is gone (ENOENT)`,
      hint: expect.stringContaining('Run it again'),
    });
    expect(names()).toEqual([]);
  });

  it('is left alone after another build has taken it over, which explains a failure in the folder', async () => {
    const { out, lock } = lockable();
    const failWith = (error: Error) =>
      withOutput(out, () => {
        writeFileSync(lock, other);
        throw error;
      }).finally(() => {
        expect(readFileSync(lock, 'utf8')).toBe(other);
        rmSync(lock);
      });
    const system = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' });
    for (const error of [new OutputError('has other files', out), system])
      await expect(failWith(error)).rejects.toThrow('the lock of this build was taken over');
    await expect(failWith(new RangeError('stopped'))).rejects.toThrow('stopped');
  });

  const [old, fresh] = littleChanged;

  /** Gives the lock to another build after the n-th change that a build makes, or tries to make, while it holds the lock. */
  function takeOverAfter(nth: number, lock: string, then: () => void): void {
    let count = 0;
    let depth = 0;
    const counted =
      <T extends unknown[]>(call: (...args: T) => void) =>
      (...args: T) => {
        depth++;
        try {
          call(...args);
        } finally {
          // A recursive removal is one change.
          if (--depth === 0 && (count > 0 || args[1] === lock) && count++ === nth) {
            real.writeFileSync(lock, other);
            then();
          }
        }
      };
    vi.mocked(linkSync).mockImplementation(counted(real.linkSync));
    vi.mocked(renameSync).mockImplementation(counted(real.renameSync));
    vi.mocked(unlinkSync).mockImplementation(counted(real.unlinkSync));
    vi.mocked(writeFileSync).mockImplementation(counted(real.writeFileSync));
    vi.mocked(rmSync).mockImplementation(counted(real.rmSync));
  }

  /** Kills a build while it moves files into place, and replaces the site by a copy. */
  async function killAndRestore(out: string): Promise<void> {
    const copy = path.join(temporaryFolder(), 'copy');
    cpSync(out, copy, { recursive: true, preserveTimestamps: true });
    vi.mocked(renameSync).mockImplementation((from, to) =>
      String(to).endsWith('/d.json') ? failing('EIO')() : real.renameSync(from, to),
    );
    await expect(publishTree(out, fresh)).rejects.toThrow('cannot be completed');
    vi.resetAllMocks();
    rmSync(out, { recursive: true });
    renameSync(copy, out);
  }

  it.each<[string, Tree | undefined, Tree, ((out: string) => Promise<void>)?]>([
    ['a first site', undefined, fresh],
    ['a changed site', old, fresh],
    ['a site that was restored after a kill', old, old, killAndRestore],
  ])(
    'stops its build at any moment if another build takes it over: %s',
    async (_, before, after, prepare) => {
      for (let nth = 1, isOver = false; !isOver; nth++) {
        const { parent, out, lock } = lockable();
        if (before) await publishTree(out, before);
        await prepare?.(out);
        let taken: Tree | undefined;
        takeOverAfter(nth, lock, () => {
          taken = readTree(parent);
        });
        const end = await publishTree(out, after).then(
          () => 'published',
          ({ message }) => message,
        );
        vi.resetAllMocks();
        isOver = taken === undefined;
        if (taken) expect(readTree(parent), `after change ${nth}`).toEqual(taken);
        if (end === 'published') expect(readTree(out)).toEqual(after);
        else
          expect(end).toBe(
            `${out}: the lock of this build was taken over by another build (process ${NO_PROCESS} on other.test)`,
          );
        await withOutput(out, ({ publish }) => publish(treeFiles(after)), { takeLock: true });
        expect(readTree(out)).toEqual(after);
        expect(readdirSync(parent)).toEqual(['site']);
      }
    },
  );
});
