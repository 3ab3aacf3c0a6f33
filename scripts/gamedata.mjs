#!/usr/bin/env node
/** The command. No bundle could say that Node is too old for it, or that there is none: this file needs no compiling. */

import { existsSync, readFileSync } from 'node:fs';

const file = (name) => new URL(`../${name}`, import.meta.url);

/** True for a version in a range such as `^20.19.0 || >=22.12.0`. */
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

if (!isIn(engines.node, process.versions.node))
  fail(`got Node ${process.versions.node}: gamedata needs ${engines.node}`);
// The last file that is compiled.
else if (!existsSync(file('dist/code.sha256')))
  fail('gamedata is not compiled: run "npm run compile" in its folder, after "npm ci"');
else await import(file('dist/cli.js'));
