/** Builds from local data at one scale, and what else makes the same files. */

import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  build,
  buildWhole,
  ELEVENTY_PROJECT,
  eleventy,
  expectSame,
  hasEleventy,
  readReport,
  remove,
} from './commands.ts';
import { copyExtras, type DataSets } from './data-sets.ts';
import type { Subject } from './measure.ts';
import { at } from './rows.ts';
import type { Runner } from './runner.ts';

/** The most at which Eleventy is measured, to keep the run short. */
const ELEVENTY_SCALE = 10;

export interface Place {
  readonly folder: string;
  readonly scale: number;
  readonly runner: Runner;
}

/** Makes the sites and the archive that the subjects start with. */
export async function buildSubjects(data: DataSets, { folder, scale, runner }: Place): Promise<Subject[]> {
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
      prepare() {
        cpSync(next, path.join(folder, 'next'), { recursive: true });
        next = next === data.changed ? data.snapshot : data.changed;
      },
      read: readReport,
    },
    {
      ...named('with bulk files'),
      command: buildWhole(fresh, 'snapshot', '--upstream', data.snapshot),
      cleanUp,
    },
    { ...named('csv'), command: build(fresh, 'csv', '--upstream', data.tables), cleanUp, read: readReport },
  ];
  if (!hasEleventy() || scale > ELEVENTY_SCALE) return subjects;
  const project = path.join(folder, 'eleventy');
  await makeEleventyProject(project, { site: unchanged, data, fresh, runner });
  return [...subjects, { ...named('Eleventy'), command: eleventy(fresh), cwd: project, cleanUp }];
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
