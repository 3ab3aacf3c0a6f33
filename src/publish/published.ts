/** The published site as the last build left it: what its manifest lists, and which of its files have been touched. */

import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  type Entries,
  MAX_FILE_BYTES,
  type Making,
  type ManifestEntry,
  type Meta,
  manifestReader,
  metaReader,
  refuseNewerFormat,
} from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readFile, readText, statusOf } from '../files.ts';
import type { WorkFolders } from './work-folders.ts';

/** Empty if nothing is published. */
export interface Published {
  /** What the manifest lists. */
  readonly entries: Entries;
  /** The files that have been touched since they were published. */
  readonly touched: ReadonlySet<string>;
  /** The manifest itself. */
  readonly manifest?: ManifestEntry;
  /** What the files were made by, and from. */
  readonly making?: Making;
  /** The site's description; undefined if it cannot be read, too. */
  readonly meta?: Meta | undefined;
}

/**
 * Reads what is published in a folder.
 *
 * @throws OutputError if the folder contains anything but a published site
 */
export function readPublished({ name, out }: WorkFolders): Published {
  try {
    if (!existsSync(out) || readdirSync(out).length === 0) return { entries: new Map(), touched: new Set() };
  } catch (cause) {
    throw new OutputError(`is not a readable folder (${errorCode(cause)})`, name, { cause });
  }
  const manifest = readManifest(name, out);
  const json = parseJson(manifest.toString());
  refuseNewerFormat(
    json,
    (problem, options) => new OutputError(`${MANIFEST_FILE} ${problem}`, name, options),
  );
  const parsed = manifestReader.safeParse(json);
  if (!parsed.success)
    throw new OutputError(`contains files, but no ${MANIFEST_FILE} of a gamedata build`, name, {
      hint: 'It was left untouched. Choose a new or empty folder with --out.',
    });
  const { format: _, files, ...making } = parsed.data;
  const { mtimeMs: written } = statSync(path.join(out, MANIFEST_FILE));
  return {
    entries: new Map(files.map((entry) => [entry.path, entry])),
    touched: new Set(files.filter((entry) => isTouched(out, entry, written)).map((entry) => entry.path)),
    manifest: entryOf(MANIFEST_FILE, manifest),
    making,
    meta: readMeta(out),
  };
}

/** The manifest's entry of a file. */
export function entryOf(path: string, body: Uint8Array): ManifestEntry {
  if (body.length > MAX_FILE_BYTES)
    throw new OutputError(`has ${body.length} bytes, expected at most ${MAX_FILE_BYTES}`, path);
  return { path, bytes: body.length, sha256: hash('sha256', body) };
}

/** Anything newer than the manifest, which comes last, was changed by somebody else. */
function isTouched(out: string, { path: file, bytes }: ManifestEntry, written: number): boolean {
  const stat = statusOf(path.join(out, file));
  return !stat?.isFile() || stat.size !== bytes || stat.mtimeMs > written;
}

/** Empty if it is not there. */
function readManifest(name: string, out: string): Buffer {
  try {
    return readFile(out, MANIFEST_FILE);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return Buffer.of();
    throw new OutputError(`${MANIFEST_FILE} cannot be read (${errorCode(cause)})`, name, { cause });
  }
}

function readMeta(out: string): Meta | undefined {
  try {
    return metaReader.safeParse(parseJson(readText(out, META_FILE))).data;
  } catch {
    return undefined;
  }
}
