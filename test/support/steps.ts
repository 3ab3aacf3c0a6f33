/** Every step that an operator may take with one folder: what is typed, and what it is to do, or what is done by hand. */

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Commands } from './installed.ts';
import type { Random } from './random.ts';
import { endingAddresses, filesIn, type Intent, type Seen } from './site-law.ts';
import {
  BUNDLED,
  type ChangingUpstream,
  DEAD,
  QUICK,
  type Records,
  recordsOf,
  variantNames,
  type World,
} from './steps-world.ts';

export const BASE = 'https://site.test';
const bases = [BASE, 'https://moved.test', 'https://moved.test/again'];

interface Archive {
  readonly records: Records;
  readonly baseUrl: string | undefined;
}

/** Everything that a step depends on, and may change. */
export interface Scene {
  readonly world: World;
  readonly random: Random;
  readonly upstream: ChangingUpstream;
  readonly commands: Commands;
  /** The operator's folder, and the site in it. */
  readonly cwd: string;
  readonly out: string;
  day: number;
  /** Copies of the whole folder that the operator has kept. */
  copies: string[];
  readonly archives: Map<string, Archive>;
  /** What killed commands were to do, until one has ended that finishes it. */
  unfinished: Intent[];
}

/** A step: what is typed, and what it is to do, or what is done by hand. */
export interface Step {
  readonly says: string;
  readonly intent?: Intent;
  readonly args?: readonly string[];
  /** The number of files in place when it is killed. */
  readonly killedAt?: number;
  byHand?(): void;
  /** After it has succeeded. */
  done?(after: Seen): void;
}

export type Maker = (scene: Scene, before: Seen) => Step;

const command = (
  args: readonly string[],
  intent: Omit<Intent, 'options'>,
  more: Partial<Step> = {},
): Step => ({
  says: `gamedata ${args.join(' ')}`,
  args,
  intent: { ...intent, options: args },
  ...more,
});
const hand = (says: string, byHand: () => void): Step => ({ says, byHand });

/** The base URL as it is in half of the commands, left out or another one in the others. */
function chooseBase({ random }: Scene, { baseUrl = BASE }: Seen) {
  const chosen = random.pick([baseUrl, baseUrl, baseUrl, '', random.pick(bases)]);
  return chosen === '' ? { args: [], baseUrl: undefined } : { args: ['--base-url', chosen], baseUrl: chosen };
}

/** Options of guards: none, all records, or some of those that would go. */
function chooseGuards({ random }: Scene, before: Seen, records: Records): string[] {
  const kind = random.below(6);
  if (kind === 0) return ['--max-shrink', '100'];
  if (kind > 2) return [];
  const ending = endingAddresses(before, [{ records, baseUrl: undefined, options: [] }]);
  const names = ending.map((address) => address.split('/').slice(3, 5).join('/'));
  const some = random.sample(names, kind === 1 ? names.length : 1);
  return some.length > 0 ? ['--allow-missing', ...some] : [];
}

const buildOptions = ({ random }: Scene): readonly string[] => {
  const some = random.pick(['', '', '', '--keep 3', '--verify --keep 2', '--forget-history', '--host nginx']);
  return some.split(' ').filter((word) => word !== '');
};

/** A build, and the archive that it may keep. */
function buildFrom(
  scene: Scene,
  before: Seen,
  source: readonly string[],
  data: Pick<Intent, 'records' | 'fallback' | 'isHopeless' | 'isRestored'>,
): Step {
  const { args, baseUrl } = chooseBase(scene, before);
  const guards = chooseGuards(scene, before, data.records);
  const options = buildOptions(scene);
  const all = ['build', ...source, ...QUICK, ...args, ...guards, ...options, '--out', 'site'];
  const done = (after: Seen): void => {
    // What was forgotten is no copy to go back to.
    if (all.includes('--forget-history')) scene.copies = [];
    const kept = path.join(scene.cwd, 'site-archives');
    for (const name of filesIn(kept).filter((file) => file.endsWith('.gz')))
      if (!scene.archives.has(`site-archives/${name}`)) scene.archives.set(`site-archives/${name}`, after);
    for (const name of scene.archives.keys())
      if (!existsSync(path.join(scene.cwd, name))) scene.archives.delete(name);
  };
  return command(all, { baseUrl, ...data }, { done });
}

const fromSnapshot: Maker = (scene, before) => {
  const { folder, variant } = scene.random.pick(scene.world.data);
  const source = ['--source', 'snapshot', '--upstream', path.relative(scene.cwd, folder)];
  return buildFrom(scene, before, source, { records: recordsOf(variant) });
};

const fromUpstream: Maker = (scene, before) => {
  const { random, upstream, world } = scene;
  const variant = random.pick(variantNames);
  const isDown = random.below(2) === 0;
  upstream.now.variant = variant;
  const isAuto = random.below(3) > 0;
  const source = [...(isAuto ? [] : ['--source', 'rest']), '--upstream', isDown ? DEAD : upstream.url];
  const fallback = isDown && isAuto ? world.bundled : undefined;
  const records = recordsOf(fallback ? BUNDLED.variant : variant);
  const step = buildFrom(scene, before, source, { records, fallback, isHopeless: isDown && !isAuto });
  return { ...step, says: `${step.says}   # it has ${variant}` };
};

/** What a command that reads a site finds there: another one, or an archive of this one. */
function chooseSite({ random, world, cwd, archives }: Scene): Archive & { name: string } {
  const [file, archive] = random.pick([...archives, null]) ?? [];
  if (file !== undefined && archive) return { ...archive, name: file };
  const { folder, url, variant, baseUrl } = random.pick(world.others);
  return { name: random.pick([path.relative(cwd, folder), url]), records: recordsOf(variant), baseUrl };
}

const fromSite: Maker = (scene, before) => {
  const { name, records } = chooseSite(scene);
  const isRestored = scene.archives.has(name);
  return buildFrom(scene, before, ['--source', 'site', '--upstream', name], { records, isRestored });
};

const moveInPlace: Maker = (scene, before) => {
  const baseUrl = scene.random.pick(bases);
  const host = scene.random.pick([[], [], ['--host', 'caddy']]);
  const args = ['mirror', 'site', '--base-url', baseUrl, ...host];
  return command(args, { records: before.records, baseUrl, isSame: true });
};

/** Another site, in a folder, an archive or a deployment, takes the place of this one. */
const mirrorAnother: Maker = (scene, before) => {
  const { name, records } = chooseSite(scene);
  const { args, baseUrl } = chooseBase(scene, before);
  const guards = chooseGuards(scene, before, records);
  const all = ['mirror', name, 'site', '--retries', '0', ...args, ...guards];
  return command(all, { records, baseUrl, isRestored: scene.archives.has(name) });
};

const restoreArchive: Maker = (scene, before) => {
  const [file, archive] = scene.archives.size > 0 ? scene.random.pick([...scene.archives]) : [];
  if (file === undefined || !archive) return fromSnapshot(scene, before);
  const args = ['restore', file, 'site', ...chooseGuards(scene, before, archive.records)];
  return command(args, { records: archive.records, baseUrl: undefined, isRestored: true });
};

const killedBuild: Maker = (scene, before) => {
  const step = fromSnapshot(scene, before);
  const killedAt = 1 + scene.random.below(scene.random.pick([8, 60]));
  return { ...step, killedAt, says: `${step.says}   # killed at file ${killedAt}` };
};

const restoreCopy: Maker = (scene) => {
  const { random, copies, out } = scene;
  const copy = random.pick([...copies, null]);
  if (!copy) return hand('# nothing to go back to', () => {});
  return hand(`rm -rf site; cp -a ${path.basename(copy)} site`, () => {
    rmSync(out, { recursive: true, force: true });
    execFileSync('cp', ['-a', copy, out]);
  });
};

const restoreFile: Maker = ({ random, copies, out }) => {
  const copy = random.pick([...copies, null]);
  const record = random.pick(['move/premier', 'move/move-2', 'item/item-1']);
  const names = ['changes.json', 'former.json', 'moved.json', 'meta.json', 'index.html', 'search.json'];
  const file = random.pick([...names, 'api/gamedata/move/index.json', `api/gamedata/${record}/index.json`]);
  const isThere = copy && [copy, out].every((folder) => existsSync(path.join(folder, file)));
  if (!isThere) return hand(`# no copy of ${file}`, () => {});
  const how = random.pick(['-a', '-p', '-f']);
  return hand(`cp ${how} ${path.basename(copy)}/${file} site/${file}`, () => {
    execFileSync('cp', [how, path.join(copy, file), path.join(out, file)]);
  });
};

const damageHistory: Maker = ({ random, out }) => {
  const file = path.join(out, 'changes.json');
  const text = random.pick(['', '{', '{"steps":[]}']);
  return text === ''
    ? hand('rm -f site/changes.json', () => rmSync(file, { force: true }))
    : hand(`echo '${text}' > site/changes.json`, () => writeFileSync(file, text));
};

/** Every step, and its frequency. */
export const weighted: readonly Maker[] = (
  [
    [fromSnapshot, 4],
    [fromUpstream, 3],
    [fromSite, 2],
    [killedBuild, 3],
    [moveInPlace, 2],
    [mirrorAnother, 5],
    [restoreArchive, 3],
    [restoreCopy, 3],
    [restoreFile, 2],
    [damageHistory, 1],
  ] as const
).flatMap(([make, weight]) => Array<Maker>(weight).fill(make));
