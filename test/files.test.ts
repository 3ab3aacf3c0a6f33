import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile, readRegular, walk } from '../src/files.ts';
import { irregular } from './support/irregular-files.ts';
import { temporaryFolder } from './support/temporary.ts';

const irregularError = expect.objectContaining({ code: 'not a regular file' });

describe('readFile', () => {
  it.each(Object.entries(irregular))('rejects %s in place of a file', (_, make) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'a/b'), { recursive: true });
    writeFileSync(path.join(folder, 'a/b/c'), 'x');
    expect(readFile(folder, 'a/b/c').toString()).toBe('x');
    const outside = path.join(temporaryFolder(), 'outside');
    renameSync(path.join(folder, 'a/b/c'), outside);
    make(path.join(folder, 'a/b/c'), outside);
    expect(() => readFile(folder, 'a/b/c')).toThrow(irregularError);
    expect([...walk(folder)].filter(({ isFile }) => isFile)).toEqual([]);
  });

  it('rejects a file below a symlink to a folder', () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'a'));
    writeFileSync(path.join(folder, 'a/c'), 'x');
    symlinkSync('a', path.join(folder, 'b'));
    expect(() => readFile(folder, 'b/c')).toThrow(irregularError);
  });

  it('refuses to read a device', () => {
    const folder = temporaryFolder();
    // Only root can create a device.
    if (
      spawnSync('mknod', [path.join(folder, 'zero'), 'c', '1', '5']).status === 0
    ) {
      expect(() => readFile(folder, 'zero')).toThrow(irregularError);
    }
  });
});

describe('readRegular', () => {
  const createError = (code: unknown) => expect.objectContaining({ code });

  function createLink(): { file: string; link: string } {
    const file = path.join(temporaryFolder(), 'a.json');
    const link = `${file}.link`;
    writeFileSync(file, '{}');
    symlinkSync(file, link);
    return { file, link };
  }

  it('follows a symlink to a regular file', () => {
    const { link } = createLink();
    expect(readRegular(link, 2).toString()).toBe('{}');
  });

  it('rejects a file that exceeds the size limit', () => {
    const { file, link } = createLink();
    truncateSync(file, 3);
    const problem = expect.stringMatching(/^has \d+ bytes, expected at most 2$/);
    expect(() => readRegular(link, 2)).toThrow(createError(problem));
  });

  it('rejects a symlink whose target is missing', () => {
    const { file, link } = createLink();
    rmSync(file);
    expect(() => readRegular(link, 2)).toThrow(createError('ENOENT'));
  });

  it('rejects a device in place of a regular file', () => {
    expect(() => readRegular('/dev/zero', 2)).toThrow(
      createError('not a regular file'),
    );
  });
});
