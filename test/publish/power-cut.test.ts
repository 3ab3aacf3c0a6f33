/**
 * A kill or a power cut at any moment: the calls of a publish are recorded, each beginning of that sequence is played on a
 * copy, and after a power cut, files that were not flushed by then are torn.
 */

import { spawnSync } from 'node:child_process';
import {
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

/** What a call did to the disk: does it again in a copy, and returns the files there that are unflushed then. */
interface Effect {
  readonly what: string;
  again(folder: string, unflushed: readonly string[]): readonly string[];
}

/** Records every effect from now on. What fails has none. */
function record(parent: string, hasSync: boolean): Effect[] {
  const effects: Effect[] = [];
  const opened = new Map<number, string>();
  /** What has been written to an open file so far. */
  const written = new Map<unknown, Buffer>();
  const inside = (file: unknown): string => path.relative(parent, String(file));
  const isBelow = (file: string, at: string): boolean => file === at || file.startsWith(`${at}/`);
  const add = (what: string, again: Effect['again']): void => void effects.push({ what, again });
  const write = (at: string, body: string | Uint8Array): void =>
    add(`write ${at}`, (folder, unflushed) => {
      writeFileSync(path.join(folder, at), body);
      return [...unflushed, at];
    });
  const flush = (at: string, isFlushed: (file: string) => boolean): void =>
    add(`flush ${at}`, (_, unflushed) => unflushed.filter((file) => !isFlushed(file)));
  const remove = (at: string): void =>
    add(`remove ${at}`, (folder, unflushed) => {
      rmSync(path.join(folder, at), { recursive: true, force: true });
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
  after(mkdirSync as (at: string) => unknown, real.mkdirSync, ([at]) =>
    add(`mkdir ${inside(at)}`, (folder, unflushed) => {
      mkdirSync(path.join(folder, inside(at)), { recursive: true });
      return unflushed;
    }),
  );
  after(unlinkSync, real.unlinkSync, ([at]) => remove(inside(at)));
  after(rmdirSync, real.rmdirSync, ([at]) => remove(inside(at)));
  after(rmSync, real.rmSync, ([at]) => remove(inside(at)));
  after(linkSync, real.linkSync, ([at, to]) =>
    add(`link ${inside(to)}`, (folder, unflushed) => {
      linkSync(path.join(folder, inside(at)), path.join(folder, inside(to)));
      return [...unflushed, inside(to)];
    }),
  );
  after(renameSync, real.renameSync, ([from, onto]) => {
    const [at, to] = [inside(from), inside(onto)];
    add(`rename ${at} to ${to}`, (folder, unflushed) => {
      renameSync(path.join(folder, at), path.join(folder, to));
      const others = unflushed.filter((file) => file !== to);
      return others.map((file) => (isBelow(file, at) ? to + file.slice(at.length) : file));
    });
  });
  after(writeFileSync, real.writeFileSync, ([at, body]) => {
    const whole = Buffer.concat([written.get(at) ?? Buffer.of(), Buffer.from(body as Uint8Array)]);
    if (typeof at === 'number') written.set(at, whole);
    write(typeof at === 'number' ? (opened.get(at) ?? '') : inside(at), whole);
  });
  after(openSync, real.openSync, ([at, flags], descriptor) => {
    opened.set(descriptor, inside(at));
    written.delete(descriptor);
    if (typeof flags === 'string' && flags !== 'r') write(inside(at), '');
  });
  after(writeSync as (to: number, body: string) => number, real.writeSync, ([to, body]) =>
    write(opened.get(to) ?? '', body),
  );
  after(
    fsyncSync,
    () => {},
    ([descriptor]) => {
      const at = opened.get(descriptor) ?? '';
      flush(at, (file) => file === at);
    },
  );
  vi.mocked(spawnSync).mockImplementation(((command: string, [flag, folder]: string[]) => {
    expect([command, flag]).toEqual(['sync', '-f']);
    if (hasSync) flush(inside(folder), (file) => isBelow(file, inside(folder)));
    return { status: hasSync ? 0 : 1 };
  }) as never);
  return effects;
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
  let unflushed: readonly string[] = [];
  for (const [count, effect] of [undefined, ...effects].entries()) {
    if (effect) unflushed = effect.again(whole, unflushed);
    // Any command waits for two seconds until an empty lock is filled: see the tests of locks.
    const tearable = new Set(unflushed.filter((file) => !file.endsWith('-lock')));
    for (const share of tearable.size > 0 ? [0, 0.5, 1] : [1]) {
      const folder = copyOf(whole);
      for (const file of tearable) tear(path.join(folder, file), share);
      const state = JSON.stringify([readdirSync(folder, { recursive: true }), readTree(folder)]);
      if (!seen.has(state))
        yield { folder, what: `${share} after ${count} of ${effects.length}, ${effect?.what}` };
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
    const order = effects.map(({ what }) => what);
    const ended = order.indexOf('rename .site.gamedata-staging/site/manifest.json to site/manifest.json');
    const flushes = hasSync ? ['site'] : ['site/a.json', 'site/b/d.json', 'site/come/x.json', 'site'];
    const done = order.slice(0, ended);
    const changed = done.findLastIndex((what) => !/^(?:flush|mkdir) /.test(what));
    expect(done.slice(changed + 1), 'all renames are on disk before the manifest is renamed').toEqual(
      expect.arrayContaining(flushes.map((file) => `flush ${file}`)),
    );

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
