import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRegular } from '../../src/files.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';

const kinds: Record<string, (file: string) => void> = {
  'a pipe': (file) => void execFileSync('mkfifo', [file]),
  'a symlink to /dev/zero': (file) => symlinkSync('/dev/zero', file),
};

describe.skipIf(process.platform === 'win32').each(Object.keys(kinds))('%s', (name) => {
  const config = 'own.json: cannot be read (not a regular file), expected a configuration';
  const archive = 'own.tar.gz: cannot be read as an archive (not a regular file), expected a .tar.gz';
  it.each([
    ['build --config own.json', 2, config],
    ['build', 2, config.replace('own', 'gamedata.config')],
    ['verify own.tar.gz', 1, archive],
    ['mirror own.tar.gz copy', 1, archive],
    ['diff own.tar.gz own.tar.gz', 1, archive],
    ['build --source site --upstream own.tar.gz', 1, archive],
  ])('makes %s fail', async (command, code, problem) => {
    const cwd = temporaryFolder();
    const file = path.join(cwd, problem.split(':')[0] ?? '');
    kinds[name]?.(file);
    const finished = await runCli(command.split(' '), { cwd });
    expect(finished.stderr).toContain(`error: ${problem}\n`);
    expect(finished.code).toBe(code);
  });
});

it('readRegular follows symlinks and limits the size', () => {
  const file = path.join(temporaryFolder(), 'a.json');
  writeFileSync(file, '{}');
  symlinkSync(file, `${file}.link`);
  expect(readRegular(`${file}.link`, 2).toString()).toBe('{}');
  truncateSync(file, 3);
  expect(() => readRegular(`${file}.link`, 2)).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^has \d+ bytes, expected at most 2$/) }),
  );
  rmSync(file);
  expect(() => readRegular(`${file}.link`, 2)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
