import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { inFolder } from '../support/folders.ts';
import type { Random } from '../support/random.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts';
import {
  demand,
  demandClean,
  digestSite,
  type Ended,
  KILL_AT,
  mustRun,
  run,
  start,
  writeDataSet,
} from './environment.ts';

/** More records than a build reads or writes between two checks for signals. */
const RECORDS = 300;
const AT_ONCE = 2;

interface Scene {
  readonly folder: string;
  readonly out: string;
  readonly small: string;
  readonly large: string;
  readonly upstream: UpstreamServer;
}

const buildFromSnapshot = (data: string, out: string): string[] => [
  ...['build', '--source', 'snapshot', '--upstream', data, '--quiet', '--out', out],
];
const buildFromUpstream = ({ upstream, folder, out }: Scene, ...more: string[]): string[] => [
  ...[
    'build',
    '--source',
    'rest',
    '--upstream',
    upstream.url,
    '--cache',
    path.join(folder, 'cache'),
  ],
  ...['--max-shrink', '100', '--base-url', 'https://rest.test', '--out', out, ...more],
];
const OTHER_BASE = ['--base-url', 'https://other.test'];

const verify = (out: string): Promise<void> => mustRun(['verify', out, '--quiet']);

/** Expects that a build fails with an error, and leaves only the old site. */
async function expectFailure(
  args: string[],
  error: RegExp,
  { out, wrap = [] }: { out: string; wrap?: string[] },
): Promise<void> {
  const before = digestSite(out);
  const { code, stderr } = await run(args, { wrap });
  demand(
    code === 1 && error.test(stderr),
    `ended with ${code}, expected 1 and ${error}: ${stderr}`,
  );
  demand(!stderr.includes('bug'), `reports a bug: ${stderr}`);
  demand(digestSite(out) === before, 'changed the old site');
  demandClean(out);
  await verify(out);
}

class Skipped extends Error {}

async function onTmpfs(
  folder: string,
  options: string,
  use: (mount: string) => Promise<void>,
): Promise<void> {
  const mount = path.join(folder, 'mount');
  mkdirSync(mount);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mount]);
  if (status !== 0) throw new Skipped('tmpfs cannot be mounted here');
  try {
    await use(mount);
  } finally {
    spawnSync('umount', [mount]);
  }
}

/** Publishes an old site, then leaves some bytes on the disk for the new one. */
const fillDisk = ({ folder, small, large }: Scene, left: number) =>
  onTmpfs(folder, 'size=64m', async (mount) => {
    const [out, filler] = [path.join(mount, 'site'), path.join(mount, 'filler')];
    await mustRun(buildFromSnapshot(small, out));
    const { bavail, bsize } = statfsSync(mount);
    const count = Math.floor((bavail * bsize - left) / 4096);
    const { status } = spawnSync('dd', [
      'if=/dev/zero',
      `of=${filler}`,
      'bs=4096',
      `count=${count}`,
    ]);
    demand(status === 0, 'the disk cannot be filled');
    await expectFailure(buildFromSnapshot(large, out), /ENOSPC/, { out });
    rmSync(filler);
    await mustRun(buildFromSnapshot(large, out));
  });

/** Sends a signal at a moment of a build. The exit code must match the site: 0 for the new site, otherwise the old one. */
const stopAt = (moment: string, exit: number) => async (scene: Scene) => {
  const { small, out, upstream } = scene;
  await mustRun(buildFromSnapshot(small, out));
  const before = digestSite(out);
  const env = { NODE_OPTIONS: `--import=${KILL_AT}`, KILL_AT: moment };
  const args = [...buildFromUpstream(scene), ...OTHER_BASE];
  const { code, stderr } = await run(args, { env });
  demand(
    code === exit && !stderr.includes('bug'),
    `ended with ${code}, expected ${exit}: ${stderr}`,
  );
  const isOld = digestSite(out) === before;
  demand(
    isOld === (exit !== 0),
    `ended with ${code}, and the site is ${isOld ? 'the old one' : 'another'}`,
  );
  demandClean(out);
  await verify(out);
  const requests = upstream.log.length;
  await mustRun([...args, '--quiet']);
  const isCached = upstream.log.slice(requests).every(({ status }) => status === 304);
  demand(isCached, 'the cache was not kept');
};

/** Starts a process with its own process ids, as on another host. */
const ELSEWHERE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];

/** Suspends a build at a moment, until another build on another host has broken its lock and has published. */
const suspendAt =
  (moment: string) =>
  async ({ folder, out, small, large }: Scene) => {
    const [program = '', ...args] = ELSEWHERE;
    if (spawnSync(program, [...args, 'true']).status !== 0)
      throw new Skipped('namespaces are missing here');
    await mustRun(buildFromSnapshot(small, out));
    const env = { NODE_OPTIONS: `--import=${KILL_AT}`, KILL_AT: `${moment}:SIGSTOP` };
    const build = [...buildFromSnapshot(large, out), '--max-shrink', '100', '--base-url'];
    const { child, finished } = start([...build, 'https://suspended.test'], { env });
    while (!readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T ')) await setTimeout(20);
    utimesSync(path.join(folder, '.site.gamedata-lock'), 1, 1);
    await mustRun([...build, 'https://site.test'], { wrap: ELSEWHERE });
    const digest = digestSite(out);
    child.kill('SIGCONT');
    const { code, stderr } = await finished;
    demand(
      code === 1 && stderr.includes('lock of this build is missing'),
      `ended with ${code}: ${stderr}`,
    );
    demand(digestSite(out) === digest, 'changed the site of the other build');
    demandClean(out);
    await verify(out);
  };

const failures: Record<string, (scene: Scene) => Promise<void>> = {
  'a disk that fills up while staging': (scene) => fillDisk(scene, 100_000),
  'a full disk': (scene) => fillDisk(scene, 0),
  'a full disk for the cache': (scene) =>
    onTmpfs(scene.folder, 'size=16k', async (mount) => {
      await mustRun(buildFromSnapshot(scene.small, scene.out));
      const args = buildFromUpstream(scene, '--cache', path.join(mount, 'cache'));
      await expectFailure(args, /cannot be used as a cache \(ENOSPC\)/, scene);
    }),
  'a read-only folder': ({ folder, small }) =>
    onTmpfs(folder, 'size=64m', async (mount) => {
      const out = path.join(mount, 'site');
      await mustRun(buildFromSnapshot(small, out));
      spawnSync('mount', ['-o', 'remount,ro', mount]);
      await expectFailure([...buildFromSnapshot(small, out), ...OTHER_BASE], /EROFS/, { out });
    }),
  'too few file descriptors': async (scene) => {
    const wrap = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'];
    await mustRun(buildFromSnapshot(scene.small, scene.out), { wrap });
    await mustRun(buildFromUpstream(scene, '--quiet'), { wrap });
    rmSync(path.join(scene.folder, 'cache'), { recursive: true });
    const args = buildFromUpstream(scene, '--concurrency', '256', '--retries', '0');
    await expectFailure(args, /EMFILE/, { ...scene, wrap });
  },
  ...Object.fromEntries(
    Object.entries({ SIGINT: 130, SIGTERM: 143 }).flatMap(([signal, exit]) => [
      [`${signal} while staging`, stopAt(`writeFileSync:30:${signal}`, exit)],
      // A build completes a change after its first rename.
      [`${signal} before the first rename`, stopAt(`renameSync:1:${signal}`, 0)],
      [`${signal} between renames`, stopAt(`renameSync:99:${signal}`, 0)],
    ]),
  ),
  'a suspended build that loses its lock while staging': suspendAt('writeFileSync:30'),
  'a suspended build that loses its lock between renames': suspendAt('renameSync:400'),
};

/** Tries failures of the machine, each with its own folder and upstream. */
export async function tryFailures(count: number, random: Random): Promise<Ended> {
  const skipped: string[] = [];
  const problems: string[] = [];
  const chosen = random.sample(Object.entries(failures), count);
  await pLimit(AT_ONCE).map(chosen, ([name, attempt]) =>
    inFolder(async (folder) => {
      const small = writeDataSet(path.join(folder, 'small'), 20, 1);
      const large = writeDataSet(path.join(folder, 'large'), 400, 1);
      const data = upstreamOf(tinyUpstream(RECORDS, RECORDS));
      const upstream = await startUpstream(data, { maxAge: 86_400, latency: 2 });
      await attempt({ folder, out: path.join(folder, 'site'), small, large, upstream })
        .catch((error) =>
          (error instanceof Skipped ? skipped : problems).push(`${name}: ${error.message}`),
        )
        .finally(upstream.close);
    }),
  );
  const summary = `recovered${skipped.map((line) => `, skipped: ${line}`).join('')}`;
  return { tried: chosen.length - skipped.length, summary, problems };
}
