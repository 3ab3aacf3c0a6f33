/** Sequences of steps that an operator may take with one folder, at random, and whether each keeps the law. */

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { isBeingChanged } from '../../src/publish/publish.ts';
import { inFolder } from './folders.ts';
import { killAtFile, startCommands } from './installed.ts';
import { seeded } from './random.ts';
import { breaches, type Ended, look, type Seen } from './site-law.ts';
import { BASE, type Maker, type Scene, type Step, weighted } from './steps.ts';
import { changingUpstream, createWorld, onDay, QUICK, type World } from './steps-world.ts';

const STEPS = 6;
const CHANGING = 'is being changed';

/** Takes random steps. Returns the first breach of the law, with the steps before it. */
async function trySequence(world: World, seed: number): Promise<string | undefined> {
  const random = seeded(seed);
  const cwd = mkdtempSync(path.join(world.folder, 'run-'));
  const upstream = await changingUpstream();
  const commands = startCommands(world.cli);
  const out = path.join(cwd, 'site');
  const scene: Scene = {
    ...{ world, random, upstream, commands, cwd, out },
    ...{ day: 1, copies: [], archives: new Map(), unfinished: [] },
  };
  const typed: string[] = [];
  try {
    await begin(scene, typed);
    for (let at = 0; at < STEPS; at++) {
      const problems = await take(scene, random.pick(weighted), typed);
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
  const isMirrored = random.below(4) === 0;
  const build = ['build', '--source', 'snapshot', '--upstream', path.relative(cwd, first?.folder ?? '')];
  const args = isMirrored
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
  scene.copies.push(folder);
}

async function run({ world, commands, cwd, out, day }: Scene, { args = [], killedAt }: Step) {
  const options = { cwd, env: onDay(`2026-02-${String(day).padStart(2, '0')}`) };
  const finished = await (killedAt === undefined
    ? commands.run(args, options)
    : killAtFile(world.cli, args, { ...options, folder: out, nth: killedAt }));
  return { code: finished.code, text: finished.stdout + finished.stderr };
}

/** Takes a step, and judges it. */
async function take(scene: Scene, make: Maker, typed: string[]): Promise<string[]> {
  const { out } = scene;
  scene.day++;
  const before = look(out);
  const step = make(scene, before);
  typed.push(step.says);
  step.byHand?.();
  if (!step.intent) return judgeFolder(scene, look(out));
  const ended = await run(scene, step);
  typed[typed.length - 1] += `   → ${ended.code ?? 'killed'}`;
  const after = look(out);
  if (ended.code === null) scene.unfinished.push(step.intent);
  else {
    const problems = breaches({ before, after }, [step.intent, ...scene.unfinished], ended, out);
    if (problems.length > 0) return [...problems, ended.text.trim()];
    if (ended.code === 0) step.done?.(after);
  }
  if (!isBeingChanged(out)) scene.unfinished = [];
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
 * Whether `verify` is right about the folder, and changes nothing.
 *
 * @param code how the last command ended; null if it was killed, undefined if something was done by hand
 */
async function judgeFolder(scene: Scene, seen: Seen, code?: number | null): Promise<string[]> {
  const { out, unfinished, cwd } = scene;
  const verify = () => run(scene, { says: '', args: ['verify', 'site'] });
  const beside = readdirSync(cwd).join(' ');
  const verified = await verify();
  const problems = misread(seen, look(out), verified);
  const left = readdirSync(cwd).join(' ');
  if (left !== beside) problems.push(`left ${left}, there was ${beside}`);
  const isChanging = verified.text.includes(CHANGING);
  if (isChanging && (unfinished.length === 0 || code === 0))
    problems.push('says that the folder is being changed');
  if (code === null && verified.code !== 0 && !isChanging)
    problems.push('finds a killed build neither whole nor being changed');
  return problems.length === 0 ? [] : [...problems.map((problem) => `verify: ${problem}`), verified.text];
}

const AT_ONCE = 4;

/** Takes sequences of consecutive seeds in one world. Returns all breaches of the law. */
export const trySequences = (count: number, firstSeed: number): Promise<string[]> =>
  inFolder(async (folder) => {
    const world = await createWorld(folder);
    const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
    const problems = pLimit(AT_ONCE).map(seeds, (seed) => trySequence(world, seed));
    return (await problems.finally(world.close)).filter((problem) => problem !== undefined);
  });
