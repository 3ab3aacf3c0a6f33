/** Builds from local data at one scale, and what else makes the same files. */

import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  build,
  buildWhole,
  ELEVENTY_PROJECT,
  eleventy,
  expectSame,
  git,
  hasEleventy,
  hasGit,
  readLooks,
  readReport,
  remove,
  watching,
} from './commands.ts';
import { copyExtras, type DataSets } from './data-sets.ts';
import type { Subject } from './measure.ts';
import { at } from './rows.ts';
import type { Runner } from './runner.ts';

/** The most at which Eleventy and git are measured, and what is on a disk, to keep the run short. */
const ELEVENTY_SCALE = 10;
const GIT_SCALE = 10;
const DISK_SCALE = 1;

export interface Place {
  readonly folder: string;
  /** One on a disk. */
  readonly diskFolder: string;
  readonly scale: number;
  readonly runner: Runner;
}

/** Makes the sites and the archive that the subjects start with. */
export async function buildSubjects(data: DataSets, place: Place): Promise<Subject[]> {
  const { folder, scale, runner } = place;
  const fresh = path.join(folder, 'fresh');
  const archive = path.join(folder, 'site.tar');
  const unchanged = path.join(folder, 'unchanged');
  const changing = path.join(folder, 'changing');
  await runner.run(build(unchanged, 'snapshot', '--upstream', data.snapshot));
  await runner.run(build(changing, 'snapshot', '--upstream', data.snapshot));
  await runner.run(['tar', 'cf', archive, '-C', unchanged, '.']);

  const named = (name: string) => ({ name: at(scale, name) });
  const cleanUp = (): void => remove(fresh);
  /** There and back again: either way one record is another. */
  let next = data.changed;
  const changedCommand = build(changing, 'snapshot', '--upstream', path.join(folder, 'next'));
  const changeOne = (): void => {
    cpSync(next, path.join(folder, 'next'), { recursive: true });
    next = next === data.changed ? data.snapshot : data.changed;
  };
  const subjects: Subject[] = [
    {
      ...named('tar x'),
      command: ['tar', 'xf', archive, '-C', fresh],
      prepare: () => void mkdirSync(fresh),
      cleanUp,
    },
    {
      ...named('fresh'),
      command: build(fresh, 'snapshot', '--upstream', data.snapshot),
      cleanUp,
      read: readReport,
    },
    {
      ...named('unchanged'),
      command: build(unchanged, 'snapshot', '--upstream', data.snapshot),
      read: readReport,
    },
    {
      ...named('changed'),
      command: changedCommand,
      prepare: changeOne,
      read: readReport,
    },
    {
      ...named('watched'),
      command: watching(changing, changedCommand),
      prepare: changeOne,
      read: readLooks,
    },
    {
      ...named('with bulk files'),
      command: buildWhole(fresh, 'snapshot', '--upstream', data.snapshot),
      cleanUp,
    },
    { ...named('csv'), command: build(fresh, 'csv', '--upstream', data.tables), cleanUp, read: readReport },
  ];
  if (hasGit() && scale <= GIT_SCALE) {
    const [repository, cwd] = [path.join(folder, 'git'), unchanged];
    const commit = ['commit', '--quiet', '--message=site'];
    for (const args of [['init', '--quiet'], ['add', '--all'], commit])
      await runner.run(git(repository, ...args), cwd);
    subjects.push({ ...named('git status'), command: git(repository, 'status', '--porcelain'), cwd });
  }
  if (scale <= DISK_SCALE) subjects.push(...diskSubjects(data, { archive, place }));
  if (!hasEleventy() || scale > ELEVENTY_SCALE) return subjects;
  const project = path.join(folder, 'eleventy');
  await makeEleventyProject(project, { site: unchanged, data, fresh, runner });
  return [...subjects, { ...named('Eleventy'), command: eleventy(fresh), cwd: project, cleanUp }];
}

/** What a site costs that has to be on the disk when it counts. */
function diskSubjects(
  { snapshot }: DataSets,
  { archive, place: { diskFolder, scale } }: { archive: string; place: Place },
): Subject[] {
  const site = path.join(diskFolder, 'site');
  const cleanUp = (): void => remove(site);
  const unpack = 'tar xf "$0" -C "$1" && sync -f "$1"';
  return [
    {
      name: at(scale, 'tar x, sync -f'),
      command: ['sh', '-c', unpack, archive, site],
      prepare: () => void mkdirSync(site),
      cleanUp,
    },
    { name: at(scale, 'on disk'), command: build(site, 'snapshot', '--upstream', snapshot), cleanUp },
  ];
}

async function makeEleventyProject(
  project: string,
  { site, data, fresh, runner }: { site: string; data: DataSets; fresh: string; runner: Runner },
): Promise<void> {
  cpSync(ELEVENTY_PROJECT, project, { recursive: true });
  cpSync(data.snapshot, path.join(project, '_data'), { recursive: true });
  remove(path.join(project, '_data/provenance.json'));
  copyExtras(site, path.join(project, 'extras'));
  await runner.run(eleventy(fresh), project);
  expectSame(site, fresh);
  remove(fresh);
}
