/**
 * What `npm run mutants` runs: the tests of the mutated folders. Tests of other folders would notice some mutants more, at many
 * times the cost. Those of dist/ would never see one.
 */

import { defineConfig } from 'vitest/config';

/**
 * The contract is tables, most of which are tested by what is made from them; that sites are read is tested by what is done
 * with them.
 */
const madeOf: Record<string, readonly string[]> = {
  sources: [
    ...['history', 'mirror'].map((name) => `test/cli/commands/${name}.test.ts`),
    'test/verify/folder.test.ts',
  ],
  publish: ['test/cli/commands/mirror.test.ts'],
  contract: ['test/site/openapi.test.ts', 'test/serve/handler/**/*.test.ts', 'test/web/render-pages.test.ts'],
};

export default defineConfig({
  test: {
    include: (process.env.MUTATED ?? '*')
      .split(',')
      .flatMap((folder) => [`test/${folder}/**/*.test.ts`, ...(madeOf[folder] ?? [])]),
    exclude: ['test/system/**'],
    env: { NO_PROXY: '127.0.0.1,localhost', BASE_URL: '' },
    testTimeout: 60_000,
  },
});
