import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';

const config =
  'own.json: cannot be read (not a regular file), expected a configuration';
it.skipIf(process.platform === 'win32').each([
  ['build --config own.json', 2, config],
  ['build', 2, config.replace('own', 'gamedata.config')],
])('gamedata %s rejects a FIFO', async (command, code, problem) => {
  const cwd = temporaryFolder();
  execFileSync('mkfifo', [path.join(cwd, problem.split(':')[0] ?? '')]);
  const finished = await callCli(command.split(' '), { cwd });
  expect(finished.stderr).toContain(`error: ${problem}\n`);
  expect(finished.code).toBe(code);
});
