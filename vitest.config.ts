import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findMemory } from './test/support/memory.ts';

const hooks = new URL('test/support/absolute-imports.mjs', import.meta.url).href;

/**
 * A test that replaces a module needs modules of its own; for all others, loading
 * them once per worker saves a third.
 */
const isolated = [
  'test/promises/power-cut.test.ts',
  'test/promises/verify-during-build.test.ts',
  'test/site-folder.test.ts',
  'test/publish/finish.test.ts',
  'test/publish/folder.test.ts',
  'test/publish/stage.test.ts',
];

const long = [
  'system/steps',
  'browser/hosts',
  'engines/guarantees',
  'browser/looks',
  'system/refresh',
];

/**
 * Vitest starts the largest files first. Those that take longest start before them,
 * so that none runs alone at the end.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      long.some((name) => moduleId.includes(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * `npm test` omits what needs engines, browsers, kills or minutes; `npm run
 * test:all` (`--mode all`) runs it too.
 */
export default defineConfig(({ mode }) => {
  // In each project, because Vitest reads this file again for projects, in the mode
  // `test`.
  const env = {
    // Loopback must not go through the developer's proxy.
    NO_PROXY: '127.0.0.1,localhost',
    // Vitest's own BASE_URL is not ours.
    BASE_URL: '',
  };
  const envInMemory = { ...env, TMPDIR: findMemory() };
  const system: TestProjectConfiguration = {
    extends: true,
    test: {
      name: 'system',
      // Memory may not allow to run programs, and Deno reads no file below /dev, so
      // each system test chooses whether its folder is in memory.
      env,
      isolate: false,
      include: ['test/system/**/*.test.ts'],
      // Each of these tests may run a build, a web server and a browser.
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 60_000 } },
    },
  };
  const systemProjects = mode === 'all' ? [system] : [];
  return {
    test: {
      globalSetup: 'test/support/compile.ts',
      execArgv: hooks.includes('%25') ? ['--import', hooks] : [],
      // By default, two cores have one worker.
      maxWorkers: '100%',
      sequence: { sequencer: LongFirst },
      // Many tests run real builds and real servers, and CI machines are slow and
      // shared.
      testTimeout: 30_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 20_000 } },
      // A test that logs unexpectedly fails.
      onConsoleLog: (log) => {
        throw new Error(`unexpected output: ${log}`);
      },
      projects: [
        {
          extends: true,
          test: {
            name: 'shared',
            env: envInMemory,
            isolate: false,
            include: ['test/**/*.test.ts'],
            exclude: ['test/system/**', ...isolated],
          },
        },
        ...systemProjects,
        {
          extends: true,
          test: { name: 'isolated', env: envInMemory, include: isolated },
        },
      ],
    },
  };
});
