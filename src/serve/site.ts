/** Holds a built site in memory: its manifest, and exactly the files that the manifest lists. */

import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { maxBytesOf } from '../contract/limits.ts';
import { type Meta, manifestReader, metaReader, refuseNewerFormat } from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import { isHostFile, MANIFEST_FILE, META_FILE, pathOf } from '../contract/paths.ts';
import { readableSize } from '../contract/words.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';
import { parseText, readRegular } from '../files.ts';
import { type Asset, createResponder, type Responder } from './handler/index.ts';

export interface Site {
  readonly meta: Meta;
  /** The path of the base URL, below which everything is served. */
  readonly base: string;
  readonly respond: Responder;
  readonly files: ReadonlyMap<string, LoadedFile>;
  /** The manifest's inode, mtime and size. */
  readonly version: string;
}

interface LoadedFile extends Asset {
  readonly sha256: string;
}

/** A hundred times the live upstream's site. */
const MAX_SITE_BYTES = 1e9;
const CHECK_INTERVAL_MS = 1000;
/** Files that are read before other clients are served again. */
const FILES_AT_ONCE = 50;

const WAITING = 'Waiting until gamedata build completes it; name another folder with gamedata serve <dir>.';

/** Thrown while a folder lacks a file of its manifest: a build is changing the folder, or the file is damaged. */
class IncompleteSiteError extends Error {}

/**
 * Waits until a folder holds a complete site, then keeps loading each new one.
 *
 * @param onProblem called with one line while the folder does not hold a complete site
 * @param signal ends the waiting and loading
 * @returns a function that returns the last complete site
 * @throws OutputError if the first site is too large or has a newer format
 */
export async function openSite(
  folder: string,
  onProblem: (line: string) => void,
  signal: AbortSignal,
): Promise<() => Site> {
  let isReported = false;
  async function loadNext(previous?: Site): Promise<Site> {
    for (;;) {
      try {
        const site = await loadSite(folder, previous);
        isReported = false;
        if (site !== previous) return site;
      } catch (error) {
        if (!previous && !(error instanceof IncompleteSiteError)) throw error;
        const problem = `the site is not complete: ${(error as Error).message}`;
        const status = previous ? 'The previous site is still served.' : WAITING;
        if (!isReported) onProblem(`${folder}: ${problem}. ${status}`);
        isReported = true;
      }
      await setTimeout(CHECK_INTERVAL_MS, undefined, { signal });
    }
  }
  let site = await loadNext();
  async function keepLoading(): Promise<void> {
    while (!signal.aborted) site = await loadNext(site);
  }
  // Only the signal ends it.
  keepLoading().catch(() => {});
  return () => site;
}

/** Loads a site. Files that have the same hash in the previous site are reused. */
async function loadSite(folder: string, previous?: Site): Promise<Site> {
  const version = tryRead(MANIFEST_FILE, () => readVersion(folder));
  // A build replaces the manifest last.
  if (previous?.version === version) return previous;
  const manifest = tryRead(MANIFEST_FILE, () =>
    readRegular(path.join(folder, MANIFEST_FILE), maxBytesOf(MANIFEST_FILE)),
  );
  const listed = tryRead(MANIFEST_FILE, () => parseManifest(folder, manifest));
  const files = new Map<string, LoadedFile>([
    [MANIFEST_FILE, createFile(hash('sha256', manifest), manifest)],
  ]);
  for (const [at, { path: file, bytes, sha256 }] of listed.entries()) {
    if (at % FILES_AT_ONCE === 0) await setImmediate();
    const known = previous?.files.get(file);
    if (known?.sha256 === sha256) {
      files.set(file, known);
      continue;
    }
    const body = tryRead(file, () => readRegular(path.join(folder, file), bytes));
    if (hash('sha256', body) !== sha256) throw new IncompleteSiteError(`${file} differs from the manifest`);
    files.set(file, createFile(sha256, body));
  }
  const meta = tryRead(META_FILE, () => parseMeta(files.get(META_FILE)?.body));
  const base = pathOf(meta.base_url);
  const respond = createResponder({ get: async (file) => files.get(file) }, base);
  return { meta, base, respond, files, version };
}

function readVersion(folder: string): string {
  const { ino, mtimeMs, size } = statSync(path.join(folder, MANIFEST_FILE));
  return [ino, mtimeMs, size].join(':');
}

function parseManifest(folder: string, body: Buffer) {
  const json = parseText(body.toString(), MANIFEST_FILE);
  refuseNewerFormat(json, (problem, options) => new OutputError(problem, folder, options));
  const listed = parse(manifestReader, json, { record: MANIFEST_FILE }).files;
  const served = listed.filter(({ path: file }) => !isHostFile(file));
  const bytes = served.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_SITE_BYTES) return served;
  const [got, expected] = [bytes, MAX_SITE_BYTES].map((size) => readableSize(size));
  throw new OutputError(`has files of ${got}, expected at most ${expected} to hold in memory`, folder, {
    hint: 'Serve the folder with a web server: build with --host nginx, caddy or apache (docs/OPERATING.md).',
  });
}

const parseMeta = (body = new Uint8Array()): Meta =>
  parse(metaReader, parseText(new TextDecoder().decode(body), META_FILE), { record: META_FILE });

/** @throws IncompleteSiteError if a file is missing, unreadable or invalid */
function tryRead<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof DataError) throw new IncompleteSiteError(cause.message, { cause });
    if (cause instanceof OutputError || errorCode(cause) === '') throw cause;
    throw new IncompleteSiteError(`${file} cannot be read (${errorCode(cause)})`, { cause });
  }
}

function createFile(sha256: string, body: Buffer<ArrayBuffer>): LoadedFile {
  const etag = `"${Buffer.from(sha256, 'hex').toString('base64url').slice(0, 27)}"`;
  return { body, etag, sha256 };
}
