import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Disk } from '../support/disk.ts';
import {
  littleChanged,
  openAgain,
  publishedSite,
  publishTree,
  readTree,
  readVisibleTree,
  type Tree,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

/** The result of locking a folder. */
const LOCKED = { status: 0, stderr: '' };

/**
 * Restores the real file system calls, except that nothing is flushed, because
 * flushing is slow.
 */
function restoreCalls(): void {
  vi.resetAllMocks();
  vi.mocked(fs.fsyncSync).mockReturnValue();
  vi.mocked(spawnSync).mockReturnValue(LOCKED as never);
}
beforeEach(restoreCalls);

/** The effect of `sync -f <folder>` on different systems. */
type Sync = 'flushes' | 'fails' | 'flushes nothing, as on macOS';

/** The effect of one file system call. */
interface Effect {
  /** A description such as `rename site/a.json to site/b.json`. */
  readonly what: string;
  repeat(disk: Disk): void;
}

/**
 * Records the effects of all file system calls in a folder until `restoreCalls` is
 * called.
 */
function recordEffects(parent: string, sync: Sync): Effect[] {
  const effects: Effect[] = [];
  const opened = new Map<number, string>();
  const inside = (file: unknown): string => path.relative(parent, String(file));
  const add = (what: string, repeat: Effect['repeat']): void =>
    void effects.push({ what, repeat });

  /** Calls the original function and then records its effect. */
  function after<C extends (...args: never[]) => unknown>(
    call: C,
    original: C,
    recordEffect: (args: Parameters<C>, result: ReturnType<C>) => void,
  ): void {
    const wrapped = (...args: Parameters<C>): unknown => {
      const result = original(...args) as ReturnType<C>;
      recordEffect(args, result);
      return result;
    };
    vi.mocked(call).mockImplementation(wrapped as never);
  }

  function recordRemoval(file: string): void {
    add(`remove ${file}`, (disk) => disk.remove(file));
  }

  after(fs.mkdirSync as (folder: string) => unknown, real.mkdirSync, ([folder]) => {
    add(`mkdir ${inside(folder)}`, (disk) => disk.makeFolder(inside(folder)));
  });
  after(fs.unlinkSync, real.unlinkSync, ([file]) => recordRemoval(inside(file)));
  after(fs.rmdirSync, real.rmdirSync, ([folder]) => recordRemoval(inside(folder)));
  after(fs.rmSync, real.rmSync, ([file]) => recordRemoval(inside(file)));
  after(fs.renameSync, real.renameSync, ([from, to]) => {
    const what = `rename ${inside(from)} to ${inside(to)}`;
    add(what, (disk) => disk.rename(inside(from), inside(to)));
  });
  after(fs.utimesSync, real.utimesSync, ([file, , time]) => {
    add(`set time ${inside(file)}`, (disk) =>
      disk.setTime(inside(file), Number(time)),
    );
  });
  after(fs.writeFileSync, real.writeFileSync, ([file, body]) => {
    const now = Date.now();
    const written = body as string | Uint8Array;
    add(`write ${inside(file)}`, (disk) => disk.write(inside(file), written, now));
  });
  after(fs.openSync, real.openSync, ([file], descriptor) => {
    opened.set(descriptor, inside(file));
  });
  vi.mocked(fs.fsyncSync).mockImplementation((descriptor) => {
    const flushed = opened.get(descriptor) ?? '';
    add(`flush ${flushed}`, (disk) => disk.flush((file) => file === flushed));
  });
  const run = (command: string, [flag, folder]: string[]): object => {
    if (command === 'flock') return LOCKED;
    expect([command, flag]).toEqual(['sync', '-f']);
    if (sync === 'flushes') {
      const below = `${inside(folder)}/`;
      add(`flush ${inside(folder)}`, (disk) =>
        disk.flush((file) => file.startsWith(below)),
      );
    }
    return { status: sync === 'fails' ? 1 : 0 };
  };
  vi.mocked(spawnSync).mockImplementation(run as never);
  return effects;
}

const WORK = 'site/.gamedata';
const COMMIT = `rename ${WORK}/manifest.json to ${WORK}/next/manifest.json`;
const LAST_RENAME = `rename ${WORK}/next/manifest.json to site/manifest.json`;

interface RecordedChange {
  /** The files in the site's parent folder before the change. */
  readonly disk: Disk;
  readonly effects: readonly Effect[];
}

/**
 * Publishes a new site over an old one, or the first site, and records every effect on
 * the files.
 */
async function recordChange(
  old: Tree | undefined,
  fresh: Tree,
  sync: Sync,
): Promise<RecordedChange> {
  if (sync === 'flushes nothing, as on macOS') {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  }
  const out = old ? await publishedSite(old) : path.join(temporaryFolder(), 'site');
  const parent = path.dirname(out);
  const disk = new Disk(parent);
  const effects = recordEffects(parent, sync);
  await publishTree(out, fresh);
  restoreCalls();
  expect(readTree(out)).toEqual(fresh);
  return { disk, effects };
}

interface DiskState {
  /** The folder that contains the site in this state. */
  readonly folder: string;
  /** The moment when the power was cut, for messages. */
  readonly what: string;
  readonly isCommitted: boolean;
}

/**
 * Yields every distinct state in which a kill or a power cut between these effects
 * may leave the folder. A kill leaves complete files. After a power cut, files that
 * were not flushed may be torn.
 */
function* replay(
  { disk, effects }: RecordedChange,
  isWanted: (isCommitted: boolean) => boolean = () => true,
): Generator<DiskState> {
  const describedStates = new Set<string>();
  let isCommitted = false;
  const nothing: Effect = { what: 'nothing', repeat() {} };
  for (const [count, { what, repeat }] of [nothing, ...effects].entries()) {
    repeat(disk);
    if (what === COMMIT) isCommitted = true;
    if (!isWanted(isCommitted)) continue;
    for (const share of [0, 0.5, 1]) {
      const bodies = disk.cutPower(share);
      const described = disk.describe(bodies);
      if (describedStates.has(described)) continue;
      describedStates.add(described);
      const folder = disk.restore(bodies);
      const moment = `${share} of unflushed files after ${count} of ${effects.length}, ${what}`;
      yield { folder, what: moment, isCommitted };
      fs.rmSync(folder, { recursive: true });
    }
  }
}

/**
 * Expects that every command sees the old site, or the new site if it was committed.
 * Also expects that the next build completes a committed change, and then publishes the
 * new site.
 */
async function expectRecovery(
  state: DiskState,
  old: Tree,
  fresh: Tree,
): Promise<void> {
  const { folder, what, isCommitted } = state;
  const out = path.join(folder, 'site');
  const visible = fs.existsSync(out) ? readVisibleTree(out) : {};
  expect(visible, what).toEqual(isCommitted ? fresh : old);
  await openAgain(out);
  expect(readTree(out), what).toEqual(isCommitted ? fresh : old);
  expect(await publishTree(out, fresh), what).toMatchObject({
    changed: !isCommitted,
  });
  expect(readTree(out), what).toEqual(fresh);
  expect(fs.readdirSync(folder), what).toEqual(['site']);
  expect(fs.readdirSync(out), what).not.toContain('.gamedata');
}

const [old, fresh] = littleChanged;

describe.each<[string, Tree | undefined, Tree, Sync]>([
  ['few files', old, fresh, 'flushes'],
  [
    'all files',
    { 'a.json': '1', 'b/c.json': '2', 'meta.json': '3' },
    { 'a.json': '10', 'b/c.json': '20', 'meta.json': '30' },
    'flushes',
  ],
  ['a first site', undefined, fresh, 'flushes'],
  ['files without sync -f', old, fresh, 'fails'],
])('after a kill or a power cut during a change to %s', (_, before, after, sync) => {
  it('keeps the old site if the build was interrupted before the commit', async () => {
    const change = await recordChange(before, after, sync);
    let states = 0;
    for (const state of replay(change, (isCommitted) => !isCommitted)) {
      await expectRecovery(state, before ?? {}, after);
      states++;
    }
    expect(states).toBeGreaterThan(10);
  });

  it('completes the new site if the build was interrupted after the commit', async () => {
    const change = await recordChange(before, after, sync);
    let states = 0;
    for (const state of replay(change, (isCommitted) => isCommitted)) {
      await expectRecovery(state, before ?? {}, after);
      states++;
    }
    expect(states).toBeGreaterThan(5);
  });
});

it.each<[Sync, staged: readonly string[], moved: readonly string[]]>([
  ['flushes', [`${WORK}/next`], ['site']],
  [
    'fails',
    ['a.json', 'b/d.json', 'come/x.json'].map((file) => `${WORK}/next/${file}`),
    ['site/a.json', 'site/b/d.json', 'site/come/x.json', 'site'],
  ],
  [
    'flushes nothing, as on macOS',
    ['a.json', 'b/d.json', 'come/x.json'].map((file) => `${WORK}/next/${file}`),
    ['site/a.json', 'site/b/d.json', 'site/come/x.json', 'site'],
  ],
])(
  'flushes every file before each rename of the manifest if sync -f %s',
  async (sync, staged, moved) => {
    const { effects } = await recordChange(old, fresh, sync);
    const order = effects.map(({ what }) => what);
    for (const [rename, flushed] of [
      [COMMIT, [...staged, `${WORK}/manifest.json`, WORK]],
      [LAST_RENAME, moved],
    ] as const) {
      const done = order.slice(0, order.indexOf(rename));
      const lastChange = done.findLastIndex(
        (what) => !/^(?:flush|mkdir) /.test(what),
      );
      const flushes = flushed.map((file) => `flush ${file}`);
      expect(done.slice(lastChange + 1)).toEqual(expect.arrayContaining(flushes));
    }
  },
);
