/**
 * Each refresh commits other data. The tests that read the bundled data, or that
 * mention it, must pass with any data.
 */

import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { editionNumber } from '../support/editions.ts';
import { fullUpstream } from '../support/full-upstream.ts';
import { runProgram } from '../support/run-cli.ts';
import { createSecondNight } from '../support/second-night.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUITES = [
  'test/cli',
  'test/docs',
  'test/pipeline',
  'test/upstream',
  'test/web',
];

it('npm test passes after a refresh of the bundled data is committed', async () => {
  const clone = path.join(temporaryFolder(), 'clone');
  const git = async (...args: string[]): Promise<void> => {
    const identity = ['-c', 'user.name=o', '-c', 'user.email=o@example.test'];
    const command = ['git', '-C', clone, ...identity, ...args];
    expect((await runProgram(command)).code).toBe(0);
  };
  await runProgram(['git', 'clone', '--quiet', ROOT, clone]);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  cpSync(path.join(ROOT, 'dist'), path.join(clone, 'dist'), { recursive: true });

  const data = createSecondNight(fullUpstream());
  const { url } = await serveUpstream(data, {
    stateOf: () => ({ data, edition: editionNumber(2) }),
  });
  const { changed } = await snapshot({
    source: 'rest',
    upstream: url,
    data: path.join(clone, 'data'),
    cache: temporaryFolder(),
    maxShrink: 100,
  });
  expect(changed).toBe(true);
  await git('commit', '--quiet', '--all', '--message', 'data: refresh');

  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const command = [process.execPath, vitest, 'run', ...SUITES];
  const { code, stdout } = await runProgram(command, {
    cwd: clone,
    env: { COMPILED: '1' },
  });
  expect(stdout).not.toContain('FAIL');
  expect(code).toBe(0);
});
