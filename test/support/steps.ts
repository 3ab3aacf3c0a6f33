import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { isBeingChanged } from '../../src/publish/publish.ts';
import { inFolder } from './folders.ts';
import { createRandom, type Random } from './random.ts';
import {
  DISCARDED,
  findBreaches,
  findEndingPaths,
  type Intent,
  isSameFolder,
  listFilesIn,
  look,
  type Seen,
} from './site-invariants.ts';
import * as worlds from './steps-world.ts';

const BASE = 'https://site.test';
const bases = [BASE, 'https://moved.test', 'https://moved.test/again'];

interface Archive {
  readonly records: worlds.Records;
  readonly baseUrl: string | undefined;
}

interface Scene {
  readonly world: worlds.World;
  readonly random: Random;
  readonly upstream: Awaited<ReturnType<typeof worlds.startChangingUpstream>>;
  readonly commands: worlds.Commands;
  readonly cwd: string;
  readonly out: string;
  day: number;
  /** Copies of the whole folder by the operator. */
  copies: string[];
  readonly archives: Map<string, Archive>;
  /** The intents of killed commands, until another command completes them. */
  unfinished: Intent[];
  /** Whether a command has discarded an interrupted change, which may have left files behind. */
  hasDiscarded: boolean;
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

type CreateStep = (scene: Scene, before: Seen) => Step;

const createCommand = (args: readonly string[], intent: Omit<Intent, 'options'>): Step => ({
  title: `gamedata ${args.join(' ')}`,
  args,
  intent: { ...intent, options: args },
});

/** Chooses the current base URL in most commands, otherwise none or another. */
function chooseBase({ random }: Scene, { baseUrl = BASE }: Seen) {
  const chosen = random.pick([baseUrl, baseUrl, baseUrl, '', random.pick(bases)]);
  return chosen === ''
    ? { args: [], baseUrl: undefined }
    : { args: ['--base-url', chosen], baseUrl: chosen };
}

/** Chooses which removed records the guard allows: none, all, or some. */
function chooseGuards({ random }: Scene, before: Seen, records: worlds.Records): string[] {
  const kind = random.below(6);
  if (kind === 0) return ['--max-shrink', '100'];
  if (kind > 2) return [];
  const ending = findEndingPaths(before, [{ records, baseUrl: undefined, options: [] }]);
  const names = ending.map((address) => address.split('/').slice(3, 5).join('/'));
  const some = random.sample(names, kind === 1 ? names.length : 1);
  return some.length > 0 ? ['--allow-missing', ...some] : [];
}

function createBuild(
  scene: Scene,
  before: Seen,
  source: readonly string[],
  data: Pick<Intent, 'records' | 'fallback' | 'isHopeless' | 'isRestored'>,
): Step {
  const { args, baseUrl } = chooseBase(scene, before);
  const guards = chooseGuards(scene, before, data.records);
  const more = ['', '', '', '--keep 3', '--verify --keep 2', '--forget-history', '--host nginx'];
  const options = scene.random.pick(more).split(' ').filter(Boolean);
  const all = [
    'build',
    ...source,
    ...worlds.QUICK,
    ...args,
    ...guards,
    ...options,
    '--out',
    'site',
  ];
  const onSuccess = (after: Seen): void => {
    // Older copies still have the forgotten redirects.
    if (all.includes('--forget-history')) scene.copies = [];
    const kept = path.join(scene.cwd, 'site-archives');
    for (const name of listFilesIn(kept).filter((file) => file.endsWith('.gz')))
      if (!scene.archives.has(`site-archives/${name}`))
        scene.archives.set(`site-archives/${name}`, after);
    for (const name of scene.archives.keys())
      if (!existsSync(path.join(scene.cwd, name))) scene.archives.delete(name);
  };
  return { ...createCommand(all, { baseUrl, ...data }), onSuccess };
}

const buildFromSnapshot: CreateStep = (scene, before) => {
  const { folder, variant } = scene.random.pick(scene.world.data);
  const source = ['--source', 'snapshot', '--upstream', path.relative(scene.cwd, folder)];
  return createBuild(scene, before, source, { records: worlds.listRecords(variant) });
};

const buildFromUpstream: CreateStep = (scene, before) => {
  const { random, upstream, world } = scene;
  const variant = random.pick(worlds.variantNames);
  const isDown = random.below(2) === 0;
  upstream.now.variant = variant;
  const isAuto = random.below(3) > 0;
  const source = [
    ...(isAuto ? [] : ['--source', 'rest']),
    '--upstream',
    isDown ? worlds.DEAD : upstream.url,
  ];
  const fallback = isDown && isAuto ? world.bundled : undefined;
  const records = worlds.listRecords(fallback ? worlds.BUNDLED.variant : variant);
  const step = createBuild(scene, before, source, {
    records,
    fallback,
    isHopeless: isDown && !isAuto,
  });
  return { ...step, title: `${step.title}   # upstream: ${variant}` };
};

/** Chooses another site, or an archive of this one. */
function chooseSite({ random, world, cwd, archives }: Scene): Archive & { name: string } {
  const [file, archive] = random.pick([...archives, null]) ?? [];
  if (file !== undefined && archive) return { ...archive, name: file };
  const { folder, url, variant, baseUrl } = random.pick(world.others);
  const name = random.pick([path.relative(cwd, folder), url]);
  return { name, records: worlds.listRecords(variant), baseUrl };
}

const buildFromSite: CreateStep = (scene, before) => {
  const { name, records } = chooseSite(scene);
  const isRestored = scene.archives.has(name);
  return createBuild(scene, before, ['--source', 'site', '--upstream', name], {
    records,
    isRestored,
  });
};

const mirrorInPlace: CreateStep = ({ random }, { records }) => {
  const baseUrl = random.pick(bases);
  const host = random.pick([[], [], ['--host', 'caddy']]);
  const args = ['mirror', 'site', '--base-url', baseUrl, ...host];
  return createCommand(args, { records, baseUrl, isSame: true });
};

const mirrorAnother: CreateStep = (scene, before) => {
  const { name, records } = chooseSite(scene);
  const { args, baseUrl } = chooseBase(scene, before);
  const all = [
    'mirror',
    name,
    'site',
    '--retries',
    '0',
    ...args,
    ...chooseGuards(scene, before, records),
  ];
  return createCommand(all, { records, baseUrl, isRestored: scene.archives.has(name) });
};

const killBuild: CreateStep = (scene, before) => {
  const step = buildFromSnapshot(scene, before);
  const killedAt = 1 + scene.random.below(scene.random.pick([8, 60]));
  return { ...step, killedAt, title: `${step.title}   # killed at file ${killedAt}` };
};

const restoreCopy: CreateStep = ({ random, copies, out }) => {
  const copy = random.pick([...copies, null]);
  if (!copy) return { title: '# nothing to restore' };
  const change = (): void => {
    rmSync(out, { recursive: true, force: true });
    execFileSync('cp', ['-a', copy, out]);
  };
  return { title: `rm -rf site; cp -a ${path.basename(copy)} site`, change };
};

const restoreFile: CreateStep = ({ random, copies, out }) => {
  const copy = random.pick([...copies, null]);
  const record = random.pick(['move/premier', 'move/move-2', 'item/item-1']);
  const names = [
    'changes.json',
    'former.json',
    'moved.json',
    'meta.json',
    'index.html',
    'search.json',
  ];
  const file = random.pick([
    ...names,
    'api/gamedata/move/index.json',
    `api/gamedata/${record}/index.json`,
  ]);
  if (!copy || ![copy, out].every((folder) => existsSync(path.join(folder, file))))
    return { title: `# no copy of ${file}` };
  const how = random.pick(['-a', '-p', '-f']);
  const change = () => void execFileSync('cp', [how, path.join(copy, file), path.join(out, file)]);
  return { title: `cp ${how} ${path.basename(copy)}/${file} site/${file}`, change };
};

const damageHistory: CreateStep = ({ random, out }) => {
  const file = path.join(out, 'changes.json');
  const text = random.pick(['', '{', '{"steps":[]}']);
  return text === ''
    ? { title: 'rm -f site/changes.json', change: () => rmSync(file, { force: true }) }
    : { title: `echo '${text}' > site/changes.json`, change: () => writeFileSync(file, text) };
};

/** Every step as often as its frequency. */
const weightedSteps: readonly CreateStep[] = (
  [
    [buildFromSnapshot, 4],
    [buildFromUpstream, 3],
    [buildFromSite, 2],
    [killBuild, 3],
    [mirrorInPlace, 2],
    [mirrorAnother, 8],
    [restoreCopy, 3],
    [restoreFile, 2],
    [damageHistory, 1],
  ] as const
).flatMap(([createStep, weight]) => Array<CreateStep>(weight).fill(createStep));

const STEPS = 6;

/** Takes random steps. Returns the first breach of an invariant, with the steps before it. */
async function trySequence(world: worlds.World, seed: number): Promise<string | undefined> {
  const random = createRandom(seed);
  const cwd = mkdtempSync(path.join(world.folder, 'run-'));
  const upstream = await worlds.startChangingUpstream();
  const commands = worlds.startCommands(world.cli);
  const out = path.join(cwd, 'site');
  const scene: Scene = {
    world,
    random,
    upstream,
    commands,
    cwd,
    out,
    day: 1,
    copies: [],
    archives: new Map(),
    unfinished: [],
    hasDiscarded: false,
  };
  const titles: string[] = [];
  try {
    await publishFirst(scene, titles);
    for (let at = 0; at < STEPS; at++) {
      const problems = await takeStep(scene, random.pick(weightedSteps), titles);
      if (problems.length === 0) continue;
      const steps = titles.map((line) => `  ${line}`).join('\n');
      return `sequence ${seed}: ${problems.slice(0, 5).join('; ')}\n${steps.replaceAll(upstream.url, '<upstream>')}`;
    }
    return undefined;
  } finally {
    commands.close();
    await upstream.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function publishFirst(scene: Scene, titles: string[]): Promise<void> {
  const { random, world, cwd } = scene;
  const isMirrored = random.below(4) === 0;
  const data = path.relative(cwd, world.data[0]?.folder ?? '');
  const build = [
    'build',
    '--source',
    'snapshot',
    '--upstream',
    data,
    ...worlds.QUICK,
    '--base-url',
    BASE,
  ];
  const args = isMirrored
    ? ['mirror', world.others[0]?.url ?? '', 'site']
    : [...build, '--out', 'site'];
  const { code, text } = await run(scene, { title: '', args });
  if (code !== 0) throw new Error(`the first site fails: ${text}`);
  titles.push(`gamedata ${args.join(' ')}`);
  keepCopy(scene);
}

function keepCopy(scene: Scene): void {
  const folder = path.join(scene.cwd, `copy-${scene.day}`);
  cpSync(scene.out, folder, { recursive: true, preserveTimestamps: true });
  scene.copies.push(folder);
}

async function run({ world, commands, cwd, out, day }: Scene, { args = [], killedAt }: Step) {
  const options = { cwd, env: worlds.setDay(`2026-02-${String(day).padStart(2, '0')}`) };
  const finished = await (killedAt === undefined
    ? commands.run(args, options)
    : worlds.killAtFile(world.cli, args, { ...options, folder: out, nth: killedAt }));
  return { code: finished.code, text: finished.stdout + finished.stderr };
}

async function takeStep(scene: Scene, createStep: CreateStep, titles: string[]): Promise<string[]> {
  const { out } = scene;
  scene.day++;
  const before = look(out);
  const step = createStep(scene, before);
  titles.push(step.title);
  step.change?.();
  if (!step.intent) return checkVerify(scene, look(out));
  const ended = await run(scene, step);
  titles[titles.length - 1] += `   → ${ended.code ?? 'killed'}`;
  const after = look(out);
  scene.hasDiscarded ||= ended.text.includes(DISCARDED);
  if (ended.code === null) scene.unfinished.push(step.intent);
  else {
    const problems = findBreaches(
      { before, after },
      [step.intent, ...scene.unfinished],
      { ...ended, hasDiscarded: scene.hasDiscarded },
      out,
    );
    if (problems.length > 0) return [...problems, ended.text.trim()];
    if (ended.code === 0) step.onSuccess?.(after);
  }
  if (!isBeingChanged(out)) scene.unfinished = [];
  const found = await checkVerify(scene, after, ended.code);
  if (found.length === 0 && after.wrong.size === 0) keepCopy(scene);
  return found;
}

/**
 * Checks that `verify` is right about the folder, and changes nothing.
 *
 * @param code the exit code of the last command; null if it was killed, undefined after a manual
 * change
 */
async function checkVerify(scene: Scene, seen: Seen, code?: number | null): Promise<string[]> {
  const { out, unfinished, cwd } = scene;
  const names = readdirSync(cwd).join(' ');
  const verified = await run(scene, { title: '', args: ['verify', 'site'] });
  const isChanging = verified.text.includes('is being changed');
  const isIntact = seen.wrong.size === 0;
  const isRight = verified.code === 0 ? isIntact : verified.code === 1 && (!isIntact || isChanging);
  const left = readdirSync(cwd).join(' ');
  const problems = [
    isSameFolder(seen, look(out)) ? [] : 'changed the folder',
    isRight
      ? []
      : `ended with ${verified.code} for a site that is ${isIntact ? 'intact' : 'damaged'}`,
    left === names ? [] : `left ${left}, expected ${names}`,
    isChanging && (unfinished.length === 0 || code === 0)
      ? 'reports that the folder is being changed'
      : [],
    code === null && verified.code !== 0 && !isChanging
      ? 'reports that the site of a killed build is neither intact nor being changed'
      : [],
  ].flat();
  return problems.length === 0
    ? []
    : [...problems.map((problem) => `verify: ${problem}`), verified.text];
}

const AT_ONCE = 4;

/** Takes sequences of consecutive seeds in one world. Returns all breaches. */
export const trySequences = (count: number, firstSeed: number): Promise<string[]> =>
  inFolder(async (folder) => {
    const world = await worlds.createWorld(folder);
    const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
    const problems = pLimit(AT_ONCE).map(seeds, (seed) => trySequence(world, seed));
    return (await problems.finally(world.close)).filter((problem) => problem !== undefined);
  });
