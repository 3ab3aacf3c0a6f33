/**
 * A kill or a power cut at any moment: the calls of a publish are recorded, each beginning of that sequence is played on a
 * copy, and after a power cut, files that were not flushed by then are torn. Or the calls fail from a moment on.
 */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  littleChanged,
  openAgain,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
  transitions,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

/** All calls are real, except that nothing is flushed: it takes long, and no power is cut. */
function undisturbed(): void {
  vi.resetAllMocks();
  vi.mocked(fsyncSync).mockReturnValue();
  vi.mocked(spawnSync).mockReturnValue({ status: 0 } as never);
}
beforeEach(undisturbed);

/** What a call did to the disk. Paths are relative to the folder in which everything happens. */
type Effect =
  | { does: 'mkdir' | 'unlink' | 'rmdir' | 'rm' | 'flush' | 'flushAll'; at: string }
  | { does: 'write'; at: string; body: string | Uint8Array }
  | { does: 'rename' | 'link'; at: string; to: string };

/** Records every effect from now on. What fails has none. */
function record(parent: string, hasSync: boolean): Effect[] {
  const effects: Effect[] = [];
  const opened = new Map<number, string>();
  /** What has been written to an open file so far. */
  const written = new Map<unknown, Buffer>();
  const inside = (file: unknown): string => path.relative(parent, String(file));
  const add = (effect: Effect): void => void effects.push(effect);
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
  after(mkdirSync as (at: string) => unknown, real.mkdirSync, ([at]) =>
    add({ does: 'mkdir', at: inside(at) }),
  );
  after(unlinkSync, real.unlinkSync, ([at]) => add({ does: 'unlink', at: inside(at) }));
  after(rmdirSync, real.rmdirSync, ([at]) => add({ does: 'rmdir', at: inside(at) }));
  after(rmSync, real.rmSync, ([at]) => add({ does: 'rm', at: inside(at) }));
  after(linkSync, real.linkSync, ([at, to]) => add({ does: 'link', at: inside(at), to: inside(to) }));
  after(renameSync, real.renameSync, ([at, to]) => add({ does: 'rename', at: inside(at), to: inside(to) }));
  after(writeFileSync, real.writeFileSync, ([at, body]) => {
    const whole = Buffer.concat([written.get(at) ?? Buffer.of(), Buffer.from(body as Uint8Array)]);
    const name = typeof at === 'number' ? opened.get(at) : inside(at);
    if (typeof at === 'number') written.set(at, whole);
    add({ does: 'write', at: name ?? '', body: whole });
  });
  after(openSync, real.openSync, ([at, flags], descriptor) => {
    opened.set(descriptor, inside(at));
    written.delete(descriptor);
    if (typeof flags === 'string' && flags !== 'r') add({ does: 'write', at: inside(at), body: '' });
  });
  after(writeSync as (to: number, body: string) => number, real.writeSync, ([to, body]) =>
    add({ does: 'write', at: opened.get(to) ?? '', body }),
  );
  after(
    fsyncSync,
    () => {},
    ([descriptor]) => add({ does: 'flush', at: opened.get(descriptor) ?? '' }),
  );
  vi.mocked(spawnSync).mockImplementation(((command: string, [flag, folder]: string[]) => {
    expect([command, flag]).toEqual(['sync', '-f']);
    if (hasSync) add({ does: 'flushAll', at: inside(folder) });
    return { status: hasSync ? 0 : 1 };
  }) as never);
  return effects;
}

/** Plays an effect in a folder where some files are unflushed. Returns those that are then. */
function play(effect: Effect, folder: string, unflushed: readonly string[]): string[] {
  const inFolder = (file: string): string => path.join(folder, file);
  const at = inFolder(effect.at);
  const isBelow = (file: string): boolean => file === effect.at || file.startsWith(`${effect.at}/`);
  if (effect.does === 'mkdir') mkdirSync(at, { recursive: true });
  if (effect.does === 'unlink') unlinkSync(at);
  if (effect.does === 'rmdir') rmdirSync(at);
  if (effect.does === 'rm') rmSync(at, { recursive: true, force: true });
  if (effect.does === 'mkdir') return [...unflushed];
  if (effect.does === 'write') {
    writeFileSync(at, effect.body);
    return [...unflushed, effect.at];
  }
  if (effect.does === 'flush') return unflushed.filter((file) => file !== effect.at);
  if (effect.does !== 'rename' && effect.does !== 'link') return unflushed.filter((file) => !isBelow(file));
  const { to } = effect;
  if (effect.does === 'link') {
    linkSync(at, inFolder(to));
    return [...unflushed, to];
  }
  renameSync(at, inFolder(to));
  return unflushed
    .filter((file) => file !== to)
    .map((file) => (isBelow(file) ? to + file.slice(effect.at.length) : file));
}

function copyOf(folder: string): string {
  const copy = path.join(temporaryFolder(), 'copy');
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Leaves this share of a file. */
const tear = (file: string, share: number): void =>
  truncateSync(file, Math.floor(statSync(file).size * share));

/** Every distinct state of a folder in the course of these effects: whole, and with the unflushed files torn. */
function* statesOf(before: string, effects: readonly Effect[]) {
  const whole = copyOf(before);
  const seen = new Set<string>();
  let unflushed: string[] = [];
  for (const [count, effect] of [undefined, ...effects].entries()) {
    if (effect) unflushed = play(effect, whole, unflushed);
    // Any command waits for two seconds until an empty lock is filled: see the tests of locks.
    const tearable = new Set(unflushed.filter((file) => !file.endsWith('-lock')));
    for (const share of tearable.size > 0 ? [0, 0.5, 1] : [1]) {
      const folder = copyOf(whole);
      for (const file of tearable) tear(path.join(folder, file), share);
      const state = JSON.stringify([readdirSync(folder, { recursive: true }), readTree(folder)]);
      if (!seen.has(state))
        yield { folder, what: `${share} after ${count} of ${effects.length}, ${JSON.stringify(effect)}` };
      seen.add(state);
      rmSync(folder, { recursive: true });
    }
  }
}

/** An interrupted site has the files of both sites, is the old or the new one as soon as it is asked for, and the new one after a build. */
async function endOf(out: string, old: Tree, fresh: Tree, what: string): Promise<'old' | 'fresh'> {
  for (const name of Object.keys(old).filter((one) => one in fresh))
    expect([old[name], fresh[name]], what).toContain(readFileSync(path.join(out, name), 'utf8'));
  await openAgain(out);
  const end = readTree(out)['a.json'] === old['a.json'] ? 'old' : 'fresh';
  expect(readTree(out), what).toEqual({ old, fresh }[end]);
  expect(await publishTree(out, fresh), what).toMatchObject({ changed: end === 'old' });
  expect(readTree(out), what).toEqual(fresh);
  expect(readdirSync(path.dirname(out)), what).toEqual(['site']);
  return end;
}

const cases = [
  ...Object.entries(transitions).map(([name, trees]) => ({ name, trees, hasSync: true })),
  { name: 'where there is no sync -f', trees: littleChanged, hasSync: false },
];

it.each(cases)(
  'a kill or a power cut while a site is changed leaves the old or the new one: $name',
  async ({ trees: [old, fresh], hasSync }) => {
    const { out } = await publishedSite(old);
    const parent = path.dirname(out);
    const before = copyOf(parent);
    const effects = record(parent, hasSync);
    await publishTree(out, fresh);
    undisturbed();
    expect(readTree(out)).toEqual(fresh);

    const ends = { old: 0, fresh: 0 };
    for (const { folder, what } of statesOf(before, effects))
      ends[await endOf(path.join(folder, 'site'), old, fresh, what)]++;
    expect(ends.old, 'before it counts').toBeGreaterThan(10);
    expect(ends.fresh, 'afterwards').toBeGreaterThan(5);
  },
);

it('a kill or a power cut while a first site is published leaves none or all of it', async () => {
  const [tree] = littleChanged;
  const parent = temporaryFolder();
  const effects = record(parent, true);
  await publishTree(path.join(parent, 'site'), tree);
  undisturbed();
  const ends = new Set<boolean>();
  for (const { folder } of statesOf(temporaryFolder(), effects)) {
    const out = path.join(folder, 'site');
    if (existsSync(out)) expect(readTree(out)).toEqual(tree);
    ends.add(existsSync(out));
  }
  expect(ends.size).toBe(2);
});

const calls = {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  writeSync,
};

/** From a call on, none works any more. Returns how many there were. */
function failFrom(nth: number): () => number {
  let count = 0;
  for (const [name, call] of Object.entries(calls)) {
    vi.mocked(call as (...args: unknown[]) => unknown).mockImplementation((...args) => {
      count++;
      if (count >= nth) throw Object.assign(new Error('dead'), { code: 'EIO' });
      if (call === fsyncSync) return undefined;
      return (real[name as keyof typeof calls] as (...args: unknown[]) => unknown)(...args);
    });
  }
  return () => count;
}

it.each(Object.entries(transitions))(
  'a disk that fails from any call on leaves the old or the new site: one %s',
  async (_, [old, fresh]) => {
    const ends = { old: 0, fresh: 0 };
    const published = path.dirname((await publishedSite(old)).out);
    for (let nth = 1; ; nth++) {
      const out = path.join(copyOf(published), 'site');
      const count = failFrom(nth);
      const outcome = await publishTree(out, fresh).catch((error: unknown) => error);
      const isOver = count() < nth;
      undisturbed();
      if (isOver) {
        expect(outcome).toMatchObject({ changed: true });
        break;
      }
      ends[await endOf(out, old, fresh, `call ${nth}`)]++;
    }
    expect(ends.old).toBeGreaterThan(10);
    expect(ends.fresh).toBeGreaterThan(10);
  },
);
