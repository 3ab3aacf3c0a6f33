import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Manifest, ManifestEntry, Meta } from '../contract/meta.ts';
import { getBasePath, MANIFEST_FILE, STAGED_FOLDER } from '../contract/paths.ts';
import { formatBytes, joinWords, quoteArgument } from '../contract/words.ts';
import { GamedataError, OutputError } from '../errors.ts';
import { readStatus } from '../files.ts';
import { isHostConfig, webServerNames } from '../hosts/index.ts';
import { sha256 } from '../sha256.ts';
import { findCommittedManifest, openSite, type SiteFolder } from '../site-folder.ts';
import { type Asset, createResponder, type Responder } from './handler/index.ts';

/** A built site in memory. It contains exactly the files that its manifest lists. */
export interface LoadedSite {
  readonly meta: Meta;
  /** The path of the base URL, without a trailing slash. */
  readonly base: string;
  readonly respond: Responder;
  readonly files: ReadonlyMap<string, LoadedFile>;
  /**
   * Identifies the manifest file. The value changes when the manifest is replaced.
   */
  readonly version: string | undefined;
}

interface LoadedFile extends Asset {
  readonly sha256: string;
}

/** A hundred times the size of a site built from the live upstream. */
const MAX_SITE_BYTES = 1e9;
/**
 * The interval for checking the folder until the first site is complete. It is short
 * because a build may complete the site at any time.
 */
const WAITING_INTERVAL_MS = 250;
/** The interval for checking the folder while the server is running. */
const RUNNING_INTERVAL_MS = 1000;
/** The number of files that are read before the server handles requests again. */
const FILES_AT_ONCE = 50;

/** Explains how to get a complete site. */
function describeWait(folder: string): string {
  const build = `gamedata build --out ${quoteArgument(folder)}`;
  return `Waiting for one: run ${build} in another terminal, or serve another folder with gamedata serve <dir>.`;
}

interface WatchOptions {
  /** Called with one line if the folder does not contain a complete site. */
  readonly onProblem: (line: string) => void;
  /** Stops watching the folder. */
  readonly signal: AbortSignal;
  /** Waits between checks of the folder. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal });

/**
 * Waits until a folder contains a complete site. Then checks its manifest once a
 * second until the signal aborts, and loads each new site as soon as it is complete.
 * Until then, the previous site is still served.
 *
 * @returns a function that returns the last complete site
 * @throws OutputError if the first site is too large
 */
export async function watchSite(
  folder: string,
  { onProblem, signal, wait = sleep }: WatchOptions,
): Promise<() => LoadedSite> {
  let isReported = false;

  /** Reports an incomplete site, but only once. */
  function report(error: unknown, advice: string): void {
    const reason = describeProblem(error, folder);
    const problem = `there is no complete site in ${folder} (${reason})`;
    if (!isReported) onProblem(`${problem}. ${advice}`);
    isReported = true;
  }

  async function loadFirst(): Promise<LoadedSite> {
    for (;;) {
      try {
        return await loadSite(folder);
      } catch (error) {
        if (!mayBeCompleted(error)) throw error;
        report(error, describeWait(folder));
      }
      await wait(WAITING_INTERVAL_MS, signal);
    }
  }

  async function keepLoading(): Promise<void> {
    for (;;) {
      await wait(RUNNING_INTERVAL_MS, signal);
      try {
        site = await loadSite(folder, site);
        isReported = false;
      } catch (error) {
        report(error, 'The previous site is still served.');
      }
    }
  }

  let site = await loadFirst();
  isReported = false;
  // The loop ends only when the signal aborts, and that error is expected.
  keepLoading().catch(() => {});
  return () => site;
}

/**
 * Describes a problem. Mentions the folder only if the problem is in one of its
 * files, because the reported line already starts with the folder.
 */
function describeProblem(error: unknown, folder: string): string {
  if (error instanceof OutputError && error.path === folder) return error.problem;
  return (error as Error).message;
}

/** Thrown if a site needs too much memory. */
class TooLargeError extends OutputError {}

/**
 * Returns whether waiting may help, because a running build may still complete the
 * site.
 */
function mayBeCompleted(error: unknown): boolean {
  return error instanceof GamedataError && !(error instanceof TooLargeError);
}

/**
 * Loads the site in a folder. A build replaces the manifest last. If the manifest
 * has not been replaced, the previous site is still current. If any file differs
 * from the manifest, the site is incomplete. Unchanged files are reused from the
 * previous site.
 *
 * @throws OutputError if the site is incomplete or cannot be served
 */
async function loadSite(folder: string, previous?: LoadedSite): Promise<LoadedSite> {
  const version = readVersion(folder);
  if (previous && previous.version === version) return previous;
  if (readStatus(folder) === undefined) {
    throw new OutputError('the folder does not exist', folder);
  }
  const site = openSite(folder);
  const { manifest, manifestBody, meta } = site;
  const served = manifest.files.filter((entry) => !isHostConfig(entry.path));
  assertFitsIntoMemory(folder, served);

  const files = await loadFiles(site, served, previous);
  files.set(MANIFEST_FILE, createFile(manifestBody, sha256(manifestBody)));
  const base = getBasePath(meta.base_url);
  const respond = createResponder({ get: async (file) => files.get(file) }, base);
  return { meta, base, respond, files, version };
}

/**
 * Identifies the current manifest file. Returns undefined if there is none. A staged
 * manifest is already the current one, and stays the same file when it is moved.
 */
function readVersion(folder: string): string | undefined {
  const isStaged = findCommittedManifest(folder) === MANIFEST_FILE;
  const manifestFolder = isStaged ? path.join(folder, STAGED_FOLDER) : folder;
  const status = readStatus(path.join(manifestFolder, MANIFEST_FILE));
  if (!status) return undefined;
  return [status.ino, status.mtimeMs, status.size].join(':');
}

async function loadFiles(
  site: SiteFolder,
  served: Manifest['files'],
  previous: LoadedSite | undefined,
): Promise<Map<string, LoadedFile>> {
  const files = new Map<string, LoadedFile>();
  for (const { path: file, sha256 } of served) {
    if (files.size % FILES_AT_ONCE === 0) await setImmediate();
    const previousFile = previous?.files.get(file);
    if (previousFile?.sha256 === sha256) {
      files.set(file, previousFile);
      continue;
    }
    const body = site.read(file);
    files.set(file, createFile(body, sha256));
  }
  return files;
}

function createFile(body: Buffer, sha256: string): LoadedFile {
  // 27 characters are the first 162 bits of the hash, which is enough and keeps the
  // header short.
  const tag = Buffer.from(sha256, 'hex').toString('base64url').slice(0, 27);
  // The handler also runs outside Node, so it gets plain bytes instead of a
  // `Buffer`.
  return { body: new Uint8Array(body), etag: `"${tag}"`, sha256 };
}

function assertFitsIntoMemory(
  folder: string,
  files: readonly ManifestEntry[],
): void {
  let bytes = 0;
  for (const entry of files) bytes += entry.bytes;
  if (bytes <= MAX_SITE_BYTES) return;
  const got = formatBytes(bytes);
  const expected = formatBytes(MAX_SITE_BYTES);
  const hosts = joinWords(webServerNames, 'or');
  throw new TooLargeError(
    `has ${got} of files, expected at most ${expected}, because serve holds them in memory`,
    folder,
    {
      hint: `Serve the folder with a web server: build with --host ${hosts} (docs/OPERATING.md).`,
    },
  );
}
