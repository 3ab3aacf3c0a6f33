import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import bundles from '../../rolldown.config.ts';
import { PACKAGE_ROOT } from '../../src/package.ts';

/** In bytes. The page of every record and every list loads `browse.js`. */
const limits: Readonly<Record<string, number>> = { 'browse.js': 20_000, 'search.js': 15_000 };
const OTHER_LIMIT = 8_000;

/**
 * Functions and syntax of regular expressions that the oldest browsers in `rolldown.config.ts`
 * lack. The bundler lowers other syntax, but it adds no functions.
 */
const NEWER = [
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

const files: string[] = [];
for (const { output } of bundles) {
  if (!('file' in output) || !output.file.startsWith('dist/assets/')) continue;
  files.push(output.file);
}

it('finds the scripts of every page', () => {
  expect(files).toContain('dist/assets/browse.js');
  expect(files).toContain('dist/assets/search.js');
});

describe.each(files)('%s', (file) => {
  const code = readFileSync(path.join(PACKAGE_ROOT, file), 'utf8');

  it('is small, because every visitor loads it', () => {
    const limit = limits[path.basename(file)] ?? OTHER_LIMIT;
    expect(Buffer.byteLength(code)).toBeLessThan(limit);
  });

  it.each(NEWER)('runs in the oldest supported browsers, which lack %s', (text) => {
    expect(code).not.toContain(text);
  });
});
