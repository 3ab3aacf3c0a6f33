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
  const options = ['--silent', '--pack-destination', folder];
  const archive = execFileSync('npm', ['pack', PACKAGE, ...options], {
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  const upstream = path.join(folder, 'package', 'data', 'csv');
  const csv = parseOptions(sourceOptions, { source: 'csv', upstream, cache: false });
  const source = resolveSource(csv, process.env);
  await withOutput(BUNDLED_DATA, async (output) => {
    const { update } = await loadUpdate(source, readPreviousSnapshot(output.folder));
    const provenance = {
      ...update.dataSet.provenance,
      upstream: `npm package ${PACKAGE}, data/csv`,
    };
    await output.publish(
      dataSetFiles({ ...update.dataSet, provenance }, update.past),
    );
  });
} finally {
  rmSync(folder, { recursive: true });
}
