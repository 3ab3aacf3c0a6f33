/** The published files as the last build left them: what their manifest lists, and which of them have been touched since. */

import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describeExcess, maxBytesOf } from '../contract/limits.ts';
import type { Entries, Manifest, ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { DataError, errorCode, OutputError } from '../errors.ts';
import { attempt, explained, readFile, statusOf } from '../files.ts';
import { entriesOf, readManifest, readMeta } from '../sources/site/read.ts';
import { folderStorage, type SiteStorage } from '../sources/site/storage.ts';
import type { WorkFolders } from './work-folders.ts';

/** Empty if nothing is published. */
export type Published = ReturnType<typeof readPublished>;

/**
 * Reads what is published in a folder.
 *
 * @param compared `byContent`: by what is in files, and not by size and time alone; `dropped`: what an interrupted build may have
 *   placed, although the folder is another one now
 * @throws OutputError if the folder contains anything but a published site
 */
export function readPublished(
  { name, out }: WorkFolders,
  { byContent, dropped }: { byContent: boolean; dropped: Entries | undefined },
) {
  const list = (): string[] => (existsSync(out) ? readdirSync(out) : []);
  const isEmpty = explained('is not a readable folder', name, list).length === 0;
  // What cannot be read is replaced, as far as it can be.
  const hasContent = ({ path: file, sha256 }: ManifestEntry): boolean =>
    attempt(() => hash('sha256', readFile(out, file))) === sha256;
  const placed = [...(dropped?.values() ?? [])].filter(hasContent);
  if (isEmpty || (dropped && !statusOf(path.join(out, MANIFEST_FILE))))
    return {
      entries: entriesOf({ files: [] }),
      own: entriesOf({ files: placed }),
      touched: new Set<string>(),
    };
  const storage = folderStorage(out, name);
  const { format: _, files, ...making } = readOwnManifest(storage);
  const written = statSync(path.join(out, MANIFEST_FILE)).mtimeMs;
  const entries = entriesOf({ files });
  const own = entriesOf({ files: [...files, ...placed] });
  // Anything newer than the manifest, which comes last, was changed by somebody else.
  const isTouched = ({ path: file, bytes }: ManifestEntry): boolean => {
    const stat = statusOf(path.join(out, file));
    return !stat?.isFile() || stat.size !== bytes || stat.mtimeMs > written;
  };
  const isOther = byContent || dropped ? (entry: ManifestEntry) => !hasContent(entry) : isTouched;
  const touched = [...own.values()].filter(isOther);
  return {
    /** What the manifest lists. */
    entries,
    /** The same, as far as is known with what an interrupted build has placed. */
    own,
    touched: new Set(touched.map((entry) => entry.path)),
    manifest: entryOf(MANIFEST_FILE, readFile(out, MANIFEST_FILE)),
    making,
    meta: readMeta(storage, entries),
  };
}

function readOwnManifest(storage: SiteStorage): Manifest {
  try {
    return readManifest(storage);
  } catch (cause) {
    if (!(cause instanceof OutputError) || cause.hint !== undefined) throw cause;
    const code = cause.cause instanceof DataError ? '' : errorCode(cause.cause);
    if (code !== '' && code !== 'ENOENT')
      throw new OutputError(`${MANIFEST_FILE} cannot be read (${code})`, storage.name, { cause });
    throw new OutputError(`contains files, but no ${MANIFEST_FILE} of a gamedata build`, storage.name, {
      cause,
      hint: 'It was left untouched. Choose a new or empty folder with --out.',
    });
  }
}

/** The manifest's entry of a file. */
export function entryOf(path: string, body: Uint8Array): ManifestEntry {
  const problem = describeExcess(body.length, maxBytesOf(path));
  if (problem !== undefined) throw new OutputError(problem, path);
  return { path, bytes: body.length, sha256: hash('sha256', body) };
}
