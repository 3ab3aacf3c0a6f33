import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../support/random.ts';
import { demand, type Ended } from './environment.ts';
import { type PreparedScenario, withScenarios } from './scenarios.ts';

/** Calls that open, change or flush files. */
const CALLS = [
  'openat',
  'write',
  'close',
  'fsync',
  'rename',
  'link',
  'unlink',
  'rmdir',
  'mkdir',
  'mkdirat',
  'unlinkat',
  'linkat',
  'renameat',
  'renameat2',
  'getdents64',
  'utimensat',
].join(',');
const ACTIONS = ['error=ENOSPC', 'error=EIO', 'error=EACCES', 'error=EMFILE'];

/** The n-th time that the main thread makes a call about a path. */
interface Moment {
  readonly call: string;
  readonly about: string;
  readonly nth: number;
}

/** A machine error at a moment in a scenario. */
interface Trial extends Moment {
  readonly scenario: PreparedScenario;
  readonly action: string;
}

/** `strace` without `-f` follows only the main thread, which publishes. */
function createStrace(log: string, ...options: string[]): string[] {
  return ['strace', '-y', '-o', log, ...options];
}

/**
 * Makes system calls fail in every command that changes a folder. First runs each
 * scenario under strace to find the moments, then chooses some of the pairs of
 * moments and errors. After each failed call, the command must end with 0 or 1,
 * report no bug, and leave a folder from which the next run recovers.
 */
export async function failCalls(count: number, random: Random): Promise<Ended> {
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0) {
    return { tried: 0, summary: 'skipped: strace cannot be used here' };
  }
  return withScenarios(12, async (scenarios) => {
    const chosen: Trial[] = [];
    let possible = 0;
    for (const scenario of scenarios) {
      const trials = await listTrials(scenario);
      possible += trials.length;
      chosen.push(...random.sample(trials, Math.ceil(count / scenarios.length)));
    }
    for (const trial of chosen) await tryCall(trial);
    const names = scenarios.map(({ name }) => name).join('; ');
    return { tried: chosen.length, summary: `of ${possible} (${names}): recovered` };
  });
}

async function listTrials(scenario: PreparedScenario): Promise<Trial[]> {
  const log = path.join(scenario.folder, 'log');
  const wrap = createStrace(log, '-e', `trace=${CALLS}`);
  const { code } = await scenario.next().run({ wrap });
  demand(code === 0, `${scenario.name} fails with strace`);
  const trials: Trial[] = [];
  for (const moment of findMoments(readFileSync(log, 'utf8'), scenario.out)) {
    for (const action of ACTIONS) trials.push({ ...moment, scenario, action });
  }
  return trials;
}

async function tryCall(trial: Trial): Promise<void> {
  const { call, about, nth, action, scenario } = trial;
  const attempt = scenario.next();
  const options = [
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${action}:when=${nth}`,
    // strace counts only the calls about this path.
    '-P',
    about,
  ];
  const wrap = createStrace('/dev/null', ...options);
  const exit = await attempt.run({ wrap });
  const what = `${action} at ${call} ${nth} of ${about}`;
  const isExpected = exit.code === null || exit.code === 0 || exit.code === 1;
  const isBug = /bug|^ {4}at /m.test(exit.stderr);
  demand(isExpected, `${scenario.name}, ${what}: ended with ${exit.code}`);
  demand(!isBug, `${scenario.name}, ${what}: ${exit.stderr}`);
  await attempt.expectRecovery(what, exit);
}

/** Finds the calls in a log that are about the site's folder. */
function findMoments(log: string, out: string): Moment[] {
  const counts = new Map<string, number>();
  const isWanted = (file: string): boolean =>
    file === out || file.startsWith(`${out}/`);
  const moments: Moment[] = [];
  for (const line of log.split('\n')) {
    const call = /^(\w+)\(/.exec(line)?.[1];
    const paths = line.match(/(?<=["<])\/[^">]+/g) ?? [];
    const about = paths.find(isWanted);
    if (call === undefined || about === undefined) continue;
    const key = `${call} ${about}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    moments.push({ call, about, nth });
  }
  return moments;
}
