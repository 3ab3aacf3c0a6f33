/** The host-neutral route table: which request gets which file. Every host's configuration is derived from it. */

import { errorFiles } from './errors.ts';
import { defaultIconSource, type IconSource, iconRedirectBase } from './icons.ts';
import { type Kind, kindNames } from './kinds.ts';
import { API_PREFIX, ICONS_PATH, listPageFile, listPath, recordFile, recordPath, rootFile } from './paths.ts';
import { PAGE_SIZE, pageOffsets } from './windows.ts';

/**
 * A public path and the file behind it. Paths start with a slash and are relative to the base URL; files are relative to the
 * site's folder.
 */
export interface Route {
  readonly path: string;
  readonly file: string;
}

/** The former path of a renamed record, and its present one. */
export interface MovedRoute {
  readonly path: string;
  readonly to: string;
}

/** A list: its path, and the file of each page that is built. */
export interface ListRoute {
  readonly kind: Kind;
  readonly path: string;
  readonly count: number;
  readonly pages: readonly { readonly offset: number; readonly file: string }[];
}

export interface RouteTable {
  /** Every path with this prefix belongs to the API: without a route it is a JSON 404. */
  readonly prefix: string;
  /** The default `limit`, and the only one that has built pages. */
  readonly pageSize: number;
  /** The valid values of `format`; any other is a 404. */
  readonly formats: readonly string[];
  readonly root: Route;
  readonly lists: readonly ListRoute[];
  /** One for each record. */
  readonly records: readonly Route[];
  /** Former paths of renamed records: 301. None of them is a path of a present record. */
  readonly moved: readonly MovedRoute[];
  /** Status → the file with its body. */
  readonly errors: typeof errorFiles;
  /** Icons that the site does not hold: the prefix to redirect to, or null. */
  readonly icons: { readonly path: string; readonly upstream: string | null };
}

/** The valid values of `format`. */
export const formats = ['api', 'json'] as const;

/** As much of the records as routes depend on. */
type Slugs = Readonly<Record<Kind, readonly { readonly slug: string }[]>>;

export function createRoutes(
  records: Slugs,
  moved: readonly MovedRoute[] = [],
  icons: IconSource = defaultIconSource,
): RouteTable {
  return {
    prefix: API_PREFIX,
    pageSize: PAGE_SIZE,
    formats,
    root: { path: API_PREFIX, file: rootFile },
    lists: kindNames.map((kind) => ({
      kind,
      path: listPath(kind),
      count: records[kind].length,
      pages: pageOffsets(records[kind].length).map((offset) => ({
        offset,
        file: listPageFile(kind, offset),
      })),
    })),
    records: kindNames.flatMap((kind) =>
      records[kind].map(({ slug }) => ({ path: recordPath(kind, slug), file: recordFile(kind, slug) })),
    ),
    moved,
    errors: errorFiles,
    icons: { path: ICONS_PATH, upstream: iconRedirectBase(icons) },
  };
}
