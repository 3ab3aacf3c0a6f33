/** Kill -9: builds that end at any moment, and what a reader and the next build find then. */

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { itemAnswer, moveAnswer, upstreamOf } from '../../test/support/upstream-data.ts';
import { startUpstream } from '../../test/support/upstream-server.ts';
import { demand, leftovers, run, siteDigest, start, temporary, writeDataSet } from './ground.ts';

const RECORDS = 400;

export const phases = ['reading', 'staging', 'swapping', 'cleaning', 'done'] as const;
type Phase = (typeof phases)[number];
export type Kills = Record<Phase, number>;

/** A build of one of two sites; which one alternates, so that each build really swaps. */
type Plan = (variant: number, out: string) => string[];

interface Lane {
  readonly out: string;
  readonly plan: Plan;
  readonly digests: readonly (string | undefined)[];
  /** Milliseconds until staging begins, and from there to the end. */
  readonly times: { readonly before: number; readonly after: number };
}

/** Kills builds from a snapshot and from an upstream in turn. Throws with the first site that is not whole. */
export async function killBuilds(kills: number, random: Random): Promise<Kills> {
  const folder = temporary();
  const upstream = await startUpstream(
    upstreamOf({
      move: Array.from({ length: RECORDS }, (_, at) => moveAnswer(at + 1)),
      item: Array.from({ length: RECORDS }, (_, at) => itemAnswer(at + 1)),
    }),
  );
  try {
    const data = [1, 2].map((variant) =>
      writeDataSet(path.join(folder, `data-${variant}`), RECORDS, variant),
    );
    const common = (out: string) => ['--quiet', '--out', out];
    const plans: Plan[] = [
      (variant, out) => [
        ...['build', '--source', 'snapshot', '--upstream', data[variant] ?? ''],
        ...['--base-url', 'https://example.test', ...common(out)],
      ],
      (variant, out) => [
        ...['build', '--source', 'rest', '--upstream', upstream.url, '--cache', `${out}-cache`],
        ...['--base-url', `https://variant-${variant}.test`, ...common(out)],
      ],
    ];
    const counted: Kills = { reading: 0, staging: 0, swapping: 0, cleaning: 0, done: 0 };
    const lanes = await Promise.all(
      plans.map((plan, at) => prepare(plan, path.join(folder, `lane-${at}`, 'site'))),
    );
    await Promise.all(
      lanes.map(async (lane, at) => {
        const rounds = Math.ceil((kills - at) / lanes.length);
        for (let round = 0; round < rounds; round++) counted[await killOnce(lane, round, random)]++;
      }),
    );
    return counted;
  } finally {
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds both sites once, to know them again and to know how long it takes. */
async function prepare(plan: Plan, out: string): Promise<Lane> {
  const digests: (string | undefined)[] = [];
  let times = { before: 0, after: 0 };
  for (const variant of [1, 0]) {
    const started = performance.now();
    const { ended } = start(plan(variant, out));
    const staged = await appears(work(out, 'new'), ended);
    times = { before: staged - started, after: 0 };
    const { code, stderr } = await ended;
    times.after = performance.now() - staged;
    demand(code === 0, `building ended with ${code}: ${stderr}`);
    digests[variant] = siteDigest(out);
  }
  demand(digests[0] !== digests[1], 'the two sites are the same');
  return { out, plan, digests, times };
}

const work = (out: string, role: string): string =>
  path.join(path.dirname(out), `.${path.basename(out)}.gamedata-${role}`);

/** When a file appears, or the process ends without one. */
async function appears(file: string, ended: Promise<unknown>): Promise<number> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over && !existsSync(file)) await setImmediate();
  return performance.now();
}

/** One kill in five while reading; the others from the moment on that the new tree is begun, or the old one moved aside. */
async function killOnce({ out, plan, digests, times }: Lane, round: number, random: Random): Promise<Phase> {
  const old = siteDigest(out);
  const next = old === digests[0] ? 1 : 0;
  const { child, ended } = start(plan(next, out));
  const aim = random.below(10);
  if (aim < 2) await setTimeout(times.before * random.fraction());
  else {
    await appears(work(out, aim < 7 ? 'new' : 'old'), ended);
    const wait = times.after * random.fraction() * (aim < 7 ? 0.8 : 0.15);
    if (aim < 9) await setTimeout(wait);
  }
  child.kill('SIGKILL');
  await ended;
  const phase = phaseOf(out, old);
  const where = `kill ${round} while ${phase}`;
  if (random.below(2) === 0) {
    const { code, stderr } = await run(['verify', out, '--quiet']);
    demand(code === 0, `${where}: verify ended with ${code}: ${stderr}`);
    demand(digests.includes(siteDigest(out)), `${where}: neither the old site nor the new one`);
  }
  const again = await run(plan(next, out));
  demand(again.code === 0, `${where}: the next build ended with ${again.code}: ${again.stderr}`);
  demand(siteDigest(out) === digests[next], `${where}: the next build made another site`);
  demand(leftovers(out).length === 0, `${where}: left ${leftovers(out).join(', ')}`);
  const checked = await run(['verify', out, '--quiet']);
  demand(checked.code === 0, `${where}: the next site is not whole: ${checked.stderr}`);
  return phase;
}

/** How far a killed build came, by what it left. */
function phaseOf(out: string, old: string | undefined): Phase {
  if (existsSync(work(out, 'old'))) return existsSync(out) ? 'cleaning' : 'swapping';
  if (existsSync(work(out, 'new'))) return 'staging';
  return siteDigest(out) === old ? 'reading' : 'done';
}
