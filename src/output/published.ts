/** The published site as the last build left it: what its manifest lists, and whether its files are unchanged. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { byPath, type Entries } from '../contract/entries.ts';
import { refuseNewerFormat } from '../contract/format.ts';
import { type Making, type ManifestEntry, type Meta, manifestReader, metaReader } from '../contract/meta.ts';
import { parseJson, UNCOMPILED } from '../contract/parse.ts';
import { MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readPieces, readText, walk } from '../files/folder.ts';
import { parseLongJson } from '../text/long-json.ts';
import { firstOf } from '../text/names.ts';
import { measure } from './listing.ts';
import { startLooking } from './untouched.ts';
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
  /** By path: the SHA-256 of what a file was made from. */
  readonly derived: Readonly<Record<string, string>>;
  /** The entries of all files that have been touched since they were published. */
  findTouched(): ReadonlySet<ManifestEntry>;
}

const nothing: Published = {
  entries: byPath([]),
  manifestBytes: 0,
  hashManifest: () => '',
  meta: undefined,
  making: undefined,
  derived: {},
  findTouched: () => new Set(),
};

/**
 * Reads what is published in a folder.
 *
 * @param helper the file with the code of a thread that looks at files, if there are many
 * @throws OutputError if the folder contains anything but a published site
 */
export function readPublished({ name, out }: WorkFolders, helper?: string): Published {
  if (!existsSync(out) || isEmptyFolder(name, out)) return nothing;
  const file = path.join(out, MANIFEST_FILE);
  const json = existsSync(file) ? readManifest(name, out) : undefined;
  refuseNewerFormat(
    json,
    (problem, options) => new OutputError(`${MANIFEST_FILE} ${problem}`, name, options),
  );
  const parsed = manifestReader.safeParse(json, UNCOMPILED);
  if (!parsed.success) {
    throw new OutputError(`contains files, but no ${MANIFEST_FILE} of a gamedata build`, name, {
      hint: 'It was left untouched. Choose a new or empty folder with --out.',
    });
  }
  const { format: _, files, derived = {}, ...making } = parsed.data;
  const { mtimeMs: written, size: manifestBytes } = statSync(file);
  const site = { out, written };
  return {
    entries: byPath(files),
    manifestBytes,
    hashManifest: () => measure(readPieces(out, MANIFEST_FILE)).sha256,
    meta: readMeta(out),
    making,
    derived,
    findTouched: startLooking(files, site, helper),
  };
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
    return parseLongJson(() => readPieces(out, MANIFEST_FILE), 'files');
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw new OutputError(`${MANIFEST_FILE} cannot be read (${errorCode(cause)})`, name, { cause });
  }
}

function readMeta(out: string): Meta | undefined {
  try {
    return metaReader.safeParse(parseJson(readText(out, META_FILE)), UNCOMPILED).data;
  } catch {
    return undefined;
  }
}
