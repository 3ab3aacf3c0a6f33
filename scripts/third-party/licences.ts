/** Every package that is installed for use, with its licence, as the lock file and the packages themselves say. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Licences that ask for no more than their notice. A new one is read by a person before it comes in here. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      dev: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});
const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly hasInstallScript: boolean;
  /** The text that its licence asks to be handed on. */
  readonly notice: string;
}

/** Everything but what is for development only, sorted by name. */
export function installed(): InstalledPackage[] {
  const lock = lockSchema.parse(readJson(path.join(ROOT, 'package-lock.json')));
  return Object.entries(lock.packages)
    .filter(([folder, { dev = false }]) => folder !== '' && !dev)
    .map(([folder, { hasInstallScript = false }]) => {
      const { name, version, license } = manifestSchema.parse(
        readJson(path.join(ROOT, folder, 'package.json')),
      );
      return {
        name,
        version,
        licence: license,
        hasInstallScript,
        notice: readNotice(path.join(ROOT, folder)),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const unwantedLicences = (packages: readonly InstalledPackage[]): InstalledPackage[] =>
  packages.filter(({ licence }) => !allowed.includes(licence));

/** THIRD-PARTY.md. zod is the one package that is copied into `dist/`, so its notice goes along. */
export function thirdPartyText(packages: readonly InstalledPackage[]): string {
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  const bundled = packages.filter(({ name }) => name === 'zod');
  return `<!-- made by \`npm run licences -- --write\` of what package-lock.json installs -->
# Third-party licences

What is installed with gamedata, and by what licence. The bundled data has a licence of its own: \`data/LICENSE.txt\`.

| package | version | licence |
|---|---|---|
${rows.join('\n')}

## Copied into \`dist/\`
${bundled.map(({ name, version, notice }) => `\n### ${name} ${version}\n\n\`\`\`text\n${notice}\n\`\`\`\n`).join('')}`;
}

function readNotice(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8').trim();
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
