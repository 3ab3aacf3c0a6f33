import { defineConfig } from 'vitest/config';

/**
 * For each folder in src/, the tests in other folders that cover it. To save time,
 * `npm run mutants` runs no other tests.
 */
const coveredBy: Record<string, readonly string[]> = {
  upstream: ['test/promises/limits.test.ts', 'test/cli/commands/mirror.test.ts'],
  publish: ['test/pipeline/**/*.test.ts', 'test/promises/power-cut.test.ts'],
  pipeline: ['test/cli/**/*.test.ts', 'test/upstream/icons.test.ts'],
  serve: ['test/promises/reference.test.ts', 'test/cli/commands/serve.test.ts'],
  site: ['test/promises/published-schemas.test.ts'],
  contract: [
    'test/promises/{hostile-text,published-schemas,reference}.test.ts',
    'test/site/generate-site.test.ts',
    'test/site/openapi.test.ts',
    'test/serve/handler/**/*.test.ts',
    'test/web/render-pages.test.ts',
  ],
};

const mutatedFolders = (process.env.MUTATED ?? '*').split(',');
const include: string[] = [];
for (const folder of mutatedFolders) {
  const otherTests = coveredBy[folder] ?? [];
  include.push(`test/${folder}/**/*.test.ts`, ...otherTests);
}

export default defineConfig({
  test: {
    include,
    exclude: ['test/system/**'],
    env: { NO_PROXY: '127.0.0.1,localhost', BASE_URL: '' },
    testTimeout: 60_000,
  },
});
