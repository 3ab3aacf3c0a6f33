import {
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { explainFailure, readFile, readRegular, walk } from '../src/files.ts';
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
});

describe('hints for file system failures', () => {
  const user = os.userInfo().username;
  const spaceHint =
    'Free some space or inodes (`df -i`): a build needs room for a second copy of the changed files.';
  const permissionHint = `This process runs as the user ${user}. If the folder belongs to another user, change that with chown -R ${user} <folder>.`;
  const hintsByCode: [code: string, hint: string | undefined][] = [
    ['ENOSPC', spaceHint],
    ['EACCES', permissionHint],
    ['EIO', undefined],
  ];

  function createFailure(code: string): Error {
    return Object.assign(new Error(code), { code, syscall: 'write' });
  }

  function explain(code: string, hint?: string): unknown {
    const fail = (): never => {
      throw createFailure(code);
    };
    return explainFailure('cannot be written', 'site', fail, hint);
  }

  it.each(hintsByCode)('explainFailure explains %s', (code, hint) => {
    const message = `site: cannot be written (${code})`;
    const error = expect.objectContaining({ message, hint });
    expect(() => explain(code)).toThrow(error);
  });

  it("explainFailure adds the caller's hint", () => {
    const hint = `${spaceHint} Choose another folder.`;
    const error = expect.objectContaining({ hint });
    expect(() => explain('ENOSPC', 'Choose another folder.')).toThrow(error);
  });

  it('explainFailure names the user id if the user has no name', () => {
    vi.spyOn(os, 'userInfo').mockImplementationOnce(() => {
      throw createFailure('ENOENT');
    });
    const hint = expect.stringContaining(`the user ${process.geteuid?.()}.`);
    const error = expect.objectContaining({ hint });
    expect(() => explain('EACCES')).toThrow(error);
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
