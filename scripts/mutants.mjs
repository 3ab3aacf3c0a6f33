/**
 * Mutation testing: `npm run mutants -- [folder]...`. Changes the code of folders of src/ in many small ways, runs their tests
 * on each change, and prints the share that a test noticed, by folder. Survivors are listed in .cache/mutants.json and
 * .html. Exit code 1 if a folder is below the goal.
 */

import { Stryker } from '@stryker-mutator/core';

const GOAL = 90;
const FOLDERS = ['serve/handler', 'contract', 'sources', 'http', 'publish', 'dataset'];

const asked = process.argv.slice(2);
const folders = asked.length > 0 ? asked : FOLDERS;

// For test/support/mutants.config.ts.
process.env.MUTATED = folders.join();

const results = await new Stryker({
  mutate: folders.map((folder) => `src/${folder}/**/*.ts`),
  testRunner: 'vitest',
  vitest: { configFile: 'test/support/mutants.config.ts' },
  // Stryker reads tsconfig files with a TypeScript that has a JavaScript API, and ours has none.
  tsconfigFile: 'none.json',
  // Code that runs once, when a module is loaded, would need a new process for each mutant.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  tempDirName: '.cache/stryker',
  ignorePatterns: ['/.cache', '/.engines', '/.artefacts', '/build', '/data/.*'],
  reporters: ['progress-append-only', 'html', 'json'],
  htmlReporter: { fileName: '.cache/mutants.html' },
  jsonReporter: { fileName: '.cache/mutants.json' },
  allowEmpty: true,
}).runMutationTest();

let missed = false;
for (const folder of folders) {
  const own = results.filter(({ fileName }) => fileName.replaceAll('\\', '/').includes(`/src/${folder}/`));
  const count = (...statuses) => own.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const total = noticed + count('Survived', 'NoCoverage');
  const score = total === 0 ? 100 : (100 * noticed) / total;
  missed ||= score < GOAL;
  console.log(
    `src/${folder}: ${noticed} of ${total} mutants noticed, ${score.toFixed(1)} % (goal ${GOAL} %)`,
  );
}
process.exitCode = missed ? 1 : 0;
