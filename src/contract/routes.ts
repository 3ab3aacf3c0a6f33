/** The host-neutral route table: which request gets which file. Every host's configuration is derived from it. */

import { type Kind, kindNames } from './kinds.ts';
import { PAGE_SIZE, pageOffsets } from './page-range.ts';
import { API_PREFIX, ICONS_PATH, listPageFile, listPath, recordFile, recordPath, rootFile } from './paths.ts';

/** Status → the file that holds its body. */
export const errorFiles = { 400: '400.json', 404: '404.json', 405: '405.json' } as const;

/** Status → the detail of its file. That of 405 names no method, as one file serves all of them. */
export const errorDetails: Readonly<Record<keyof typeof errorFiles, string>> = {
  400: `This host serves pages of ${PAGE_SIZE}: omit limit or set it to ${PAGE_SIZE}, and set offset to a multiple of ${PAGE_SIZE} below count.`,
  404: 'Not found.',
  405: 'Method not allowed.',
};

export const formatNotAllowed = (method: string): string => `Method "${method}" not allowed.`;

export const createErrorBody = (detail: string): string => JSON.stringify({ detail });

export const DEFAULT_ICONS_UPSTREAM =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

/**
 * What a site does about icons. `link`: redirect to the upstream's. `mirror`: hold a copy of each. `none`: serve the
 * placeholder for each.
 */
export const iconModes = ['link', 'mirror', 'none'] as const;

/** The `sprites` of `meta.json`. `upstream` has no trailing slash; null if no upstream is involved. */
export interface IconSource {
  readonly mode: (typeof iconModes)[number];
  readonly upstream: string | null;
}

export const defaultIconSource: IconSource = { mode: 'link', upstream: DEFAULT_ICONS_UPSTREAM };

/** The prefix of redirects for icons that the site does not hold; null if there is no redirect. */
export const getIconRedirect = ({ mode, upstream }: IconSource): string | null =>
  mode === 'link' && upstream !== null ? `${upstream}/` : null;

/** The former path of a renamed record, and its present one. */
export interface MovedRoute {
  readonly path: string;
  readonly to: string;
}

export type RouteTable = ReturnType<typeof createRoutes>;
export type ListRoute = RouteTable['lists'][number];

/** The valid values of `format`. */
export const formats = ['api', 'json'] as const;

/** Paths start with a slash and are relative to the base URL; files are relative to the site's folder. */
export function createRoutes(
  records: Readonly<Record<Kind, readonly { readonly slug: string }[]>>,
  moved: readonly MovedRoute[] = [],
  icons: IconSource = defaultIconSource,
) {
  return {
    /** Every path with this prefix belongs to the API: without a route it is a JSON 404. */
    prefix: API_PREFIX,
    /** The default `limit`, and the only one that has built pages. */
    pageSize: PAGE_SIZE,
    /** Any other is a 404. */
    formats,
    root: { path: API_PREFIX, file: rootFile },
    lists: kindNames.map((kind) => ({
      kind,
      path: listPath(kind),
      /** Those that are built. */
      pages: pageOffsets(records[kind].length).map((offset) => ({
        offset,
        file: listPageFile(kind, offset),
      })),
    })),
    records: kindNames.flatMap((kind) =>
      records[kind].map(({ slug }) => ({ path: recordPath(kind, slug), file: recordFile(kind, slug) })),
    ),
    /** None of the former paths is one of a present record. */
    moved,
    errors: errorFiles,
    icons: { path: ICONS_PATH, upstream: getIconRedirect(icons) },
  };
}
