import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile, walk } from '../src/files.ts';
import { irregular, replaceBy } from './support/irregular-files.ts';
import { temporaryFolder } from './support/temporary.ts';

/** Only root can make one. */
const device = (file: string): boolean => spawnSync('mknod', [file, 'c', '1', '5']).status === 0;

describe('a file of a folder', () => {
  it.each(Object.entries(irregular))('is not read if it is %s', (_, make) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'a/b'), { recursive: true });
    writeFileSync(path.join(folder, 'a/b/c'), 'x');
    expect(readFile(folder, 'a/b/c').toString()).toBe('x');
    replaceBy(make, path.join(folder, 'a/b/c'));
    const refusal = expect.objectContaining({ code: 'not a regular file' });
    expect(() => readFile(folder, 'a/b/c')).toThrow(refusal);
    expect([...walk(folder)].filter(({ isFile }) => isFile)).toEqual([]);
  });

  it('is not read if it is a device, or below a link', () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'a'));
    writeFileSync(path.join(folder, 'a/c'), 'x');
    symlinkSync('a', path.join(folder, 'b'));
    expect(() => readFile(folder, 'b/c')).toThrow(expect.objectContaining({ code: 'not a regular file' }));
    if (!device(path.join(folder, 'zero'))) return;
    expect(() => readFile(folder, 'zero')).toThrow(expect.objectContaining({ code: 'not a regular file' }));
  });
});
