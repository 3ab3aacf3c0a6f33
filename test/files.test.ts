import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile, readRegular, walk } from '../src/files.ts';
import { irregular } from './support/irregular-files.ts';
import { temporaryFolder } from './support/temporary.ts';

const irregularError = expect.objectContaining({ code: 'not a regular file' });

describe('readFile', () => {
  it.each(Object.entries(irregular))('rejects %s', (_, make) => {
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

  it('rejects a file below a symlink, and rejects a device', () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'a'));
    writeFileSync(path.join(folder, 'a/c'), 'x');
    symlinkSync('a', path.join(folder, 'b'));
    expect(() => readFile(folder, 'b/c')).toThrow(irregularError);
    // Only root can create a device.
    if (spawnSync('mknod', [path.join(folder, 'zero'), 'c', '1', '5']).status === 0)
      expect(() => readFile(folder, 'zero')).toThrow(irregularError);
  });
});

it('readRegular follows symlinks, limits the size and rejects devices', () => {
  const file = path.join(temporaryFolder(), 'a.json');
  writeFileSync(file, '{}');
  symlinkSync(file, `${file}.link`);
  expect(readRegular(`${file}.link`, 2).toString()).toBe('{}');
  truncateSync(file, 3);
  const fail = (code: unknown) => expect.objectContaining({ code });
  expect(() => readRegular(`${file}.link`, 2)).toThrow(
    fail(expect.stringMatching(/^has \d+ bytes, expected at most 2$/)),
  );
  rmSync(file);
  expect(() => readRegular(`${file}.link`, 2)).toThrow(fail('ENOENT'));
  expect(() => readRegular('/dev/zero', 2)).toThrow(fail('not a regular file'));
});
