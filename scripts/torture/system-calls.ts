/** System calls that fail or never return: each that a command makes in the folder that it changes and beside it, by strace. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../test/support/random.ts';
import { demand, type Ended } from './ground.ts';
import { type Ground, withSubjects } from './subjects.ts';

/** Those that open, change or flush something. */
const CALLS =
  'openat,write,close,fsync,rename,link,unlink,rmdir,mkdir,mkdirat,unlinkat,linkat,renameat,renameat2,getdents64,utimensat';
const ACTIONS = ['error=ENOSPC', 'error=EIO', 'error=EACCES', 'error=EMFILE'];

/**
 * The n-th time that the main thread makes a call about a path: others, such as those of Node's own pipes, do not count. Of a
 * path that has another name in each run, the n-th time that it makes the call at all.
 */
interface Moment {
  readonly call: string;
  readonly about: string | undefined;
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
    for (const { call, about, nth, action, subject } of tried) {
      const attempt = subject.next();
      const inject = `inject=${call}:${action}:when=${nth}`;
      const only = about === undefined ? [] : ['-P', about];
      const wrap = strace('/dev/null', ...only, '-e', `trace=${call}`, '-e', inject);
      const exit = await attempt.run({ wrap });
      const what = `${action} at ${call} ${nth} of ${about ?? 'all'}`;
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
  const count = (key: string): number => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key) ?? 0;
  };
  const beside = path.join(path.dirname(out), `.${path.basename(out)}.gamedata-`);
  const isWanted = (file: string): boolean =>
    file === out || file.startsWith(`${out}/`) || file.startsWith(beside);
  return log.split('\n').flatMap((line): Moment[] => {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) return [];
    const nth = count(call);
    const about = line.match(/(?<=["<])\/[^">]+/g)?.find(isWanted);
    if (about === undefined) return [];
    const isRandom = /-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-/.test(about);
    // Of these, the n-th of another run may be about a pipe of Node's own, which would then wait forever.
    if (isRandom && ['write', 'close', 'fsync'].includes(call)) return [];
    if (isRandom) return [{ call, about: undefined, nth }];
    return [{ call, about, nth: count(`${call} ${about}`) }];
  });
}
