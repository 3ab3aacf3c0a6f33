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
import { checkUpdate } from '../src/dataset/guard.ts';
import { planUpdate } from '../src/dataset/update.ts';
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
    const update = planUpdate(next, readPreviousSnapshot(output.folder), source);
    checkUpdate(update, source);
    const provenance = {
      ...update.dataSet.provenance,
      upstream: `npm package ${PACKAGE}, data/csv`,
    };
    await output.publish(dataSetFiles({ ...update.dataSet, provenance }, update.past));
  });
} finally {
  rmSync(folder, { recursive: true });
}
