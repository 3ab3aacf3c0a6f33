/** System calls that fail or never return: each that a build makes in the site's folder and beside it, by strace. */

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../test/support/random.ts';
import { demand, leftovers, run, siteDigest, temporary, writeDataSet } from './ground.ts';
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
  /** What the build changes: a few files, or all of them. */
  readonly differs: 'data' | 'base';
}

const hasStrace = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** Without -f, strace follows the main thread only, which is the one that publishes. */
const strace = (log: string, ...options: string[]): string[] => ['strace', '-y', '-o', log, ...options];

/** Tries every call of a build that changes a few files in every way, and some of one that changes all. */
export async function failCalls(count: number, random: Random): Promise<Ended> {
  if (!hasStrace()) return { tried: 0, says: 'skipped: strace cannot be used here' };
  const folder = temporary();
  try {
    const data = [1, 2].map((variant) => writeDataSet(path.join(folder, `data-${variant}`), 12, variant));
    const out = path.join(folder, 'site');
    /** Four sites, of two data sets and for two base URLs. */
    const args = (site: number) => [
      ...['build', '--source', 'snapshot', '--upstream', data[site % 2] ?? '', '--no-downloads'],
      ...['--base-url', `https://site-${site < 2 ? 1 : 2}.test`, '--quiet', '--out', out],
    ];
    const nextOf = (site: number, differs: Trial['differs']): number => site ^ (differs === 'data' ? 1 : 2);
    const digests: (string | undefined)[] = [];
    let present = 0;
    const build = async (site: number, wrap?: readonly string[]) => {
      const ended = await run(args(site), wrap && { wrap });
      present = digests.indexOf(siteDigest(out));
      return ended;
    };
    for (const site of [3, 2, 1, 0]) {
      demand((await build(site)).code === 0, 'the first builds fail');
      digests[site] = siteDigest(out);
    }
    present = 0;

    const trialsOf = async (differs: Trial['differs']): Promise<Trial[]> => {
      const log = path.join(folder, 'log');
      const { code } = await build(nextOf(present, differs), strace(log, '-e', `trace=${CALLS}`));
      demand(code === 0, 'a build that is watched fails');
      const moments = momentsOf(readFileSync(log, 'utf8'), out);
      return moments.flatMap((moment) => ACTIONS.map((action) => ({ ...moment, action, differs })));
    };
    const few = await trialsOf('data');
    const trials = [...random.sample(few, count), ...random.sample(await trialsOf('base'), count)];
    let tried = 0;
    for (const { call, nth, action, differs } of trials.slice(0, count)) {
      const next = nextOf(present, differs);
      const [before, after] = [digests[present], digests[next]];
      const wrap = strace('/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:${action}:when=${nth}`);
      const { code, stderr } = await build(next, wrap);
      const what = `${differs}, ${action} at ${call} ${nth}`;
      demand(code === null || code === 0 || code === 1, `${what}: ended with ${code}`);
      demand(!/bug|^ {4}at /m.test(stderr), `${what}: ${stderr}`);
      const checked = await run(['verify', out, '--quiet']);
      demand(checked.code === 0, `${what}: verify ended with ${checked.code}: ${checked.stderr}`);
      const digest = siteDigest(out);
      demand(code === 0 ? digest === after : digest === before || digest === after, `${what}: another site`);
      demand((await build(next)).code === 0, `${what}: the next build fails`);
      demand(digests[present] === after, `${what}: the next build makes another site`);
      demand(leftovers(out).length === 0, `${what}: left ${leftovers(out).join(', ')}`);
      tried++;
    }
    return { tried, says: `survived, of ${few.length} at which a few files change` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
