import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../support/random.ts';
import { demand, type Ended } from './environment.ts';
import { type PreparedScenario, withScenarios } from './scenarios.ts';

/** Calls that open, change or flush files. */
const CALLS =
  'openat,write,close,fsync,rename,link,unlink,rmdir,mkdir,mkdirat,unlinkat,linkat,renameat,renameat2,getdents64,utimensat';
const ACTIONS = ['error=ENOSPC', 'error=EIO', 'error=EACCES', 'error=EMFILE'];

/** The n-th time that the main thread makes a call about a path, or about any path if its name is random. */
interface Moment {
  readonly call: string;
  readonly about: string | undefined;
  readonly nth: number;
}

/** `strace` without `-f` follows only the main thread, which publishes. */
const createStrace = (log: string, ...options: string[]): string[] => [
  'strace',
  '-y',
  '-o',
  log,
  ...options,
];

/** Fails system calls of every command that changes a folder, in every way. */
export async function failCalls(count: number, random: Random): Promise<Ended> {
  if (spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0)
    return { tried: 0, summary: 'skipped: strace cannot be used here' };
  return withScenarios(12, async (scenarios) => {
    const tried: (Moment & { scenario: PreparedScenario; action: string })[] = [];
    let possible = 0;
    for (const scenario of scenarios) {
      const log = path.join(scenario.folder, 'log');
      const { code } = await scenario
        .next()
        .run({ wrap: createStrace(log, '-e', `trace=${CALLS}`) });
      demand(code === 0, `${scenario.name} fails with strace`);
      const moments = findMoments(readFileSync(log, 'utf8'), scenario.out);
      const trials = moments.flatMap((moment) =>
        ACTIONS.map((action) => ({ ...moment, scenario, action })),
      );
      possible += trials.length;
      tried.push(...random.sample(trials, Math.ceil(count / scenarios.length)));
    }
    for (const { call, about, nth, action, scenario } of tried) {
      const attempt = scenario.next();
      const inject = `inject=${call}:${action}:when=${nth}`;
      const only = about === undefined ? [] : ['-P', about];
      const wrap = createStrace('/dev/null', ...only, '-e', `trace=${call}`, '-e', inject);
      const exit = await attempt.run({ wrap });
      const what = `${action} at ${call} ${nth} of ${about ?? 'all'}`;
      demand(
        [null, 0, 1].includes(exit.code),
        `${scenario.name}, ${what}: ended with ${exit.code}`,
      );
      demand(!/bug|^ {4}at /m.test(exit.stderr), `${scenario.name}, ${what}: ${exit.stderr}`);
      await attempt.expectRecovery(what, exit);
    }
    const names = scenarios.map(({ name }) => name).join('; ');
    return { tried: tried.length, summary: `of ${possible} (${names}): recovered` };
  });
}

/** Finds the calls in a log that are about the site's folder or files next to it. */
function findMoments(log: string, out: string): Moment[] {
  const counts = new Map<string, number>();
  const count = (key: string): number => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) ?? 0;
  };
  const nextTo = path.join(path.dirname(out), `.${path.basename(out)}.gamedata-`);
  const isWanted = (file: string): boolean =>
    file === out || file.startsWith(`${out}/`) || file.startsWith(nextTo);
  return log.split('\n').flatMap((line): Moment[] => {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) return [];
    const nth = count(call);
    const about = line.match(/(?<=["<])\/[^">]+/g)?.find(isWanted);
    if (about === undefined) return [];
    const isRandom = /-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-/.test(about);
    // The n-th of these calls may be about a pipe of Node in another run, which would then wait indefinitely.
    if (isRandom && ['write', 'close', 'fsync'].includes(call)) return [];
    return [
      isRandom ? { call, about: undefined, nth } : { call, about, nth: count(`${call} ${about}`) },
    ];
  });
}
