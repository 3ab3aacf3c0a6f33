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

/** The upstreams that are read with a full cache. */
const cached = ['same', 'deploying', 'plain'] as const;

/** Fills the caches that the subjects start with, and makes sure that the yardstick makes the same site. */
export async function fetchSubjects(
  upstream: Upstream,
  { folder, runner, latency }: FetchPlace,
): Promise<{ quick: Subject[]; distant: Subject }> {
  const fresh = path.join(folder, 'fresh');
  const site = path.join(folder, 'site');
  const extras = path.join(folder, 'extras');
  const empty = path.join(folder, 'cache');
  const full = (of: (typeof cached)[number]): string => path.join(folder, `cache-${of}`);
  const rest = (out: string, url: string, cache: string): string[] =>
    build(out, 'rest', '--upstream', url, '--cache', cache);
  const cleanUp = (): void => {
    remove(fresh);
    remove(empty);
  };

  for (const of of cached) await runner.run(rest(site, upstream[of], full(of)));
  await runner.run(rest(site, upstream.plain, full('plain')));
  copyExtras(site, extras);
  await runner.run(minimal(upstream.plain, fresh, extras));
  expectSame(site, fresh);
  remove(fresh);

  const ours = { cleanUp, read: readReport };
  const quick: Subject[] = [
    { name: 'minimal script', command: minimal(upstream.plain, fresh, extras), cleanUp },
    { name: 'rest, empty cache', command: rest(fresh, upstream.plain, empty), ...ours },
    { name: 'rest, empty cache, editions', command: rest(fresh, upstream.same, empty), ...ours },
    { name: 'rest, same edition', command: rest(fresh, upstream.same, full('same')), ...ours },
    { name: 'rest, new edition', command: rest(fresh, upstream.deploying, full('deploying')), ...ours },
    { name: 'rest, no edition', command: rest(fresh, upstream.plain, full('plain')), ...ours },
  ];
  if (hasCurl()) quick.push({ name: 'curl --parallel', command: curl(upstream, folder) });
  const distant = { name: `rest, ${latency} ms`, command: rest(fresh, upstream.distant, empty), ...ours };
  return { quick, distant };
}

/** All records, thrown away as they arrive, over at most 50 connections. */
function curl({ plain, paths }: Upstream, folder: string): string[] {
  const configuration = path.join(folder, 'curl.conf');
  const { origin } = new URL(plain);
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
