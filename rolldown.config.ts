import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { BuildOptions } from 'rolldown';

const pages = {
  front: 'front/front',
  browse: 'browse/browse',
  docs: 'docs/docs',
  search: 'search/search-engine',
};

/**
 * The search engine's folder. In a workspace, packages are in the `node_modules` of
 * a parent folder.
 */
const fuzzy = path.dirname(
  createRequire(import.meta.url).resolve('@leeoniya/ufuzzy/package.json'),
);
const license = readFileSync(path.join(fuzzy, 'LICENSE'), 'utf8').trim();

export default [
  {
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    platform: 'node',
    // Optional dependency of `debug`, which our development tools install.
    external: ['supports-color'],
    preserveEntrySignatures: 'allow-extension',
    output: { dir: 'dist' },
  },
  {
    input: 'src/serve/handler/edge.ts',
    transform: { target: 'es2022' },
    output: { file: 'dist/handler.js' },
  },
  ...Object.entries(pages).map(([page, input]) => ({
    input: `src/web/${input}.ts`,
    transform: { target: ['chrome109', 'firefox115', 'safari16'] },
    output: {
      file: `dist/assets/${page}.js`,
      // Browsers refuse modules to a page that is opened from disk.
      format: page === 'search' ? ('es' as const) : ('iife' as const),
      minify: true,
      postBanner: page === 'search' ? `/*!\n${license}\n*/` : '',
    },
  })),
] satisfies BuildOptions[];
