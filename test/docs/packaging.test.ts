/** What is installed with us: pinned, licensed, and run by nobody but us. */

import { readFileSync } from 'node:fs';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import bundles from '../../rolldown.config.ts';
import { bundledPackages, thirdPartyText } from '../../scripts/licenses.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json'));
const lock = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { integrity?: string; dev?: boolean; hasInstallScript?: boolean }>;
};
const installed = Object.entries(lock.packages).filter(([folder]) => folder !== '');
const packages = bundledPackages(
  await Promise.all(bundles.map((bundle) => build({ ...bundle, write: false }))),
);

it('THIRD-PARTY.md is what is installed: npm run licenses', async () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  await expect(thirdPartyText(packages)).toMatchFileSnapshot('../../docs/THIRD-PARTY.md');
});

it('bundles what is installed for use, what the search copies, and the compressor', () => {
  const used = installed
    .filter(([, { dev }]) => !dev)
    .map(([folder]) => folder.replace(/^.*node_modules\//, ''));
  expect(packages.map(({ name }) => name)).toEqual(['@leeoniya/ufuzzy', 'fflate', ...used].sort());
});

/** Licences that ask for no more than their notice. A new one is read by a person before it comes in here. */
const wanted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

it('every license of what is installed is one that we know and want, and has its notice', () => {
  for (const { name, license, notice } of packages) {
    expect(wanted, name).toContain(license);
    expect(notice, name).not.toBe('');
  }
});

it('nothing that is installed with us has an install script', () => {
  expect(installed.filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript)).toEqual([]);
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
  const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(without).toEqual([]);
});
