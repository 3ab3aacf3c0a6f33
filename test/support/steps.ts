/**
 * Random sequences of steps on one site: builds, mirrors, kills of builds, and what
 * an operator does by hand, such as restoring a copy. After each step,
 * test/support/site-invariants.ts judges the folder.
 */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { inFolder } from './folders.ts';
import { findMemory } from './memory.ts';
import type { Finished } from './processes.ts';
import { createRandom, type Random } from './random.ts';
import {
  findBreaches,
  findEndingPaths,
  type Intent,
  isSameFolder,
  look,
  type Seen,
} from './site-invariants.ts';
import * as worlds from './steps-world.ts';
import { range } from './upstream-data.ts';

const BASE = 'https://site.test';
const bases = [BASE, 'https://moved.test', 'https://moved.test/again'];

/** One of the world's sites. */
interface ChosenSite {
  /** A path or a URL, in the form that commands accept. */
  readonly name: string;
  readonly records: worlds.Records;
  readonly baseUrl: string;
}

/** The state of one sequence. */
interface Scene {
  readonly world: worlds.World;
  readonly random: Random;
  readonly upstream: worlds.ChangingUpstream;
  readonly commands: worlds.Commands;
  readonly cwd: string;
  /** The folder of the site, in `cwd`. */
  readonly out: string;
  /** The day in February 2026 on which the next command runs. */
  day: number;
  /** The operator's copies of the whole folder. */
  copies: string[];
  /** The records in each kept data set, by its path in `cwd`. */
  readonly kept: Map<string, worlds.Records>;
}

/** A command with its intent, or a manual change. */
interface Step {
  readonly title: string;
  readonly intent?: Intent;
  readonly args?: readonly string[];
  /** Kills the command at the n-th file that it moves into place. */
  readonly killedAt?: number;
  change?(): void;
  onSuccess?(after: Seen): void;
}

/** Chooses the details of a step for the folder as it is before the step. */
type CreateStep = (scene: Scene, before: Seen) => Step;

function createCommand(
  args: readonly string[],
  intent: Omit<Intent, 'options'>,
): Step {
  return {
    title: `gamedata ${args.join(' ')}`,
    args,
    intent: { ...intent, options: args },
  };
}

interface ChosenBase {
  readonly args: readonly string[];
  readonly baseUrl: string | undefined;
}

/** Chooses the current base URL in most commands, otherwise none or another. */
function chooseBase({ random }: Scene, { baseUrl = BASE }: Seen): ChosenBase {
  const other = random.pick(bases);
  const chosen = random.pick([baseUrl, baseUrl, baseUrl, undefined, other]);
  if (chosen === undefined) return { args: [], baseUrl: undefined };
  return { args: ['--base-url', chosen], baseUrl: chosen };
}

/** Lists the records that would be removed, such as `move/move-2`. */
function listRemovedNames(before: Seen, records: worlds.Records): string[] {
  const intent: Intent = { records, baseUrl: undefined, options: [] };
  const names: string[] = [];
  for (const address of findEndingPaths(before, intent)) {
    // An address has the form `/api/gamedata/<kind>/<slug>/`.
    const [, , , kind, slug] = address.split('/');
    names.push(`${kind}/${slug}`);
  }
  return names;
}

/**
 * Chooses how a command allows the removal of records. Of every six commands, one
 * raises the limit, one names all removed records, one names a single record, and
 * the others allow nothing.
 */
function chooseGuards(
  { random }: Scene,
  before: Seen,
  records: worlds.Records,
): string[] {
  const choice = random.below(6);
  if (choice === 0) return ['--max-shrink', '100'];
  if (choice > 2) return [];
  const removedNames = listRemovedNames(before, records);
  const count = choice === 1 ? removedNames.length : 1;
  const allowedNames = random.sample(removedNames, count);
  if (allowedNames.length === 0) return [];
  return ['--allow-missing', ...allowedNames];
}

const extraOptions: readonly (readonly string[])[] = [
  [],
  [],
  [],
  ['--keep', '3'],
  ['--verify', '--keep', '2'],
  ['--host', 'nginx'],
];

/** The site that a build from a source should publish. */
type BuildIntent = Pick<Intent, 'records' | 'isHopeless'>;

/**
 * Creates a build with a random base URL, guards and one extra option. The random
 * choices stay in this order, because otherwise a seed would result in another
 * sequence.
 */
function createBuild(
  scene: Scene,
  before: Seen,
  source: readonly string[],
  buildIntent: BuildIntent,
): Step {
  const { args, baseUrl } = chooseBase(scene, before);
  const guards = chooseGuards(scene, before, buildIntent.records);
  const extra = scene.random.pick(extraOptions);
  const options = [...source, ...worlds.QUICK, ...args, ...guards, ...extra];
  const step = createCommand(['build', ...options, '--out', 'site'], {
    baseUrl,
    ...buildIntent,
  });
  return { ...step, onSuccess: (after) => updateKept(scene, after) };
}

/**
 * Adds the data set that a build has kept, and drops those that `--keep` has removed.
 */
function updateKept({ cwd, kept }: Scene, after: Seen): void {
  const folder = path.join(cwd, 'site.data');
  const folderNames = existsSync(folder) ? readdirSync(folder) : [];
  for (const folderName of folderNames) {
    const name = `site.data/${folderName}`;
    if (!kept.has(name)) kept.set(name, after.records);
  }
  for (const name of kept.keys()) {
    if (!existsSync(path.join(cwd, name))) kept.delete(name);
  }
}

const buildFromSnapshot: CreateStep = (scene, before) => {
  const { folder, variant } = scene.random.pick(scene.world.data);
  const upstream = path.relative(scene.cwd, folder);
  const source = ['--source', 'snapshot', '--upstream', upstream];
  const records = worlds.listRecords(variant);
  return createBuild(scene, before, source, { records });
};

/**
 * Builds from an upstream, which is down in half of the steps. The build is then bound
 * to fail, because the source `auto` does not fall back if an upstream is named.
 */
const buildFromUpstream: CreateStep = (scene, before) => {
  const { random, upstream } = scene;
  const variant = random.pick(worlds.variantNames);
  const isDown = random.below(2) === 0;
  const isAuto = random.below(3) > 0;
  Object.assign(upstream.now, { variant, isDown });

  const source = isAuto ? [] : ['--source', 'rest'];
  source.push('--upstream', upstream.url);
  const step = createBuild(scene, before, source, {
    records: worlds.listRecords(variant),
    isHopeless: isDown,
  });
  return { ...step, title: `${step.title}   # upstream: ${variant}` };
};

function chooseSite({ random, world, cwd }: Scene): ChosenSite {
  const { folder, url, variant, baseUrl } = random.pick(world.others);
  const name = random.pick([path.relative(cwd, folder), url]);
  return { name, records: worlds.listRecords(variant), baseUrl };
}

/** Builds from a data set that a build has kept, or from the data of another site. */
const buildFromKept: CreateStep = (scene, before) => {
  const { random, kept } = scene;
  const site = chooseSite(scene);
  const other = [site.name, site.records] as const;
  const [name, records] = random.pick([...kept, other]);
  const source = ['--source', 'snapshot', '--upstream', name];
  return createBuild(scene, before, source, { records });
};

const mirrorAnother: CreateStep = (scene, before) => {
  const { name, records, baseUrl: copiedUrl } = chooseSite(scene);
  const { args, baseUrl = copiedUrl } = chooseBase(scene, before);
  const guards = chooseGuards(scene, before, records);
  const command = ['mirror', name, 'site', ...args, ...guards];
  return createCommand(command, { records, baseUrl });
};

/**
 * Most builds move more than 8 files, so with the larger limit, the kill may also
 * hit the last files or never happen.
 */
const killBuild: CreateStep = (scene, before) => {
  const step = buildFromSnapshot(scene, before);
  const limit = scene.random.pick([8, 60]);
  const killedAt = 1 + scene.random.below(limit);
  return {
    ...step,
    killedAt,
    title: `${step.title}   # killed at file ${killedAt}`,
  };
};

const restoreCopy: CreateStep = ({ random, copies, out }) => {
  const copy = random.pick([...copies, undefined]);
  if (copy === undefined) return { title: '# nothing to restore' };
  const change = (): void => {
    rmSync(out, { recursive: true, force: true });
    execFileSync('cp', ['-a', copy, out]);
  };
  return { title: `rm -rf site; cp -a ${path.basename(copy)} site`, change };
};

const filesToRestore = [
  'changes.json',
  'data/changes.json',
  'data/dataset.json',
  'data/old-slugs.json',
  'moved.json',
  'meta.json',
  'index.html',
  'search.json',
  'api/gamedata/move/index.json',
];

/** Restores one file that both the site and a copy of it have. */
const restoreFile: CreateStep = ({ random, copies, out }) => {
  const copy = random.pick([...copies, undefined]);
  const record = random.pick(['move/premier', 'move/move-2', 'item/item-1']);
  const file = random.pick([...filesToRestore, `api/gamedata/${record}/index.json`]);
  const nothing: Step = { title: `# no copy of ${file}` };
  if (copy === undefined) return nothing;
  const copiedFile = path.join(copy, file);
  const target = path.join(out, file);
  if (!existsSync(copiedFile) || !existsSync(target)) return nothing;

  const option = random.pick(['-a', '-p', '-f']);
  return {
    title: `cp ${option} ${path.basename(copy)}/${file} site/${file}`,
    change: () => {
      execFileSync('cp', [option, copiedFile, target]);
    },
  };
};

const damageHistory: CreateStep = ({ random, out }) => {
  const file = path.join(out, 'changes.json');
  const text = random.pick(['', '{', '{"steps":[]}']);
  if (text === '') {
    return {
      title: 'rm -f site/changes.json',
      change: () => rmSync(file, { force: true }),
    };
  }
  return {
    title: `echo '${text}' > site/changes.json`,
    change: () => writeFileSync(file, text),
  };
};

const frequencies: readonly (readonly [CreateStep, count: number])[] = [
  [buildFromSnapshot, 4],
  [buildFromUpstream, 3],
  [buildFromKept, 3],
  [killBuild, 3],
  [mirrorAnother, 8],
  [restoreCopy, 3],
  [restoreFile, 2],
  [damageHistory, 1],
];

/**
 * Contains each step as many times as its frequency, so that a random choice is
 * weighted.
 */
const weightedSteps: CreateStep[] = [];
for (const [createStep, count] of frequencies) {
  for (let at = 0; at < count; at++) weightedSteps.push(createStep);
}

const STEPS = 6;
const SHOWN_PROBLEMS = 5;

/** Formats the problems of a sequence, and the steps that led to them. */
function formatBreach(
  { upstream }: Scene,
  seed: number,
  problems: readonly string[],
  titles: readonly string[],
): string {
  const shownProblems = problems.slice(0, SHOWN_PROBLEMS).join('; ');
  const lines = [`sequence ${seed}: ${shownProblems}`];
  for (const title of titles) {
    // The port differs in each run, so a report without it can be compared.
    lines.push(`  ${title.replaceAll(upstream.url, '<upstream>')}`);
  }
  return lines.join('\n');
}

/**
 * Takes random steps. Returns the first breach of an invariant, with the steps
 * before it.
 */
async function trySequence(
  world: worlds.World,
  seed: number,
): Promise<string | undefined> {
  const random = createRandom(seed);
  const cwd = mkdtempSync(path.join(world.folder, 'run-'));
  const upstream = await worlds.startChangingUpstream();
  const commands = worlds.startCommands(world.cli);
  const scene: Scene = {
    world,
    random,
    upstream,
    commands,
    cwd,
    out: path.join(cwd, 'site'),
    day: 1,
    copies: [],
    kept: new Map(),
  };
  const titles: string[] = [];
  try {
    await publishFirst(scene, titles);
    for (let at = 0; at < STEPS; at++) {
      const createStep = random.pick(weightedSteps);
      const problems = await takeStep(scene, createStep, titles);
      if (problems.length > 0) {
        return formatBreach(scene, seed, problems, titles);
      }
    }
    return undefined;
  } finally {
    commands.close();
    await upstream.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/**
 * Publishes the site that the first random step changes. In one of every four
 * sequences, it is a mirror of another site. Otherwise, it is a build.
 */
async function publishFirst(scene: Scene, titles: string[]): Promise<void> {
  const { random, world, cwd } = scene;
  const [firstData] = world.data;
  const [firstSite] = world.others;
  if (!firstData || !firstSite) {
    throw new Error('the world has no data or no other site');
  }
  const data = path.relative(cwd, firstData.folder);
  const source = ['--source', 'snapshot', '--upstream', data];
  const target = ['--base-url', BASE, '--out', 'site'];
  const build = ['build', ...source, ...worlds.QUICK, ...target];
  const mirror = ['mirror', firstSite.url, 'site'];
  const args = random.below(4) === 0 ? mirror : build;

  const { code, text } = await runCommand(scene, args);
  if (code !== 0) throw new Error(`the first site fails: ${text}`);
  titles.push(`gamedata ${args.join(' ')}`);
  keepCopy(scene);
}

function keepCopy(scene: Scene): void {
  const folder = path.join(scene.cwd, `copy-${scene.day}`);
  cpSync(scene.out, folder, { recursive: true, preserveTimestamps: true });
  scene.copies.push(folder);
}

interface CommandResult {
  /** Null if the command was killed. */
  readonly code: number | null;
  /** The text that it printed on stdout, and then on stderr. */
  readonly text: string;
}

/** Runs a command on the day of the scene, and kills it if `killedAt` is given. */
async function runCommand(
  scene: Scene,
  args: readonly string[],
  killedAt?: number,
): Promise<CommandResult> {
  const { world, commands, cwd, out } = scene;
  const day = String(scene.day).padStart(2, '0');
  const env = worlds.setDay(`2026-02-${day}`);
  let running: Promise<Finished>;
  if (killedAt === undefined) {
    running = commands.run(args, { cwd, env });
  } else {
    const options = { cwd, env, folder: out, nth: killedAt };
    running = worlds.killAtFile(world.cli, args, options);
  }
  const { code, stdout, stderr } = await running;
  return { code, text: stdout + stderr };
}

/**
 * Takes one step, and returns the breached invariants. A manual change is only
 * verified, because it may damage the site. After a command, the folder before and
 * after it is compared with the command's intent. A killed command leaves the old site
 * or a complete new one, which its next command completes on disk. Finally, copies the
 * folder if it is intact.
 */
async function takeStep(
  scene: Scene,
  createStep: CreateStep,
  titles: string[],
): Promise<string[]> {
  const { out } = scene;
  scene.day++;
  const before = look(out);
  const step = createStep(scene, before);
  step.change?.();
  if (!step.intent) {
    titles.push(step.title);
    return checkVerify(scene, look(out));
  }

  const result = await runCommand(scene, step.args ?? [], step.killedAt);
  titles.push(`${step.title}   → ${result.code ?? 'killed'}`);
  const after = look(out);
  if (result.code === null) {
    for (const [file, problem] of after.wrong) {
      if (before.wrong.has(file)) continue;
      return [`after the build was killed, ${file} ${problem}`];
    }
  } else {
    const change = { before, after };
    const breaches = findBreaches(change, step.intent, result, out);
    if (breaches.length > 0) return [...breaches, result.text.trim()];
    if (result.code === 0) step.onSuccess?.(after);
  }
  const problems = await checkVerify(scene, after);
  if (problems.length === 0 && after.wrong.size === 0) keepCopy(scene);
  return problems;
}

/** Checks that `verify` is right about the folder, and changes nothing. */
async function checkVerify(scene: Scene, seen: Seen): Promise<string[]> {
  const { out, cwd } = scene;
  const namesBefore = readdirSync(cwd).join(' ');
  const { code, text } = await runCommand(scene, ['verify', 'site']);
  const namesAfter = readdirSync(cwd).join(' ');

  const isIntact = seen.wrong.size === 0;
  const problems: string[] = [];
  if (!isSameFolder(seen, look(out))) problems.push('verify: changed the folder');
  if (code !== (isIntact ? 0 : 1)) {
    const state = isIntact ? 'intact' : 'damaged';
    problems.push(`verify: ended with ${code} for a site that is ${state}`);
  }
  if (namesAfter !== namesBefore) {
    problems.push(`verify: left ${namesAfter}, expected ${namesBefore}`);
  }
  if (problems.length > 0) problems.push(text);
  return problems;
}

const AT_ONCE = 4;

/** Runs the sequences for consecutive seeds in one world. Returns all breaches. */
export function trySequences(count: number, firstSeed: number): Promise<string[]> {
  const seeds = range(firstSeed, firstSeed + count - 1);

  async function tryInFolder(folder: string): Promise<string[]> {
    const world = await worlds.createWorld(folder);
    const limit = pLimit(AT_ONCE);
    try {
      const results = await limit.map(seeds, (seed) => trySequence(world, seed));
      return results.filter((problem) => problem !== undefined);
    } finally {
      await world.close();
    }
  }

  // The folder is in memory if possible, because the commands write many files.
  return inFolder(tryInFolder, findMemory());
}
