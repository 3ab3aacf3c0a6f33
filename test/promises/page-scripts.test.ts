import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package.ts';
import { NEWER_FUNCTIONS } from '../support/newer-functions.ts';

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

  it.each(NEWER_FUNCTIONS)(
    'the script does not use %s, which the oldest supported browsers do not have',
    (text) => {
      expect(code).not.toContain(text);
    },
  );
});
