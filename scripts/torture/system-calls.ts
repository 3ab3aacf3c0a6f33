/** System calls that fail or never return: each that a build makes in the site's folder and beside it, by strace. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../test/support/random.ts';
import { type Difference, withFourSites } from './four-sites.ts';
import { demand } from './ground.ts';
import type { Ended } from './parts.ts';

/** Those that open, change or flush something. */
const CALLS =
  'openat,write,close,fsync,rename,link,unlink,rmdir,mkdir,mkdirat,unlinkat,linkat,renameat,renameat2,getdents64';
const ACTIONS = ['signal=KILL', 'error=ENOSPC', 'error=EIO', 'error=EACCES', 'error=EMFILE'];

/** The n-th time that the main thread makes a call. */
interface Moment {
  readonly call: string;
  readonly nth: number;
}

interface Trial extends Moment {
  readonly action: string;
  readonly differs: Difference;
}

const hasStrace = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** Without -f, strace follows the main thread only, which is the one that publishes. */
const strace = (log: string, ...options: string[]): string[] => ['strace', '-y', '-o', log, ...options];

/** Fails calls of a build that changes a few files, and of one that changes all, in every way. */
export async function failCalls(count: number, random: Random): Promise<Ended> {
  if (!hasStrace()) return { tried: 0, says: 'skipped: strace cannot be used here' };
  return withFourSites(12, ['--no-downloads'], async ({ folder, out, next }) => {
    const trialsOf = async (differs: Difference): Promise<Trial[]> => {
      const log = path.join(folder, 'log');
      const { code } = await next(differs).build({ wrap: strace(log, '-e', `trace=${CALLS}`) });
      demand(code === 0, 'a build that is watched fails');
      const moments = momentsOf(readFileSync(log, 'utf8'), out);
      return moments.flatMap((moment) => ACTIONS.map((action) => ({ ...moment, action, differs })));
    };
    const few = await trialsOf('data');
    const all = await trialsOf('base');
    const tried = random.sample([...few, ...all], count);
    for (const { call, nth, action, differs } of tried) {
      const site = next(differs);
      const wrap = strace('/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:${action}:when=${nth}`);
      const exit = await site.build({ wrap });
      const what = `${differs}, ${action} at ${call} ${nth}`;
      demand([null, 0, 1].includes(exit.code), `${what}: ended with ${exit.code}`);
      demand(!/bug|^ {4}at /m.test(exit.stderr), `${what}: ${exit.stderr}`);
      await site.survive(what, exit);
    }
    return {
      tried: tried.length,
      says: `survived, of ${few.length} at which a few files change, and ${all.length} at which all do`,
    };
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
