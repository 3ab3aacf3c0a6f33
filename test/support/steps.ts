/**
 * Random sequences of commands on one site: builds from several sources, mirrors, kills,
 * and restored copies. After each command, the exit code and the folder must be what the
 * command's options and the published site demand.
 */

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { verifyFolder } from '../../src/verify/folder.ts';
import { inFolder } from './folders.ts';
import { findMemory } from './memory.ts';
import { startProcess } from './processes.ts';
import { createRandom, type Random } from './random.ts';
import { type Records, readSite, type SiteState } from './site-state.ts';
import * as worlds from './steps-world.ts';
import { range } from './upstream-data.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const KILL_AT = new URL('kill-at.mjs', import.meta.url).href;

const BASE = 'https://site.test';
const bases = [BASE, 'https://moved.test', 'https://moved.test/again'];

/** The state of one sequence. */
interface Scene {
  readonly world: worlds.World;
  readonly random: Random;
  readonly upstream: worlds.ChangingUpstream;
  readonly cwd: string;
  /** The folder of the site, in `cwd`. */
  readonly out: string;
  /** The operator's copies of the whole folder. */
  readonly copies: string[];
  /** The data sets that builds have kept, by their path. */
  readonly kept: Map<string, Records>;
}

/** A command, with what it says about the site that it should publish. */
interface Command {
  readonly args: readonly string[];
  readonly records: Records;
  /** Undefined if no option names it. */
  readonly baseUrl: string | undefined;
  /** Undefined if no option names any. */
  readonly hosts: string | undefined;
  /** The base URL if no option names one. */
  readonly defaultBaseUrl: string;
  /** The records that may disappear; undefined if all may. */
  readonly permitted: readonly string[] | undefined;
  /** Whether the source cannot be read. */
  readonly isHopeless: boolean;
}

/** Names the published base URL and hosts in most commands, otherwise others or none. */
function chooseSettings({ random }: Scene, before: SiteState) {
  const { baseUrl: published } = before;
  const baseUrl = random.pick([
    published,
    published,
    published,
    ...bases,
    undefined,
  ]);
  const publishedHosts = before.hosts.join(' ');
  const hosts = random.pick([publishedHosts, publishedHosts, 'nginx', undefined]);
  const args: string[] = [];
  if (baseUrl !== undefined) args.push('--base-url', baseUrl);
  if (hosts !== undefined) args.push('--host', hosts);
  return { args, baseUrl, hosts };
}

const isWorkFile = (file: string): boolean => file.startsWith('.gamedata/');

const isSame = (one: Records, other: Records): boolean =>
  JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());

/** Lists the slugs of the records that a command removes, such as `move/move-2`. */
function listRemoved(before: SiteState, records: Records): string[] {
  const remaining = new Set(records.values());
  const slugs: string[] = [];
  for (const [address, record] of before.records) {
    if (!remaining.has(record))
      slugs.push(address.slice('/api/gamedata/'.length, -1));
  }
  return slugs;
}

/** Permits the removal of all records, of those that are removed, of one, or of none. */
function chooseGuards({ random }: Scene, before: SiteState, records: Records) {
  const removed = listRemoved(before, records);
  const choice = random.below(6);
  if (choice === 0) return { args: ['--max-shrink', '100'], permitted: undefined };
  if (choice > 2 || removed.length === 0) return { args: [], permitted: [] };
  const permitted = random.sample(removed, choice === 1 ? removed.length : 1);
  return { args: ['--allow-missing', ...permitted], permitted };
}

function createBuild(
  scene: Scene,
  before: SiteState,
  source: readonly string[],
  records: Records,
): Command {
  const { args, ...settings } = chooseSettings(scene, before);
  const guards = chooseGuards(scene, before, records);
  const keep = scene.random.pick([[], [], ['--keep', '2']]);
  const options = [...source, ...args, ...guards.args, ...keep];
  return {
    ...settings,
    args: ['build', ...options, '--out', 'site'],
    records,
    defaultBaseUrl: 'http://127.0.0.1:3000',
    permitted: guards.permitted,
    isHopeless: false,
  };
}

/** Builds from a data set, from one that a build has kept, or from another site. */
function buildFromSnapshot(scene: Scene, before: SiteState): Command {
  const { random, world, kept } = scene;
  const inputs: worlds.Input[] = [...world.data, random.pick(world.others)];
  for (const [name, records] of kept) inputs.push({ name, records });
  const { name, records } = random.pick(inputs);
  const source = ['--source', 'snapshot', '--upstream', name];
  return createBuild(scene, before, source, records);
}

/** Builds from an upstream, which refuses every request in a third of the steps. */
function buildFromUpstream(scene: Scene, before: SiteState): Command {
  const { random, upstream } = scene;
  const variant = random.pick(worlds.variantNames);
  const isDown = random.below(3) === 0;
  Object.assign(upstream.now, { variant, isDown });
  const source = ['--upstream', upstream.url];
  const command = createBuild(scene, before, source, worlds.listRecords(variant));
  return { ...command, isHopeless: isDown };
}

function mirrorAnother(scene: Scene, before: SiteState): Command {
  const {
    name,
    records,
    baseUrl: defaultBaseUrl,
  } = scene.random.pick(scene.world.others);
  const { args, ...settings } = chooseSettings(scene, before);
  const guards = chooseGuards(scene, before, records);
  return {
    ...settings,
    args: ['mirror', name, 'site', ...args, ...guards.args],
    records,
    defaultBaseUrl,
    permitted: guards.permitted,
    isHopeless: false,
  };
}

/** Predicts the exit code of a command. */
function predictCode(before: SiteState, command: Command): number {
  const { baseUrl, defaultBaseUrl, hosts, permitted } = command;
  const isUrlChanged = baseUrl === undefined && defaultBaseUrl !== before.baseUrl;
  const isHostChanged = hosts === undefined && before.hosts.join(' ') !== 'netlify';
  // Links and redirects would break, so the user must name the settings.
  if (isUrlChanged || isHostChanged) return 2;
  if (command.isHopeless) return 1;
  if (permitted === undefined) return 0;
  const removed = listRemoved(before, command.records);
  const isPermitted = removed.every((slug) => permitted.includes(slug));
  return isPermitted ? 0 : 4;
}

/** Finds what is wrong with a site that a successful command has published. */
function findBreaches(
  before: SiteState,
  after: SiteState,
  command: Command,
): string[] {
  const breaches = [...after.problems];
  const baseUrl = command.baseUrl ?? command.defaultBaseUrl;
  if (after.baseUrl !== baseUrl) breaches.push(`the base URL is ${after.baseUrl}`);
  const compared = new Set([...command.records.keys(), ...after.records.keys()]);
  for (const address of compared) {
    const record = after.records.get(address);
    const expected = command.records.get(address);
    if (record !== expected)
      breaches.push(`${address} is ${record}, not ${expected}`);
  }
  // Every URL keeps leading to its record, unless another record has its slug now.
  const remaining = new Set(after.records.values());
  for (const [address, record] of before.addresses) {
    const isTaken = after.records.has(address);
    if (isTaken || !remaining.has(record)) continue;
    if (after.addresses.get(address) !== record) breaches.push(`${address} is lost`);
  }
  if ([...after.files.keys()].some(isWorkFile))
    breaches.push('left the work folder');
  return breaches;
}

/** Adds the data set that a build has kept, and drops those that `--keep` removed. */
function updateKept({ cwd, kept }: Scene, records: Records): void {
  const folder = path.join(cwd, 'site.data');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const paths = names.map((name) => path.join(folder, name));
  for (const keptPath of paths) {
    if (!kept.has(keptPath)) kept.set(keptPath, records);
  }
  for (const keptPath of kept.keys()) {
    if (!paths.includes(keptPath)) kept.delete(keptPath);
  }
}

/** Runs a command, and kills it right before its n-th rename into the site. */
function run({ cwd, out }: Scene, args: readonly string[], killedAt?: number) {
  if (killedAt === undefined) {
    return startProcess([process.execPath, CLI, ...args], { cwd }).finished;
  }
  const command = [process.execPath, `--import=${KILL_AT}`, CLI, ...args];
  const env = {
    KILL_AT: `renameSync:${killedAt}`,
    KILL_PATHS: `\\.gamedata/\\S+ ${out}/`,
  };
  return startProcess(command, { cwd, env }).finished;
}

/** Runs a command on the site, and returns the broken rules. */
async function takeCommand(scene: Scene, titles: string[]): Promise<string[]> {
  const { random, out } = scene;
  const before = readSite(out);
  const create = random.pick([
    buildFromSnapshot,
    buildFromSnapshot,
    buildFromUpstream,
    mirrorAnother,
  ]);
  const command = create(scene, before);
  // The first rename commits the change, and the others move files into place.
  const killedAt = random.below(4) === 0 ? 1 + random.below(40) : undefined;
  const { code, stderr } = await run(scene, command.args, killedAt);
  const how = code === null ? `killed at file ${killedAt}` : `exit code ${code}`;
  titles.push(`gamedata ${command.args.join(' ')}   → ${how}`);

  // A build keeps its data set before it changes the site, even if it is then killed.
  updateKept(scene, command.records);
  const after = readSite(out);
  if (code === null) {
    const isOld = isSame(after.records, before.records);
    const isNew = isSame(after.records, command.records);
    return isOld || isNew ? [...after.problems] : ['got a mixture of two sites'];
  }
  const predicted = predictCode(before, command);
  if (code !== predicted) return [`got ${code}, expected ${predicted}: ${stderr}`];
  if (code !== 0) {
    // A command finishes the change of a killed build even if it then fails.
    const mayFinish = [...before.files.keys()].some(isWorkFile);
    const isUnchanged = mayFinish || isSame(before.files, after.files);
    return isUnchanged ? [...after.problems] : ['failed, but changed files'];
  }
  return findBreaches(before, after, command);
}

/** Replaces the site with one of the operator's copies. */
function restoreCopy({ random, copies, out }: Scene, titles: string[]): void {
  const copy = random.pick(copies);
  rmSync(out, { recursive: true });
  cpSync(copy, out, { recursive: true, preserveTimestamps: true });
  titles.push(`rm -rf site; cp -a ${path.basename(copy)} site`);
}

const STEPS = 6;

/** Takes random steps, and returns the first breach with the steps before it. */
async function trySequence(
  world: worlds.World,
  seed: number,
): Promise<string | undefined> {
  const cwd = mkdtempSync(path.join(world.folder, 'run-'));
  const upstream = await worlds.startChangingUpstream();
  const out = path.join(cwd, 'site');
  const random = createRandom(seed);
  const kept = new Map<string, Records>();
  const scene: Scene = { world, random, upstream, cwd, out, copies: [], kept };
  const titles: string[] = [];
  try {
    const [firstSite] = world.others;
    await run(scene, ['mirror', firstSite?.name ?? '', 'site', '--base-url', BASE]);
    for (let at = 1; at <= STEPS; at++) {
      const copy = path.join(cwd, `copy-${at}`);
      cpSync(out, copy, { recursive: true, preserveTimestamps: true });
      scene.copies.push(copy);
      if (random.below(7) === 0) restoreCopy(scene, titles);
      const problems = await takeCommand(scene, titles);
      problems.push(...(await verifyFolder(out)).problems);
      if (problems.length === 0) continue;
      const report = [
        `sequence ${seed}: ${problems.slice(0, 5).join('; ')}`,
        ...titles,
      ];
      return report.join('\n  ');
    }
    return undefined;
  } finally {
    await upstream.close();
    rmSync(cwd, { recursive: true });
  }
}

const AT_ONCE = 3;

/** Runs the sequences for consecutive seeds in one world. Returns all breaches. */
export function trySequences(count: number, firstSeed: number): Promise<string[]> {
  const seeds = range(firstSeed, firstSeed + count - 1);

  async function tryInFolder(folder: string): Promise<string[]> {
    const world = await worlds.createWorld(folder);
    try {
      const results = await pLimit(AT_ONCE).map(seeds, (seed) =>
        trySequence(world, seed),
      );
      return results.filter((breach) => breach !== undefined);
    } finally {
      await world.close();
    }
  }

  // The folder is in memory if possible, because the commands write many files.
  return inFolder(tryInFolder, findMemory());
}
