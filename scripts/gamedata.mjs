#!/usr/bin/env node
/**
 * Starts the compiled command line. This file is not compiled itself, because it
 * reports an old version of Node, and a dist/ that is missing or out of date.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const problem = findProblem();
if (problem === undefined) {
  // The compile cache exists only in Node 22 and later. We keep it next to the code,
  // because a shared temporary folder would not be safe.
  module.enableCompileCache?.(fileURLToPath(resolveFile('dist/.cache')));
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
  const advice = 'run "npm ci" and "npm run compile" in its folder';
  if (!existsSync(resolveFile('dist/sources.sha256'))) {
    return `gamedata is not compiled: ${advice}`;
  }
  if (isOutdated()) return `gamedata's src/ is newer than its dist/: ${advice}`;
  return undefined;
}

/**
 * Returns whether a source file is newer than dist/, as after `git pull`. Compares times,
 * because every command runs this, and digests would take longer. An installed package
 * has no sources.
 */
function isOutdated() {
  const sources = fileURLToPath(resolveFile('src'));
  if (!existsSync(sources)) return false;
  const { mtimeMs } = statSync(resolveFile('dist/sources.sha256'));
  return hasNewerFile(sources, mtimeMs);
}

function hasNewerFile(folder, time) {
  for (const name of readdirSync(folder)) {
    // Editors and file managers leave hidden files behind.
    if (name.startsWith('.')) continue;
    // Joining the paths with `path.join` takes three times as long as this check.
    const file = `${folder}/${name}`;
    const stats = statSync(file);
    if (stats.isFile() && stats.mtimeMs > time) return true;
    if (stats.isDirectory() && hasNewerFile(file, time)) return true;
  }
  return false;
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
