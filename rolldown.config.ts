/** Bundles src/ into dist/: the command line and the API with their dependencies, the handler, and the scripts of the pages. */

import { readFileSync } from 'node:fs';
import type { BuildOptions } from 'rolldown';

const pages = {
  front: 'front/front',
  browse: 'browse/browse',
  docs: 'docs/docs',
  search: 'search/search-engine',
};

/** Bundled into the search. */
const license = readFileSync('node_modules/@leeoniya/ufuzzy/LICENSE', 'utf8').trim();

export default [
  {
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    platform: 'node',
    // `debug` takes it if somebody has installed it, as our tools for development have.
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
