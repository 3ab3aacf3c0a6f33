import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprintFiles } from '../support/fingerprint.ts';
import { inFolder } from '../support/folders.ts';
import { type Finished, startProcess } from '../support/processes.ts';
import { rawRecords } from '../support/sites.ts';
import { createStoredData, writeDataSet } from '../support/stored-data.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import { startUpstream } from '../support/upstream-server.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Permits every change compared with the bundled data. */
const ACCEPT = '--max-shrink 100 --allow-missing names/en names/fr'.split(' ');

function build(source: readonly string[], out: string): Promise<Finished> {
  const options = [...source, '--out', out, ...ACCEPT];
  return startProcess([process.execPath, CLI, 'build', ...options]).finished;
}

function demand(isTrue: boolean, problem: string): asserts isTrue {
  if (!isTrue) throw new Error(problem);
}

async function mustBuild(source: readonly string[], out: string): Promise<Finished> {
  const finished = await build(source, out);
  demand(finished.code === 0, `ended with ${finished.code}: ${finished.stderr}`);
  return finished;
}

/** Expects that a build fails with an error, and leaves only the old site. */
async function expectFailure(
  source: readonly string[],
  out: string,
  error: string,
): Promise<void> {
  const describeFiles = () => JSON.stringify([...fingerprintFiles(out)]);
  const oldFiles = describeFiles();
  const { code, stderr } = await build(source, out);
  const isExpected = code === 1 && stderr.includes(error);
  demand(isExpected, `ended with ${code}, expected 1 and ${error}: ${stderr}`);
  demand(describeFiles() === oldFiles, 'changed the old site');
  const { problems } = await verifyFolder(out);
  demand(problems.length === 0, problems.join('; '));
}

/** Thrown if the machine does not support a failure. */
class Skipped extends Error {}

/** Mounts a file system in memory while a function runs. */
async function onTmpfs(
  folder: string,
  size: string,
  use: (mount: string) => Promise<void>,
): Promise<void> {
  const mount = path.join(folder, 'mount');
  mkdirSync(mount);
  const args = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mount];
  const { status } = spawnSync('mount', args);
  if (status !== 0) throw new Skipped('tmpfs cannot be mounted here');
  try {
    await use(mount);
  } finally {
    spawnSync('umount', [mount]);
  }
}

/** Options that select data sets: the second one has more records. */
interface Sources {
  readonly small: readonly string[];
  readonly large: readonly string[];
}

function writeSources(folder: string): Sources {
  const write = (records: number): string[] => {
    const dataSet = createStoredData(rawRecords(records, records));
    const upstream = writeDataSet(dataSet, path.join(folder, `data-${records}`));
    return ['--source', 'snapshot', '--upstream', upstream];
  };
  return { small: write(20), large: write(400) };
}

/** Fills the disk until only some bytes are left for the new site. */
function fillDisk(folder: string, bytesLeft: number): Promise<void> {
  return onTmpfs(folder, '64m', async (mount) => {
    const { small, large } = writeSources(folder);
    const out = path.join(mount, 'site');
    const filler = path.join(mount, 'filler');
    await mustBuild(small, out);
    const { bavail, bsize } = statfsSync(mount);
    const blocks = Math.floor((bavail * bsize - bytesLeft) / 4096);
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096', `count=${blocks}`]);
    await expectFailure(large, out, 'ENOSPC');
    rmSync(filler);
    await mustBuild(large, out);
  });
}

function makeReadOnly(folder: string): Promise<void> {
  return onTmpfs(folder, '64m', async (mount) => {
    const { small, large } = writeSources(folder);
    const out = path.join(mount, 'site');
    await mustBuild(small, out);
    spawnSync('mount', ['-o', 'remount,ro', mount]);
    await expectFailure(large, out, 'EROFS');
  });
}

/** Fills the disk of the cache, but not the disk of the site, which is built. */
function fillCacheDisk(folder: string): Promise<void> {
  return onTmpfs(folder, '16k', async (mount) => {
    const upstream = await startUpstream(upstreamOf(tinyUpstream(300, 300)));
    const cache = path.join(mount, 'cache');
    const source = [
      '--source',
      'rest',
      '--upstream',
      upstream.url,
      '--cache',
      cache,
    ];
    try {
      const { stderr } = await mustBuild(source, path.join(folder, 'site'));
      const isNotice = stderr.includes('cannot be used as a cache (ENOSPC)');
      demand(isNotice, `reported no full cache: ${stderr}`);
    } finally {
      await upstream.close();
    }
  });
}

const failures: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'a disk that fills up while staging': (folder) => fillDisk(folder, 100_000),
  'a full disk': (folder) => fillDisk(folder, 0),
  'a full disk for the cache': fillCacheDisk,
  'a read-only folder': makeReadOnly,
};

/** Tries each failure in a separate folder. Returns the problems. */
export async function tryFailures(): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, attempt] of Object.entries(failures)) {
    try {
      await inFolder(attempt);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof Skipped) console.log(`skipped ${name}: ${message}`);
      else problems.push(`${name}: ${message}`);
    }
  }
  return problems;
}
