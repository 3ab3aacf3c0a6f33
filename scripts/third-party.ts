/**
 * The licences of what runs with us: `npm run licences` fails if THIRD-PARTY.md is stale or a licence is not on the list,
 * `npm run licences -- --write` makes it anew.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installed, thirdPartyText, unwantedLicences } from './third-party/licences.ts';

const FILE = fileURLToPath(new URL('../docs/THIRD-PARTY.md', import.meta.url));

const packages = installed();
const text = thirdPartyText(packages);
const problems = unwantedLicences(packages).map(
  ({ name, licence }) =>
    `${name}: got licence ${licence}, expected one of those in scripts/third-party/licences.ts`,
);
if (process.argv.includes('--write')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text)
  problems.push('THIRD-PARTY.md is not what is installed: run npm run licences -- --write');
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
