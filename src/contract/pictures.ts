/** Pictures of items: where they are asked for, and who has them. */

/** Where pictures are asked for. */
export const PICTURES_PATH = '/sprites/items/';

/** The live upstream's own. */
export const DEFAULT_PICTURES_UPSTREAM =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

/**
 * What a site does about pictures. `link`: requests are redirected to the upstream's. `mirror`: the site holds them.
 * `none`: every one is the placeholder.
 */
export const spriteModes = ['link', 'mirror', 'none'] as const;
export type SpriteMode = (typeof spriteModes)[number];

/** What `meta.json` says of it. `upstream` has no slash at its end; null where nobody was, or is, asked. */
export interface Sprites {
  readonly mode: SpriteMode;
  readonly upstream: string | null;
}

/** What holds where a site says nothing. */
export const defaultSprites: Sprites = { mode: 'link', upstream: DEFAULT_PICTURES_UPSTREAM };

/** What the address of a picture that the site does not hold begins with; null where nobody else is asked for it. */
export const redirectBase = ({ mode, upstream }: Sprites): string | null =>
  mode === 'link' && upstream !== null ? `${upstream}/` : null;
