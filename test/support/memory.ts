import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 2 ** 30;

/**
 * Finds a folder in memory if possible, because the tests flush tens of thousands of
 * files, which takes minutes on a busy disk. Otherwise, returns the operating
 * system's temporary folder. A folder in memory may not permit running programs, and
 * Deno reads no files below /dev.
 */
export function findMemory(): string {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < NEEDED_BYTES ? tmpdir() : MEMORY;
}

/** Finds a folder in memory in which programs can run. */
export function findMemoryForPrograms(): string {
  const memory = findMemory();
  const folder = mkdtempSync(path.join(memory, 'gamedata-test-'));
  const program = path.join(folder, 'program');
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(program).status === 0 ? memory : tmpdir();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
