import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withOutput } from '../../../src/publish/publish.ts';
import { snapshotFiles } from '../../../src/sources/snapshot.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { encodeDataSet } from '../../support/decode.ts';
import { runCli, startCli } from '../../support/run-cli.ts';
import { dataSetOf, rawRecords } from '../../support/sites.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const KILLS = 15;

/** Sites that differ in every record, so that each build has much to write. */
const buildArgs = (parent: string, round: number) => [
  ...['build', '--source', 'snapshot', '--upstream', path.join(parent, 'data'), '--quiet'],
  ...['--out', path.join(parent, 'site'), '--base-url', `https://round-${round}.test`],
];

it('a build killed at any moment leaves the old site or the new one, and the next build succeeds', async () => {
  const parent = temporaryFolder();
  const out = path.join(parent, 'site');
  await withOutput(path.join(parent, 'data'), (output) =>
    output.publish(snapshotFiles(encodeDataSet(dataSetOf(rawRecords(150, 150))))),
  );
  const started = performance.now();
  expect(await runCli(buildArgs(parent, 0))).toEqual({ code: 0, stdout: '', stderr: '' });
  const duration = performance.now() - started;

  let killed = 0;
  for (let round = 1; round <= KILLS; round++) {
    const { child, finished } = startCli(buildArgs(parent, round));
    // Most of the time goes into starting and reading: aim at the later part.
    await setTimeout(duration * (0.2 + 0.8 * Math.random()));
    child.kill('SIGKILL');
    if ((await finished).code === null) killed++;
    expect(verifyFolder(out).problems, `after kill ${round}`).toEqual([]);
  }
  expect(killed).toBeGreaterThan(0);

  expect(await runCli(buildArgs(parent, 99))).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(verifyFolder(out).problems).toEqual([]);
  expect(existsSync(out) && readdirSync(parent).sort()).toEqual(['data', 'site']);
});
