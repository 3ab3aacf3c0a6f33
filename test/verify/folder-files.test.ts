import { describe, expect, it } from 'vitest';
import { byPath } from '../../src/contract/entries.ts';
import { createFolderFiles } from '../../src/verify/folder-files.ts';

const listing = (...paths: string[]) => byPath(paths.map((path) => ({ path, bytes: 1, sha256: '' })));

describe('the files of a folder', () => {
  it('are those that were found, listed or not', () => {
    const files = createFolderFiles(['a', 'x/other'], listing('a', 'missing'));
    expect(files.size).toBe(2);
    expect(['a', 'x/other', 'missing', 'unknown'].map(files.has)).toEqual([true, true, false, false]);
    expect([...files.unlisted()]).toEqual(['x/other']);
  });

  it('are taken once each', () => {
    const files = createFolderFiles(['a', 'other'], listing('a', 'missing'));
    for (const [file, isTaken] of [
      ['a', true],
      ['other', true],
      ['missing', false],
      ['unknown', false],
    ] as const) {
      expect(files.take(file), file).toBe(isTaken);
      expect(files.take(file), file).toBe(false);
    }
    expect(['a', 'other', 'missing', 'unknown'].map(files.has)).toEqual([true, true, false, false]);
  });

  it('are left below a path until they are taken', () => {
    const files = createFolderFiles(
      ['k/a', 'k/b', 'k/other', 'l/c'],
      listing('k/a', 'k/b', 'k/missing', 'l/c'),
    );
    files.take('k/a');
    expect([...files.left('k/')]).toEqual(['k/b', 'k/other']);
    files.take('k/other');
    expect([...files.left('k/')]).toEqual(['k/b']);
    expect([...files.left('')]).toEqual(['k/b', 'l/c']);
  });
});
