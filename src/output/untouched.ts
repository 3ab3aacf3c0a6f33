/** Whether published files are as they were published: one call of the system for each. */

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ManifestEntry } from '../contract/meta.ts';

interface Site {
  /** The published folder, absolute. */
  readonly out: string;
  /** When its manifest was written, which comes last, in milliseconds. */
  readonly written: number;
}

/** Anything newer than the manifest was changed by somebody else. */
function createCheck({ out, written }: Site): (name: string, bytes: number) => boolean {
  const near = path.relative('', out) || '.';
  const [cwd, prefix] = [process.cwd(), (near.length < out.length ? near : out) + path.sep];
  return (name, bytes) => {
    // `path.join` would take as long as the call of the system, which takes a fifth less for a short path.
    const target = (process.cwd() === cwd ? prefix : out + path.sep) + name;
    const stat = lstatSync(target, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size === bytes && stat.mtimeMs <= written;
  };
}

/** What the second thread looks at, from the last block to the first. */
export interface Looking {
  readonly site: Site;
  /** For each file a line of UTF-8: its size, a space, and its path. */
  readonly lines: SharedArrayBuffer;
  /** Where each block of a thousand lines ends, in bytes. */
  readonly ends: readonly number[];
  /** For each block, 1 once all of it is known to be untouched. */
  readonly untouched: Uint8Array<SharedArrayBuffer>;
}

const BLOCK = 1000;
/** Fewer take less time than a thread that looks at half of them. */
const MANY = 20 * BLOCK;

/**
 * Starts to look at many files in a second thread, while this one does something else. Returns a function that looks at the
 * rest, and finds the files that were touched.
 *
 * @param helper the file with the code of the thread; without one there is none
 */
export function startLooking(
  files: readonly ManifestEntry[],
  site: Site,
  helper: string | undefined,
): () => ReadonlySet<ManifestEntry> {
  const untouched = new Uint8Array(new SharedArrayBuffer(Math.ceil(files.length / BLOCK)));
  const second = helper !== undefined && files.length >= MANY ? start(helper) : undefined;

  function start(module: string): Worker {
    const workerData: Looking = { site, ...share(files), untouched };
    const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 2 } });
    // Whatever it has not found untouched is looked at here.
    worker.on('error', () => {});
    worker.unref();
    return worker;
  }

  return () => {
    const isUntouched = createCheck(site);
    const touched = new Set<ManifestEntry>();
    for (const block of untouched.keys()) {
      if (Atomics.load(untouched, block) === 1) continue;
      for (const entry of files.slice(block * BLOCK, (block + 1) * BLOCK))
        if (!isUntouched(entry.path, entry.bytes)) touched.add(entry);
    }
    void second?.terminate();
    return touched;
  };
}

/** In one piece of memory, as it may be half as much as the manifest, and goes back to the system at once. */
export function share(files: readonly ManifestEntry[], size = BLOCK): Pick<Looking, 'lines' | 'ends'> {
  // UTF-8 has at most three bytes for a unit of UTF-16, and a size 16 digits. What is not written takes no memory.
  const most = files.reduce((sum, { path }) => sum + 3 * path.length + 18, 0);
  const lines = new SharedArrayBuffer(most);
  const ends: number[] = [];
  for (let at = 0, end = 0; at < files.length; at += size) {
    const block = files.slice(at, at + size).map(({ bytes, path }) => `${bytes} ${path}\n`);
    end += Buffer.from(lines, end).write(block.join(''));
    ends.push(end);
  }
  return { lines, ends };
}

/** What the second thread does: it looks at one block after the other, towards the thread that started it. */
export function lookFromEnd({ site, lines, ends, untouched }: Looking): void {
  const isUntouched = createCheck(site);
  const isLineUntouched = (line: string): boolean => {
    const space = line.indexOf(' ');
    return isUntouched(line.slice(space + 1), Number(line.slice(0, space)));
  };
  for (let at = ends.length - 1; at >= 0; at--) {
    const block = Buffer.from(lines).toString('utf8', ends[at - 1] ?? 0, ends[at]);
    if (block.slice(0, -1).split('\n').every(isLineUntouched)) Atomics.store(untouched, at, 1);
  }
}
