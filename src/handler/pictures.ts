/** Pictures that the site does not hold itself: what it says of them, and where they are. */

import { META_FILE } from '../contract/addresses.ts';
import {
  defaultSprites,
  PICTURES_PATH,
  redirectBase,
  type Sprites,
  spriteModes,
} from '../contract/pictures.ts';
import type { AssetStore } from './store.ts';

/** The address of a file elsewhere; undefined where it is no picture, or nobody else is to be asked. */
export async function pictureElsewhere(store: AssetStore, file: string): Promise<string | undefined> {
  const path = `/${file}`;
  if (!path.startsWith(PICTURES_PATH)) return undefined;
  const meta = await store.get(META_FILE);
  const base = redirectBase(meta ? readSprites(new TextDecoder().decode(meta.body)) : defaultSprites);
  return base === null ? undefined : base + path.slice(PICTURES_PATH.length);
}

/** By hand, since the handler comes without the schemas. */
function readSprites(text: string): Sprites {
  const meta = JSON.parse(text) as { sprites?: { mode?: unknown; upstream?: unknown } };
  const mode = spriteModes.find((name) => name === meta.sprites?.mode);
  if (mode === undefined) return defaultSprites;
  return { mode, upstream: typeof meta.sprites?.upstream === 'string' ? meta.sprites.upstream : null };
}
