import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { readIfExists } from '../src/site-folder.ts';
import { littleChanged, publishedSite } from './support/publishing.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const [old, fresh] = littleChanged;

it('finds a file even if a build moves it at the same moment', async () => {
  const out = await publishedSite(old);
  const next = await publishedSite(fresh);
  const staged = path.join(out, '.gamedata/next');
  fs.cpSync(next, staged, { recursive: true });
  vi.mocked(fs.lstatSync).mockImplementation(((file: string, options: object) => {
    if (file === path.join(staged, 'a.json')) {
      vi.resetAllMocks();
      fs.cpSync(next, out, { recursive: true });
      fs.rmSync(path.join(out, '.gamedata'), { recursive: true });
    }
    return real.lstatSync(file, options);
  }) as never);
  expect(`${readIfExists(out, 'a.json')}`).toBe('10');
  expect(fs.existsSync(staged)).toBe(false);
});
