import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT, readBuildAssets } from '../../src/package.ts';
import { dataFiles } from '../../src/serve/offline/data-store.ts';
import { createOfflineScript } from '../../src/site/offline-script.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

/**
 * Functions, and syntax of regular expressions, that do not exist in the oldest
 * browsers listed in `rolldown.config.mjs`. The bundler converts other syntax, but it
 * does not add functions.
 */
const NEWER_FUNCTIONS = [
  'URL.canParse',
  '(?<=',
  '(?<!',
  '.toSorted(',
  '.toReversed(',
  '.toSpliced(',
  '.with(',
  'Object.groupBy',
  'Map.groupBy',
  'Promise.withResolvers',
];

/**
 * The maximum sizes in bytes. `browse.js` is loaded by the page of every record and
 * every list.
 */
const limits: Readonly<Record<string, number>> = {
  'browse.js': 35_000,
  'front.js': 25_000,
  'search.js': 15_000,
};
const OTHER_LIMIT = 8_000;

function expectOldFunctions(code: string): void {
  const found = NEWER_FUNCTIONS.filter((text) => code.includes(text));
  expect(found).toEqual([]);
}

const folder = path.join(PACKAGE_ROOT, 'dist/assets');
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));

it('finds the compiled scripts for all pages', () => {
  expect(files).toEqual(['browse.js', 'docs.js', 'front.js', 'search.js']);
});

describe.each(files)('%s', (file) => {
  const code = readFileSync(path.join(folder, file), 'utf8');

  it('the script stays below its size limit', () => {
    const limit = limits[file] ?? OTHER_LIMIT;
    expect(Buffer.byteLength(code)).toBeLessThan(limit);
  });

  it('the script uses only functions that the oldest supported browsers support', () => {
    expectOldFunctions(code);
  });
});

describe('the offline worker', () => {
  const { meta } = siteOf(rawRecords(1, 1));
  const { template, compiled } = readBuildAssets();
  const script = `${createOfflineScript({ meta, template, compiled }).body}`;

  it('is smaller than 15 kB when compressed', () => {
    expect(gzipSync(script).length).toBeLessThan(15_000);
  });

  it('uses only functions that the oldest supported browsers support', () => {
    expectOldFunctions(script);
  });

  it('stores less than 150 kB of data in an app, measured in compressed form', () => {
    let bytes = 0;
    for (const file of dataFiles) {
      // The bundled data set has the same form as the one in a site.
      const bundledFile = path.join(PACKAGE_ROOT, file);
      bytes += gzipSync(readFileSync(bundledFile)).length;
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });
});
