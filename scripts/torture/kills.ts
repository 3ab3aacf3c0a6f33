/** Kill -9: builds that end at any moment, and what a reader and the next build find then. */

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { verifyFolder } from '../../src/verify/folder.ts';
import type { Random } from '../../test/support/random.ts';
import { itemAnswer, moveAnswer, upstreamOf } from '../../test/support/upstream-data.ts';
import { startUpstream, type UpstreamServer } from '../../test/support/upstream-server.ts';
import { demand, leftovers, run, siteDigest, start, temporary, writeDataSet } from './ground.ts';

const RECORDS = 150;
/** Fewer kills than this may miss a phase by chance. */
const MANY = 50;

/** `reading` is a snapshot's, `changing` while there is a commit record; `done` came too late. */
type Phase = 'reading' | 'fetching' | 'staging' | 'changing' | 'done';
const aims = ['fetching', 'staging', 'changing'] as const;
export type Kills = Record<Phase, number>;

/** A build of one of two sites; which one alternates, so that each build really changes something. */
type Plan = (variant: number, out: string) => string[];

interface Lane {
  readonly out: string;
  readonly plan: Plan;
  /** The upstream that is asked, if one is. */
  readonly upstream: UpstreamServer | undefined;
  readonly digests: readonly (string | undefined)[];
  /** Milliseconds until staging starts, and from there to the end. */
  readonly times: { readonly before: number; readonly after: number };
}

/**
 * Kills builds from a snapshot and from an upstream, in two lanes: a third of them each while reading or fetching, staging
 * and changing, at a random moment of it. Throws with the first site that is not whole, or if many kills never hit a phase.
 */
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
        ...['--max-shrink', '100'],
        ...['--base-url', `https://variant-${variant}.test`, ...common(out)],
      ],
    ];
    const counted: Kills = { fetching: 0, reading: 0, staging: 0, changing: 0, done: 0 };
    const lanes = await Promise.all(
      plans.map((plan, at) =>
        prepare({
          plan,
          out: path.join(folder, `lane-${at}`, 'site'),
          upstream: at === 0 ? undefined : upstream,
        }),
      ),
    );
    await Promise.all(
      lanes.map(async (lane, at) => {
        const rounds = Math.ceil((kills - at) / lanes.length);
        for (let round = 0; round < rounds; round++) counted[await killOnce(lane, round, random)]++;
      }),
    );
    if (kills >= MANY)
      for (const phase of aims) demand(counted[phase] > 0, `none of ${kills} kills came while ${phase}`);
    return counted;
  } finally {
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds both sites once, to know them again and to know how long it takes. */
async function prepare({ plan, out, upstream }: Pick<Lane, 'plan' | 'out' | 'upstream'>): Promise<Lane> {
  const digests: (string | undefined)[] = [];
  let times = { before: 0, after: 0 };
  for (const variant of [1, 0]) {
    const started = performance.now();
    const { ended } = start(plan(variant, out));
    const staged = await comes(() => existsSync(work(out, 'new')), ended);
    const { code, stderr } = await ended;
    times = { before: staged - started, after: performance.now() - staged };
    demand(code === 0, `building ended with ${code}: ${stderr}`);
    digests[variant] = siteDigest(out);
  }
  demand(digests[0] !== digests[1], 'the two sites are the same');
  return { out, plan, upstream, digests, times };
}

const work = (out: string, role: string): string =>
  path.join(path.dirname(out), `.${path.basename(out)}.gamedata-${role}`);

const isChanging = (out: string): boolean => existsSync(work(out, 'commit'));

/** When something has come true, or the process ended before. */
async function comes(isTrue: () => boolean, ended: Promise<unknown>): Promise<number> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over && !isTrue()) await setImmediate();
  return performance.now();
}

/** Resolves at a random moment of the phase that is aimed at. */
async function aimAt(
  phase: (typeof aims)[number],
  { out, upstream, times }: Lane,
  { ended, random }: { ended: Promise<unknown>; random: Random },
): Promise<void> {
  if (phase === 'fetching' && upstream) {
    const asked = upstream.log.length + 1 + random.below(2 * RECORDS);
    await comes(() => upstream.log.length >= asked, ended);
  } else if (phase === 'fetching') await setTimeout(times.before * random.fraction());
  else {
    await comes(() => (phase === 'staging' ? existsSync(work(out, 'new')) : isChanging(out)), ended);
    const share = phase === 'staging' ? 0.7 : 0.1;
    if (random.below(3) > 0) await setTimeout(times.after * random.fraction() * share);
  }
}

async function killOnce(lane: Lane, round: number, random: Random): Promise<Phase> {
  const { out, plan, digests, upstream } = lane;
  const old = siteDigest(out);
  const next = old === digests[0] ? 1 : 0;
  const asked = upstream?.log.length ?? 0;
  const { child, ended } = start(plan(next, out));
  await aimAt(aims[round % aims.length] ?? 'fetching', lane, { ended, random });
  child.kill('SIGKILL');
  await ended;
  const phase = phaseOf(out, old, (upstream?.log.length ?? 0) > asked);
  const where = `kill ${round} while ${phase}`;
  demand(digests.includes(siteDigest(out)), `${where}: neither the old site nor the new one`);
  // Between two sites, it is finished by the next build.
  if (phase !== 'changing') demandWhole(out, where);
  const again = await run(plan(next, out));
  demand(again.code === 0, `${where}: the next build ended with ${again.code}: ${again.stderr}`);
  demand(siteDigest(out) === digests[next], `${where}: the next build made another site`);
  demand(leftovers(out).length === 0, `${where}: left ${leftovers(out).join(', ')}`);
  demandWhole(out, `${where}, then built`);
  return phase;
}

function demandWhole(out: string, where: string): void {
  const [first] = verifyFolder(out).problems;
  demand(first === undefined, `${where}: ${first?.file} ${first?.problem}`);
}

/** How far a killed build came, by what it left. */
function phaseOf(out: string, old: string | undefined, asked: boolean): Phase {
  if (isChanging(out)) return 'changing';
  if (existsSync(work(out, 'new'))) return 'staging';
  if (siteDigest(out) !== old) return 'done';
  return asked ? 'fetching' : 'reading';
}
