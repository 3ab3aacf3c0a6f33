/** The published site as the last build left it: what its manifest lists, and whether its files are unchanged. */

import { hash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { refuseNewerFormat } from '../contract/format.ts';
import {
  type Entries,
  type Making,
  type ManifestEntry,
  type Meta,
  manifestReader,
  metaReader,
} from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { firstOf } from '../contract/words.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readFile, readText, walk } from '../files.ts';
import type { WorkFolders } from './work-folders.ts';

export interface Published {
  /** What the manifest lists; nothing if nothing is published. */
  readonly entries: Entries;
  /** The manifest's own size; 0 if nothing is published. */
  readonly manifestBytes: number;
  /** The SHA-256 of the manifest; empty if nothing is published. */
  hashManifest(): string;
  /** The site's description; undefined if nothing is published, or it cannot be read. */
  readonly meta: Meta | undefined;
  /** What its files were made by, and from; undefined if nothing is published. */
  readonly making: Making | undefined;
  /** The entries of all files that have been touched since they were published. */
  findTouched(): ReadonlySet<ManifestEntry>;
}

const nothing: Published = {
  entries: new Map(),
  manifestBytes: 0,
  hashManifest: () => '',
  meta: undefined,
  making: undefined,
  findTouched: () => new Set(),
};

/**
 * Reads what is published in a folder.
 *
 * @throws OutputError if the folder contains anything but a published site
 */
export function readPublished({ name, out }: WorkFolders): Published {
  if (!existsSync(out) || isEmptyFolder(name, out)) return nothing;
  const file = path.join(out, MANIFEST_FILE);
  const json = existsSync(file) ? readManifest(name, out) : undefined;
  refuseNewerFormat(
    json,
    (problem, options) => new OutputError(`${MANIFEST_FILE} ${problem}`, name, options),
  );
  const parsed = manifestReader.safeParse(json);
  if (!parsed.success) {
    throw new OutputError(`contains files, but no ${MANIFEST_FILE} of a gamedata build`, name, {
      hint: 'It was left untouched. Choose a new or empty folder with --out.',
    });
  }
  const { format: _, files, ...making } = parsed.data;
  const { mtimeMs: written, size: manifestBytes } = statSync(file);
  return {
    entries: new Map(files.map((entry) => [entry.path, entry])),
    manifestBytes,
    hashManifest: () => hash('sha256', readFile(out, MANIFEST_FILE)),
    meta: readMeta(out),
    making,
    findTouched: () => new Set(files.filter((entry) => isTouched(out, entry, written))),
  };
}

/** Anything newer than the manifest, which comes last, was changed by somebody else. */
function isTouched(out: string, { path: file, bytes }: ManifestEntry, written: number): boolean {
  const stat = lstatSync(path.join(out, file), { throwIfNoEntry: false });
  return !stat?.isFile() || stat.size !== bytes || stat.mtimeMs > written;
}

/** Throws if files of a folder that were not published would be lost: all of them, if the whole folder is replaced. */
export function refuseForeignFiles(
  { name, out }: WorkFolders,
  { entries }: Published,
  lost?: readonly string[],
): void {
  const foreign: string[] = [];
  for (const file of lost ?? filesOf(out))
    if (file !== MANIFEST_FILE && !entries.has(file)) foreign.push(file);
  if (foreign.length === 0) return;
  throw new OutputError(`contains files that gamedata did not write: ${firstOf(foreign, 5)}`, name, {
    hint: 'Move them elsewhere, or into public/ to make them part of the site.',
  });
}

function* filesOf(folder: string): Generator<string> {
  if (existsSync(folder)) for (const { path } of walk(folder)) yield path;
}

function isEmptyFolder(name: string, folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (cause) {
    throw new OutputError(`is not a readable folder (${errorCode(cause)})`, name, { cause });
  }
}

/** Undefined if it is not JSON. */
function readManifest(name: string, out: string): unknown {
  try {
    return JSON.parse(readText(out, MANIFEST_FILE));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
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
