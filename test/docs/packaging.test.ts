import { readFileSync } from 'node:fs';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import bundles from '../../rolldown.config.ts';
import {
  bundledPackages,
  publishedScripts,
  thirdPartyText,
} from '../../src/compile/licenses.ts';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
const { dependencies, devDependencies, overrides } = read('package.json');
const lock: Record<
  string,
  { integrity?: string; dev?: boolean; hasInstallScript?: boolean }
> = read('package-lock.json').packages;
const installed = Object.entries(lock).filter(([folder]) => folder !== '');
const used = installed.filter(([, { dev }]) => !dev);
const outputs = await Promise.all(
  bundles.map((bundle) => build({ ...bundle, write: false })),
);
const packages = bundledPackages(outputs);
const scripts = publishedScripts(outputs);

it('keeps THIRD-PARTY.md up to date with the bundled packages', async () => {
  await expect(thirdPartyText(packages, scripts)).toMatchFileSnapshot(
    '../../docs/THIRD-PARTY.md',
  );
});

it('bundles only the production dependencies, the search engine and the compressor', () => {
  const names = used.map(([folder]) => folder.replace(/^.*node_modules\//, ''));
  expect(packages.map(({ name }) => name)).toEqual(
    ['@leeoniya/ufuzzy', 'fflate', ...names].sort(),
  );
});

it.each(scripts)(
  'bundles no package except the search engine into the scripts of a site: $file',
  (script) => {
    const names = script.packages.map(({ name }) => name);
    expect(names).toEqual(script.file === 'search.js' ? ['@leeoniya/ufuzzy'] : []);
  },
);

it.each(scripts)(
  'includes the license notice of every bundled package in $file',
  ({ code, packages }) => {
    for (const { notice } of packages) expect(code).toContain(notice);
  },
);

/**
 * Licenses that only require including their notice. Read the text of a new license
 * before you add it here.
 */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
];

it.each(packages)(
  'bundles $name, which has a permissive license and a notice',
  ({ license, notice }) => {
    expect(permissive).toContain(license);
    expect(notice).not.toBe('');
  },
);

it('pins the exact version and the hash of every dependency', () => {
  const versions = Object.values({
    ...dependencies,
    ...devDependencies,
    ...overrides,
  });
  expect(
    versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version))),
  ).toEqual([]);
  expect(
    installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')),
  ).toEqual([]);
});

it('allows no install scripts in production dependencies', () => {
  expect(used.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});
