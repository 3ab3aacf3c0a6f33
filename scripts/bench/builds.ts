/** Builds from folders, and the public programs that write the same files. */

import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kindNames } from '../../src/contract/kinds.ts';
import type { DataFolders } from './data.ts';
import { remove, run, type Subject } from './measure.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const ELEVENTY = here('../../.engines/node_modules/@11ty/eleventy/cmd.cjs');

/** A compiled checkout, whose command line is measured: this one, or the one that `--before` names. */
export type Checkout = ReturnType<typeof openCheckout>;

/**
 * @param name what the names of its figures begin with
 * @param folder where it may make a folder of its own
 */
export function openCheckout(root: string, name: '' | 'before: ', folder: string) {
  const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const cli = path.resolve(root, bin.gamedata);
  const own = path.join(folder, name === '' ? 'now' : 'before');
  mkdirSync(own);
  const at = (file: string): string => path.join(own, file);
  const gamedata = (...args: string[]): string[] => [process.execPath, cli, ...args];
  const build = (out: string, ...args: string[]): string[] =>
    gamedata('build', '--quiet', '--json', '--out', at(out), ...args);
  return { name, at, gamedata, build };
}

const from = (source: string, folder: string): string[] => ['--source', source, '--upstream', folder];

export const freshBuild = ({ build }: Checkout, { snapshot }: DataFolders) =>
  build('fresh', ...from('snapshot', snapshot));

/** Builds whose time grows with the data. */
export function buildSubjects(checkout: Checkout, data: DataFolders): Subject[] {
  const { name, at, build } = checkout;
  for (const site of ['unchanged', 'changing']) {
    remove(at(site));
    run(build(site, ...from('snapshot', data.snapshot)));
  }
  const change = [data.changed, data.snapshot].map((of) => build('changing', ...from('snapshot', of)));
  return [
    { name: `${name}fresh`, anew: [at('fresh')], commands: [freshBuild(checkout, data)] },
    { name: `${name}unchanged`, commands: [build('unchanged', ...from('snapshot', data.snapshot))] },
    { name: `${name}changed`, commands: change },
  ];
}

/** Others, which begin with a site of the same data. */
export function otherSubjects({ name, at, build }: Checkout, { snapshot, tables }: DataFolders): Subject[] {
  const addresses = ['https://example.test', 'http://localhost:3000'];
  const move = addresses.map((url) => build('changing', ...from('snapshot', snapshot), '--base-url', url));
  return [
    { name: `${name}moved`, commands: move },
    { name: `${name}tables`, anew: [at('fresh')], commands: [build('fresh', ...from('csv', tables))] },
  ];
}

/** A site in an archive, unpacked. */
export function tar({ at }: Checkout): Subject {
  mkdirSync(at('unpacked'), { recursive: true });
  run(['tar', 'cf', at('site.tar'), '-C', at('.'), 'unchanged']);
  const command = ['tar', 'xf', at('site.tar'), '-C', at('unpacked')];
  return { name: 'tar x', anew: [at('unpacked/unchanged')], commands: [command] };
}

/** The same site by Eleventy. */
export function eleventy({ at }: Checkout, { snapshot }: DataFolders): Subject {
  cpSync(here('./eleventy'), at('eleventy'), { recursive: true });
  for (const kind of kindNames) cpSync(`${snapshot}/${kind}.ndjson`, at(`eleventy/_data/${kind}.ndjson`));
  const ofRecords = kindNames.map((kind) => at(`unchanged/api/gamedata/${kind}`));
  const filter = (file: string): boolean => !ofRecords.includes(file);
  cpSync(at('unchanged'), at('eleventy/extras'), { recursive: true, filter });
  const command = [process.execPath, ELEVENTY, '--quiet', `--output=${at('made')}`];
  const subject = { name: 'Eleventy', anew: [at('made')], cwd: at('eleventy'), commands: [command] };
  run(command, subject.cwd);
  // Else it is not the same work.
  run(['diff', '-rq', at('unchanged'), at('made')]);
  return subject;
}
