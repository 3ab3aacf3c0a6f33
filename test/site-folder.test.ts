import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readIfExists } from '../src/site-folder.ts';
import { fingerprint } from './support/fingerprint.ts';
import {
  failAtMove,
  littleChanged,
  openAgain,
  publishedSite,
  publishTree,
  readVisibleTree,
} from './support/publishing.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const [old, fresh] = littleChanged;

/** Makes a build of the fresh site fail just before it moves the n-th file. */
const interruptAt = (nth: number, out: string): Promise<void> =>
  failAtMove(nth, () => publishTree(out, fresh));

describe('a site folder', () => {
  it.each([1, 2, 3, 4])(
    'reads the new site if a committed change was interrupted before file %i was moved',
    async (nth) => {
      const out = await publishedSite(old);
      await interruptAt(nth, out);
      const before = fingerprint(out);
      expect(readVisibleTree(out)).toEqual(fresh);
      expect(fingerprint(out)).toEqual(before);
    },
  );

  /** Completes the interrupted change to the fresh site, as a build does. */
  function complete(out: string): void {
    vi.resetAllMocks();
    fs.cpSync(path.join(out, '.gamedata/next'), out, { recursive: true });
    for (const file of Object.keys(old)) {
      if (!(file in fresh)) fs.rmSync(path.join(out, file));
    }
    for (const folder of ['gone', '.gamedata']) {
      fs.rmSync(path.join(out, folder), { recursive: true });
    }
  }

  it('finds a file even if a build moves it at the same moment', async () => {
    const out = await publishedSite(old);
    await interruptAt(1, out);
    const moved = path.join(out, '.gamedata/next/a.json');
    vi.mocked(fs.lstatSync).mockImplementation(((file: string, options: object) => {
      if (file === moved) complete(out);
      return real.lstatSync(file, options);
    }) as never);
    expect(`${readIfExists(out, 'a.json')}`).toBe('10');
    expect(fs.existsSync(moved)).toBe(false);
  });

  it('reads the completed site after a change was interrupted', async () => {
    const out = await publishedSite(old);
    await interruptAt(2, out);
    await openAgain(out);
    expect(readVisibleTree(out)).toEqual(fresh);
  });
});
