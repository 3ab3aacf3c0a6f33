/** The host-neutral route table: which request gets which file. Everything that serves the site is derived from it. */

import { API_PREFIX, listPath, pageFile, recordFile, recordPath, rootFile } from './addresses.ts';
import type { EncodedRecords } from './data-set.ts';
import { errorFiles } from './errors.ts';
import { type Kind, kindNames } from './kinds.ts';
import { defaultSprites, PICTURES_PATH, redirectBase, type Sprites } from './pictures.ts';
import { PAGE_SIZE, pageOffsets } from './windows.ts';

/** A public path and the file behind it. Paths begin with a slash, files are relative to the site's folder. */
export interface Route {
  readonly path: string;
  readonly file: string;
}

/** The path of an address that a record had under another slug, and of the one that it has now. */
export interface MovedRoute {
  readonly path: string;
  readonly to: string;
}

/** A list: its path, and the file of each window that is built. */
export interface ListRoute {
  readonly kind: Kind;
  readonly path: string;
  readonly count: number;
  readonly pages: readonly { readonly offset: number; readonly file: string }[];
}

export interface RouteTable {
  /** Every path that begins with this belongs to the API: what no route answers is a JSON 404. */
  readonly prefix: string;
  /** The only `limit` that the built pages answer, and what counts where it is left out. */
  readonly pageSize: number;
  /** The values of `format` that exist; any other is a 404. */
  readonly formats: readonly string[];
  readonly root: Route;
  readonly lists: readonly ListRoute[];
  /** One for each record, made as they are asked for. */
  readonly records: Iterable<Route>;
  /** Old addresses of renamed records: 301. None of them is a record's of today. */
  readonly moved: readonly MovedRoute[];
  /** Status → the file with the body of a refusal. */
  readonly errors: typeof errorFiles;
  /** Pictures that the site does not hold itself: what their redirect begins with, null where there is none. */
  readonly pictures: { readonly path: string; readonly upstream: string | null };
}

/** The values of `format` that exist. */
export const formats = ['api', 'json'] as const;

export function createRoutes(
  records: EncodedRecords,
  moved: readonly MovedRoute[] = [],
  sprites: Sprites = defaultSprites,
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
      pages: pageOffsets(records[kind].length).map((offset) => ({ offset, file: pageFile(kind, offset) })),
    })),
    records: { [Symbol.iterator]: () => recordRoutes(records) },
    moved,
    errors: errorFiles,
    pictures: { path: PICTURES_PATH, upstream: redirectBase(sprites) },
  };
}

function* recordRoutes(records: EncodedRecords): Generator<Route> {
  for (const kind of kindNames) {
    for (const { slug } of records[kind])
      yield { path: recordPath(kind, slug), file: recordFile(kind, slug) };
  }
}
