import { defineConfig } from 'vitest/config';

/**
 * Folder → tests of other folders that cover it. `npm run mutants` runs no other
 * tests, to save time.
 */
const coveredBy: Record<string, readonly string[]> = {
  sources: [
    ...['history', 'mirror'].map((name) => `test/cli/commands/${name}.test.ts`),
    'test/verify/folder.test.ts',
  ],
  dataset: ['icons', 'snapshot'].map((name) => `test/sources/${name}.test.ts`),
  publish: ['test/cli/commands/mirror.test.ts'],
  contract: [
    ...['generate-site', 'openapi', 'schemas'].map(
      (name) => `test/site/${name}.test.ts`,
    ),
    ...['test/serve/handler/**/*.test.ts', 'test/web/render-pages.test.ts'],
  ],
};

export default defineConfig({
  test: {
    include: (process.env.MUTATED ?? '*')
      .split(',')
      .flatMap((folder) => [
        `test/${folder}/**/*.test.ts`,
        ...(coveredBy[folder] ?? []),
      ]),
    exclude: ['test/system/**'],
    env: { NO_PROXY: '127.0.0.1,localhost', BASE_URL: '' },
    testTimeout: 60_000,
  },
});
