/** Machines that do not play along: a full disk, a folder that cannot be written, too few files, a clock that is set back. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { inFolder } from '../../test/support/folders.ts';
import type { Random } from '../../test/support/random.ts';
import { tinyUpstream, upstreamOf } from '../../test/support/upstream-data.ts';
import { startUpstream, type UpstreamServer } from '../../test/support/upstream-server.ts';
import { demand, type Ended, leftovers, run, siteDigest, start, succeed, writeDataSet } from './ground.ts';

const CLOCK = new URL('./shift-clock.mjs', import.meta.url).href;
const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;
/** More than a build writes between two looks for signals. */
const RECORDS = 300;
const AT_ONCE = 2;

interface Scene {
  /** A folder of its own. */
  readonly folder: string;
  readonly out: string;
  readonly small: string;
  readonly large: string;
  readonly upstream: UpstreamServer;
}

const fromSnapshot = (data: string, out: string): string[] => [
  ...['build', '--source', 'snapshot', '--upstream', data, '--quiet', '--out', out],
];
const fromUpstream = ({ upstream, folder, out }: Scene, ...more: string[]): string[] => [
  ...['build', '--source', 'rest', '--upstream', upstream.url, '--cache', path.join(folder, 'cache')],
  ...['--max-shrink', '100', '--base-url', 'https://rest.test', '--out', out, ...more],
];

const whole = (out: string): Promise<void> => succeed(['verify', out, '--quiet']);

/** Fails in the way that is told, with the old site whole and nothing beside it. */
async function refused(
  args: string[],
  error: RegExp,
  { out, wrap = [] }: { out: string; wrap?: string[] },
): Promise<void> {
  const before = siteDigest(out);
  const { code, stderr } = await run(args, { wrap });
  demand(code === 1 && error.test(stderr), `ended with ${code}, expected 1 and ${error}: ${stderr}`);
  demand(!stderr.includes('bug'), `calls itself a bug: ${stderr}`);
  demand(siteDigest(out) === before, 'the old site is gone');
  demand(leftovers(out).length === 0, `left ${leftovers(out).join(', ')}`);
  await whole(out);
}

async function onTmpfs(
  folder: string,
  options: string,
  use: (mount: string) => Promise<void>,
): Promise<void> {
  const mount = path.join(folder, 'mount');
  mkdirSync(mount);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mount]);
  if (status !== 0) throw new Skipped('nothing can be mounted here');
  try {
    await use(mount);
  } finally {
    spawnSync('umount', [mount]);
  }
}
class Skipped extends Error {}

/** The old site is there, and the disk has so many bytes left for the new one. */
const onFullDisk = ({ folder, small, large }: Scene, left: number) =>
  onTmpfs(folder, 'size=64m', async (mount) => {
    const out = path.join(mount, 'site');
    const filler = path.join(mount, 'filler');
    await succeed(fromSnapshot(small, out));
    const { bavail, bsize } = statfsSync(mount);
    const count = Math.floor((bavail * bsize - left) / 4096);
    const { status } = spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096', `count=${count}`]);
    demand(status === 0, 'the disk cannot be filled');
    await refused(fromSnapshot(large, out), /ENOSPC/, { out });
    rmSync(filler);
    await succeed(fromSnapshot(large, out));
  });

const signalExits = { SIGINT: 130, SIGTERM: 143 };

/** The signal comes at a moment of the build; what the exit code says has to be what became of the site. */
const stoppedAt = (moment: string, exit: number) => async (scene: Scene) => {
  await succeed(fromSnapshot(scene.small, scene.out));
  const before = siteDigest(scene.out);
  const env = { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: moment };
  const args = [...fromUpstream(scene), '--base-url', 'https://other.test'];
  const { code, stderr } = await run(args, { env });
  demand(code === exit && !stderr.includes('bug'), `ended with ${code}: ${stderr}`);
  const isOld = siteDigest(scene.out) === before;
  demand(isOld === (exit !== 0), `ended with ${code}, and the site is ${isOld ? 'the old one' : 'another'}`);
  demand(leftovers(scene.out).length === 0, `left ${leftovers(scene.out).join(', ')}`);
  await whole(scene.out);
  const asked = scene.upstream.log.length;
  await succeed([...args, '--quiet']);
  const sent = scene.upstream.log.slice(asked);
  demand(
    sent.every(({ status }) => status === 304),
    'the cache was not kept',
  );
};

/** Process ids of its own, as on another host. */
const ELSEWHERE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];

/** The build is suspended at a moment until another one, on another host, has taken its lock over and has published. */
const suspendedAt =
  (moment: string) =>
  async ({ folder, out, small, large }: Scene) => {
    const [program = '', ...args] = ELSEWHERE;
    if (spawnSync(program, [...args, 'true']).status !== 0) throw new Skipped('there are no namespaces here');
    await succeed(fromSnapshot(small, out));
    const env = { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: `${moment}:SIGSTOP` };
    const build = [...fromSnapshot(large, out), '--max-shrink', '100', '--base-url'];
    const { child, finished } = start([...build, 'https://suspended.test'], { env });
    while (!readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T ')) await setTimeout(20);
    utimesSync(path.join(folder, '.site.gamedata-lock'), 1, 1);
    await succeed([...build, 'https://site.test'], { wrap: ELSEWHERE });
    const digest = siteDigest(out);
    child.kill('SIGCONT');
    const { code, stderr } = await finished;
    demand(code === 1 && stderr.includes('lock of this build is gone'), `ended with ${code}: ${stderr}`);
    demand(
      siteDigest(out) === digest && leftovers(out).length === 0,
      'the site or what is beside it is changed',
    );
    await whole(out);
  };

const table: Record<string, (scene: Scene) => Promise<void>> = {
  'a disk that fills up while staging': (scene) => onFullDisk(scene, 100_000),
  'a disk that is full': (scene) => onFullDisk(scene, 0),
  'a full disk for the cache': (scene) =>
    onTmpfs(scene.folder, 'size=16k', async (mount) => {
      await succeed(fromSnapshot(scene.small, scene.out));
      await refused(
        fromUpstream(scene, '--cache', path.join(mount, 'cache')),
        /cannot be used as a cache \(ENOSPC\)/,
        scene,
      );
    }),
  'a folder that is read-only': ({ folder, small }) =>
    onTmpfs(folder, 'size=64m', async (mount) => {
      const out = path.join(mount, 'site');
      await succeed(fromSnapshot(small, out));
      spawnSync('mount', ['-o', 'remount,ro', mount]);
      await refused([...fromSnapshot(small, out), '--base-url', 'https://other.test'], /EROFS/, { out });
    }),
  'too few file descriptors': async (scene) => {
    const wrap = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'];
    await succeed(fromSnapshot(scene.small, scene.out), { wrap });
    await succeed(fromUpstream(scene, '--quiet'), { wrap });
    rmSync(path.join(scene.folder, 'cache'), { recursive: true });
    await refused(fromUpstream(scene, '--concurrency', '256', '--retries', '0'), /EMFILE/, {
      ...scene,
      wrap,
    });
  },
  ...Object.fromEntries(
    Object.entries(signalExits).flatMap(([signal, exit]) => [
      // The stage is started at the first of these calls; a build looks for signals now and then.
      [`${signal} while staging`, stoppedAt(`writeFileSync:30:${signal}`, exit)],
      // From the first rename on nothing is looked for: the change ends, and with it the build.
      [`${signal} before the first rename`, stoppedAt(`renameSync:1:${signal}`, 0)],
      [`${signal} in the midst of renames`, stoppedAt(`renameSync:99:${signal}`, 0)],
    ]),
  ),
  'a suspended build whose lock is taken over while it stages': suspendedAt('writeFileSync:30'),
  'a suspended build whose lock is taken over in the midst of renames': suspendedAt('renameSync:400'),
  'a clock that is set back': async (scene) => {
    const env = { NODE_OPTIONS: `--import=${CLOCK}`, CLOCK_SHIFT: String(400 * 86_400_000) };
    await succeed(fromUpstream(scene, '--quiet'), { env });
    const first = scene.upstream.log.length;
    await succeed(fromUpstream(scene, '--quiet'));
    demand(scene.upstream.log.length - first >= 2 * RECORDS, 'answers from the future were believed');
    await whole(scene.out);
  },
};

/** Goes through so many of them, picked at random, each with a folder and an upstream of its own. */
export async function hardships(count: number, random: Random): Promise<Ended> {
  const skipped: string[] = [];
  const problems: string[] = [];
  const chosen = random.sample(Object.entries(table), count);
  await pLimit(AT_ONCE).map(chosen, ([name, endure]) =>
    inFolder(async (folder) => {
      const small = writeDataSet(path.join(folder, 'small'), 20, 1);
      const large = writeDataSet(path.join(folder, 'large'), 400, 1);
      const data = upstreamOf(tinyUpstream(RECORDS, RECORDS));
      const upstream = await startUpstream(data, { maxAge: 86_400, latency: 2 });
      await endure({ folder, out: path.join(folder, 'site'), small, large, upstream })
        .catch((error) => (error instanceof Skipped ? skipped : problems).push(`${name}: ${error.message}`))
        .finally(upstream.close);
    }),
  );
  return {
    tried: chosen.length - skipped.length,
    says: `survived${skipped.map((line) => `, skipped: ${line}`).join('')}`,
    problems,
  };
}
