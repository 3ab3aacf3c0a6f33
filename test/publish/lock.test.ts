import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { acquireLock, encodeHolder, type Holder, stateOf, thisProcess } from '../../src/publish/lock.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { workFolders } from '../../src/publish/work-folders.ts';
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

const TAKES_LOCK = fileURLToPath(new URL('../support/take-lock.ts', import.meta.url));
const FILLS_LATE = `
  const fs = require('node:fs');
  const lock = fs.openSync(process.argv[1], 'wx');
  console.log('made');
  const start = fs.readFileSync('/proc/self/stat', 'utf8').split(' ')[21];
  const holder = { ...JSON.parse(process.argv[2]), pid: process.pid, start };
  setTimeout(() => fs.writeSync(lock, JSON.stringify(holder)), 100);
  setTimeout(() => {}, 1e6);`;

/** Prints the content of a file as it is when it appears. */
const SEES_FIRST = `
  const fs = require('node:fs');
  console.log('waiting');
  for (;;) {
    try {
      console.log(fs.readFileSync(process.argv[1], 'utf8'));
      break;
    } catch {}
  }`;

const tree = { 'a.json': '1' };
const hasProc = existsSync('/proc/self/stat');
/** Process ids of its own, as every container has them. */
const CONTAINER = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...CONTAINER, 'true']).status === 0;

function lockable() {
  const folders = workFolders(path.join(temporaryFolder(), 'site'));
  const { out, lock } = folders;
  const parent = path.dirname(out);
  return { folders, parent, out, lock, names: () => readdirSync(parent) };
}

/** A process of somebody else, and when it started. */
async function stranger() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const end = async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  };
  onTestFinished(end);
  const pid = child.pid ?? 0;
  const stat = hasProc ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return { pid, start: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '', end };
}

/** The lock of another process, or of one in another place. */
const lockOf = (change: Partial<Holder>): string => encodeHolder({ ...thisProcess(), pid: 1, ...change });

/** Sets the time of a file back, or ahead, by minutes. */
function age(file: string, minutes: number): void {
  const time = Date.now() / 1000 - minutes * 60;
  utimesSync(file, time, time);
}

/** A lock with this text does not count: it is taken over, and gone afterwards. */
async function expectTaken(text: string, minutes = 0): Promise<void> {
  const { out, lock, names } = lockable();
  writeFileSync(lock, text);
  age(lock, minutes);
  await publishTree(out, tree);
  expect(readTree(out)).toEqual(tree);
  expect(names()).toEqual(['site']);
}

describe('the lock', () => {
  it.runIf(hasProc)('names the process that holds it as soon as it is there', async () => {
    const { out, lock } = lockable();
    const watching = spawn(process.execPath, ['-e', SEES_FIRST, lock], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void watching.kill('SIGKILL'));
    await once(watching.stdout, 'data');
    const seen = once(watching.stdout, 'data');
    await withOutput(out, async () => {
      expect(JSON.parse(String((await seen)[0]))).toEqual(thisProcess());
    });
  });

  it('is left alone by a build whose lock was taken over on request', async () => {
    const { out, lock } = lockable();
    const other = lockOf({ host: 'other.test' });
    await withOutput(out, async () => writeFileSync(lock, other));
    expect(readFileSync(lock, 'utf8')).toBe(other);
  });

  it('keeps a second build out while one is at work, whatever the folder is called, and lets it in afterwards', async () => {
    const { parent, out, names } = lockable();
    await withOutput(out, async (output) => {
      for (const name of [out, path.join(parent, 'x', '..', 'site') + path.sep])
        await expect(publishTree(name, { 'a.json': 'second' })).rejects.toMatchObject({
          code: 'output',
          message: `${name}: locked by another build (process ${process.pid})`,
          hint: expect.stringContaining('--out'),
        });
      await output.publish(treeFiles(tree));
    });
    expect(readTree(out)).toEqual(tree);
    expect(await publishTree(out, { 'a.json': 'second' })).toMatchObject({ changed: true });
    expect(names()).toEqual(['site']);
  });
});

describe('a lock that is there already', () => {
  it('counts where its process lives, whatever is requested', async () => {
    const { out, lock } = lockable();
    const { pid, start } = await stranger();
    const text = lockOf({ pid, start });
    writeFileSync(lock, text);
    age(lock, 60);
    for (const takeLock of [false, true]) {
      const taking = withOutput(out, ({ publish }) => publish(treeFiles(tree)), { takeLock });
      await expect(taking).rejects.toThrow(`locked by another build (process ${pid})`);
    }
    expect(readFileSync(lock, 'utf8')).toBe(text);
    expect(existsSync(out)).toBe(false);
  });

  it('does not count if its process is dead', async () => {
    const { pid, start, end } = await stranger();
    await end();
    await expectTaken(lockOf({ pid, start }));
  });

  it.runIf(hasProc)(
    'does not count if its number belongs to another process now, to this one, or to the first of another container',
    async () => {
      for (const { pid } of [await stranger(), process, { pid: 1 }])
        await expectTaken(lockOf({ pid, start: '1' }));
    },
  );

  it.each(['nonsense', '{}', '{"pid":1}', 'null', lockOf({ pid: -1 })])(
    'does not count where it names no process: %j',
    (text) => expectTaken(text),
  );

  const elsewhere: [string, Partial<Holder>][] = [
    ['on another host', { host: 'other.test' }],
    ['on another machine of the same name', { machine: 'f'.repeat(32) }],
    ['in another container', { namespace: 'pid:[1]' }],
  ];
  it.each(elsewhere)('does not count where its process is %s, and has not renewed it', async (_, change) => {
    await expectTaken(lockOf(change), 11);
    await expectTaken(lockOf(change), -60);
  });

  it.each([
    ['renewed five minutes ago', 5, 0],
    ['renewed by a clock that was a little ahead', -5, 0],
    ['renewed now, whatever our clock says', 0, 86_400_000],
  ])('of another host counts if it was %s', async (_, minutes, ahead) => {
    const { out, lock, names } = lockable();
    const text = lockOf({ host: 'other.test' });
    writeFileSync(lock, text);
    age(lock, minutes);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ahead);
    await expect(publishTree(out, tree)).rejects.toThrow('locked by a build on another host');
    expect(readFileSync(lock, 'utf8')).toBe(text);
    expect(names()).toEqual(['.site.gamedata-lock']);
  });

  it('of another host counts if its age cannot be known', async () => {
    const { out, lock } = lockable();
    writeFileSync(lock, lockOf({ host: 'other.test' }));
    age(lock, 60);
    vi.mocked(writeFileSync).mockImplementation(failing('ENOSPC'));
    vi.mocked(linkSync).mockImplementation(failing('EEXIST'));
    vi.mocked(writeFileSync).mockImplementationOnce(real.writeFileSync);
    await expect(publishTree(out, tree)).rejects.toThrow('locked by a build on another host');
  });

  it.each(elsewhere)(
    'counts where its process is %s, until it is taken over on request',
    async (_, change) => {
      const { parent, out, lock } = lockable();
      const text = lockOf(change);
      writeFileSync(lock, text);
      const { host } = JSON.parse(text);
      const refused = publishTree(out, tree);
      await expect(refused).rejects.toThrow(
        new RegExp(`another container \\(process 1 on ${host}, renewed \\d{4}-.*Z\\): .*gamedata-lock$`),
      );
      await expect(refused).rejects.toHaveProperty('hint', expect.stringContaining('--take-lock'));
      expect(readFileSync(lock, 'utf8')).toBe(text);
      await withOutput(out, ({ publish }) => publish(treeFiles(tree)), { takeLock: true });
      expect(readTree(out)).toEqual(tree);
      expect(readdirSync(parent)).toEqual(['site']);
    },
  );

  it.runIf(hasNamespaces)('counts where its process has our own number, in another container', async () => {
    const { out, lock } = lockable();
    const take = [...CONTAINER, process.execPath, '--import=tsx', TAKES_LOCK, out];
    // The system gives the number of a namespace that has ended to the next one: the first container stays.
    const first = spawn('unshare', ['--kill-child', ...take], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void first.kill('SIGKILL'));
    await once(first.stdout, 'data');
    const before = readFileSync(lock, 'utf8');
    expect(JSON.parse(before).pid).toBe(1);
    const second = spawnSync('unshare', take, { timeout: 60_000 });
    expect(String(second.stderr)).toContain('another container (process 1 on ');
    expect(readFileSync(lock, 'utf8')).toBe(before);
    age(lock, 11);
    const third = spawn('unshare', ['--kill-child', ...take], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void third.kill('SIGKILL'));
    await once(third.stdout, 'data');
    expect(JSON.parse(readFileSync(lock, 'utf8')).namespace).not.toBe(JSON.parse(before).namespace);
  });

  it.runIf(hasProc)('does not count of a process with the same number, or of one that has ended', () => {
    const own = thisProcess();
    expect(stateOf(own, own)).toBe('gone');
    expect(stateOf({ ...own, pid: 999_999_999, start: '' }, own)).toBe('gone');
    expect(stateOf({ ...own, pid: process.ppid }, own)).toBe('gone');
    expect(stateOf({ ...own, namespace: 'pid:[1]' }, own)).toBe('unknown');
  });

  it('does not count if the machine was started again since, wherever that can be known', async () => {
    const own = { ...thisProcess(), machine: 'm', boot: 'now' };
    const before = { ...own, boot: 'before' };
    expect(stateOf(before, own)).toBe('gone');
    expect(stateOf({ ...before, machine: '' }, { ...own, machine: '' })).toBe('unknown');
  });

  it.runIf(hasProc)('is waited for while its maker fills it', async () => {
    const { out, lock } = lockable();
    const maker = spawn(process.execPath, ['-e', FILLS_LATE, lock, encodeHolder(thisProcess())], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void maker.kill('SIGKILL'));
    await once(maker.stdout, 'data');
    expect(readFileSync(lock, 'utf8')).toBe('');
    await expect(publishTree(out, tree)).rejects.toThrow(`locked by another build (process ${maker.pid})`);
    expect(existsSync(out)).toBe(false);
  });
});

describe('a lock that is held', () => {
  const other = lockOf({ host: 'other.test' });

  it('is renewed every 30 seconds while its build waits, and keeps no process alive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const started = vi.spyOn(globalThis, 'setInterval');
    const { out, lock } = lockable();
    await withOutput(out, async () => {
      expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
      for (let times = 0; times < 2; times++) {
        age(lock, 60);
        const { mtimeMs } = statSync(lock);
        vi.advanceTimersByTime(30_000);
        expect(statSync(lock).mtimeMs).toBeGreaterThan(mtimeMs);
        expect(readFileSync(lock, 'utf8')).toBe(encodeHolder(thisProcess()));
      }
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['has passed', 3_600_000],
    ['seems to have passed, as a clock is set back', -3_600_000],
  ])(
    'is renewed in synchronous work, too, by the clock of the file system, when its time %s',
    async (_, passed) => {
      const { out, lock } = lockable();
      await withOutput(out, async ({ publish }) => {
        age(lock, 1440);
        const { mtimeMs } = statSync(lock);
        const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + passed);
        await publish(treeFiles(tree));
        expect(statSync(lock).mtimeMs).toBeGreaterThan(mtimeMs);
        expect(Math.abs(statSync(lock).mtimeMs - now())).toBeGreaterThan(1_800_000);
      });
    },
  );

  it('is not renewed by every call of synchronous work', async () => {
    const { out, lock } = lockable();
    await withOutput(out, async ({ publish }) => {
      age(lock, 1);
      const { mtimeMs } = statSync(lock);
      await publish(treeFiles(tree));
      expect(statSync(lock).mtimeMs).toBe(mtimeMs);
    });
  });

  it('is not renewed once it is another’s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { out, lock } = lockable();
    await withOutput(out, async () => {
      writeFileSync(lock, other);
      age(lock, 60);
      const { mtimeMs } = statSync(lock);
      vi.advanceTimersByTime(60_000);
      expect([statSync(lock).mtimeMs, readFileSync(lock, 'utf8')]).toEqual([mtimeMs, other]);
    });
  });

  it('may be moved for a moment by a build that had found a stale one', async () => {
    const { out, lock } = lockable();
    await withOutput(out, async ({ publish }) => {
      const moved = vi.fn<(file: unknown) => never>(failing('ENOENT'));
      vi.mocked(lstatSync).mockImplementationOnce(moved);
      await publish(treeFiles(tree));
      expect(moved.mock.calls[0]?.[0]).toBe(lock);
    });
    expect(readTree(out)).toEqual(tree);
  });

  it('stops its build if somebody has removed it', async () => {
    const { out, lock, names } = lockable();
    const work = withOutput(out, ({ publish }) => {
      rmSync(lock);
      return publish(treeFiles(tree));
    });
    await expect(work).rejects.toMatchObject({
      message: `${out}: the lock of this build is gone (ENOENT)`,
      hint: expect.stringContaining('is left to the build that holds the lock'),
    });
    expect(names()).toEqual([]);
  });

  it('tells why a build failed that has lost it, unless that has nothing to do with the folder', async () => {
    const { out, lock } = lockable();
    const failWith = (error: Error) =>
      withOutput(out, () => {
        writeFileSync(lock, other);
        throw error;
      }).finally(() => rmSync(lock));
    const system = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open' });
    for (const error of [new OutputError('has foreign files', out), system])
      await expect(failWith(error)).rejects.toThrow('the lock of this build was taken over');
    await expect(failWith(new RangeError('stopped'))).rejects.toThrow('stopped');
  });

  const [old, fresh] = littleChanged;

  /** After the n-th time that a build that has its lock changes anything, or tries to, the lock is another's. */
  function takeOverAfter(nth: number, lock: string, then: () => void): void {
    let count = 0;
    // A folder that is trash is removed at once.
    const counts = ([from, to]: unknown[]) =>
      (count > 0 || to === lock) && !/gamedata-trash-[^/]+\//.test(String(from));
    const counted =
      <T extends unknown[]>(call: (...args: T) => void) =>
      (...args: T) => {
        try {
          call(...args);
        } finally {
          if (counts(args) && count++ === nth) {
            real.writeFileSync(lock, other);
            then();
          }
        }
      };
    vi.mocked(linkSync).mockImplementation(counted(real.linkSync));
    vi.mocked(renameSync).mockImplementation(counted(real.renameSync));
    vi.mocked(unlinkSync).mockImplementation(counted(real.unlinkSync));
    vi.mocked(writeFileSync).mockImplementation(counted(real.writeFileSync));
  }

  /** A build is killed while it puts files into place, and then something happens to what it leaves. */
  const killed = (happens: (out: string, copy: string) => void) => async (out: string) => {
    const copy = path.join(temporaryFolder(), 'copy');
    cpSync(out, copy, { recursive: true, preserveTimestamps: true });
    vi.mocked(renameSync).mockImplementation((from, to) =>
      String(to).endsWith('/d.json') ? failing('EIO')() : real.renameSync(from, to),
    );
    await expect(publishTree(out, fresh)).rejects.toThrow('cannot be completed');
    happens(out, copy);
  };
  const remove = (out: string) => rmSync(out, { recursive: true });

  it.each<[string, Tree | undefined, Tree, ((out: string) => Promise<void>)?]>([
    ['is published first', undefined, fresh],
    ['is changed', old, fresh],
    ['has files that become folders', { x: '1', 'y/z': '2' }, { 'x/z': '1', y: '2' }],
    ['was being changed by a build that was killed', old, fresh, killed(() => {})],
    ['is gone since a build was killed', old, fresh, killed(remove)],
    [
      'was restored since a build was killed',
      old,
      old,
      killed((out, copy) => [remove(out), renameSync(copy, out)]),
    ],
  ])(
    'stops its build when it is taken over, at any moment, where a site %s',
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
            `${out}: the lock of this build was taken over by another build (process 1 on other.test)`,
          );
        await withOutput(out, ({ publish }) => publish(treeFiles(after)), { takeLock: true });
        expect(readTree(out)).toEqual(after);
        expect(readdirSync(parent)).toEqual(['site']);
      }
    },
  );
});

describe('a lock whose calls fail', () => {
  /** A process id that no process has. */
  const NOBODY = 999_999_999;
  const [DEAD = '', ALIVE = ''] = ['1', ''].map((start) =>
    encodeHolder({ ...thisProcess(), pid: NOBODY, start }),
  );
  const locked = `locked by another build (process ${NOBODY})`;

  it('that comes and goes again and again is given up', () => {
    const { folders, names } = lockable();
    vi.mocked(linkSync).mockImplementation(failing('EEXIST'));
    expect(() => acquireLock(folders)).toThrow(`${folders.out}: cannot be locked (EEXIST)`);
    expect(names()).toEqual([]);
  });

  it('that is stale and cannot be moved is nobody’s to take', () => {
    const { folders, lock } = lockable();
    writeFileSync(lock, DEAD);
    vi.mocked(renameSync).mockImplementationOnce(failing('EACCES'));
    expect(() => acquireLock(folders)).toThrow(`${folders.out}: cannot be locked (EACCES)`);
    expect(existsSync(lock)).toBe(true);
  });

  it.each<[string, typeof linkSync]>([
    ['the file system knows no links', failing('ENOSYS')],
    [
      'somebody has removed its draft as trash',
      (draft, lock) => {
        real.unlinkSync(draft);
        real.linkSync(draft, lock);
      },
    ],
  ])('is made in place where %s', (_, link) => {
    const { folders, lock, names } = lockable();
    vi.mocked(linkSync).mockImplementation(link);
    const release = acquireLock(folders);
    expect(readFileSync(lock, 'utf8')).toBe(encodeHolder(thisProcess()));
    expect(names()).toEqual(['.site.gamedata-lock']);
    expect(() => acquireLock(folders)).toThrow(`locked by another build (process ${process.pid})`);
    release();
    expect(names()).toEqual([]);
  });

  it.each([
    ['has no room for it leaves nothing', '', []],
    ['has failed, and left another’s, leaves that', ALIVE, ['.site.gamedata-lock']],
  ])('is not made where the disk %s', (_, text, left) => {
    const { folders, lock, names } = lockable();
    vi.mocked(linkSync).mockImplementation(failing('EPERM'));
    vi.mocked(writeFileSync).mockImplementation((file, body, options) => {
      if (file !== lock) return real.writeFileSync(file, body, options);
      real.writeFileSync(lock, text);
      failing('ENOSPC')();
    });
    expect(() => acquireLock(folders)).toThrow(`${folders.out}: cannot be locked (ENOSPC)`);
    expect(names()).toEqual(left);
  });

  it('that was replaced right after it was made in place belongs to the other', () => {
    const { folders, lock } = lockable();
    vi.spyOn(process, 'kill').mockReturnValue(true);
    vi.mocked(linkSync).mockImplementation(failing('EPERM'));
    vi.mocked(closeSync).mockImplementation((descriptor) => {
      real.closeSync(descriptor);
      if (existsSync(lock)) real.writeFileSync(lock, ALIVE);
    });
    expect(() => acquireLock(folders)).toThrow(locked);
  });

  it.each(['with', 'without'])('that another build took over first is put back, %s links', (links) => {
    const { folders, lock, names } = lockable();
    writeFileSync(lock, DEAD);
    // Its process belongs to somebody else.
    vi.spyOn(process, 'kill').mockImplementation(failing('EPERM'));
    if (links === 'without')
      vi.mocked(linkSync).mockImplementation((from, to) =>
        real.existsSync(to) ? real.linkSync(from, to) : failing('EPERM')(),
      );
    vi.mocked(renameSync).mockImplementationOnce((from, to) => {
      real.writeFileSync(from, ALIVE);
      real.renameSync(from, to);
    });
    expect(() => acquireLock(folders)).toThrow(locked);
    expect(readFileSync(lock, 'utf8')).toBe(ALIVE);
    expect(names()).toEqual(['.site.gamedata-lock']);
  });

  it('that another build removed first is made anew', () => {
    const { folders, lock } = lockable();
    writeFileSync(lock, DEAD);
    vi.mocked(renameSync).mockImplementationOnce((from) => {
      real.unlinkSync(from);
      return failing('ENOENT')();
    });
    acquireLock(folders)();
    expect(existsSync(lock)).toBe(false);
  });
});
