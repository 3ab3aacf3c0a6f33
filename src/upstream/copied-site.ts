import { createMemoryLimit } from '../contract/limits.ts';
import type { Entries, ManifestEntry, Meta } from '../contract/meta.ts';
import { createForeignError, parseMeta } from '../contract/own-files.ts';
import {
  DATA_FOLDER,
  DATA_SET_FILE,
  ICONS_FOLDER,
  META_FILE,
  PLACEHOLDER_ICON,
} from '../contract/paths.ts';
import type { DataSet } from '../data/data-set.ts';
import { readDataSet } from '../data/data-set-folder.ts';
import type { RequestStats } from './transport.ts';

/** The parts of a site that a copy is built from. */
export interface CopiedSite {
  readonly meta: Meta;
  readonly dataSet: DataSet;
  /** The icons by path, except for copies of the placeholder image. */
  readonly icons: ReadonlyMap<string, Uint8Array>;
  readonly requests?: RequestStats;
}

export interface CopyOptions {
  /** Returns whether the copy should contain icons. */
  readonly wantsIcons: (meta: Meta) => boolean;
  /**
   * Reads an icon that the copy has already published, so that it need not be fetched
   * again.
   */
  readonly readPublishedIcon: (icon: ManifestEntry) => Uint8Array | undefined;
  /** Called before the first icon is read, and after each icon. */
  readonly onIcon?: (done: number, total: number) => void;
}

/** The files of the site to copy. Each of them matches its manifest entry. */
export interface SiteFiles {
  /** The folder or the base URL, for error messages. */
  readonly name: string;
  readonly entries: Entries;
  read(file: string): Uint8Array | Promise<Uint8Array>;
}

/**
 * Reads the parts of a site that a copy is built from: `meta.json`, the data set, and
 * the icons if the copy contains icons.
 *
 * @throws GamedataError if this is not a gamedata site
 */
export async function readSite(
  files: SiteFiles,
  options: CopyOptions,
): Promise<CopiedSite> {
  const { name, entries, read } = files;
  const description = DATA_FOLDER + DATA_SET_FILE;
  if (!entries.has(description)) throw createForeignError(name, description);
  const meta = parseMeta(await read(META_FILE), `${name}/${META_FILE}`);
  const dataSet = await readDataSet({
    name: `${name}/${DATA_FOLDER.slice(0, -1)}`,
    get: (file) => read(DATA_FOLDER + file),
  });
  if (!options.wantsIcons(meta)) return { meta, dataSet, icons: new Map() };
  return { meta, dataSet, icons: await readIcons(files, options) };
}

/**
 * Reads the icons of a site, by path. Reuses icons that the copy has already published.
 */
async function readIcons(
  { name, entries, read }: SiteFiles,
  { readPublishedIcon, onIcon }: CopyOptions,
): Promise<Map<string, Uint8Array>> {
  const icons = new Map<string, Uint8Array>();
  const iconEntries = listIcons(entries);
  // All icons are in memory at the same time, so their sizes are checked first.
  const countTowardLimit = createMemoryLimit(name);
  for (const { bytes } of iconEntries) countTowardLimit(bytes);
  onIcon?.(0, iconEntries.length);
  await Promise.all(
    iconEntries.map(async (entry) => {
      const icon = readPublishedIcon(entry) ?? (await read(entry.path));
      icons.set(entry.path, icon);
      onIcon?.(icons.size, iconEntries.length);
    }),
  );
  return icons;
}

/**
 * Lists the icons of a site. For an icon that could not be fetched, the site has a copy
 * of the placeholder image, so files with the same hash as the placeholder are omitted.
 */
function listIcons(entries: Entries): ManifestEntry[] {
  const placeholder = entries.get(PLACEHOLDER_ICON);
  const icons: ManifestEntry[] = [];
  for (const entry of entries.values()) {
    const isIcon = entry.path.startsWith(ICONS_FOLDER);
    if (isIcon && entry.sha256 !== placeholder?.sha256) icons.push(entry);
  }
  return icons;
}
