/** Publishing, interrupted at each of its calls. The calls are real until then, and none works afterwards. */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { recoverAbandoned } from '../../src/publish/publish.ts';
import { publishedSite, publishTree, readTree, type Tree, transitions } from '../support/publishing.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const calls = {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  writeSync,
};

/** Nothing here loses power: flushing would only take time. */
function withoutFlushing(): void {
  vi.mocked(spawnSync).mockReturnValue({ status: 0 } as never);
  vi.mocked(fsyncSync).mockReturnValue();
}

/** From a call on, none works any more. Returns how many there were. */
function dieAt(nth: number, code = 'EIO') {
  let count = 0;
  for (const [name, call] of Object.entries(calls)) {
    vi.mocked(call as (...args: unknown[]) => unknown).mockImplementation((...args) => {
      count++;
      if (count >= nth) throw Object.assign(new Error('dead'), { code });
      if (name === 'fsyncSync') return;
      return (real[name as keyof typeof calls] as (...args: unknown[]) => unknown)(...args);
    });
  }
  return () => count;
}

/** The files that both sites have are there at every moment. */
function expectShared(out: string, old: Tree, fresh: Tree): void {
  for (const name of Object.keys(old).filter((one) => one in fresh))
    expect([old[name], fresh[name]]).toContain(readFileSync(path.join(out, name), 'utf8'));
}

it.each(Object.entries(transitions))(
  'a site %s is the old or the new one after each interruption, and never lacks what both have',
  async (_, [old, fresh]) => {
    const ends = { old: 0, fresh: 0 };
    withoutFlushing();
    for (let nth = 1; ; nth++) {
      const { out, names } = await publishedSite(old);
      const count = dieAt(nth);
      const outcome = await publishTree(out, fresh).catch((error: unknown) => error);
      const isOver = count() < nth;
      vi.resetAllMocks();
      withoutFlushing();
      if (isOver) {
        expect(outcome).toMatchObject({ changed: true });
        break;
      }
      expectShared(out, old, fresh);
      recoverAbandoned(out);
      const end = readTree(out)['a.json'] === '1' ? 'old' : 'fresh';
      ends[end]++;
      expect(readTree(out), `after call ${nth}`).toEqual({ old, fresh }[end]);
      if (end === 'fresh') expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
      else await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
      expect(names()).toEqual(['site']);
    }
    expect(ends.old).toBeGreaterThan(10);
    expect(ends.fresh).toBeGreaterThan(10);
  },
);
