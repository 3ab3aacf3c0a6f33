import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJsonOrThrow, readFile, walk } from '../src/files.ts';
import { irregular, replaceBy } from './support/irregular-files.ts';
import { temporaryFolder } from './support/temporary.ts';

const irregularError = expect.objectContaining({ code: 'not a regular file' });

describe('readFile', () => {
  it.each(Object.entries(irregular))('rejects %s', (_, make) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'a/b'), { recursive: true });
    writeFileSync(path.join(folder, 'a/b/c'), 'x');
    expect(readFile(folder, 'a/b/c').toString()).toBe('x');
    replaceBy(make, path.join(folder, 'a/b/c'));
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

describe('parseJsonOrThrow', () => {
  it.each<[json: string | Buffer, problem: string]>([
    ['{"a":1,}', String.raw`got "{\"a\":1,}" in line 1, column 8`],
    ['{\n "a": }', String.raw`got "{\n \"a\": }" in line 2, column 7`],
    ['[1,', 'got "[1," in line 1, column 4'],
    ['{}{}', 'got "{}{}" in line 1, column 3'],
    [
      `[${'1,'.repeat(99)}x${',1'.repeat(99)}]`,
      `got "…${'1,'.repeat(15)}x${',1'.repeat(14)},…" in line 1, column 200`,
    ],
    ['', 'got nothing'],
    [Buffer.from('fffe7b007d00', 'hex'), 'got UTF-16, expected UTF-8'],
    [Buffer.from('"é"', 'latin1'), 'got another encoding, expected UTF-8'],
  ])('quotes the text around the problem in %j', (json, problem) => {
    const message = problem.endsWith('UTF-8') ? problem : `${problem}, expected JSON`;
    expect(() => parseJsonOrThrow(json)).toThrow(new SyntaxError(message, { cause: expect.any(Error) }));
  });

  it('skips a byte order mark', () => {
    expect(parseJsonOrThrow(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  });
});
