import * as fs from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../src/files.ts';
import { temporaryFolder } from './temporary.ts';

interface DiskFile {
  readonly body: Buffer;
  readonly mtimeMs: number;
  /** Whether a power cut keeps the whole body. */
  readonly isFlushed: boolean;
}

/** Copies a file's bytes, so that a model of the disk needs no file system. */
function readDiskFile(file: string): DiskFile {
  return {
    body: fs.readFileSync(file),
    mtimeMs: fs.statSync(file).mtimeMs,
    isFlushed: true,
  };
}

const isBelow = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(`${folder}/`);

/**
 * Models a folder's content, and the part of it that has reached the disk. Tests
 * apply a build's file system calls to this model one by one, because that is much
 * faster than copying a real folder for each call.
 */
export class Disk {
  readonly #files = new Map<string, DiskFile>();
  readonly #folders = new Set<string>();

  constructor(folder: string) {
    for (const file of listFiles(folder)) {
      this.#files.set(file, readDiskFile(path.join(folder, file)));
      this.makeFolder(path.posix.dirname(file));
    }
  }

  makeFolder(folder: string): void {
    let parent = folder;
    while (parent !== '.') {
      this.#folders.add(parent);
      parent = path.posix.dirname(parent);
    }
  }

  write(file: string, body: string | Uint8Array, mtimeMs: number): void {
    this.#files.set(file, { body: Buffer.from(body), mtimeMs, isFlushed: false });
  }

  setTime(file: string, mtimeMs: number): void {
    const known = this.#files.get(file);
    if (known) this.#files.set(file, { ...known, mtimeMs });
  }

  /** Renames a file, or a folder with everything in it. */
  rename(from: string, to: string): void {
    for (const [file, moved] of [...this.#files]) {
      if (!isBelow(file, from)) continue;
      this.#files.delete(file);
      this.#files.set(to + file.slice(from.length), moved);
    }
    for (const folder of [...this.#folders]) {
      if (!isBelow(folder, from)) continue;
      this.#folders.delete(folder);
      this.#folders.add(to + folder.slice(from.length));
    }
  }

  remove(removed: string): void {
    for (const file of [...this.#files.keys()]) {
      if (isBelow(file, removed)) this.#files.delete(file);
    }
    for (const folder of [...this.#folders]) {
      if (isBelow(folder, removed)) this.#folders.delete(folder);
    }
  }

  flush(isFlushed: (file: string) => boolean): void {
    for (const [file, flushed] of this.#files) {
      if (isFlushed(file)) this.#files.set(file, { ...flushed, isFlushed: true });
    }
  }

  /**
   * Lists the bodies after a power cut.
   *
   * @param share how much of each unflushed file remains, from 0 to 1
   */
  cutPower(share: number): Map<string, Buffer> {
    const bodies = new Map<string, Buffer>();
    for (const [file, { body, isFlushed }] of this.#files) {
      const length = isFlushed ? body.length : Math.floor(body.length * share);
      bodies.set(file, body.subarray(0, length));
    }
    return bodies;
  }

  /**
   * Describes the content of a folder with these bodies, so that equal states have
   * equal descriptions.
   */
  describe(bodies: ReadonlyMap<string, Buffer>): string {
    const files = Array.from(bodies, ([file, body]) => `${file}: ${body}`);
    return [...this.#folders, ...files].sort().join('\n');
  }

  /**
   * Writes these bodies, with the folders and times of the disk, into a temporary
   * folder.
   */
  restore(bodies: ReadonlyMap<string, Buffer>): string {
    const target = temporaryFolder();
    for (const folder of this.#folders) {
      fs.mkdirSync(path.join(target, folder), { recursive: true });
    }
    for (const [file, body] of bodies) {
      const seconds = (this.#files.get(file)?.mtimeMs ?? 0) / 1000;
      fs.writeFileSync(path.join(target, file), body);
      fs.utimesSync(path.join(target, file), seconds, seconds);
    }
    return target;
  }
}
