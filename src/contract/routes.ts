/** The host-neutral route table: which request gets which file. Every host's configuration is derived from it. */

import { errorFiles } from './errors.ts';
import { defaultIconSource, type IconSource, iconRedirectBase } from './icons.ts';
import { type Kind, kindNames } from './kinds.ts';
import { API_PREFIX, ICONS_PATH, listPageFile, listPath, recordFile, recordPath, rootFile } from './paths.ts';
import { PAGE_SIZE, pageOffsets } from './windows.ts';

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
      /** The file of each page that is built. */
      pages: pageOffsets(records[kind].length).map((offset) => ({
        offset,
        file: listPageFile(kind, offset),
      })),
    })),
    /** One for each record. */
    records: kindNames.flatMap((kind) =>
      records[kind].map(({ slug }) => ({ path: recordPath(kind, slug), file: recordFile(kind, slug) })),
    ),
    /** None of the former paths is one of a present record. */
    moved,
    /** Status → the file with its body. */
    errors: errorFiles,
    /** Icons that the site does not hold: the prefix to redirect to, or null. */
    icons: { path: ICONS_PATH, upstream: iconRedirectBase(icons) },
  };
}
