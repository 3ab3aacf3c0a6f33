#!/usr/bin/env node
/**
 * Starts the compiled command line. This file is not compiled itself, because it
 * reports an old version of Node or a missing dist/.
 */

import { existsSync, readFileSync } from 'node:fs';

const problem = findProblem();
if (problem === undefined) {
  await import(resolveFile('dist/cli.js'));
} else {
  console.error(`error: ${problem}`);
  process.exitCode = 1;
}

function resolveFile(name) {
  return new URL(`../${name}`, import.meta.url);
}

function findProblem() {
  const { engines } = JSON.parse(readFileSync(resolveFile('package.json'), 'utf8'));
  const version = process.versions.node;
  if (!isSupported(engines.node, version)) {
    return `got Node ${version}: gamedata needs ${engines.node}`;
  }
  // Compiling writes this file last.
  if (!existsSync(resolveFile('dist/code.sha256'))) {
    return 'gamedata is not compiled: run "npm run compile" in its folder, after "npm ci"';
  }
  return undefined;
}

/** Returns whether a version is in a range such as `^20.19.0 || >=22.12.0`. */
function isSupported(ranges, version) {
  const [major, minor] = version.split('.').map(Number);
  for (const range of ranges.split(' || ')) {
    const [, operator, fromMajor, fromMinor] = /^(\^|>=)(\d+)\.(\d+)\.0$/.exec(
      range,
    );
    const isSameMajor = major === Number(fromMajor);
    if (isSameMajor && minor >= Number(fromMinor)) return true;
    if (operator === '>=' && major > Number(fromMajor)) return true;
  }
  return false;
}
