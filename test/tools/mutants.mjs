/**
 * Mutation testing: `npm run mutants -- [folder]...`. Prints the share of mutants of
 * each folder of src/ that a test detects, and lists survivors in
 * .cache/mutants.json and .html. Exit code 1 if a folder is below the goal.
 */

import { Stryker } from '@stryker-mutator/core';

const GOAL = 90;
const FOLDERS = [
  'serve/handler',
  'contract',
  'sources',
  'http',
  'publish',
  'dataset',
];

const named = process.argv.slice(2);
const folders = named.length > 0 ? named : FOLDERS;

// For test/tools/mutants.config.ts.
process.env.MUTATED = folders.join();

const results = await new Stryker({
  mutate: folders.map((folder) => `src/${folder}/**/*.ts`),
  testRunner: 'vitest',
  vitest: { configFile: 'test/tools/mutants.config.ts' },
  // Stryker reads tsconfig files with TypeScript's JavaScript API, which TypeScript
  // 7 lacks.
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
  const own = results.filter(({ fileName }) => fileName.includes(`/src/${folder}/`));
  const count = (...statuses) =>
    own.filter(({ status }) => statuses.includes(status)).length;
  const detected = count('Killed', 'Timeout');
  const total = detected + count('Survived', 'NoCoverage');
  const score = total === 0 ? 100 : (100 * detected) / total;
  if (score < GOAL) process.exitCode = 1;
  console.log(
    `src/${folder}: ${detected} of ${total} mutants detected, ${score.toFixed(1)} % (goal ${GOAL} %)`,
  );
}
