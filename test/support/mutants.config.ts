/**
 * What `npm run mutants` runs: the tests of the mutated folders. Tests of other folders would notice some mutants more, at many
 * times the cost. Those of dist/ would never see one.
 */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: (process.env.MUTATED ?? '*').split(',').map((folder) => `test/${folder}/**/*.test.ts`),
    // Whole builds, whose parts have tests of their own.
    exclude: ['test/system/**', 'test/publish/power-cut.test.ts'],
    env: { NO_PROXY: '127.0.0.1,localhost', BASE_URL: '' },
    testTimeout: 60_000,
  },
});
