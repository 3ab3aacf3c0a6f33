/** A disk that fails: each failing call is simulated, the others are real. */

import { closeSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openCache } from '../../src/http/cache.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
afterEach(() => void vi.resetAllMocks());

function full(): never {
  throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
}

function scene() {
  const folder = temporaryFolder();
  const cache = openCache(folder, { name: 'x', version: '1' });
  const put = (id: number): void =>
    cache.put({ url: `https://x.test/${id}`, storedAt: 1, freshUntil: 2, value: id });
  const lines = (): number => readFileSync(path.join(folder, 'x.ndjson'), 'utf8').split('\n').length;
  return { folder, cache, put, lines };
}

const unusable = (folder: string) => `${folder}: cannot be used as a cache (ENOSPC)`;

describe('a cache on a disk that is full', () => {
  it('says so when a group is written', () => {
    const { folder, put } = scene();
    for (let id = 1; id < 16; id++) put(id);
    vi.mocked(writeSync).mockImplementationOnce(full);
    expect(() => put(16)).toThrow(unusable(folder));
  });

  it('says so when it is closed', () => {
    const { folder, cache } = scene();
    vi.mocked(closeSync).mockImplementationOnce(full);
    expect(() => cache.close({ complete: true })).toThrow(unusable(folder));
  });
});

describe('the groups of a cache', () => {
  it('are written when they have sixteen entries, each entry once', () => {
    const { cache, put, lines } = scene();
    for (let id = 1; id <= 40; id++) {
      put(id);
      expect(lines()).toBe(1 + id - (id % 16));
    }
    expect(writeSync).toHaveBeenCalledTimes(2);
    cache.close({ complete: false });
    expect(lines()).toBe(1 + 40);
  });
});
