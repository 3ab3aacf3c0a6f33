#!/usr/bin/env node
/**
 * Starts the compiled command line. Not compiled itself, because it reports an old
 * Node or a missing dist/.
 */

import { existsSync, readFileSync } from 'node:fs';

const file = (name) => new URL(`../${name}`, import.meta.url);

/** Supports ranges such as `^20.19.0 || >=22.12.0`. */
function isIn(range, version) {
  const [major, minor] = version.split('.').map(Number);
  return range.split(' || ').some((part) => {
    const [, operator, fromMajor, fromMinor] = /^(\^|>=)(\d+)\.(\d+)\.0$/.exec(part);
    if (major === Number(fromMajor)) return minor >= Number(fromMinor);
    return operator === '>=' && major > Number(fromMajor);
  });
}

const { engines } = JSON.parse(readFileSync(file('package.json'), 'utf8'));
const fail = (problem) => {
  console.error(`error: ${problem}`);
  process.exitCode = 1;
};

if (!isIn(engines.node, process.versions.node)) {
  fail(`got Node ${process.versions.node}: gamedata needs ${engines.node}`);
}
// Compiling writes this file last.
else if (!existsSync(file('dist/code.sha256'))) {
  fail(
    'gamedata is not compiled: run "npm run compile" in its folder, after "npm ci"',
  );
} else await import(file('dist/cli.js'));
