/** Sequences of steps that an operator may take with one folder, at random, and whether each keeps the law. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pLimit from 'p-limit';
import { type Commands, killAtFile, startCommands } from './installed.ts';
import type { Finished } from './processes.ts';
import { type Random, seeded } from './random.ts';
import { breaches, type Ended, endingAddresses, filesIn, type Intent, look, type Seen } from './site-law.ts';
import {
  BUNDLED,
  type ChangingUpstream,
  changingUpstream,
  createWorld,
  DEAD,
  onDay,
  QUICK,
  type Records,
  recordsOf,
  variantNames,
  type World,
} from './steps-world.ts';

const BASE = 'https://site.test';
const bases = [BASE, 'https://moved.test', 'https://moved.test/again'];
const STEPS = 6;
const CHANGING = 'is being changed';

/** A copy of the whole folder that the operator has kept. */
interface Copy {
  readonly folder: string;
  readonly isMirrored: boolean;
}

interface Archive {
  readonly records: Records;
  readonly baseUrl: string | undefined;
}

/** Everything that a step depends on, and may change. */
interface Scene {
  readonly world: World;
  readonly random: Random;
  readonly upstream: ChangingUpstream;
  readonly commands: Commands;
  /** The operator's folder, and the site in it. */
  readonly cwd: string;
  readonly out: string;
  day: number;
  umask: number;
  /** Whether the site is a copy of a deployment, whose base URL it follows. */
  isMirrored: boolean;
  copies: Copy[];
  readonly archives: Map<string, Archive>;
  /** What killed commands were to do, until one has ended that finishes it. */
  unfinished: Intent[];
}

/** A step: what is typed, and what it is to do, or what is done by hand. */
interface Step {
  readonly says: string;
  readonly intent?: Intent;
  readonly args?: readonly string[];
  /** The number of files in place when it is killed. */
  readonly killedAt?: number;
  byHand?(): void;
  /** After it has succeeded. */
  done?(after: Seen): void;
}

type Maker = (scene: Scene, before: Seen) => Step;

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

const built = (scene: Scene): Pick<Step, 'done'> => ({
  done: () => {
    scene.isMirrored = false;
  },
});

/** The base URL as it is in half of the commands, left out or another one in the others. */
function chooseBase({ random }: Scene, { baseUrl = BASE }: Seen) {
  const chosen = random.pick([baseUrl, baseUrl, baseUrl, '', random.pick(bases)]);
  const args = chosen === '' ? [] : ['--base-url', chosen];
  // The default is one that no site here has.
  return { args, baseUrl: chosen || 'http://localhost:3000', namesBase: chosen !== '' };
}

/** Options of guards: none, all records, or some of those that would go. */
function chooseGuards({ random }: Scene, before: Seen, records: Records): string[] {
  const kind = random.below(6);
  if (kind === 0) return ['--max-shrink', '100'];
  if (kind > 2) return [];
  const ending = endingAddresses(before, [{ records, namesBase: true, options: [] }]);
  const names = ending.map((address) => address.split('/').slice(3, 5).join('/'));
  const some = random.sample(names, kind === 1 ? names.length : 1);
  return some.length > 0 ? ['--allow-missing', ...some] : [];
}

const buildOptions = ({ random }: Scene): readonly string[] =>
  random.pick([
    [],
    [],
    [],
    ['--verify'],
    ['--verify', '--keep', '2'],
    ['--forget-history'],
    ['--host', 'nginx'],
  ]);

/** A build, and the archive that it may keep. */
function buildFrom(
  scene: Scene,
  before: Seen,
  source: readonly string[],
  data: Pick<Intent, 'records' | 'fallback' | 'isHopeless'>,
): Step {
  const { args, ...base } = chooseBase(scene, before);
  const guards = chooseGuards(scene, before, data.records);
  const all = ['build', ...source, ...QUICK, ...args, ...guards, ...buildOptions(scene), '--out', 'site'];
  const done = (after: Seen): void => {
    scene.isMirrored = false;
    // What was forgotten is no copy to go back to.
    if (all.includes('--forget-history')) scene.copies = [];
    const kept = path.join(scene.cwd, 'site-archives');
    for (const name of filesIn(kept))
      if (!scene.archives.has(`site-archives/${name}`)) scene.archives.set(`site-archives/${name}`, after);
    for (const name of scene.archives.keys())
      if (!existsSync(path.join(scene.cwd, name))) scene.archives.delete(name);
  };
  return command(all, { ...base, ...data }, { done });
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
  const { digest } = JSON.parse(
    readFileSync(path.join(world.folder, 'package/data/provenance.json'), 'utf8'),
  );
  const fallback = isDown && isAuto ? { digest, captured: BUNDLED.captured } : undefined;
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
  return buildFrom(scene, before, ['--source', 'site', '--upstream', name], { records });
};

const rebaseInPlace: Maker = (scene, before) => {
  const baseUrl = scene.random.pick(bases);
  const host = scene.random.pick([[], [], ['--host', 'caddy']]);
  const args = ['rebase', 'site', '--base-url', baseUrl, ...host];
  return command(args, { records: before.records, baseUrl, namesBase: true, isSame: true }, built(scene));
};

const rebaseOver: Maker = (scene, before) => {
  const { folder, variant } = scene.random.pick(scene.world.others);
  const records = recordsOf(variant);
  const baseUrl = scene.random.pick([before.baseUrl ?? BASE, ...bases]);
  const guards = chooseGuards(scene, before, records);
  const args = [
    'rebase',
    path.relative(scene.cwd, folder),
    '--base-url',
    baseUrl,
    '--out',
    'site',
    ...guards,
  ];
  return command(args, { records, baseUrl, namesBase: true }, built(scene));
};

const mirrorDeployment: Maker = (scene, before) => {
  const { url, baseUrl, variant } = scene.random.pick(scene.world.others);
  const records = recordsOf(variant);
  const args = ['mirror', url, 'site', '--retries', '0', ...chooseGuards(scene, before, records)];
  const namesBase = baseUrl === url || scene.isMirrored;
  const done = (): void => {
    scene.isMirrored = true;
  };
  return command(args, { records, baseUrl, namesBase, isCopy: true }, { done });
};

const keepArchive: Maker = (scene, before) => {
  const folder = `archives/${scene.day}`;
  const { records, baseUrl } = before;
  const done = (after: Seen): void => {
    scene.archives.set(`${folder}/gamedata.tar.gz`, after);
  };
  return command(['archive', 'site', '--out', folder], { records, baseUrl, namesBase: false }, { done });
};

const restoreArchive: Maker = (scene, before) => {
  const [file, archive] = scene.archives.size > 0 ? scene.random.pick([...scene.archives]) : [];
  if (file === undefined || !archive) return keepArchive(scene, before);
  const { records, baseUrl } = archive;
  const args = ['mirror', file, 'site', ...chooseGuards(scene, before, records)];
  return command(args, { records, baseUrl, namesBase: false }, built(scene));
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
  return hand(`rm -rf site; cp -a ${path.basename(copy.folder)} site`, () => {
    rmSync(out, { recursive: true, force: true });
    execFileSync('cp', ['-a', copy.folder, out]);
    scene.isMirrored = copy.isMirrored;
  });
};

const restoreFile: Maker = ({ random, copies, out }) => {
  const copy = random.pick([...copies, null]);
  const record = random.pick(['move/premier', 'move/move-2', 'item/item-1']);
  const names = ['changes.json', 'former.json', 'moved.json', 'meta.json', 'index.html', 'search.json'];
  const file = random.pick([...names, 'api/gamedata/move/index.json', `api/gamedata/${record}/index.json`]);
  const isThere = copy && [copy.folder, out].every((folder) => existsSync(path.join(folder, file)));
  if (!isThere) return hand(`# no copy of ${file}`, () => {});
  const how = random.pick(['-a', '-p', '-f']);
  return hand(`cp ${how} ${path.basename(copy.folder)}/${file} site/${file}`, () => {
    execFileSync('cp', [how, path.join(copy.folder, file), path.join(out, file)]);
  });
};

const damageHistory: Maker = ({ random, out }) => {
  const file = path.join(out, 'changes.json');
  const text = random.pick(['', '{', '{"steps":[]}']);
  return text === ''
    ? hand('rm -f site/changes.json', () => rmSync(file, { force: true }))
    : hand(`echo '${text}' > site/changes.json`, () => writeFileSync(file, text));
};

const changeModes: Maker = (scene) => {
  const { random, out } = scene;
  const choice = random.below(3);
  if (choice === 0) {
    const umask = random.pick([0o002, 0o022, 0o027, 0o077]);
    return hand(`umask 0${umask.toString(8)}`, () => {
      scene.umask = umask;
    });
  }
  if (choice === 1)
    return hand('chmod -R 0600 site/*.json', () => {
      for (const file of filesIn(out).filter((name) => /^[^/]+\.json$/.test(name)))
        chmodSync(path.join(out, file), 0o600);
    });
  const mode = random.pick([0o755, 0o750, 0o2750]);
  return hand(`chmod ${mode.toString(8)} site; chgrp www-data site`, () => {
    // Another group may only be given by root.
    if (process.getuid?.() === 0) chownSync(out, 0, 33);
    chmodSync(out, mode);
  });
};

/** Every step, and how often it is taken among the others. */
const makers: Readonly<Record<string, readonly [make: Maker, weight: number]>> = {
  'a build from a snapshot': [fromSnapshot, 4],
  'a build from an upstream': [fromUpstream, 3],
  'a build from a site': [fromSite, 2],
  'a killed build': [killedBuild, 3],
  'rebase in place': [rebaseInPlace, 2],
  'rebase over it': [rebaseOver, 2],
  'mirror of a URL': [mirrorDeployment, 3],
  'mirror of an archive': [restoreArchive, 3],
  archive: [keepArchive, 1],
  'a copy that is restored': [restoreCopy, 3],
  'a file that is restored': [restoreFile, 2],
  'a damaged history': [damageHistory, 1],
  'changed modes': [changeModes, 2],
};
export const stepNames = Object.keys(makers);
const weighted = Object.values(makers).flatMap(([make, weight]) => Array<Maker>(weight).fill(make));

/**
 * Takes steps of some names, or of any.
 *
 * @returns what broke the law first, with the steps that led there; undefined if none did
 */
export async function trySequence(
  world: World,
  seed: number,
  names?: readonly string[],
): Promise<string | undefined> {
  const random = seeded(seed);
  const cwd = mkdtempSync(path.join(world.folder, 'run-'));
  const upstream = await changingUpstream();
  const commands = startCommands(world.cli);
  const scene: Scene = {
    ...{
      world,
      random,
      upstream,
      commands,
      cwd: realpathSync(cwd),
      out: path.join(realpathSync(cwd), 'site'),
    },
    ...{ day: 1, umask: 0o022, isMirrored: false, copies: [], archives: new Map(), unfinished: [] },
  };
  const typed: string[] = [];
  try {
    await begin(scene, typed);
    for (let at = 0; at < (names?.length ?? STEPS); at++) {
      const [make] = makers[names?.[at] ?? ''] ?? [random.pick(weighted)];
      const problems = await take(scene, make, typed);
      if (problems.length === 0) continue;
      const steps = typed.map((line) => `  ${line}`).join('\n');
      return `sequence ${seed}: ${problems.slice(0, 5).join('; ')}\n${steps.replaceAll(upstream.url, '<upstream>')}`;
    }
    return undefined;
  } finally {
    commands.close();
    await upstream.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** The first site: a build or a copy. */
async function begin(scene: Scene, typed: string[]): Promise<void> {
  const { random, world, cwd } = scene;
  const [first] = world.data;
  const [other] = world.others;
  scene.isMirrored = random.below(4) === 0;
  const build = ['build', '--source', 'snapshot', '--upstream', path.relative(cwd, first?.folder ?? '')];
  const args = scene.isMirrored
    ? ['mirror', other?.url ?? '', 'site']
    : [...build, ...QUICK, '--base-url', BASE, '--out', 'site'];
  const { code, text } = await run(scene, { says: '', args });
  if (code !== 0) throw new Error(`the first site fails: ${text}`);
  typed.push(`gamedata ${args.join(' ')}`);
  keepCopy(scene);
}

function keepCopy(scene: Scene): void {
  const folder = path.join(scene.cwd, `copy-${scene.day}`);
  cpSync(scene.out, folder, { recursive: true, preserveTimestamps: true });
  scene.copies.push({ folder, isMirrored: scene.isMirrored });
}

async function run({ world, commands, cwd, out, umask, day }: Scene, { args = [], killedAt }: Step) {
  const options = { cwd, umask, env: onDay(`2026-02-${String(day).padStart(2, '0')}`) };
  const finished: Finished = await (killedAt === undefined
    ? commands.run(args, options)
    : killAtFile(world.cli, args, { ...options, folder: out, nth: killedAt }));
  return { code: finished.code, text: finished.stdout + finished.stderr };
}

/** Takes a step, and judges it. */
async function take(scene: Scene, make: Maker, typed: string[]): Promise<string[]> {
  const { cwd, out } = scene;
  scene.day++;
  const before = look(out);
  const mode = statSync(out).mode & 0o7777;
  const step = make(scene, before);
  typed.push(step.says);
  step.byHand?.();
  if (!step.intent) return judgeFolder(scene, look(out));
  const ended = await run(scene, step);
  typed[typed.length - 1] += `   → ${ended.code ?? 'killed'}`;
  const after = look(out);
  if (ended.code === null) scene.unfinished.push(step.intent);
  else {
    const isReader = step.args?.[0] === 'archive';
    const problems = isReader
      ? misread(before, after, ended)
      : breaches({ before, after, mode }, [step.intent, ...scene.unfinished], ended, out);
    if (problems.length > 0) return [...problems, ended.text.trim()];
    if (ended.code === 0) step.done?.(after);
  }
  if (!existsSync(path.join(cwd, '.site.gamedata-commit'))) scene.unfinished = [];
  const found = await judgeFolder(scene, after, ended.code);
  if (found.length === 0 && after.wrong.size === 0) keepCopy(scene);
  return found;
}

/** What a command that reads the site did wrong: it never changes it, and succeeds if and only if it is whole. */
function misread(before: Seen, after: Seen, { code, text }: Ended): string[] {
  if (JSON.stringify([...before.files]) !== JSON.stringify([...after.files]))
    return ['a command that reads the folder changed it'];
  const isWhole = before.wrong.size === 0;
  const isRight = code === 0 ? isWhole : code === 1 && (!isWhole || text.includes(CHANGING));
  return isRight ? [] : [`ended with ${code} for a folder that is ${isWhole ? 'whole' : 'damaged'}`];
}

/**
 * Whether `verify` is right about the folder as it is, and about a damaged file, and changes nothing.
 *
 * @param code how the last command ended; null if it was killed, undefined if something was done by hand
 */
async function judgeFolder(scene: Scene, seen: Seen, code?: number | null): Promise<string[]> {
  const { random, out, unfinished, cwd } = scene;
  const verify = () => run(scene, { says: '', args: ['verify', 'site'] });
  const beside = readdirSync(cwd).join(' ');
  const verified = await verify();
  const problems = misread(seen, look(out), verified);
  const left = readdirSync(cwd).join(' ');
  if (left !== beside) problems.push(`left ${left}, there was ${beside}`);
  const isChanging = verified.text.includes(CHANGING);
  if (isChanging && (unfinished.length === 0 || code === 0 || code === 4))
    problems.push('says that the folder is being changed');
  if (code === null && verified.code !== 0 && !isChanging)
    problems.push('finds a killed build neither whole nor being changed');
  if (problems.length > 0) return [...problems.map((problem) => `verify: ${problem}`), verified.text];
  if (verified.code !== 0) return [];

  const file = random.pick([...seen.files.keys()]);
  const target = path.join(out, file);
  const [body, { atime, mtime }] = [readFileSync(target), statSync(target)];
  writeFileSync(target, Buffer.concat([body.subarray(0, -1), Buffer.from([(body.at(-1) ?? 0) ^ 1])]));
  const damaged = await verify();
  writeFileSync(target, body);
  utimesSync(target, atime, mtime);
  const isFound = damaged.code === 1 && damaged.text.includes(file);
  return isFound ? [] : [`verify ended with ${damaged.code}, although ${file} was damaged`];
}

const AT_ONCE = 4;

/** Takes sequences of a run of seeds in a world of their own. Returns what broke the law: any can be taken again alone. */
export async function trySequences(count: number, firstSeed: number): Promise<string[]> {
  const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
  return inWorld((world) => tryAll(seeds, (seed) => trySequence(world, seed)));
}

/** Takes every step after every step. */
export const tryPairs = (): Promise<string[]> =>
  inWorld((world) => {
    const pairs = stepNames.flatMap((first) => stepNames.map((second) => [first, second]));
    return tryAll(pairs, async (names, at) => {
      const problem = await trySequence(world, at, names);
      return problem && `${names.join(', then ')}: ${problem}`;
    });
  });

const tryAll = async <T>(
  cases: readonly T[],
  attempt: (one: T, at: number) => Promise<string | undefined>,
): Promise<string[]> =>
  (await pLimit(AT_ONCE).map(cases, attempt)).filter((problem) => problem !== undefined);

async function inWorld<T>(use: (world: World) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-steps-')));
  const world = await createWorld(folder);
  try {
    return await use(world);
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
