/** Where it is measured: the machine's shape, and a folder whose speed depends on as little as possible. */

import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';

const MEMORY_FOLDER = '/dev/shm';

/**
 * A new folder, in memory if there is room: on a disk the same `tar x` takes several times as long in one round as in
 * another, by what the file system still has to write of the rounds before.
 */
export function workFolder(neededBytes: number) {
  const inMemory = hasRoom(MEMORY_FOLDER, neededBytes);
  return {
    folder: mkdtempSync(path.join(inMemory ? MEMORY_FOLDER : tmpdir(), 'gamedata-bench-')),
    /** Another one, which is on a disk on most machines. */
    diskFolder: mkdtempSync(path.join(tmpdir(), 'gamedata-bench-')),
    fileSystem: inMemory ? 'tmpfs' : 'disk',
  };
}

function hasRoom(folder: string, bytes: number): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes && totalmem() >= 2 * bytes;
  } catch {
    return false;
  }
}

export function machineShape(): string {
  const [cpu, ...others] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${others.length + 1} cores (${cpu?.model.trim()}), ${gigabytes} GB, ${process.platform}, Node ${process.version}`;
}
