/** The published site as the last build left it: what its manifest says, and whether its files are still those. */

import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CHANGES_FILE, type History, historySchema } from '../contract/changes.ts';
import {
  MANIFEST_FILE,
  type ManifestEntry,
  META_FILE,
  type Meta,
  manifestSchema,
  metaSchema,
} from '../contract/meta.ts';
import { errorCode, OutputError } from '../errors.ts';
import { GENERATOR } from '../version.ts';
import type { WorkFolders } from './work-folders.ts';

export interface Published {
  /** The manifest's text; empty where nothing is published. */
  readonly manifest: string;
  readonly entries: ReadonlyMap<string, ManifestEntry>;
  /** What the site says of its data; undefined where nothing is published, or it says it in another way. */
  readonly meta: Meta | undefined;
  /** Whether just this file is published, and nobody has touched it since the build. */
  has(entry: ManifestEntry): boolean;
  /** A published file that this version made out of others, as it would make it again. */
  derived(name: string): ManifestEntry | undefined;
}

const nothing: Published = {
  manifest: '',
  entries: new Map(),
  meta: undefined,
  has: () => false,
  derived: () => undefined,
};

/**
 * Reads what is published in a folder.
 *
 * @throws OutputError where the folder holds anything that no build of ours wrote
 */
export function readPublished({ name, out }: WorkFolders): Published {
  if (!existsSync(out) || isEmptyFolder(name, out)) return nothing;
  const file = path.join(out, MANIFEST_FILE);
  const manifest = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const parsed = manifestSchema.safeParse(parseJson(manifest));
  if (!parsed.success) {
    throw new OutputError(
      `holds files but no ${MANIFEST_FILE} of a gamedata build, and is left alone`,
      name,
      {
        hint: 'Name a new or empty folder with --out, or remove this one.',
      },
    );
  }
  const entries = new Map(parsed.data.files.map((entry) => [entry.path, entry]));
  const written = statSync(file).mtimeMs;
  /** The manifest is written last: whatever is newer was changed by somebody else. */
  const isIntact = (entry: ManifestEntry): boolean => {
    const stat = lstatSync(path.join(out, entry.path), { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size === entry.bytes && stat.mtimeMs <= written;
  };
  return {
    manifest,
    entries,
    meta: readMeta(out),
    has: (entry) => entries.get(entry.path)?.sha256 === entry.sha256 && isIntact(entry),
    derived(name) {
      const entry = parsed.data.generator === GENERATOR ? entries.get(name) : undefined;
      return entry && isIntact(entry) ? entry : undefined;
    },
  };
}

/** Throws where a folder that is about to be replaced holds files of somebody else: they would be lost. */
export function refuseStrangers({ name, out }: WorkFolders, { entries }: Published): void {
  if (!existsSync(out)) return;
  const strangers = listFiles(out).filter((file) => file !== MANIFEST_FILE && !entries.has(file));
  if (strangers.length === 0) return;
  const shown =
    strangers.slice(0, 5).join(', ') + (strangers.length > 5 ? `, and ${strangers.length - 5} more` : '');
  throw new OutputError(`holds files that no build wrote: ${shown}`, name, {
    hint: 'Move them away, or into public/ if the site should have them.',
  });
}

/** Every file below a folder, with forward slashes. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

function isEmptyFolder(name: string, folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (cause) {
    throw new OutputError(`is not a folder that can be read (${errorCode(cause)})`, name, { cause });
  }
}

function readMeta(out: string): Meta | undefined {
  const file = path.join(out, META_FILE);
  return existsSync(file) ? metaSchema.safeParse(parseJson(readFileSync(file, 'utf8'))).data : undefined;
}

/** The history that a published site has; undefined where it has none, or says it in another way. */
export function readPublishedHistory(out: string): History | undefined {
  const file = path.join(out, CHANGES_FILE);
  return existsSync(file) ? historySchema.safeParse(parseJson(readFileSync(file, 'utf8'))).data : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
