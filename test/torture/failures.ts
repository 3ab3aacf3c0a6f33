import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { stateNumber } from '../support/editions.ts';
import { inFolder } from '../support/folders.ts';
import type { Random } from '../support/random.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts';
import {
  ACCEPT,
  createBuildArgs,
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

/** More records than a build reads or writes between checks for signals. */
const RECORDS = 300;
const AT_ONCE = 2;

interface Scene {
  readonly folder: string;
  readonly out: string;
  readonly small: string;
  readonly large: string;
  readonly upstream: UpstreamServer;
}

/** Creates the arguments of a build that reads the upstream through a disk cache. */
function createUpstreamBuildArgs(scene: Scene, ...moreOptions: string[]): string[] {
  return [
    'build',
    '--source',
    'rest',
    '--upstream',
    scene.upstream.url,
    '--cache',
    path.join(scene.folder, 'cache'),
    ...ACCEPT,
    '--base-url',
    'https://rest.test',
    '--out',
    scene.out,
    ...moreOptions,
  ];
}

const OTHER_BASE = ['--base-url', 'https://other.test'];

function verify(out: string): Promise<void> {
  return mustRun(['verify', out, '--quiet']);
}

interface FailureOptions {
  readonly out: string;
  /** A command that starts Node with a limit. */
  readonly wrap?: readonly string[];
}

/** Expects that a build fails with an error, and leaves only the old site. */
async function expectFailure(
  args: string[],
  error: RegExp,
  { out, wrap = [] }: FailureOptions,
): Promise<void> {
  const oldDigest = digestSite(out);
  const { code, stderr } = await run(args, { wrap });
  const isExpected = code === 1 && error.test(stderr);
  demand(isExpected, `ended with ${code}, expected 1 and ${error}: ${stderr}`);
  demand(!stderr.includes('bug'), `reports a bug: ${stderr}`);
  demand(digestSite(out) === oldDigest, 'changed the old site');
  demandClean(out);
  await verify(out);
}

/** Thrown if the machine does not support a failure. */
class Skipped extends Error {}

/** Mounts a file system in memory with these options while a function runs. */
async function onTmpfs(
  folder: string,
  options: string,
  use: (mount: string) => Promise<void>,
): Promise<void> {
  const mount = path.join(folder, 'mount');
  mkdirSync(mount);
  const args = ['-t', 'tmpfs', '-o', options, 'tmpfs', mount];
  const { status } = spawnSync('mount', args);
  if (status !== 0) throw new Skipped('tmpfs cannot be mounted here');
  try {
    await use(mount);
  } finally {
    spawnSync('umount', [mount]);
  }
}

/** Publishes an old site, then leaves some bytes on the disk for the new one. */
function fillDisk(
  { folder, small, large }: Scene,
  bytesLeft: number,
): Promise<void> {
  return onTmpfs(folder, 'size=64m', async (mount) => {
    const out = path.join(mount, 'site');
    const filler = path.join(mount, 'filler');
    await mustRun(createBuildArgs(small, out));
    const { bavail, bsize } = statfsSync(mount);
    const blocks = Math.floor((bavail * bsize - bytesLeft) / 4096);
    const ddArgs = ['if=/dev/zero', `of=${filler}`, 'bs=4096', `count=${blocks}`];
    demand(spawnSync('dd', ddArgs).status === 0, 'the disk cannot be filled');
    await expectFailure(createBuildArgs(large, out), /ENOSPC/, { out });
    rmSync(filler);
    await mustRun(createBuildArgs(large, out));
  });
}

/**
 * Sends a signal at a given moment during a build. The exit code must match the
 * site: 0 for the new site, otherwise the old one. Then builds again, which must
 * read all responses from the cache.
 */
async function stopAt(scene: Scene, moment: string, exit: number): Promise<void> {
  const { small, out, upstream } = scene;
  await mustRun(createBuildArgs(small, out));
  const oldDigest = digestSite(out);
  // The disk cache writes files, too, but this test is about the site's files.
  const paths = moment.startsWith('fsyncSync') ? '' : '/\\.gamedata/';
  const env = {
    NODE_OPTIONS: `--import=${KILL_AT}`,
    KILL_AT: moment,
    KILL_PATHS: paths,
  };
  const args = createUpstreamBuildArgs(scene, ...OTHER_BASE);
  const { code, stderr } = await run(args, { env });
  const isExpected = code === exit && !stderr.includes('bug');
  demand(isExpected, `ended with ${code}, expected ${exit}: ${stderr}`);
  const isOld = digestSite(out) === oldDigest;
  const state = isOld ? 'the old one' : 'another';
  demand(isOld === (exit !== 0), `ended with ${code}, and the site is ${state}`);
  demandClean(out);
  await verify(out);
  const oldRequests = upstream.log.length;
  await mustRun([...args, '--quiet']);
  const newRequests = upstream.log.slice(oldRequests);
  demand(newRequests.length === 1, 'the cache was not kept');
}

/** Starts a process with separate process ids, as on another host. */
const ELSEWHERE = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--mount-proc',
];

async function waitUntilSuspended(pid: number | undefined): Promise<void> {
  // The third field is the process's state. T means suspended.
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ')) {
    await setTimeout(20);
  }
}

/**
 * Suspends a build at a given moment. Another build, which runs as in another container
 * with the same host name, must fail at once. When the first build continues, it must
 * publish its site.
 */
async function suspendAt(
  { out, small, large }: Scene,
  moment: string,
): Promise<void> {
  const [program = '', ...args] = ELSEWHERE;
  if (spawnSync(program, [...args, 'true']).status !== 0) {
    throw new Skipped('namespaces are missing here');
  }
  await mustRun(createBuildArgs(small, out));
  const env = {
    NODE_OPTIONS: `--import=${KILL_AT}`,
    KILL_AT: `${moment}:SIGSTOP`,
    KILL_PATHS: '/\\.gamedata/',
  };
  const build = createBuildArgs(large, out);
  const { child, finished } = start(build, { env });
  await waitUntilSuspended(child.pid);
  const suspendedDigest = digestSite(out);
  const other = await run(build, { wrap: ELSEWHERE });
  const isRefused =
    other.code === 1 && other.stderr.includes('another build is publishing there');
  demand(isRefused, `the other build ended with ${other.code}: ${other.stderr}`);
  demand(digestSite(out) === suspendedDigest, 'the other build changed the site');
  child.kill('SIGCONT');
  const { code, stderr } = await finished;
  demand(code === 0, `ended with ${code}: ${stderr}`);
  demandClean(out);
  await verify(out);
  const digest = digestSite(out);
  await mustRun(build);
  demand(digestSite(out) === digest, 'published another site');
}

/** Fills the disk of the cache, but not the disk of the site, which is built. */
function fillCacheDisk(scene: Scene): Promise<void> {
  return onTmpfs(scene.folder, 'size=16k', async (mount) => {
    await mustRun(createBuildArgs(scene.small, scene.out));
    const smallCache = path.join(mount, 'cache');
    const args = createUpstreamBuildArgs(scene, '--cache', smallCache);
    const { code, stderr } = await run(args);
    demand(code === 0, `ended with ${code}: ${stderr}`);
    const isNotice = /warning: .*cannot be used as a cache \(ENOSPC\)/.test(stderr);
    demand(isNotice, `reported no full cache: ${stderr}`);
  });
}

/** Makes the folder read-only after the first build. */
function makeReadOnly({ folder, small }: Scene): Promise<void> {
  return onTmpfs(folder, 'size=64m', async (mount) => {
    const out = path.join(mount, 'site');
    await mustRun(createBuildArgs(small, out));
    spawnSync('mount', ['-o', 'remount,ro', mount]);
    const args = createBuildArgs(small, out, ...OTHER_BASE);
    await expectFailure(args, /EROFS/, { out });
  });
}

/**
 * Limits the number of open files. Even if most connections fail at first, the build
 * tries again with those that it has.
 */
async function limitDescriptors(scene: Scene): Promise<void> {
  const wrap = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'];
  await mustRun(createBuildArgs(scene.small, scene.out), { wrap });
  const args = createUpstreamBuildArgs(scene, '--quiet', '--concurrency', '256');
  await mustRun(args, { wrap });
}

/** The function that tries each failure. */
const failures: Record<string, (scene: Scene) => Promise<void>> = {
  'a disk that fills up while staging': (scene) => fillDisk(scene, 100_000),
  'a full disk': (scene) => fillDisk(scene, 0),
  'a full disk for the cache': fillCacheDisk,
  'a read-only folder': makeReadOnly,
  'too few file descriptors': limitDescriptors,
  'SIGINT while staging': (scene) => stopAt(scene, 'writeFileSync:30:SIGINT', 130),
  'SIGTERM while staging': (scene) => stopAt(scene, 'writeFileSync:30:SIGTERM', 143),
  // A build completes a change after its first rename.
  'SIGINT before the first rename': (scene) =>
    stopAt(scene, 'renameSync:1:SIGINT', 0),
  'SIGTERM before the first rename': (scene) =>
    stopAt(scene, 'renameSync:1:SIGTERM', 0),
  'SIGINT between renames': (scene) => stopAt(scene, 'renameSync:99:SIGINT', 0),
  'SIGTERM between renames': (scene) => stopAt(scene, 'renameSync:99:SIGTERM', 0),
  'a suspended build that stages files': (scene) =>
    suspendAt(scene, 'writeFileSync:30'),
  'a suspended build that moves files': (scene) => suspendAt(scene, 'renameSync:3'),
};

/** Tries a failure in a separate folder, with two data sets and an upstream. */
function tryFailure(attempt: (scene: Scene) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const small = writeDataSet(path.join(folder, 'small'), 20, 1);
    const large = writeDataSet(path.join(folder, 'large'), 400, 1);
    const data = upstreamOf(tinyUpstream(RECORDS, RECORDS));
    const stateOf = () => stateNumber(1, data);
    const upstream = await startUpstream(data, { stateOf, latency: 2 });
    const out = path.join(folder, 'site');
    try {
      await attempt({ folder, out, small, large, upstream });
    } finally {
      await upstream.close();
    }
  });
}

/** Tries machine failures. */
export async function tryFailures(count: number, random: Random): Promise<Ended> {
  const skipped: string[] = [];
  const problems: string[] = [];
  const chosen = random.sample(Object.entries(failures), count);
  await pLimit(AT_ONCE).map(chosen, async ([name, attempt]) => {
    try {
      await tryFailure(attempt);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof Skipped) skipped.push(`, skipped: ${name}: ${message}`);
      else problems.push(`${name}: ${message}`);
    }
  });
  const tried = chosen.length - skipped.length;
  return { tried, summary: `recovered${skipped.join('')}`, problems };
}
