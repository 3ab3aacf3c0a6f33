import { expect, it } from 'vitest';
import { fingerprintFiles } from '../support/fingerprint.ts';
import { callCli } from '../support/run-cli.ts';
import { rawRecords } from '../support/sites.ts';
import { sharedSite } from '../support/small-data.ts';

/** A folder with the data set `data` and the site `site`. */
const { folder: cwd } = sharedSite({ maxShrink: 100 }, rawRecords(3, 2));

it.each<[commandLine: string, error: string]>([
  [
    'build --source snapshot --upstream data --out data',
    'data: contains files, but its manifest.json does not exist',
  ],
  [
    'snapshot --source snapshot --data site',
    'site: contains files, but its dataset.json does not exist',
  ],
  ['verify data', 'data: is not a gamedata site, because it has no manifest.json'],
  ['diff nowhere site', 'nowhere: does not exist, expected a folder'],
  ['build --source snapshot --out .', '.: is the working directory, or contains it'],
])(
  'rejects the command %s without changing any files',
  async (commandLine, error) => {
    const before = fingerprintFiles(cwd);
    const { code, stderr } = await callCli(commandLine.split(' '), { cwd });
    expect(stderr).toContain(`error: ${error}`);
    expect(stderr).not.toMatch(/bug|^ {4}at /m);
    expect(code).toBe(1);
    expect(fingerprintFiles(cwd)).toEqual(before);
  },
);
