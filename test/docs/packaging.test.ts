import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const DIST = new URL('dist/', ROOT);
const IMPORT = /^(?:import|export) .*?from "([^"]+)";$/gm;

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

interface LockedPackage {
  readonly integrity?: string;
  /** Whether only development needs the package. */
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const { dependencies, devDependencies, overrides } = JSON.parse(
  read('package.json'),
);
/** The packages by their folder in node_modules. */
const lockedPackages = new Map<string, LockedPackage>(
  Object.entries(JSON.parse(read('package-lock.json')).packages),
);
// The empty folder is the project itself.
lockedPackages.delete('');

it('imports only production dependencies, and bundles no packages into the Node code', () => {
  const imported = new Set<string>();
  for (const name of readdirSync(DIST)) {
    if (!name.endsWith('.js')) continue;
    const code = readFileSync(new URL(name, DIST), 'utf8');
    // The bundler names the file of each module in a comment.
    expect(code, name).not.toContain('node_modules/');
    for (const [, module = ''] of code.matchAll(IMPORT)) imported.add(module);
  }
  const modules = [...imported].filter((name) => !/^(?:\.|node:)/.test(name));
  expect(modules.sort()).toEqual(Object.keys(dependencies).sort());
});

it('keeps the license notice of the search engine in the script that contains it', () => {
  const notice = read('node_modules/@leeoniya/ufuzzy/LICENSE').trim();
  expect(read('dist/assets/search.js')).toContain(notice);
});

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
