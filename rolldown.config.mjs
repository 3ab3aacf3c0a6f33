import { readFileSync } from 'node:fs';

/** The folder in which `npm run compile` prepares the next dist/. */
export const STAGED = 'dist.next';

const read = (url) => readFileSync(new URL(url, import.meta.url), 'utf8');
const { dependencies } = JSON.parse(read('package.json'));

/** Node runs these bundles, so they import their dependencies. */
const onNode = { platform: 'node', external: Object.keys(dependencies) };

/** The oldest browsers that the scripts run in. */
const browsers = ['chrome109', 'firefox115', 'safari16'];

/** Browsers and hosts load each of these bundles as one file. */
const pages = {
  front: 'front/front',
  browse: 'browse/browse',
  docs: 'docs/docs',
  search: 'search/search-engine',
};
const searchLicense = read(import.meta.resolve('@leeoniya/ufuzzy/LICENSE')).trim();

/** @type {import('rolldown').BuildOptions[]} */
export default [
  {
    ...onNode,
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    preserveEntrySignatures: 'allow-extension',
    output: { dir: STAGED },
  },
  {
    ...onNode,
    input: 'src/compile/generate.ts',
    output: { file: `${STAGED}/generate.js`, codeSplitting: false },
  },
  {
    input: 'src/serve/handler/edge.ts',
    transform: { target: 'es2022' },
    output: { file: `${STAGED}/handler.js` },
  },
  {
    input: 'src/serve/offline/worker.ts',
    transform: { target: browsers },
    // A build inserts the site's base URL, so this is a template. It is a classic script,
    // because Firefox 115 has no module workers of this type.
    output: { file: `${STAGED}/templates/offline.js`, format: 'iife', minify: true },
  },
  ...Object.entries(pages).map(([page, input]) => ({
    input: `src/web/${input}.ts`,
    transform: { target: browsers },
    output: {
      file: `${STAGED}/assets/${page}.js`,
      // Browsers refuse modules to a page that is opened from disk.
      format: page === 'search' ? 'es' : 'iife',
      minify: true,
      postBanner: page === 'search' ? `/*!\n${searchLicense}\n*/` : '',
    },
  })),
];
