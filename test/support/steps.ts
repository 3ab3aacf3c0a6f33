/**
 * Random sequences of builds of one site, some of which are killed. After each build,
 * the exit code and the folder must be what the options and the published site demand.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { kindNames } from '../../src/contract/kinds.ts';
import { recordPath } from '../../src/contract/paths.ts';
import { advance } from '../../src/data/advance.ts';
import type { DataSet } from '../../src/data/data-set.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprintFiles } from './fingerprint.ts';
import { inFolder } from './folders.ts';
import { findMemory } from './memory.ts';
import { startProcess } from './processes.ts';
import { readVisibleTree } from './publishing.ts';
import { createRandom, type Random } from './random.ts';
import { rawItem, rawMove } from './sites.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';
import { range } from './upstream-data.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const KILL_AT = new URL('kill-at.mjs', import.meta.url).href;

/** The record at each path of the API, such as `move/1` at `/api/gamedata/move/a/`. */
type Records = ReadonlyMap<string, string>;

/** A data set in a folder. */
interface Input {
  readonly folder: string;
  readonly records: Records;
}

/** One kind's slugs that differ from `<kind>-<id>`; null removes a record. */
type SlugChanges = Readonly<Record<number, string | null>>;

/** The slugs of an upstream on different days. */
const variants: Readonly<
  Record<string, { readonly move?: SlugChanges; readonly item?: SlugChanges }>
> = {
  plain: {},
  renamed: { move: { 1: 'first' }, item: { 1: 'ball' } },
  'renamed-again': { move: { 1: 'premier', 2: 'second' }, item: { 1: 'ball' } },
  swapped: { move: { 2: 'move-3', 3: 'move-2' } },
  taken: { move: { 1: 'first', 21: 'move-1' } },
  grown: { move: { 21: 'move-21' }, item: { 11: 'item-11' } },
  shrunk: { move: { 1: 'first', 19: null }, item: { 10: null } },
  replaced: { move: { 1: null, 22: 'first' } },
};

function listSlugs(kind: string, count: number, changes: SlugChanges = {}) {
  const slugs = new Map<number, string>();
  for (const id of range(1, count)) slugs.set(id, `${kind}-${id}`);
  for (const [id, slug] of Object.entries(changes)) {
    if (slug === null) slugs.delete(Number(id));
    else slugs.set(Number(id), slug);
  }
  return [...slugs];
}

function createVariant(name: string): DataSet {
  const { move, item } = variants[name] ?? {};
  const moves = listSlugs('move', 20, move);
  const items = listSlugs('item', 10, item);
  return createStoredData({
    move: moves.map(([id, slug]) => rawMove(id, { slug })),
    item: items.map(([id, slug]) => rawItem(id, { slug })),
  });
}

/**
 * Writes a data set for each variant, and one whose history has several of them.
 */
function writeInputs(folder: string): Input[] {
  function write(name: string, dataSet: DataSet): Input {
    const records = new Map<string, string>();
    const all = dataSet.readRecords();
    for (const kind of kindNames) {
      for (const { id, slug } of all[kind]) {
        records.set(recordPath(kind, slug), `${kind}/${id}`);
      }
    }
    return { folder: writeDataSet(dataSet, path.join(folder, name)), records };
  }

  const inputs = Object.keys(variants).map((name) =>
    write(name, createVariant(name)),
  );
  let followed = createVariant('plain');
  for (const name of ['renamed', 'renamed-again']) {
    followed = advance(followed, createVariant(name)).dataSet;
  }
  return [...inputs, write('followed', followed)];
}

/**
 * A site as a command sees it. If a build was killed after its commit, this is the new
 * site.
 */
interface SiteState {
  readonly records: Records;
  /** The records, and the redirects to them. */
  readonly addresses: Records;
  readonly baseUrl: string;
  readonly hosts: string;
  /** What contradicts the rest of the site. */
  readonly problems: readonly string[];
}

function readSite(folder: string): SiteState {
  const tree = readVisibleTree(folder);
  const { base_url: baseUrl, hosts } = JSON.parse(`${tree['meta.json']}`);
  const problems: string[] = [];
  const records = new Map<string, string>();
  for (const [file, text] of Object.entries(tree)) {
    const kind = /^api\/gamedata\/(\w+)\/[^/]+\/index\.json$/.exec(file)?.[1];
    if (kind === undefined) continue;
    const { id, url } = JSON.parse(text);
    records.set(`/${file.slice(0, -'index.json'.length)}`, `${kind}/${id}`);
    if (!url.startsWith(`${baseUrl}/api/`)) {
      problems.push(`${file} has the URL ${url}`);
    }
  }

  const addresses = new Map(records);
  const redirects: Record<string, string> = JSON.parse(`${tree['moved.json']}`);
  for (const [from, to] of Object.entries(redirects)) {
    const target = records.get(to);
    if (target === undefined || records.has(from)) {
      problems.push(`moved.json redirects ${from} to ${to}`);
    } else addresses.set(from, target);
  }
  return { records, addresses, baseUrl, hosts: hosts.join(' '), problems };
}

/** A build, with what it says about the site that it should publish. */
interface Command {
  readonly args: readonly string[];
  readonly records: Records;
  /** Undefined if no option names it. */
  readonly baseUrl: string | undefined;
  /** Undefined if no option names any. */
  readonly hosts: string | undefined;
  /** The records that may disappear; undefined if all may. */
  readonly permitted: readonly string[] | undefined;
}

const BASE = 'https://site.test';

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
function chooseGuards(random: Random, before: SiteState, records: Records) {
  const removed = listRemoved(before, records);
  const choice = random.below(6);
  if (choice === 0) return { args: ['--max-shrink', '100'], permitted: undefined };
  if (choice > 2 || removed.length === 0) return { args: [], permitted: [] };
  const permitted = random.sample(removed, choice === 1 ? removed.length : 1);
  return { args: ['--allow-missing', ...permitted], permitted };
}

/** Names the published base URL and hosts in most builds, otherwise others or none. */
function chooseBuild(
  random: Random,
  inputs: readonly Input[],
  before: SiteState,
): Command {
  const { folder, records } = random.pick(inputs);
  const published = before.baseUrl;
  const moved = 'https://moved.test/again';
  const baseUrl = random.pick([published, published, published, moved, undefined]);
  const hosts = random.pick([before.hosts, before.hosts, 'nginx', undefined]);
  const guards = chooseGuards(random, before, records);
  const args = ['build', '--source', 'snapshot', '--upstream', folder];
  if (baseUrl !== undefined) args.push('--base-url', baseUrl);
  if (hosts !== undefined) args.push('--host', hosts);
  args.push(...guards.args, '--out', 'site');
  return { args, records, baseUrl, hosts, permitted: guards.permitted };
}

/** Predicts the exit code of a command. */
function predictCode(before: SiteState, command: Command): number {
  const { baseUrl, hosts, permitted } = command;
  const isHostChanged = hosts === undefined && before.hosts !== 'netlify';
  // Links and redirects would break, so the user must name the settings.
  if (baseUrl === undefined || isHostChanged) return 2;
  if (permitted === undefined) return 0;
  const removed = listRemoved(before, command.records);
  const isPermitted = removed.every((slug) => permitted.includes(slug));
  return isPermitted ? 0 : 4;
}

/** Finds what is wrong with a site that a successful command has published. */
function findBreaches(
  before: SiteState,
  after: SiteState,
  { baseUrl, records }: Command,
): string[] {
  const breaches: string[] = [];
  if (after.baseUrl !== baseUrl) breaches.push(`the base URL is ${after.baseUrl}`);
  if (!isSame(after.records, records)) breaches.push('has other records');
  // Every URL keeps leading to its record, unless another record has its slug now.
  const remaining = new Set(after.records.values());
  for (const [address, record] of before.addresses) {
    const isTaken = after.records.has(address);
    if (isTaken || !remaining.has(record)) continue;
    if (after.addresses.get(address) !== record) breaches.push(`${address} is lost`);
  }
  return breaches;
}

/** Runs a command, and kills it right before its n-th rename into the site. */
function run(cwd: string, args: readonly string[], killedAt?: number) {
  if (killedAt === undefined) {
    return startProcess([process.execPath, CLI, ...args], { cwd }).finished;
  }
  const command = [process.execPath, `--import=${KILL_AT}`, CLI, ...args];
  const env = {
    KILL_AT: `renameSync:${killedAt}`,
    KILL_PATHS: `\\.gamedata/\\S+ ${cwd}/site/`,
  };
  return startProcess(command, { cwd, env }).finished;
}

/** Runs a random build of the site, and returns the broken rules. */
async function takeStep(
  cwd: string,
  random: Random,
  inputs: readonly Input[],
  titles: string[],
): Promise<string[]> {
  const out = path.join(cwd, 'site');
  const before = readSite(out);
  const oldFiles = fingerprintFiles(out);
  const command = chooseBuild(random, inputs, before);
  // The first rename commits the change, and the others move files into place.
  const killedAt = random.below(4) === 0 ? 1 + random.below(40) : undefined;
  const { code, stderr } = await run(cwd, command.args, killedAt);
  const how = code === null ? `killed at file ${killedAt}` : `exit code ${code}`;
  titles.push(`gamedata ${command.args.join(' ')}   → ${how}`);

  const after = readSite(out);
  const { problems, unfinished } = await verifyFolder(out);
  const breaches = [...after.problems, ...problems];
  if (code === null) {
    const isOld = isSame(after.records, before.records);
    const isNew = isSame(after.records, command.records);
    if (!isOld && !isNew) breaches.push('got a mixture of two sites');
    return breaches;
  }
  if (unfinished) breaches.push('left the work folder');
  const predicted = predictCode(before, command);
  if (code !== predicted) {
    return [...breaches, `got ${code}, expected ${predicted}: ${stderr}`];
  }
  if (code === 0) return [...breaches, ...findBreaches(before, after, command)];
  // A command finishes the change of a killed build even if it then fails.
  if (oldFiles.has('.gamedata')) return breaches;
  const newFiles = fingerprintFiles(out);
  const isUnchanged =
    JSON.stringify([...oldFiles]) === JSON.stringify([...newFiles]);
  if (!isUnchanged) breaches.push('failed, but changed files');
  return breaches;
}

const STEPS = 6;

/** Permits every change compared with the bundled data. */
const ACCEPT = '--max-shrink 100 --allow-missing names/en names/fr'.split(' ');

/** Takes random steps, and returns the first breach with the steps before it. */
async function trySequence(
  folder: string,
  inputs: readonly Input[],
  seed: number,
): Promise<string | undefined> {
  const cwd = mkdtempSync(path.join(folder, 'run-'));
  const random = createRandom(seed);
  const titles: string[] = [];
  const first = ['build', '--source', 'snapshot', '--upstream'];
  first.push(random.pick(inputs).folder, '--base-url', BASE, '--out', 'site');
  await run(cwd, [...first, ...ACCEPT]);
  try {
    for (let at = 1; at <= STEPS; at++) {
      const breaches = await takeStep(cwd, random, inputs, titles);
      if (breaches.length === 0) continue;
      const summary = `sequence ${seed}: ${breaches.slice(0, 5).join('; ')}`;
      return [summary, ...titles].join('\n  ');
    }
    return undefined;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const AT_ONCE = 3;

/** Runs the sequences for consecutive seeds. Returns all breaches. */
export function trySequences(count: number, firstSeed: number): Promise<string[]> {
  const seeds = range(firstSeed, firstSeed + count - 1);

  async function tryInFolder(folder: string): Promise<string[]> {
    const inputs = writeInputs(path.join(folder, 'data'));
    const results = await pLimit(AT_ONCE).map(seeds, (seed) =>
      trySequence(folder, inputs, seed),
    );
    return results.filter((breach) => breach !== undefined);
  }

  // The folder is in memory if possible, because the commands write many files.
  return inFolder(tryInFolder, findMemory());
}
