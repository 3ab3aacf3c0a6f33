/** Icons of items: who holds the image files. */

import { ICONS_PATH } from './paths.ts';

/** The live upstream's. */
export const DEFAULT_ICONS_UPSTREAM = `https://raw.githubusercontent.com/PokeAPI/sprites/master${ICONS_PATH.slice(0, -1)}`;

/**
 * What a site does about icons. `link`: redirect to the upstream's. `mirror`: hold a copy of each. `none`: serve the
 * placeholder for each.
 */
export const iconModes = ['link', 'mirror', 'none'] as const;
export type IconMode = (typeof iconModes)[number];

/** The `sprites` of `meta.json`. `upstream` has no trailing slash; null if no upstream is involved. */
export interface IconSource {
  readonly mode: IconMode;
  readonly upstream: string | null;
}

/** What applies if a site does not say. */
export const defaultIconSource: IconSource = { mode: 'link', upstream: DEFAULT_ICONS_UPSTREAM };

/** The prefix of redirects for icons that the site does not hold; null if there is no redirect. */
export const iconRedirectBase = ({ mode, upstream }: IconSource): string | null =>
  mode === 'link' && upstream !== null ? `${upstream}/` : null;
