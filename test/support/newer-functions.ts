/**
 * Functions, and syntax of regular expressions, that do not exist in the oldest
 * browsers listed in `rolldown.config.mjs`. The bundler converts other syntax, but it
 * does not add functions.
 */
export const NEWER_FUNCTIONS = [
  'URL.canParse',
  '(?<=',
  '(?<!',
  '.toSorted(',
  '.toReversed(',
  '.toSpliced(',
  '.with(',
  'Object.groupBy',
  'Map.groupBy',
  'Promise.withResolvers',
];
