import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { acquireLock, encodeHolder, type Holder, stateOf, thisProcess } from '../../src/publish/lock.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { workFolders } from '../../src/publish/work-folders.ts';
import { failing, publishTree, readTree, treeFiles } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => {
  vi.restoreAllMocks();
  vi.resetAllMocks();
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

/** A lock with this text does not count: it is taken over, and gone afterwards. */
async function expectTaken(text: string): Promise<void> {
  const { out, lock, names } = lockable();
  writeFileSync(lock, text);
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
    expectTaken,
  );

  it.each<[string, Partial<Holder>]>([
    ['on another host', { host: 'other.test' }],
    ['on another machine of the same name', { machine: 'f'.repeat(32) }],
    ['in another container', { namespace: 'pid:[1]' }],
  ])('counts where its process is %s, until it is taken over on request', async (_, change) => {
    const { parent, out, lock } = lockable();
    const text = lockOf(change);
    writeFileSync(lock, text);
    const { host } = JSON.parse(text);
    const refused = publishTree(out, tree);
    await expect(refused).rejects.toThrow(
      new RegExp(`another container \\(process 1 on ${host}, since \\d{4}-.*Z\\): .*gamedata-lock$`),
    );
    await expect(refused).rejects.toHaveProperty('hint', expect.stringContaining('--take-lock'));
    expect(readFileSync(lock, 'utf8')).toBe(text);
    await withOutput(out, ({ publish }) => publish(treeFiles(tree)), { takeLock: true });
    expect(readTree(out)).toEqual(tree);
    expect(readdirSync(parent)).toEqual(['site']);
  });

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
