/** A disk that fails: each failing call is simulated, the others are real. */

import { closeSync, writeSync } from 'node:fs';
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
  return { folder, cache, put };
}

const unusable = (folder: string) => `${folder}: cannot be used as a cache (ENOSPC)`;

describe('a cache on a disk that is full', () => {
  it('says so when an entry is written', () => {
    const { folder, put } = scene();
    vi.mocked(writeSync).mockImplementationOnce(full);
    expect(() => put(1)).toThrow(unusable(folder));
  });

  it('says so when it is closed', () => {
    const { folder, cache } = scene();
    vi.mocked(closeSync).mockImplementationOnce(full);
    expect(() => cache.close({ complete: true })).toThrow(unusable(folder));
  });
});
