import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { getMaxBytes } from '../contract/limits.ts';
import * as contract from '../contract/meta.ts';
import { parse, parseJsonRecord } from '../contract/parse.ts';
import { getBasePath, MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { formatBytes, joinWords } from '../contract/words.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';
import { readRegular } from '../files.ts';
import { isHostConfig, webServerNames } from '../hosts/index.ts';
import { type Asset, createResponder, type Responder } from './handler/index.ts';

/** A built site in memory: exactly the files that its manifest lists. */
export interface LoadedSite {
  readonly meta: contract.Meta;
  readonly base: string;
  readonly respond: Responder;
  readonly files: ReadonlyMap<string, Asset & { readonly sha256: string }>;
  readonly version: string | undefined;
}

/** A hundred times the live upstream's site. */
const MAX_SITE_BYTES = 1e9;
/** While the first site is missing, because a build may complete it at any time. */
const WAITING_INTERVAL_MS = 250;
/** For as long as the server runs. */
const RUNNING_INTERVAL_MS = 1000;

const WAITING =
  'Waiting until gamedata build completes it; name another folder with gamedata serve <dir>.';

interface WatchOptions {
  /** Called with one line while the folder does not hold a complete site. */
  readonly onProblem: (line: string) => void;
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Waits between two looks at the folder. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal });

/**
 * Waits until a folder holds a complete site. Then looks at its manifest once a second, and loads each new site as soon as it
 * is complete, until the signal aborts. Serves the previous site in the meantime.
 *
 * @returns a function that returns the last complete site
 * @throws OutputError if the first site is too large or has a newer format
 */
export async function watchSite(
  folder: string,
  { onProblem, signal, wait = sleep }: WatchOptions,
): Promise<() => LoadedSite> {
  let isReported = false;

  /** Reports each incomplete site once. */
  function report(error: unknown, advice: string): void {
    const problem = `${folder}: is not a complete site (${(error as Error).message})`;
    if (!isReported) onProblem(`${problem}. ${advice}`);
    isReported = true;
  }

  async function loadFirst(): Promise<LoadedSite> {
    for (;;) {
      try {
        return await loadSite(folder);
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        report(error, WAITING);
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
  // It ends only with the signal, whose error is expected.
  keepLoading().catch(() => {});
  return () => site;
}

/** Returns the previous site if its manifest is still the same. */
async function loadSite(folder: string, previous?: LoadedSite): Promise<LoadedSite> {
  const status = statSync(path.join(folder, MANIFEST_FILE), { throwIfNoEntry: false });
  // A build replaces the manifest last.
  const version = status && [status.ino, status.mtimeMs, status.size].join(':');
  if (previous && previous.version === version) return previous;
  const manifest = readAsset(folder, MANIFEST_FILE);
  const files = new Map([[MANIFEST_FILE, manifest]]);
  for (const [at, { path: file, sha256 }] of parseManifest(folder, manifest).entries()) {
    if (at % 50 === 0) await setImmediate();
    const known = previous?.files.get(file);
    const loaded = known?.sha256 === sha256 ? known : readAsset(folder, file);
    if (loaded.sha256 !== sha256)
      throw new DataError('differs from the manifest', { record: file });
    files.set(file, loaded);
  }
  const meta = parse(contract.metaReader, parseAsset(META_FILE, files.get(META_FILE)), {
    record: META_FILE,
  });
  const base = getBasePath(meta.base_url);
  const respond = createResponder({ get: async (file) => files.get(file) }, base);
  return { meta, base, respond, files, version };
}

function readAsset(folder: string, file: string): Asset & { readonly sha256: string } {
  try {
    const body = readRegular(path.join(folder, file), getMaxBytes(file));
    const sha256 = hash('sha256', body);
    const etag = `"${Buffer.from(sha256, 'hex').toString('base64url').slice(0, 27)}"`;
    return { body, etag, sha256 };
  } catch (cause) {
    throw new DataError(errorCode(cause), { record: file }, { cause });
  }
}

const parseAsset = (file: string, asset?: Asset): unknown =>
  parseJsonRecord(Buffer.from(asset?.body ?? '').toString(), file);

function parseManifest(folder: string, manifest: Asset): contract.ManifestEntry[] {
  const json = parseAsset(MANIFEST_FILE, manifest);
  contract.rejectOtherFormat(json, (problem, options) => new OutputError(problem, folder, options));
  const listed = parse(contract.manifestReader, json, { record: MANIFEST_FILE }).files;
  const served = listed.filter((file) => !isHostConfig(file.path));
  const size = served.reduce((sum, file) => sum + file.bytes, 0);
  if (size <= MAX_SITE_BYTES) return served;
  const [got, expected] = [size, MAX_SITE_BYTES].map((bytes) => formatBytes(bytes));
  throw new OutputError(
    `has ${got} of files, expected at most ${expected}, because serve holds them in memory`,
    folder,
    {
      hint: `Serve the folder with a web server: build with --host ${joinWords(webServerNames, 'or')} (docs/OPERATING.md).`,
    },
  );
}
