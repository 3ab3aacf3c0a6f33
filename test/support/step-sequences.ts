import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { isBeingChanged } from '../../src/publish/publish.ts';
import { inFolder } from './folders.ts';
import { killAtFile, startCommands } from './installed.ts';
import { createRandom } from './random.ts';
import { type Ended, findBreaches, look, type Seen } from './site-invariants.ts';
import { BASE, type CreateStep, type Scene, type Step, weightedSteps } from './steps.ts';
import { createWorld, QUICK, setDay, startChangingUpstream, type World } from './steps-world.ts';

const STEPS = 6;
const CHANGING = 'is being changed';

/** Takes random steps. Returns the first breach of an invariant, with the steps before it. */
async function trySequence(world: World, seed: number): Promise<string | undefined> {
  const random = createRandom(seed);
  const cwd = mkdtempSync(path.join(world.folder, 'run-'));
  const upstream = await startChangingUpstream();
  const commands = startCommands(world.cli);
  const out = path.join(cwd, 'site');
  const scene: Scene = {
    ...{ world, random, upstream, commands, cwd, out },
    ...{ day: 1, copies: [], archives: new Map(), unfinished: [] },
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
  const build = ['build', '--source', 'snapshot', '--upstream', data, ...QUICK, '--base-url', BASE];
  const args = isMirrored ? ['mirror', world.others[0]?.url ?? '', 'site'] : [...build, '--out', 'site'];
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
  const options = { cwd, env: setDay(`2026-02-${String(day).padStart(2, '0')}`) };
  const finished = await (killedAt === undefined
    ? commands.run(args, options)
    : killAtFile(world.cli, args, { ...options, folder: out, nth: killedAt }));
  return { code: finished.code, text: finished.stdout + finished.stderr };
}

/** Takes a step. Returns breaches of invariants. */
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
  if (ended.code === null) scene.unfinished.push(step.intent);
  else {
    const problems = findBreaches({ before, after }, [step.intent, ...scene.unfinished], ended, out);
    if (problems.length > 0) return [...problems, ended.text.trim()];
    if (ended.code === 0) step.onSuccess?.(after);
  }
  if (!isBeingChanged(out)) scene.unfinished = [];
  const found = await checkVerify(scene, after, ended.code);
  if (found.length === 0 && after.wrong.size === 0) keepCopy(scene);
  return found;
}

/** Checks a command that reads the site: it changes nothing, and succeeds only if the site is intact. */
function checkReader(before: Seen, after: Seen, { code, text }: Ended): string[] {
  if (JSON.stringify([...before.files]) !== JSON.stringify([...after.files]))
    return ['a command that reads the folder changed it'];
  const isIntact = before.wrong.size === 0;
  const isRight = code === 0 ? isIntact : code === 1 && (!isIntact || text.includes(CHANGING));
  return isRight ? [] : [`ended with ${code} for a site that is ${isIntact ? 'intact' : 'damaged'}`];
}

/**
 * Checks that `verify` is right about the folder, and changes nothing.
 *
 * @param code the exit code of the last command; null if it was killed, undefined after a manual change
 */
async function checkVerify(scene: Scene, seen: Seen, code?: number | null): Promise<string[]> {
  const { out, unfinished, cwd } = scene;
  const names = readdirSync(cwd).join(' ');
  const verified = await run(scene, { title: '', args: ['verify', 'site'] });
  const problems = checkReader(seen, look(out), verified);
  const left = readdirSync(cwd).join(' ');
  if (left !== names) problems.push(`left ${left}, expected ${names}`);
  const isChanging = verified.text.includes(CHANGING);
  if (isChanging && (unfinished.length === 0 || code === 0))
    problems.push('reports that the folder is being changed');
  if (code === null && verified.code !== 0 && !isChanging)
    problems.push('reports that the site of a killed build is neither intact nor being changed');
  return problems.length === 0 ? [] : [...problems.map((problem) => `verify: ${problem}`), verified.text];
}

const AT_ONCE = 4;

/** Takes sequences of consecutive seeds in one world. Returns all breaches. */
export const trySequences = (count: number, firstSeed: number): Promise<string[]> =>
  inFolder(async (folder) => {
    const world = await createWorld(folder);
    const seeds = Array.from({ length: count }, (_, at) => firstSeed + at);
    const problems = pLimit(AT_ONCE).map(seeds, (seed) => trySequence(world, seed));
    return (await problems.finally(world.close)).filter((problem) => problem !== undefined);
  });
