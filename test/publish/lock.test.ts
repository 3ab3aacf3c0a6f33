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

/** Returns the paths of a site that does not exist yet, in an empty folder. */
function createPaths() {
  const paths = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
  const { out, lockFile: lock } = paths;
  const parent = path.dirname(out);
  const names = (): string[] => fs.readdirSync(parent);
  return { paths, parent, out, lock, names };
}

/**
 * Creates the text of a lock file, with the given changes. By default, the lock
 * belongs to a process on this machine that has ended without removing it.
 */
function createLock(changes: Partial<LockOwner>): string {
  const owner = { ...describeProcess(), pid: NO_PROCESS, ...changes };
  return JSON.stringify(owner);
}

/**
 * A lock held by another machine. Only the lock's age shows whether that build is
 * still running.
 */
const other = createLock({ host: 'other.test' });

/** Sets the modification time of a file to the given number of minutes ago. */
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
    let draftText = '';
    vi.mocked(fs.linkSync).mockImplementation((draft, to) => {
      expect(fs.existsSync(lock)).toBe(false);
      draftText = fs.readFileSync(draft, 'utf8');
      real.linkSync(draft, to);
    });
    await withOutput(out, async () => {
      expect(fs.readFileSync(lock, 'utf8')).toBe(draftText);
    });
    expect(JSON.parse(draftText)).toMatchObject(describeProcess());
    expect(names()).toEqual([]);
  });

  it('rejects a second build in the same process until the first one ends', async () => {
    const { parent, out, lock, names } = createPaths();
    await withOutput(out, async (output) => {
      // Even a lock that was not renewed for an hour belongs to a running build.
      age(lock, 60);
      const sameFolder = path.join(parent, 'x', '..', 'site') + path.sep;
      for (const name of [out, sameFolder]) {
        const problem = `${name}: locked by another build (process ${process.pid} on `;
        const publishing = publishTree(name, tree, { takeLock: true });
        await expect(publishing).rejects.toMatchObject({
          code: 'output',
          message: expect.stringContaining(problem),
          hint: expect.stringContaining('choose another folder'),
        });
      }
      await output.publish(treeFiles(tree));
    });
    expect(readTree(out)).toEqual(tree);
    const secondBuild = await publishTree(out, { 'a.json': 'second' });
    expect(secondBuild).toMatchObject({ changed: true });
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
  const byParent = `process ${process.ppid} on ${hostname()}`;

  interface ValidLock {
    readonly what: string;
    readonly text: string;
    /** The description of the lock's owner in the error. */
    readonly owner: string;
    /** The time since the lock was renewed. */
    readonly minutes: number;
    /** The difference between this machine's clock and the right time. */
    readonly clockAheadMs?: number;
  }

  const validLocks: readonly ValidLock[] = [
    {
      what: 'of a running process',
      text: createLock({ pid: process.ppid }),
      owner: byParent,
      minutes: 0,
    },
    {
      what: 'that was renewed nine minutes ago',
      text: other,
      owner: byOther,
      minutes: 9,
    },
    {
      what: 'that was renewed by a clock that is a little ahead',
      text: other,
      owner: byOther,
      minutes: -5,
    },
    {
      what: 'that was just renewed if the clock of this machine is a day ahead',
      text: other,
      owner: byOther,
      minutes: 0,
      clockAheadMs: 86_400_000,
    },
  ];
  it.each(validLocks)(
    'breaks a lock $what only with --take-lock',
    async ({ text, owner, minutes, clockAheadMs = 0 }) => {
      const { out, lock, names } = createPaths();
      writeLock(lock, text, minutes);
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + clockAheadMs);
      const problem = `another build \\(${owner}, renewed \\d{4}-.*Z\\): .*-lock$`;
      await expect(publishTree(out, tree)).rejects.toMatchObject({
        message: expect.stringMatching(problem),
        hint: expect.stringContaining('--take-lock'),
      });
      expect(fs.readFileSync(lock, 'utf8')).toBe(text);
      expect(names()).toEqual(['.site.gamedata-lock']);
      await publishTree(out, tree, { takeLock: true });
      expect(names()).toEqual(['site']);
    },
  );

  it('waits for another build to write to its empty lock file', async () => {
    const { out, lock } = createPaths();
    fs.writeFileSync(lock, '');
    vi.spyOn(performance, 'now').mockReturnValue(0);
    vi.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
      fs.writeFileSync(lock, other);
      return 'timed-out';
    });
    await expect(publishTree(out, tree)).rejects.toThrow('locked by another build');
  });

  it('breaks a lock that stays empty for five seconds', async () => {
    const { out, lock } = createPaths();
    fs.writeFileSync(lock, '');
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
      now.mockReturnValue(5000);
      return 'timed-out';
    });
    expect(await publishTree(out, tree)).toMatchObject({ changed: true });
    expect(wait).toHaveBeenCalledOnce();
  });

  it('creates the lock file directly if the file system does not support hard links', () => {
    const { paths, lock, names } = createPaths();
    vi.mocked(fs.linkSync).mockImplementation(failing('ENOSYS'));
    const { release } = acquireLock(paths);
    const owner: unknown = JSON.parse(fs.readFileSync(lock, 'utf8'));
    expect(owner).toMatchObject(describeProcess());
    expect(() => acquireLock(paths)).toThrow('locked by another build');
    expect(names()).toEqual(['.site.gamedata-lock']);
    release();
    expect(names()).toEqual([]);
  });

  it('reports a lock file that cannot be written', () => {
    const { paths, parent, names } = createPaths();
    vi.mocked(fs.writeFileSync).mockImplementationOnce(failing('ENOSPC'));
    const error = {
      message: `${paths.out}: cannot be locked (ENOSPC)`,
      hint: expect.stringContaining(`${parent} must be writable`),
    };
    expect(() => acquireLock(paths)).toThrow(expect.objectContaining(error));
    expect(names()).toEqual([]);
  });

  it('reports a lock file that cannot be replaced', () => {
    const { paths, lock, names } = createPaths();
    fs.writeFileSync(lock, createLock({}));
    vi.mocked(fs.renameSync).mockImplementationOnce(failing('EACCES'));
    const problem = `${paths.out}: cannot be locked (EACCES)`;
    expect(() => acquireLock(paths)).toThrow(problem);
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

describe('describeProcess', () => {
  it("returns this process's id", () => {
    expect(describeProcess().pid).toBe(process.pid);
  });

  it.runIf(process.platform === 'linux')(
    'returns the process id namespace on Linux',
    () => {
      expect(describeProcess().namespace).toMatch(/^pid:\[\d+\]$/);
    },
  );
});

describe('hasEnded', () => {
  const thisProcess = { ...describeProcess(), machine: 'm', boot: 'now' };
  const running = { ...thisProcess, pid: process.ppid };
  const ended = { ...thisProcess, pid: NO_PROCESS };

  it('returns whether a process on this machine has ended', () => {
    expect(hasEnded(running, thisProcess)).toBe(false);
    expect(hasEnded(ended, thisProcess)).toBe(true);
  });

  it.each([
    ['host', { host: 'x' }],
    ['machine', { machine: 'x' }],
    ['namespace', { namespace: 'pid:[1]' }],
  ])('returns false if the process has another %s', (_, change) => {
    expect(hasEnded({ ...ended, ...change }, thisProcess)).toBe(false);
  });

  it('returns true if the machine was restarted since then', () => {
    expect(hasEnded({ ...running, boot: 'before' }, thisProcess)).toBe(true);
  });

  it('returns false after a restart if the machine is unknown', () => {
    const owner = { ...ended, boot: 'before', machine: '' };
    expect(hasEnded(owner, { ...thisProcess, machine: '' })).toBe(false);
  });

  it("returns false for another user's running process", () => {
    vi.spyOn(process, 'kill').mockImplementation(failing('EPERM'));
    expect(hasEnded(running, thisProcess)).toBe(false);
  });
});

describe('a build that holds the lock', () => {
  function fakeIntervals(): void {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  }

  /**
   * Writes an old lock and lets 30 seconds pass. Returns whether the build has
   * renewed the lock, which must not change its content.
   */
  function isRenewedIn30Seconds(lock: string, content: string): boolean {
    writeLock(lock, content, 60);
    const oldTime = fs.statSync(lock).mtimeMs;
    vi.advanceTimersByTime(30_000);
    expect(fs.readFileSync(lock, 'utf8')).toBe(content);
    return fs.statSync(lock).mtimeMs > oldTime;
  }

  it('renews the lock every 30 seconds until the build ends', async () => {
    fakeIntervals();
    const { out, lock } = createPaths();
    await withOutput(out, async () => {
      const content = fs.readFileSync(lock, 'utf8');
      expect(isRenewedIn30Seconds(lock, content)).toBe(true);
      expect(isRenewedIn30Seconds(lock, content)).toBe(true);
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not renew another build's lock", async () => {
    fakeIntervals();
    const { out, lock } = createPaths();
    await withOutput(out, async () => {
      expect(isRenewedIn30Seconds(lock, other)).toBe(false);
    });
  });

  it('does not keep the process alive by renewing the lock', async () => {
    fakeIntervals();
    const setIntervalSpy = vi.spyOn(globalThis, 'setInterval');
    const { out } = createPaths();
    await withOutput(out, async () => {});
    const timers = setIntervalSpy.mock.results.map(({ value }) => value);
    expect(timers).toHaveLength(1);
    expect(timers[0].hasRef()).toBe(false);
  });

  /**
   * Publishes with an old lock while this process's clock differs from the file
   * system's clock. Synchronous work delays the timer, so publishing renews the lock
   * itself. Returns whether it did.
   */
  async function isRenewedByPublishing(clockAheadMs: number): Promise<boolean> {
    const { out, lock } = createPaths();
    return withOutput(out, async ({ publish }) => {
      age(lock, 1440);
      const oldTime = fs.statSync(lock).mtimeMs;
      const now = Date.now() + clockAheadMs;
      vi.spyOn(Date, 'now').mockReturnValue(now);
      await publish(treeFiles(tree));
      const newTime = fs.statSync(lock).mtimeMs;
      expect(Math.abs(newTime - now)).toBeGreaterThan(1_800_000);
      return newTime > oldTime;
    });
  }

  it.each([
    ['half a minute has passed', 3_600_000],
    ['the clock was set back', -3_600_000],
  ])(
    "renews the lock by the file system's clock during synchronous work if %s",
    async (_, clockAheadMs) => {
      expect(await isRenewedByPublishing(clockAheadMs)).toBe(true);
    },
  );

  it('does not renew the lock within half a minute', async () => {
    expect(await isRenewedByPublishing(0)).toBe(false);
  });

  it.each<[string, (lock: string) => void, namesAfter: string[]]>([
    ['removed', (lock) => fs.rmSync(lock), []],
    ['emptied', (lock) => fs.writeFileSync(lock, ''), ['.site.gamedata-lock']],
  ])('fails if its lock was %s', async (_, damage, namesAfter) => {
    const { out, lock, names } = createPaths();
    const publishing = withOutput(out, ({ publish }) => {
      damage(lock);
      return publish(treeFiles(tree));
    });
    await expect(publishing).rejects.toMatchObject({
      message: `${out}: the lock of this build is missing or damaged`,
      hint: expect.stringContaining('Run this build again'),
    });
    expect(names()).toEqual(namesAfter);
  });

  /**
   * Expects the message if the build fails with the given error after another build
   * has taken over the lock.
   */
  async function expectMessageAfterTakeover(
    error: Error,
    message: string,
  ): Promise<void> {
    const { out, lock } = createPaths();
    const publishing = withOutput(out, () => {
      fs.writeFileSync(lock, other);
      throw error;
    });
    await expect(publishing).rejects.toThrow(message);
    expect(fs.readFileSync(lock, 'utf8')).toBe(other);
  }

  const missingFile = Object.assign(new Error('gone'), {
    code: 'ENOENT',
    syscall: 'open',
  });
  it.each([
    ['an output error', new OutputError('has other files', 'site')],
    ['an error of the file system', missingFile],
  ])('reports the lost lock instead of %s', async (_, error) => {
    const problem = 'the lock of this build was taken over';
    await expectMessageAfterTakeover(error, problem);
  });

  it('reports an unrelated error even if the lock was lost', async () => {
    await expectMessageAfterTakeover(new RangeError('stopped'), 'stopped');
  });

  const [old, fresh] = littleChanged;

  /**
   * Simulates another build that takes over the lock. It does so after the n-th time
   * that this build changes a file, or tries to, while holding the lock.
   */
  function takeOverAfter(nth: number, lock: string, onTakeover: () => void): void {
    let isLocked = false;
    let count = 0;
    let depth = 0;

    function afterChange(target: unknown): void {
      // The build holds the lock as soon as its lock file is linked into place.
      if (target === lock) isLocked = true;
      if (!isLocked) return;
      if (count === nth) {
        real.writeFileSync(lock, other);
        onTakeover();
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

  /** Publishes a site. Returns the message of the error, if there is one. */
  async function publishOrGetMessage(
    out: string,
    newTree: Tree,
  ): Promise<string | undefined> {
    try {
      await publishTree(out, newTree);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  type Prepare = (out: string) => Promise<unknown>;

  /**
   * Publishes the fresh site while another build takes over the lock after the n-th
   * change. Expects that no file changes after the takeover, and that a later build
   * can publish the site. Returns false if the build ended before its n-th change,
   * so that every change has been tested.
   */
  async function testTakeover(nth: number, prepare: Prepare): Promise<boolean> {
    const { parent, out, lock, names } = createPaths();
    await prepare(out);
    let treeAtTakeover: Tree | undefined;
    takeOverAfter(nth, lock, () => {
      treeAtTakeover = readTree(parent);
    });
    const message = await publishOrGetMessage(out, fresh);
    restoreCalls();

    const isTaken = treeAtTakeover !== undefined;
    if (isTaken) {
      expect(readTree(parent), `after change ${nth}`).toEqual(treeAtTakeover);
    }
    if (message === undefined) {
      expect(readTree(out)).toEqual(fresh);
    } else {
      expect(message).toBe(
        `${out}: the lock of this build was taken over by another build (process ${NO_PROCESS} on other.test)`,
      );
    }
    await publishTree(out, fresh, { takeLock: true });
    expect(readTree(out)).toEqual(fresh);
    expect(names()).toEqual(['site']);
    return isTaken;
  }

  it.each<[string, Prepare]>([
    ['a first site', async () => {}],
    ['a changed site', (out) => publishTree(out, old)],
    [
      'a site that was restored after a kill',
      async (out) => {
        await publishTree(out, old);
        await killAndRestore(out);
      },
    ],
  ])(
    'stops changing files of %s as soon as another build takes over the lock',
    async (_, prepare) => {
      restoreCalls();
      let nth = 1;
      while (await testTakeover(nth, prepare)) nth++;
      expect(nth).toBeGreaterThan(1);
    },
  );
});
