/** The programs that are started, whole: ours as it is installed, and the public ones that it is compared with. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Facts } from './measure.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const CLI = here('../../dist/cli.js');
const MINIMAL = here('./programs/minimal.mjs');
const ELEVENTY = here('../../.engines/node_modules/@11ty/eleventy/cmd.cjs');

/** Templates, without data. */
export const ELEVENTY_PROJECT = here('./eleventy');

export const hasEleventy = (): boolean => existsSync(ELEVENTY);
export const hasCurl = (): boolean => spawnSync('curl', ['--version']).status === 0;

export const hasGit = (): boolean => spawnSync('git', ['--version']).status === 0;

/** A program of ours that runs another one, and looks whether files of a site are there meanwhile. */
export const watching = (site: string, command: readonly string[]): string[] => [
  'python3',
  here('./programs/watch.py'),
  site,
  ...command,
];

export const node = (...args: string[]): string[] => [process.execPath, ...args];
export const gamedata = (...args: string[]): string[] => node(CLI, ...args);

/** A build that prints its report as JSON. */
export const buildWhole = (out: string, source: string, ...args: string[]): string[] =>
  gamedata('build', '--quiet', '--json', '--out', out, '--source', source, ...args);

/** One without bulk files: what it is compared with packs nothing. */
export const build = (out: string, source: string, ...args: string[]): string[] =>
  buildWhole(out, source, '--no-downloads', ...args);

/** What the program that watches says. */
export const readLooks = (stdout: string): Facts => ({ missing: JSON.parse(stdout).missing });

/** What the report says that rows need. */
export function readReport(stdout: string): Facts {
  const { files, requests } = JSON.parse(stdout);
  return { written: files.written, ...(requests !== null && { requests: requests.requests }) };
}

/** On the present folder, with a repository elsewhere. */
export const git = (repository: string, ...args: string[]): string[] => [
  ...[
    'git',
    `--git-dir=${repository}`,
    '--work-tree=.',
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@localhost',
  ],
  ...args,
];

export const eleventy = (out: string): string[] => node(ELEVENTY, '--quiet', `--output=${out}`);
export const minimal = (upstream: string, out: string, extras: string): string[] =>
  node(MINIMAL, upstream, out, extras);

/** Much faster than Node's own for hundreds of thousands of files. */
export const remove = (folder: string): void => void execFileSync('rm', ['-rf', folder]);

/** @throws if two folders do not hold the same bytes: making them was not the same work then */
export function expectSame(site: string, other: string): void {
  const { status, stdout } = spawnSync('diff', ['-rq', site, other], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`not the same site:\n${stdout.slice(0, 2000)}`);
}
