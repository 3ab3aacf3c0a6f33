import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readRegular } from '../../src/files.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';

const config = 'own.json: cannot be read (not a regular file), expected a configuration';
const archive =
  'own.tar.gz: cannot be read as an archive (not a regular file), expected a .tar.gz archive of a site';

it.skipIf(process.platform === 'win32').each([
  ['build --config own.json', 2, config],
  ['build', 2, config.replace('own', 'gamedata.config')],
  ['verify own.tar.gz', 1, archive],
  ['mirror own.tar.gz copy', 1, archive],
  ['diff own.tar.gz own.tar.gz', 1, archive],
  ['build --source site --upstream own.tar.gz', 1, archive],
])('%s rejects a FIFO', async (command, code, problem) => {
  const cwd = temporaryFolder();
  execFileSync('mkfifo', [path.join(cwd, problem.split(':')[0] ?? '')]);
  const finished = await callCli(command.split(' '), { cwd });
  expect(finished.stderr).toContain(`error: ${problem}\n`);
  expect(finished.code).toBe(code);
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
