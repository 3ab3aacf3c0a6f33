/** Output that goes nowhere: a reader that has gone, and a log on a full disk. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, startCli } from '../support/run-cli.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const FULL = '/dev/full';

describe('a command', () => {
  it('ends as it would if nobody reads what it prints', async () => {
    const { child, finished } = startCli(['hosts']);
    child.stdout?.destroy();
    const { code, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it.runIf(existsSync(FULL))('ends as it would if what it prints finds no room', async () => {
    const { upstream } = await smallSource();
    const out = path.join(temporaryFolder(), 'site');
    const args = ['build', '--source', 'snapshot', '--upstream', upstream, '--json', '--out', out];
    for (const descriptor of ['1', '2']) {
      const { code } = await runCli(args, { redirect: `${descriptor}> ${FULL}` });
      expect(code, descriptor).toBe(0);
      expect(existsSync(path.join(out, 'meta.json'))).toBe(true);
    }
  });
});
