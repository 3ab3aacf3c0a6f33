import { readFileSync } from 'node:fs';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import bundles from '../../rolldown.config.ts';
import { bundledPackages, thirdPartyText } from '../../scripts/licenses.ts';

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
const { dependencies, devDependencies, overrides } = read('package.json');
const lock: Record<string, { integrity?: string; dev?: boolean; hasInstallScript?: boolean }> =
  read('package-lock.json').packages;
const installed = Object.entries(lock).filter(([folder]) => folder !== '');
const used = installed.filter(([, { dev }]) => !dev);
const outputs = await Promise.all(bundles.map((bundle) => build({ ...bundle, write: false })));
const packages = bundledPackages(outputs);

it('generates THIRD-PARTY.md from the bundles: npm run licenses', async () => {
  await expect(thirdPartyText(packages)).toMatchFileSnapshot('../../docs/THIRD-PARTY.md');
});

it('bundles the production dependencies, the search engine and the compressor', () => {
  const names = used.map(([folder]) => folder.replace(/^.*node_modules\//, ''));
  expect(packages.map(({ name }) => name)).toEqual(['@leeoniya/ufuzzy', 'fflate', ...names].sort());
});

/** Licenses that require only their notice. Read a new one before you add it. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

it.each(packages)('copies $name under a permissive license, with its notice', ({ license, notice }) => {
  expect(permissive).toContain(license);
  expect(notice).not.toBe('');
});

it('pins every dependency, without install scripts', () => {
  const versions = Object.values({ ...dependencies, ...devDependencies, ...overrides });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(used.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});
