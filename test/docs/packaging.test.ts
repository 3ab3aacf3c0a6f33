import { readFileSync } from 'node:fs';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import bundles from '../../rolldown.config.ts';
import {
  bundledPackages,
  publishedScripts,
  thirdPartyText,
} from '../../src/compile/licenses.ts';

function readJson(file: string) {
  const url = new URL(`../../${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'));
}

interface LockedPackage {
  readonly integrity?: string;
  /** Whether only development needs the package. */
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const { dependencies, devDependencies, overrides } = readJson('package.json');
/** The packages by their folder in node_modules. */
const lockedPackages = new Map<string, LockedPackage>(
  Object.entries(readJson('package-lock.json').packages),
);
// The empty folder is the project itself.
lockedPackages.delete('');

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
  const expected = ['@leeoniya/ufuzzy', 'fflate'];
  for (const [folder, { dev }] of lockedPackages) {
    const name = folder.replace(/^.*node_modules\//, '');
    if (!dev) expected.push(name);
  }
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expected.sort());
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

it('pins the exact version of every direct dependency', () => {
  const versions = { ...dependencies, ...devDependencies, ...overrides };
  for (const [name, version] of Object.entries(versions)) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  }
});

it('pins the hash of every installed package', () => {
  for (const [folder, { integrity }] of lockedPackages) {
    expect(integrity, folder).toMatch(/^sha512-/);
  }
});

it('allows no install scripts in production dependencies', () => {
  for (const [folder, { dev, hasInstallScript }] of lockedPackages) {
    if (!dev) expect(hasInstallScript, folder).toBeFalsy();
  }
});
