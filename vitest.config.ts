import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that prints something it was not asked for has found something.
    onConsoleLog: (log) => {
      throw new Error(`unexpected output: ${log}`);
    },
  },
});
