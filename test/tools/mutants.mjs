/**
 * Mutation testing: `npm run mutants -- [folder]...`. Prints the share of mutants
 * (small changes of the code) that a test detects, for each folder of src/. Lists
 * the undetected ones in .cache/mutants.json and .html. The exit code is 1 if a
 * folder is below the goal.
 */

import { Stryker } from '@stryker-mutator/core';

/** In percent of a folder's mutants. */
const GOAL = 90;
const FOLDERS = ['serve/handler', 'contract', 'data', 'upstream', 'publish'];

/**
 * The statuses of mutants:
 * https://stryker-mutator.io/docs/mutation-testing-elements/mutant-states-and-metrics/
 */
const DETECTED = ['Killed', 'Timeout'];
const UNDETECTED = ['Survived', 'NoCoverage'];

const requestedFolders = process.argv.slice(2);
const folders = requestedFolders.length > 0 ? requestedFolders : FOLDERS;

// test/tools/mutants.config.ts reads this variable to select the tests.
process.env.MUTATED = folders.join();

const results = await new Stryker({
  mutate: folders.map((folder) => `src/${folder}/**/*.ts`),
  testRunner: 'vitest',
  vitest: { configFile: 'test/tools/mutants.config.ts' },
  // Stryker reads tsconfig files with TypeScript's JavaScript API, which TypeScript
  // 7 does not have.
  tsconfigFile: 'none.json',
  // Code that runs when a module is loaded would need a process per mutant.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  tempDirName: '.cache/stryker',
  ignorePatterns: ['/.cache', '/.engines', '/build', '/data/.*'],
  reporters: ['progress-append-only', 'html', 'json'],
  htmlReporter: { fileName: '.cache/mutants.html' },
  jsonReporter: { fileName: '.cache/mutants.json' },
  allowEmpty: true,
}).runMutationTest();

for (const folder of folders) {
  let detected = 0;
  let total = 0;
  for (const { fileName, status } of results) {
    if (!fileName.includes(`/src/${folder}/`)) continue;
    // Mutants with another status, such as ignored ones, do not count.
    if (DETECTED.includes(status)) detected += 1;
    if (DETECTED.includes(status) || UNDETECTED.includes(status)) total += 1;
  }
  const score = total === 0 ? 100 : (100 * detected) / total;
  if (score < GOAL) process.exitCode = 1;
  const count = `${detected} of ${total} mutants detected`;
  console.log(`src/${folder}: ${count}, ${score.toFixed(1)} % (goal ${GOAL} %)`);
}
