/** Redirects that depend on what the site says: of renamed records, and of icons that it does not hold. */

import { defaultIconSource, type IconSource, iconModes, iconRedirectBase } from '../../contract/icons.ts';
import { ICONS_FOLDER, INDEX_FILE, META_FILE, MOVED_FILE } from '../../contract/paths.ts';
import { type AssetStore, readJson } from './store.ts';

/** The present path of a renamed record, by its former file; undefined if there is no redirect. */
export async function movedPath(store: AssetStore, file: string): Promise<string | undefined> {
  const table = (await readJson<Readonly<Record<string, unknown>>>(store, MOVED_FILE)) ?? {};
  const path = `/${file.slice(0, -INDEX_FILE.length)}`;
  const to = Object.hasOwn(table, path) ? table[path] : undefined;
  return typeof to === 'string' ? to : undefined;
}

/** The URL of an icon elsewhere; undefined if the file is not an icon, or there is no redirect. */
export async function iconRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(ICONS_FOLDER)) return undefined;
  const base = iconRedirectBase(iconSourceOf(await readJson(store, META_FILE)));
  return base === null ? undefined : base + file.slice(ICONS_FOLDER.length);
}

/** By hand, as the handler does not include the schemas. */
function iconSourceOf(meta?: { sprites?: { mode?: unknown; upstream?: unknown } }): IconSource {
  const mode = iconModes.find((name) => name === meta?.sprites?.mode);
  if (mode === undefined) return defaultIconSource;
  const upstream = meta?.sprites?.upstream;
  return { mode, upstream: typeof upstream === 'string' ? upstream : null };
}
