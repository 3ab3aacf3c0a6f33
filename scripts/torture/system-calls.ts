/** System calls that fail or never return: each that a command makes in the folder that it changes and beside it, by strace. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../test/support/random.ts';
import { demand } from './ground.ts';
import type { Ended } from './parts.ts';
import { type Ground, withSubjects } from './subjects.ts';

/** Those that open, change or flush something. */
const CALLS =
  'openat,write,close,fsync,rename,link,unlink,rmdir,mkdir,mkdirat,unlinkat,linkat,renameat,renameat2,getdents64,utimensat';
const ACTIONS = ['signal=KILL', 'error=ENOSPC', 'error=EIO', 'error=EACCES', 'error=EMFILE'];

/** The n-th time that the main thread makes a call. */
interface Moment {
  readonly call: string;
  readonly nth: number;
}

interface Trial extends Moment {
  readonly subject: Ground;
  readonly action: string;
}

const hasStrace = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** Without -f, strace follows the main thread only, which is the one that publishes. */
const strace = (log: string, ...options: string[]): string[] => ['strace', '-y', '-o', log, ...options];

/** Lets calls of every command that changes a folder fail, in every way. */
export async function failCalls(count: number, random: Random): Promise<Ended> {
  if (!hasStrace()) return { tried: 0, says: 'skipped: strace cannot be used here' };
  return withSubjects({ records: 12 }, async (subjects) => {
    const tried: Trial[] = [];
    let possible = 0;
    for (const subject of subjects) {
      const log = path.join(subject.folder, 'log');
      const { code } = await subject.next().run({ wrap: strace(log, '-e', `trace=${CALLS}`) });
      demand(code === 0, `${subject.name} fails when it is watched`);
      const moments = momentsOf(readFileSync(log, 'utf8'), subject.out);
      const trials = moments.flatMap((moment) => ACTIONS.map((action) => ({ ...moment, subject, action })));
      possible += trials.length;
      tried.push(...random.sample(trials, Math.ceil(count / subjects.length)));
    }
    for (const { call, nth, action, subject } of tried) {
      const attempt = subject.next();
      const wrap = strace('/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:${action}:when=${nth}`);
      const exit = await attempt.run({ wrap });
      const what = `${action} at ${call} ${nth}`;
      demand([null, 0, 1].includes(exit.code), `${subject.name}, ${what}: ended with ${exit.code}`);
      demand(!/bug|^ {4}at /m.test(exit.stderr), `${subject.name}, ${what}: ${exit.stderr}`);
      await attempt.survive(what, exit);
    }
    const names = subjects.map(({ name }) => name).join('; ');
    return { tried: tried.length, says: `of ${possible} (${names}): survived` };
  });
}

/** The calls in a log that have to do with the site's folder or what lies beside it. */
function momentsOf(log: string, out: string): Moment[] {
  const counts = new Map<string, number>();
  const beside = path.join(path.dirname(out), `.${path.basename(out)}.gamedata-`);
  return log.split('\n').flatMap((line) => {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) return [];
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    return line.includes(`${out}/`) || line.includes(`${out}"`) || line.includes(beside)
      ? [{ call, nth }]
      : [];
  });
}
