/** Publishing: the folder holds the old site or the new one, whole, whatever happens in between. */

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { listPath } from '../contract/addresses.ts';
import type { Kind } from '../contract/kinds.ts';
import { MANIFEST_FILE, type Manifest, type ManifestEntry, type Meta, SITE_PATH } from '../contract/meta.ts';
import type { DerivedFile, ListedFile, SiteFile } from '../contract/site.ts';
import { errorCode, GamedataError, OutputError } from '../errors.ts';
import type { Past } from '../past.ts';
import { GENERATOR } from '../version.ts';
import { acquireLock } from './lock.ts';
import { type Published, readPublished, readPublishedHistory, refuseStrangers } from './published.ts';
import { readSiteRecords } from './site-records.ts';
import { createStage, type Stage } from './stage.ts';
import { heal, type WorkFolders, workFolders } from './work-folders.ts';

export interface PublishResult {
  /** False where the folder held exactly this site already, and was not touched. */
  readonly changed: boolean;
  /** All files, the manifest included, and their size together. */
  readonly files: number;
  readonly bytes: number;
  readonly written: number;
  readonly kept: number;
  /** Files of the old site that the new one does not have. */
  readonly removed: number;
}

export interface Output {
  /** What the published site says of its data, and has of it. */
  readonly previous: Past | undefined;
  readonly published: Published;
  /** The files gone through by the `publish` that runs: path → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Replaces what is published by these files, in one pass over them. */
  publish(
    files: Iterable<SiteFile | DerivedFile | ListedFile>,
    options?: PublishOptions,
  ): Promise<PublishResult>;
}

export interface PublishOptions {
  readonly signal?: AbortSignal | undefined;
  /** Who made the files, where it was not this version. */
  readonly generator?: string | undefined;
}

/**
 * Lends a folder for publishing into it: alone, and healed of what a killed build left behind.
 *
 * @throws OutputError where another build has it, or it holds something that no build wrote
 */
export async function withOutput<T>(out: string, use: (output: Output) => Promise<T>): Promise<T> {
  const folders = workFolders(out);
  makeParent(folders);
  const release = acquireLock(folders);
  try {
    heal(folders);
    const published = readPublished(folders);
    const listed = createListing();
    return await use({
      previous: published.meta && pastOf(folders, published, published.meta),
      published,
      sizes: listed.sizes,
      publish: (files, options = {}) => publish(files, { ...options, folders, published, listed }),
    });
  } finally {
    heal(folders);
    release();
  }
}

function pastOf({ out }: WorkFolders, published: Published, meta: Meta): Past {
  return {
    ...meta,
    slugs: (kind) => publishedSlugs(published, kind),
    records: () => readIfWhole(() => readSiteRecords(out, meta)),
    history: () => readPublishedHistory(out),
  };
}

/** Pages that somebody has damaged are made anew by the build that asks for them: they are no reason to stop it. */
function readIfWhole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
}

/** The slugs of a kind, by the files that the manifest lists. */
function publishedSlugs({ entries }: Published, kind: Kind): string[] {
  const folder = listPath(kind).slice(1);
  return [...entries.keys()].flatMap((file) => {
    const [slug, , ...deeper] = file.startsWith(folder) ? file.slice(folder.length).split('/') : [];
    return slug !== undefined && slug !== 'index.json' && deeper.length === 0 ? [slug] : [];
  });
}

/** Puts back a site that a build, killed at the wrong moment, left moved aside. */
export function healAbandoned(out: string): void {
  const folders = workFolders(out);
  if (existsSync(folders.out) || !existsSync(folders.retired)) return;
  const release = acquireLock(folders);
  try {
    heal(folders);
  } finally {
    release();
  }
}

function makeParent({ name, out }: WorkFolders): void {
  try {
    mkdirSync(path.dirname(out), { recursive: true });
  } catch (cause) {
    throw new OutputError(`cannot be made (${errorCode(cause)})`, name, { cause });
  }
}

async function publish(
  files: Iterable<SiteFile | DerivedFile | ListedFile>,
  {
    folders,
    published,
    listed,
    signal,
    generator = GENERATOR,
  }: PublishOptions & { folders: WorkFolders; published: Published; listed: Listing },
): Promise<PublishResult> {
  const kept = new Set<string>();
  const written: ManifestEntry[] = [];
  let stage: Stage | undefined;
  /** The new tree is begun at the first difference: where there is none, nothing is touched. */
  const begin = (): Stage => {
    refuseStrangers(folders, published);
    const begun = createStage(folders.fresh, folders.out);
    for (const name of kept) begun.keep(name);
    return begun;
  };
  const isKept = (name: string): boolean => kept.has(name);
  /** All files so far are the published ones, and those are all. */
  const isAllKept = (except: readonly string[]): boolean =>
    [...published.entries.keys(), ...listed.entries.map((entry) => entry.path)].every(
      (name) => isKept(name) || except.includes(name),
    );
  const isUnchanged = (of: DerivedFile['of']): boolean =>
    'except' in of ? isAllKept(of.except) : of.every(isKept);
  const keep = (entry: ManifestEntry): void => {
    listed.add(entry);
    kept.add(entry.path);
    stage?.keep(entry.path);
  };
  const write = (entry: ManifestEntry, body: SiteFile['body']): void => {
    listed.add(entry);
    stage ??= begin();
    stage.write(entry.path, body);
    written.push(entry);
  };

  for (const file of files) {
    const valid = 'of' in file && isUnchanged(file.of) ? published.derived(file.path) : undefined;
    if (valid) keep(valid);
    else if ('sha256' in file && published.has(file)) keep(entryOf(file));
    else {
      const body = 'make' in file ? await file.make() : file.body;
      const entry = { path: file.path, bytes: Buffer.byteLength(body), sha256: hash('sha256', body) };
      if ('sha256' in file && file.sha256 !== entry.sha256)
        throw new OutputError(`got SHA-256 ${entry.sha256}, expected ${file.sha256}`, file.path);
      if (published.has(entry)) keep(entry);
      else write(entry, body);
    }
    // Now and then a turn for signals and the progress line.
    if (listed.entries.length % 512 === 0) await setImmediate();
    signal?.throwIfAborted();
  }

  const entries = listed.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const manifest = JSON.stringify({ generator, files: entries } satisfies Manifest);
  const changed = stage !== undefined || manifest !== published.manifest;
  if (changed) {
    stage ??= begin();
    stage.write(MANIFEST_FILE, manifest);
    // What was kept is the published file itself, and has been looked at.
    for (const { path, bytes } of written) stage.inspect(path, bytes);
    swap(folders);
  }
  return {
    changed,
    files: entries.length + 1,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, Buffer.byteLength(manifest)),
    written: changed ? written.length + 1 : 0,
    kept: entries.length - written.length + (changed ? 0 : 1),
    removed: [...published.entries.keys()].filter((path) => !listed.sizes.has(path)).length,
  };
}

const entryOf = ({ path, bytes, sha256 }: ManifestEntry): ManifestEntry => ({ path, bytes, sha256 });

interface Listing {
  readonly entries: ManifestEntry[];
  readonly sizes: ReadonlyMap<string, number>;
  add(entry: ManifestEntry): void;
}

/** Collects the manifest's entries, and refuses a path that is unsafe or comes twice, be it in other letter case. */
function createListing(): Listing {
  const entries: ManifestEntry[] = [];
  const sizes = new Map<string, number>();
  /** The few paths with capitals, without them. */
  const folded = new Set<string>();
  return {
    entries,
    sizes,
    add(entry) {
      const { path } = entry;
      if (!SITE_PATH.test(path)) throw new OutputError('is no path inside the site', path);
      const key = path.toLowerCase();
      if (sizes.has(path) || sizes.has(key) || folded.has(key))
        throw new OutputError('comes twice in the site, be it in other letter case', path);
      if (key !== path) folded.add(key);
      entries.push(entry);
      sizes.set(path, entry.bytes);
    },
  };
}

/** The only moment without a site is between two renames, and `heal` puts the old one back if it ends there. */
function swap({ name, out, fresh, retired }: WorkFolders): void {
  try {
    if (existsSync(out)) renameSync(out, retired);
    renameSync(fresh, out);
  } catch (cause) {
    throw new OutputError(`cannot be replaced (${errorCode(cause)})`, name, {
      cause,
      hint: 'Its parent folder has to be writable, and it must not be a mount point.',
    });
  }
}
