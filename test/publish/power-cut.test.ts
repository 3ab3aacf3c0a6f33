/**
 * A power cut at any moment: the calls of a publish are recorded, each beginning of that sequence is played on a copy, and
 * files that were not flushed by then are torn.
 */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
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
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recoverAbandoned } from '../../src/publish/publish.ts';
import { littleChanged, publishTree, readTree, transitions } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

/** What a call did to the disk. Paths are relative to the folder in which everything happens. */
type Effect =
  | { does: 'mkdir' | 'unlink' | 'rmdir' | 'rm' | 'flush' | 'flushAll'; at: string }
  | { does: 'write'; at: string; body: string | Uint8Array }
  | { does: 'rename'; at: string; to: string };

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
  after(closeSync, real.closeSync, () => {});
  after(fsyncSync, real.fsyncSync, ([descriptor]) =>
    add({ does: 'flush', at: opened.get(descriptor) ?? '' }),
  );
  vi.mocked(spawnSync).mockImplementation(((command: string, [flag, folder]: string[]) => {
    expect([command, flag]).toEqual(['sync', '-f']);
    if (hasSync) add({ does: 'flushAll', at: inside(folder) });
    return { status: hasSync ? 0 : 1 };
  }) as never);
  return effects;
}

/** Plays effects in a folder, and tears every file that was written and not flushed: this share of it is left. */
function play(effects: readonly Effect[], folder: string, share: number): void {
  const inFolder = (file: string): string => path.join(folder, file);
  let unflushed: string[] = [];
  for (const effect of effects) {
    const at = inFolder(effect.at);
    const isBelow = (file: string): boolean => file === effect.at || file.startsWith(`${effect.at}/`);
    if (effect.does === 'mkdir') mkdirSync(at, { recursive: true });
    if (effect.does === 'unlink') unlinkSync(at);
    if (effect.does === 'rmdir') rmdirSync(at);
    if (effect.does === 'rm') rmSync(at, { recursive: true, force: true });
    if (effect.does === 'write') {
      writeFileSync(at, effect.body);
      unflushed.push(effect.at);
    }
    if (effect.does === 'rename') {
      renameSync(at, inFolder(effect.to));
      const { to } = effect;
      unflushed = unflushed.filter((file) => file !== to);
      unflushed = unflushed.map((file) => (isBelow(file) ? to + file.slice(effect.at.length) : file));
    } else if (effect.does === 'flush') unflushed = unflushed.filter((file) => file !== effect.at);
    else if (effect.does !== 'mkdir' && effect.does !== 'write')
      unflushed = unflushed.filter((file) => !isBelow(file));
  }
  // Any command waits for two seconds until an empty lock is filled: see the tests of locks.
  for (const file of new Set(unflushed))
    if (!file.endsWith('-lock'))
      truncateSync(inFolder(file), Math.floor(statSync(inFolder(file)).size * share));
}

const cases = [
  ...Object.entries(transitions).map(([name, trees]) => ({ name, trees, hasSync: true })),
  { name: 'where there is no sync -f', trees: littleChanged, hasSync: false },
];

/** What is on a disk: folders, and files with their content. */
const stateOfDisk = (folder: string): string =>
  JSON.stringify([readTree(folder), readdirSync(folder, { recursive: true }).sort()]);

describe.each(cases)('a power cut while a site is changed $name', ({ trees: [old, fresh], hasSync }) => {
  it('leaves the old site or the new one, however much is left of what was not flushed', async () => {
    const parent = temporaryFolder();
    await publishTree(path.join(parent, 'site'), old);
    const before = path.join(temporaryFolder(), 'before');
    cpSync(parent, before, { recursive: true, preserveTimestamps: true });
    const effects = record(parent, hasSync);
    await publishTree(path.join(parent, 'site'), fresh);
    vi.resetAllMocks();
    vi.mocked(spawnSync).mockReturnValue({ status: 0 } as never);
    vi.mocked(fsyncSync).mockReturnValue();
    expect(readTree(path.join(parent, 'site'))).toEqual(fresh);

    const ends = { old: 0, fresh: 0 };
    const seen = new Set<string>();
    for (const share of [0, 0.5]) {
      for (let count = 0; count <= effects.length; count++) {
        const folder = path.join(temporaryFolder(), 'copy');
        cpSync(before, folder, { recursive: true, preserveTimestamps: true });
        play(effects.slice(0, count), folder, share);
        const state = stateOfDisk(folder);
        if (seen.has(state)) continue;
        seen.add(state);
        const out = path.join(folder, 'site');
        recoverAbandoned(out);
        const what = `after ${count} of ${effects.length}, ${JSON.stringify(effects[count - 1])}, ${share} of the rest`;
        const end = readTree(out)['a.json'] === old['a.json'] ? 'old' : 'fresh';
        ends[end]++;
        expect(readTree(out), what).toEqual({ old, fresh }[end]);
        await publishTree(out, fresh);
        expect(readTree(out), what).toEqual(fresh);
        expect(await publishTree(out, fresh), what).toMatchObject({ changed: false });
        expect(readdirSync(folder), what).toEqual(['site']);
      }
    }
    expect(ends.old, 'before it counts').toBeGreaterThan(10);
    expect(ends.fresh, 'afterwards').toBeGreaterThan(5);
  });
});

it.each([0, 0.5])(
  'a power cut while a first site is published leaves none or all of it, with %d of what was not flushed',
  async (share) => {
    const [tree] = littleChanged;
    const parent = temporaryFolder();
    const effects = record(parent, true);
    await publishTree(path.join(parent, 'site'), tree);
    vi.resetAllMocks();
    const ends = new Set<boolean>();
    for (let count = 0; count <= effects.length; count++) {
      const folder = temporaryFolder();
      play(effects.slice(0, count), folder, share);
      const out = path.join(folder, 'site');
      if (existsSync(out)) expect(readTree(out)).toEqual(tree);
      ends.add(existsSync(out));
    }
    expect(ends.size).toBe(2);
  },
);
