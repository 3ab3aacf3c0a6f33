import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  littleChanged,
  openAgain,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

/** Calls the real functions, but flushes nothing, because flushing takes long. */
function restoreCalls(): void {
  vi.resetAllMocks();
  vi.mocked(fs.fsyncSync).mockReturnValue();
  vi.mocked(spawnSync).mockReturnValue({ status: 0, stdout: '' } as never);
}
beforeEach(restoreCalls);

/** The effect of a call on the disk. */
interface Effect {
  readonly what: string;
  /** Repeats the effect in a copy. Returns the files that are then unflushed. */
  again(folder: string, unflushed: readonly string[]): readonly string[];
}

function record(parent: string, hasSync: boolean): Effect[] {
  const effects: Effect[] = [];
  const opened = new Map<number, string>();
  const inside = (file: unknown): string => path.relative(parent, String(file));
  const isBelow = (file: string, at: string): boolean => file === at || file.startsWith(`${at}/`);
  const add = (what: string, again: Effect['again']): void => void effects.push({ what, again });
  const write = (at: string, body: string | Uint8Array): void =>
    add(`write ${at}`, (folder, unflushed) => {
      fs.writeFileSync(path.join(folder, at), body);
      return [...unflushed, at];
    });
  const flush = (at: string, isFlushed: (file: string) => boolean): void =>
    add(`flush ${at}`, (_, unflushed) => unflushed.filter((file) => !isFlushed(file)));
  const remove = (at: string): void =>
    add(`remove ${at}`, (folder, unflushed) => {
      fs.rmSync(path.join(folder, at), { recursive: true, force: true });
      return unflushed.filter((file) => !isBelow(file, at));
    });
  const after = <C extends (...args: never[]) => unknown>(
    call: C,
    original: C,
    effect: (args: Parameters<C>, result: ReturnType<C>) => void,
  ): void => {
    vi.mocked(call).mockImplementation(((...args: Parameters<C>) => {
      const result = original(...args) as ReturnType<C>;
      effect(args, result);
      return result;
    }) as never);
  };
  after(fs.mkdirSync as (at: string) => unknown, real.mkdirSync, ([at]) =>
    add(`mkdir ${inside(at)}`, (folder, unflushed) => {
      fs.mkdirSync(path.join(folder, inside(at)), { recursive: true });
      return unflushed;
    }),
  );
  after(fs.unlinkSync, real.unlinkSync, ([at]) => remove(inside(at)));
  after(fs.rmdirSync, real.rmdirSync, ([at]) => remove(inside(at)));
  after(fs.rmSync, real.rmSync, ([at]) => remove(inside(at)));
  after(fs.linkSync, real.linkSync, ([at, to]) =>
    add(`link ${inside(to)}`, (folder, unflushed) => {
      fs.linkSync(path.join(folder, inside(at)), path.join(folder, inside(to)));
      return [...unflushed, inside(to)];
    }),
  );
  after(fs.renameSync, real.renameSync, ([from, onto]) => {
    const [at, to] = [inside(from), inside(onto)];
    add(`rename ${at} to ${to}`, (folder, unflushed) => {
      fs.renameSync(path.join(folder, at), path.join(folder, to));
      const others = unflushed.filter((file) => file !== to);
      return others.map((file) => (isBelow(file, at) ? to + file.slice(at.length) : file));
    });
  });
  after(fs.writeFileSync, real.writeFileSync, ([at, body]) => write(inside(at), body as string));
  after(fs.openSync, real.openSync, ([at], descriptor) => void opened.set(descriptor, inside(at)));
  after(fs.writeSync as (to: number, body: string) => number, real.writeSync, ([to, body]) =>
    write(opened.get(to) ?? '', body),
  );
  vi.mocked(fs.fsyncSync).mockImplementation((descriptor) => {
    const at = opened.get(descriptor) ?? '';
    flush(at, (file) => file === at);
  });
  vi.mocked(spawnSync).mockImplementation(((command: string, [flag, folder]: string[]) => {
    // The site's folder has no default ACL.
    if (command === 'getfacl') return { status: 0, stdout: '' };
    expect([command, flag]).toEqual(['sync', '-f']);
    if (hasSync) flush(inside(folder), (file) => isBelow(file, inside(folder)));
    return { status: hasSync || process.platform === 'darwin' ? 0 : 1 };
  }) as never);
  return effects;
}

function copyFolder(folder: string): string {
  const copy = path.join(temporaryFolder(), 'copy');
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/**
 * Yields every distinct state of a folder during these effects: whole, and with torn unflushed
 * files.
 */
function* replay(before: string, effects: readonly Effect[]) {
  const whole = copyFolder(before);
  const seen = new Set<string>();
  let unflushed: readonly string[] = [];
  for (const [count, effect] of [undefined, ...effects].entries()) {
    if (effect) unflushed = effect.again(whole, unflushed);
    // A build waits for seconds until an empty lock is filled.
    const tearable = new Set(unflushed.filter((file) => !file.endsWith('-lock')));
    for (const share of tearable.size > 0 ? [0, 0.5, 1] : [1]) {
      const folder = copyFolder(whole);
      for (const file of Array.from(tearable, (name) => path.join(folder, name)))
        fs.truncateSync(file, Math.floor(fs.statSync(file).size * share));
      const state = JSON.stringify([fs.readdirSync(folder, { recursive: true }), readTree(folder)]);
      if (!seen.has(state))
        yield { folder, what: `${share} after ${count} of ${effects.length}, ${effect?.what}` };
      seen.add(state);
      fs.rmSync(folder, { recursive: true });
    }
  }
}

/**
 * Expects that the next command recovers the old or new site, and that the next build publishes the
 * new site.
 */
async function expectRecovery(
  out: string,
  old: Tree,
  fresh: Tree,
  what: string,
): Promise<'old' | 'fresh'> {
  for (const name of Object.keys(old).filter((one) => one in fresh))
    expect([old[name], fresh[name]], what).toContain(fs.readFileSync(path.join(out, name), 'utf8'));
  await openAgain(out);
  const end = readTree(out)['a.json'] === old['a.json'] ? 'old' : 'fresh';
  expect(readTree(out), what).toEqual({ old, fresh }[end]);
  expect(await publishTree(out, fresh), what).toMatchObject({ changed: end === 'old' });
  expect(readTree(out), what).toEqual(fresh);
  expect(fs.readdirSync(path.dirname(out)), what).toEqual(['site']);
  return end;
}

const [old, fresh] = littleChanged;

it.each<[string, Tree, Tree, hasSync?: boolean, platform?: NodeJS.Platform]>([
  ['few files', old, fresh],
  [
    'all files',
    { 'a.json': '1', 'b/c.json': '2', 'meta.json': '3' },
    { 'a.json': '10', 'b/c.json': '20', 'meta.json': '30' },
  ],
  [
    'files and folders with the same name',
    { 'a.json': '1', file: '2', 'folder/x/y': '3', 'folder/z': '4', 'meta.json': '5' },
    { 'a.json': '10', 'file/x/y': '2', 'folder/x': '3', 'meta.json': '5' },
  ],
  ['files without sync -f', old, fresh, false],
  ['files if sync ignores -f, as on macOS', old, fresh, false, 'darwin'],
])(
  'keeps the old or the new site after a kill or a power cut during a change to %s',
  async (_, old, fresh, hasSync = true, platform = process.platform) => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
    const { out } = await publishedSite(old);
    const parent = path.dirname(out);
    const before = copyFolder(parent);
    const effects = record(parent, hasSync);
    await publishTree(out, fresh);
    restoreCalls();
    expect(readTree(out)).toEqual(fresh);
    const order = effects.map(({ what }) => what);
    const ended = order.indexOf(
      'rename .site.gamedata-staging/site/manifest.json to site/manifest.json',
    );
    const flushes = hasSync
      ? ['site']
      : ['site/a.json', 'site/b/d.json', 'site/come/x.json', 'site'];
    const done = order.slice(0, ended);
    const changed = done.findLastIndex((what) => !/^(?:flush|mkdir) /.test(what));
    expect(done.slice(changed + 1), 'flushes before the manifest is renamed').toEqual(
      expect.arrayContaining(flushes.map((file) => `flush ${file}`)),
    );

    const ends = { old: 0, fresh: 0 };
    for (const { folder, what } of replay(before, effects))
      ends[await expectRecovery(path.join(folder, 'site'), old, fresh, what)]++;
    expect(ends.old, 'before the commit').toBeGreaterThan(10);
    expect(ends.fresh, 'after the commit').toBeGreaterThan(5);
  },
);

it('publishes all or nothing of a first site after a kill or a power cut', async () => {
  const parent = temporaryFolder();
  const effects = record(parent, true);
  await publishTree(path.join(parent, 'site'), old);
  restoreCalls();
  const ends = new Set<boolean>();
  for (const { folder } of replay(temporaryFolder(), effects)) {
    const out = path.join(folder, 'site');
    if (fs.existsSync(out)) expect(readTree(out)).toEqual(old);
    ends.add(fs.existsSync(out));
  }
  expect(ends.size).toBe(2);
});
