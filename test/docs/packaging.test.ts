/** What is installed with us: pinned, licensed, and run by nobody but us. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { installed, thirdPartyText, unwantedLicences } from '../../scripts/third-party/licences.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json'));
const packages = installed();

it('THIRD-PARTY.md is what is installed', () => {
  expect(packages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(Object.keys(manifest.dependencies)),
  );
  expect(read('docs/THIRD-PARTY.md'), 'run npm run licences -- --write').toBe(thirdPartyText(packages));
});

it('every licence of what is installed is one that we know and want', () => {
  expect(unwantedLicences(packages)).toEqual([]);
  const [first] = packages;
  const foreign = first && { ...first, licence: 'GPL-3.0-only' };
  expect(foreign && unwantedLicences([foreign])).toEqual([foreign]);
});

it('nothing that is installed with us has an install script', () => {
  expect(packages.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
});

it('every dependency is pinned to a version', () => {
  const ranges = Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.overrides,
  });
  expect(ranges.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
});

it('every package in the lock file comes with its checksum', () => {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { integrity?: string }> };
  const without = Object.entries(lock.packages).filter(
    ([folder, { integrity }]) => folder !== '' && !integrity?.startsWith('sha512-'),
  );
  expect(without).toEqual([]);
});

it('every dependency is justified in docs/ARCHITECTURE.md', () => {
  const architecture = read('docs/ARCHITECTURE.md');
  const text = architecture.slice(architecture.indexOf('## Dependencies'));
  const silent = Object.keys(manifest.dependencies).filter((name) => !text.includes(`| ${name} |`));
  expect(silent).toEqual([]);
});
