/** The published site as the last build left it: what its manifest lists, and whether its files are unchanged. */

import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { refuseNewerFormat } from '../contract/format.ts';
import { type Making, type ManifestEntry, type Meta, manifestReader, metaReader } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';
import { listFiles, readText } from '../files/folder.ts';
import { firstOf } from '../text/names.ts';
import type { WorkFolders } from './work-folders.ts';

export interface Published {
  /** The manifest's text; empty if nothing is published. */
  readonly manifest: string;
  readonly entries: ReadonlyMap<string, ManifestEntry>;
  /** The site's description; undefined if nothing is published, or it cannot be read. */
  readonly meta: Meta | undefined;
  /** What its files were made by, and from; undefined if nothing is published. */
  readonly making: Making | undefined;
  /** The entry of a published file that has not been touched since. */
  intact(path: string): ManifestEntry | undefined;
}

const nothing: Published = {
  manifest: '',
  entries: new Map(),
  meta: undefined,
  making: undefined,
  intact: () => undefined,
};

/**
 * Reads what is published in a folder.
 *
 * @throws OutputError if the folder contains anything but a published site
 */
export function readPublished({ name, out }: WorkFolders): Published {
  if (!existsSync(out) || isEmptyFolder(name, out)) return nothing;
  const file = path.join(out, MANIFEST_FILE);
  const manifest = existsSync(file) ? readManifest(name, out) : '';
  const json = parseJson(manifest);
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
  const entries = new Map(parsed.data.files.map((entry) => [entry.path, entry]));
  const written = statSync(file).mtimeMs;
  const { format: _, files: __, ...making } = parsed.data;
  return {
    manifest,
    entries,
    meta: readMeta(out),
    making,
    intact(file) {
      const entry = entries.get(file);
      // `path.join` would take as long as the call of the system.
      const stat = entry && lstatSync(`${out}${path.sep}${file}`, { throwIfNoEntry: false });
      // The manifest is written last: anything newer was changed by somebody else.
      const isIntact = stat?.isFile() === true && stat.size === entry?.bytes && stat.mtimeMs <= written;
      return isIntact ? entry : undefined;
    },
  };
}

/** Throws if files of a folder that were not published would be lost: all of them, if the whole folder is replaced. */
export function refuseForeignFiles(
  { name, out }: WorkFolders,
  { entries }: Published,
  lost: readonly string[] = existsSync(out) ? listFiles(out) : [],
): void {
  const foreign = lost.filter((file) => file !== MANIFEST_FILE && !entries.has(file));
  if (foreign.length === 0) return;
  throw new OutputError(`contains files that gamedata did not write: ${firstOf(foreign, 5)}`, name, {
    hint: 'Move them elsewhere, or into public/ to make them part of the site.',
  });
}

function isEmptyFolder(name: string, folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (cause) {
    throw new OutputError(`is not a readable folder (${errorCode(cause)})`, name, { cause });
  }
}

function readManifest(name: string, out: string): string {
  try {
    return readText(out, MANIFEST_FILE);
  } catch (cause) {
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
