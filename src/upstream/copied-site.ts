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

/** A site that is copied. */
export interface CopiedSite {
  readonly meta: Meta;
  readonly dataSet: DataSet;
  /** The icons by path, without icons that are only the placeholder. */
  readonly icons: ReadonlyMap<string, Uint8Array>;
  readonly requests?: RequestStats;
}

export interface CopyOptions {
  /** Returns whether the copy contains icons. */
  readonly wantsIcons: (meta: Meta) => boolean;
  /** Reads an icon of the published site, so that it need not be read again. */
  readonly readPublishedIcon: (icon: ManifestEntry) => Uint8Array | undefined;
  /** Called before the first icon is read, and after each of them. */
  readonly onIcon?: (done: number, total: number) => void;
}

/** The files of a site that is copied. Each of them matches its manifest entry. */
export interface SiteFiles {
  /** The folder or the base URL, for error messages. */
  readonly name: string;
  readonly entries: Entries;
  read(file: string): Uint8Array | Promise<Uint8Array>;
}

/**
 * Reads the parts of a site that a copy is built from: `meta.json`, the data set, and the
 * icons if the copy contains icons.
 *
 * @throws GamedataError if this is not a site of gamedata
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
 * Reads the icons of a site, by path. An icon that the copy has published before is taken
 * from there.
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
