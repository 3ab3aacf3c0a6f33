/**
 * Defines what the offline worker, the pages and the site generator have to agree on.
 */

/** The values that a site's build writes into its offline worker. */
export interface OfflineSite {
  readonly baseUrl: string;
  /** The version of the file formats that the worker can read. */
  readonly format: number;
  /**
   * Whether the host supports any `limit` and `offset`. If it does not, a response
   * from the network may be wrong, so the worker answers from the stored data.
   */
  readonly supportsAnyPageRange: boolean;
  /** The pages, and the files that they load. */
  readonly pageFiles: readonly string[];
}

/**
 * The header with the date of the data. The worker adds it to each response that does
 * not come from the network.
 */
export const DATE_HEADER = 'Gamedata-Date';

/**
 * The contents of a cache: only the data, which several apps on one origin may share,
 * or the whole site with its pages.
 */
export type CacheContents = 'data' | 'site';

/**
 * Returns the prefix of the names of a site's caches. The names contain the base URL,
 * because several sites may share an origin, as on GitHub Pages. The space after the
 * base URL separates `https://example.org/a` from `https://example.org/ab`.
 */
export const getCachePrefix = (baseUrl: string, contents: CacheContents): string =>
  `gamedata ${baseUrl} ${contents} `;
