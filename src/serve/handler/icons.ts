/** Icons that the site does not hold: where requests for them are redirected. */

import { defaultIconSource, type IconSource, iconModes, iconRedirectBase } from '../../contract/icons.ts';
import { ICONS_PATH, META_FILE } from '../../contract/paths.ts';
import type { AssetStore } from './store.ts';

/** The URL to redirect to; undefined if the file is not an icon, or there is no redirect. */
export async function iconRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  const path = `/${file}`;
  if (!path.startsWith(ICONS_PATH)) return undefined;
  const meta = await store.get(META_FILE);
  const base = iconRedirectBase(meta ? readSprites(new TextDecoder().decode(meta.body)) : defaultIconSource);
  return base === null ? undefined : base + path.slice(ICONS_PATH.length);
}

/** By hand, as the handler does not include the schemas. */
function readSprites(text: string): IconSource {
  const meta = JSON.parse(text) as { sprites?: { mode?: unknown; upstream?: unknown } };
  const mode = iconModes.find((name) => name === meta.sprites?.mode);
  if (mode === undefined) return defaultIconSource;
  return { mode, upstream: typeof meta.sprites?.upstream === 'string' ? meta.sprites.upstream : null };
}
