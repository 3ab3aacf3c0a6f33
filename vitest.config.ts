import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One for each core: left to itself, two cores have one worker.
    maxWorkers: '100%',
    // A proxy of the developer's is not for loopback, and vitest's own BASE_URL is not ours.
    env: { NO_PROXY: '127.0.0.1,localhost', BASE_URL: '' },
    // Many tests run real builds and real servers, and machines for CI are slow and shared.
    testTimeout: 240_000,
    // Machines for CI are shared: what fails there fails twice.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 240_000,
    // A test that prints something it was not asked for has found something.
    onConsoleLog: (log) => {
      throw new Error(`unexpected output: ${log}`);
    },
  },
});
