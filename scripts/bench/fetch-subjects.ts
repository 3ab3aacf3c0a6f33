/** Builds that fetch every record, and what else fetches them. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, expectSame, hasCurl, minimal, readReport, remove } from './commands.ts';
import { copyExtras } from './data-sets.ts';
import type { Subject } from './measure.ts';
import type { Runner } from './runner.ts';
import type { Upstream } from './upstream.ts';

export interface FetchPlace {
  readonly folder: string;
  readonly runner: Runner;
  readonly latency: number;
}

/** What the site calls the upstream: else two of them would not give the same site. */
const LABEL = ['--label', 'benchmark'];

/** Fills the caches that the subjects start with, and makes sure that the yardstick makes the same site. */
export async function fetchSubjects(
  upstream: Upstream,
  { folder, runner, latency }: FetchPlace,
): Promise<{ quick: Subject[]; distant: Subject }> {
  const fresh = path.join(folder, 'fresh');
  const site = path.join(folder, 'site');
  const extras = path.join(folder, 'extras');
  const empty = path.join(folder, 'cache');
  const full = (of: 'fresh' | 'stale'): string => path.join(folder, `cache-${of}`);
  const rest = (out: string, url: string, cache: string): string[] =>
    build(out, 'rest', '--upstream', url, ...LABEL, '--cache', cache);
  const cleanUp = (): void => {
    remove(fresh);
    remove(empty);
  };

  await runner.run(rest(site, upstream.fresh, full('fresh')));
  await runner.run(rest(site, upstream.stale, full('stale')));
  copyExtras(site, extras);
  await runner.run(minimal(upstream.fresh, fresh, extras));
  expectSame(site, fresh);
  remove(fresh);

  const ours = { cleanUp, read: readReport };
  const quick: Subject[] = [
    { name: 'minimal script', command: minimal(upstream.fresh, fresh, extras), cleanUp },
    { name: 'rest, empty cache', command: rest(fresh, upstream.fresh, empty), ...ours },
    { name: 'rest, fresh', command: rest(fresh, upstream.fresh, full('fresh')), ...ours },
    { name: 'rest, revalidated', command: rest(fresh, upstream.stale, full('stale')), ...ours },
  ];
  if (hasCurl()) quick.push({ name: 'curl --parallel', command: curl(upstream, folder) });
  const distant = { name: `rest, ${latency} ms`, command: rest(fresh, upstream.distant, empty), ...ours };
  return { quick, distant };
}

/** All records, thrown away as they arrive, over at most 50 connections. */
function curl({ fresh, paths }: Upstream, folder: string): string[] {
  const configuration = path.join(folder, 'curl.conf');
  const { origin } = new URL(fresh);
  writeFileSync(configuration, paths.map((of) => `url = "${origin}${of}"\noutput = "/dev/null"\n`).join(''));
  return [
    'curl',
    '--silent',
    '--fail',
    '--compressed',
    '--parallel',
    '--parallel-max',
    '50',
    '-K',
    configuration,
  ];
}
