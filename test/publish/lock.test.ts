import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import {
  acquireLock,
  describeProcess,
  hasEnded,
  type LockOwner,
} from '../../src/publish/lock.ts';
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
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => {
  vi.restoreAllMocks();
  vi.resetAllMocks();
  vi.useRealTimers();
});

const tree = { 'a.json': '1' };
const NO_PROCESS = 999_999_999;

function createPaths() {
  const paths = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
  const { out, lockFile: lock } = paths;
  const parent = path.dirname(out);
  const names = (): string[] => fs.readdirSync(parent);
  return { paths, parent, out, lock, names };
}

const createLock = (change: Partial<LockOwner>): string =>
  JSON.stringify({ ...describeProcess(), pid: NO_PROCESS, ...change });
const other = createLock({ host: 'other.test' });

function age(file: string, minutes: number): void {
  const time = Date.now() / 1000 - minutes * 60;
  fs.utimesSync(file, time, time);
}

function writeLock(file: string, text: string, minutes = 0): void {
  fs.writeFileSync(file, text);
  age(file, minutes);
}

describe('acquireLock', () => {
  it('creates the lock by linking a complete file that describes this process', async () => {
    const { out, lock, names } = createPaths();
    let first = '';
    vi.mocked(fs.linkSync).mockImplementation((draft, to) => {
      expect(fs.existsSync(lock)).toBe(false);
      first = fs.readFileSync(draft, 'utf8');
      real.linkSync(draft, to);
    });
    await withOutput(out, async () =>
      expect(fs.readFileSync(lock, 'utf8')).toBe(first),
    );
    expect(JSON.parse(first)).toMatchObject(describeProcess());
    expect(describeProcess().pid).toBe(process.pid);
    if (process.platform === 'linux') {
      expect(describeProcess().namespace).toMatch(/^pid:\[\d+\]$/);
    }
    expect(names()).toEqual([]);
  });

  it('rejects a second build in the same process until the first one ends', async () => {
    const { parent, out, lock, names } = createPaths();
    await withOutput(out, async (output) => {
      age(lock, 60);
      const sameFolder = path.join(parent, 'x', '..', 'site') + path.sep;
      for (const name of [out, sameFolder]) {
        const problem = `${name}: locked by another build (process ${process.pid} on `;
        await expect(
          publishTree(name, tree, { takeLock: true }),
        ).rejects.toMatchObject({
          code: 'output',
          message: expect.stringContaining(problem),
          hint: expect.stringContaining('choose another folder'),
        });
      }
      await output.publish(treeFiles(tree));
    });
    expect(readTree(out)).toEqual(tree);
    expect(await publishTree(out, { 'a.json': 'second' })).toMatchObject({
      changed: true,
    });
    expect(names()).toEqual(['site']);
  });

  it.each<[string, string, minutes?: number]>([
    ['of a process that has ended', createLock({})],
    ['with the process id of this process', createLock({ pid: process.pid })],
    ['without a process', '{"pid":1}'],
    ['that is not JSON', 'nonsense'],
    ['that was not renewed for ten minutes', other, 11],
    ['from the far future', other, -60],
  ])('breaks a lock %s', async (_, text, minutes) => {
    const { out, lock, names } = createPaths();
    writeLock(lock, text, minutes);
    await publishTree(out, tree);
    expect(readTree(out)).toEqual(tree);
    expect(names()).toEqual(['site']);
  });

  it('breaks a lock even if another build removes the draft of the new lock', async () => {
    const { out, lock, names } = createPaths();
    writeLock(lock, createLock({}));
    vi.mocked(fs.renameSync).mockImplementationOnce((draft, to) => {
      fs.rmSync(draft);
      real.renameSync(draft, to);
    });
    await publishTree(out, tree);
    expect(names()).toEqual(['site']);
  });

  const byOther = `process ${NO_PROCESS} on other.test`;
  const running = createLock({ pid: process.ppid });
  it.each<[string, string, by: string, minutes: number, ahead?: number]>([
    ['of a running process', running, `process ${process.ppid} on ${hostname()}`, 0],
    ['renewed nine minutes ago', other, byOther, 9],
    ['renewed by a clock that is a little ahead', other, byOther, -5],
    [
      'renewed now, if the clock of this machine is a day ahead',
      other,
      byOther,
      0,
      86_400_000,
    ],
  ])(
    'does not break a lock %s without --take-lock',
    async (_, text, by, minutes, ahead = 0) => {
      const { out, lock, names } = createPaths();
      writeLock(lock, text, minutes);
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ahead);
      await expect(publishTree(out, tree)).rejects.toMatchObject({
        message: expect.stringMatching(
          `another build \\(${by}, renewed \\d{4}-.*Z\\): .*-lock$`,
        ),
        hint: expect.stringContaining('--take-lock'),
      });
      expect(fs.readFileSync(lock, 'utf8')).toBe(text);
      expect(names()).toEqual(['.site.gamedata-lock']);
      await publishTree(out, tree, { takeLock: true });
      expect(names()).toEqual(['site']);
    },
  );

  it('waits a few seconds for an empty lock to be filled before breaking it', async () => {
    const { out, lock } = createPaths();
    fs.writeFileSync(lock, '');
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    vi.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
      fs.writeFileSync(lock, other);
      return 'timed-out';
    });
    await expect(publishTree(out, tree)).rejects.toThrow('locked by another build');
    fs.writeFileSync(lock, '');
    vi.mocked(Atomics.wait).mockImplementation(() => {
      now.mockReturnValue(5000);
      return 'timed-out';
    });
    expect(await publishTree(out, tree)).toMatchObject({ changed: true });
  });

  it('creates the lock file directly if the file system does not support hard links', () => {
    const { paths, lock, names } = createPaths();
    vi.mocked(fs.linkSync).mockImplementation(failing('ENOSYS'));
    const { release } = acquireLock(paths);
    expect(JSON.parse(fs.readFileSync(lock, 'utf8'))).toMatchObject(
      describeProcess(),
    );
    expect(() => acquireLock(paths)).toThrow('locked by another build');
    expect(names()).toEqual(['.site.gamedata-lock']);
    release();
    expect(names()).toEqual([]);
  });

  it('reports a lock file that cannot be written or replaced', () => {
    const { paths, lock, names } = createPaths();
    vi.mocked(fs.writeFileSync).mockImplementationOnce(failing('ENOSPC'));
    const hint = expect.stringContaining(`${path.dirname(lock)} must be writable`);
    const error = { message: `${paths.out}: cannot be locked (ENOSPC)`, hint };
    expect(() => acquireLock(paths)).toThrow(expect.objectContaining(error));
    fs.writeFileSync(lock, createLock({}));
    vi.mocked(fs.renameSync).mockImplementationOnce(failing('EACCES'));
    expect(() => acquireLock(paths)).toThrow(
      `${paths.out}: cannot be locked (EACCES)`,
    );
    expect(names()).toEqual(['.site.gamedata-lock']);
  });

  it('fails if another build replaces a broken lock first', () => {
    const { paths, lock } = createPaths();
    fs.writeFileSync(lock, createLock({}));
    vi.mocked(fs.renameSync).mockImplementationOnce((from, to) => {
      real.renameSync(from, to);
      real.writeFileSync(lock, other);
    });
    expect(() => acquireLock(paths)).toThrow('locked by another build');
    expect(fs.readFileSync(lock, 'utf8')).toBe(other);
  });
});

it('hasEnded compares the host, machine, namespace, boot and process id', () => {
  const own = { ...describeProcess(), machine: 'm', boot: 'now' };
  const running = { ...own, pid: process.ppid };
  const ended = { ...own, pid: NO_PROCESS };
  expect([hasEnded(running, own), hasEnded(ended, own)]).toEqual([false, true]);
  for (const change of [{ host: 'x' }, { machine: 'x' }, { namespace: 'pid:[1]' }]) {
    expect(hasEnded({ ...ended, ...change }, own)).toBe(false);
  }
  expect(hasEnded({ ...running, boot: 'before' }, own)).toBe(true);
  expect(
    hasEnded({ ...ended, boot: 'before', machine: '' }, { ...own, machine: '' }),
  ).toBe(false);
  vi.spyOn(process, 'kill').mockImplementation(failing('EPERM'));
  expect(hasEnded(running, own), 'of another user').toBe(false);
});

describe('a build that holds the lock', () => {
  it('renews the lock every 30 seconds without keeping the process alive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const started = vi.spyOn(globalThis, 'setInterval');
    const { out, lock } = createPaths();
    await withOutput(out, async () => {
      expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([
        false,
      ]);
      const text = fs.readFileSync(lock, 'utf8');
      const renew = (content: string): boolean => {
        writeLock(lock, content, 60);
        const { mtimeMs } = fs.statSync(lock);
        vi.advanceTimersByTime(30_000);
        expect(fs.readFileSync(lock, 'utf8')).toBe(content);
        return fs.statSync(lock).mtimeMs > mtimeMs;
      };
      expect([text, text, other].map(renew)).toEqual([true, true, false]);
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['after half a minute', 3_600_000, true],
    ['after the clock was set back', -3_600_000, true],
    ['not earlier', 0, false],
  ])(
    "renews the lock during synchronous work by the file system's clock: %s",
    async (_, passed, isRenewed) => {
      const { out, lock } = createPaths();
      await withOutput(out, async ({ publish }) => {
        age(lock, 1440);
        const { mtimeMs } = fs.statSync(lock);
        const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + passed);
        await publish(treeFiles(tree));
        expect(fs.statSync(lock).mtimeMs > mtimeMs).toBe(isRenewed);
        expect(Math.abs(fs.statSync(lock).mtimeMs - now())).toBeGreaterThan(
          1_800_000,
        );
      });
    },
  );

  it.each([
    ['removed', undefined],
    ['emptied', ''],
  ])('fails if its lock was %s', async (_, text) => {
    const { out, lock, names } = createPaths();
    const work = withOutput(out, ({ publish }) => {
      if (text === undefined) fs.rmSync(lock);
      else fs.writeFileSync(lock, text);
      return publish(treeFiles(tree));
    });
    await expect(work).rejects.toMatchObject({
      message: `${out}: the lock of this build is missing or damaged`,
      hint: expect.stringContaining('Run this build again'),
    });
    expect(names()).toEqual(text === undefined ? [] : ['.site.gamedata-lock']);
  });

  it.each([
    [
      new OutputError('has other files', 'site'),
      'the lock of this build was taken over',
    ],
    [
      Object.assign(new Error('gone'), { code: 'ENOENT', syscall: 'open' }),
      'the lock of this build was taken',
    ],
    [new RangeError('stopped'), 'stopped'],
  ])(
    'reports the lost lock as the cause if a file operation fails: %s',
    async (error, message) => {
      const { out, lock } = createPaths();
      const work = withOutput(out, () => {
        fs.writeFileSync(lock, other);
        throw error;
      });
      await expect(work).rejects.toThrow(message);
      expect(fs.readFileSync(lock, 'utf8')).toBe(other);
    },
  );

  const [old, fresh] = littleChanged;

  /**
   * Simulates another build that takes over the lock. It does so after the n-th time
   * that this build changes a file, or tries to, while holding the lock.
   */
  function takeOverAfter(nth: number, lock: string, then: () => void): void {
    let isLocked = false;
    let count = 0;
    let depth = 0;

    function afterChange(target: unknown): void {
      // The build holds the lock as soon as its lock file is linked into place.
      if (target === lock) isLocked = true;
      if (!isLocked) return;
      if (count === nth) {
        real.writeFileSync(lock, other);
        then();
      }
      count++;
    }

    function countCalls<T extends unknown[]>(
      call: (...args: T) => void,
      original: typeof call,
    ): void {
      vi.mocked(call).mockImplementation((...args) => {
        depth++;
        try {
          original(...args);
        } finally {
          depth--;
          // A recursive removal is a single change, so the calls inside it are
          // ignored.
          if (depth === 0) afterChange(args[1]);
        }
      });
    }

    countCalls(fs.linkSync, real.linkSync);
    countCalls(fs.renameSync, real.renameSync);
    countCalls(fs.unlinkSync, real.unlinkSync);
    countCalls(fs.writeFileSync, real.writeFileSync);
    countCalls(fs.rmSync, real.rmSync);
  }

  /**
   * Restores the real file system calls, except that nothing is flushed, because
   * flushing is slow.
   */
  function restoreCalls(): void {
    vi.resetAllMocks();
    vi.mocked(fs.fsyncSync).mockReturnValue();
    vi.mocked(spawnSync).mockReturnValue({ status: 0, stdout: '' } as never);
  }

  /**
   * Interrupts a build while it moves files into place, and then restores a copy of
   * the old site.
   */
  async function killAndRestore(out: string): Promise<void> {
    const copy = path.join(temporaryFolder(), 'copy');
    fs.cpSync(out, copy, { recursive: true, preserveTimestamps: true });
    vi.mocked(fs.renameSync).mockImplementation((from, to) => {
      if (String(to).endsWith('/d.json')) failing('EIO')();
      real.renameSync(from, to);
    });
    await expect(publishTree(out, fresh)).rejects.toThrow('cannot be completed');
    restoreCalls();
    fs.rmSync(out, { recursive: true });
    fs.renameSync(copy, out);
  }

  it.each<[string, Tree | undefined, Tree, ((out: string) => Promise<void>)?]>([
    ['a first site', undefined, fresh],
    ['a changed site', old, fresh],
    ['a site that was restored after a kill', old, fresh, killAndRestore],
  ])(
    'stops changing files as soon as another build takes over the lock: %s',
    async (_, before, after, prepare) => {
      restoreCalls();
      let isOver = false;
      for (let nth = 1; !isOver; nth++) {
        const { parent, out, lock, names } = createPaths();
        if (before) await publishTree(out, before);
        await prepare?.(out);
        let taken: Tree | undefined;
        takeOverAfter(nth, lock, () => {
          taken = readTree(parent);
        });
        const message = await publishTree(out, after).then(
          () => undefined,
          (error: Error) => error.message,
        );
        restoreCalls();
        // The build finished before its n-th change, so every change has been
        // tested.
        isOver = taken === undefined;
        if (taken) expect(readTree(parent), `after change ${nth}`).toEqual(taken);
        if (message === undefined) {
          expect(readTree(out)).toEqual(after);
        } else {
          expect(message).toBe(
            `${out}: the lock of this build was taken over by another build (process ${NO_PROCESS} on other.test)`,
          );
        }
        await publishTree(out, after, { takeLock: true });
        expect(readTree(out)).toEqual(after);
        expect(names()).toEqual(['site']);
      }
    },
  );
});
