/** Tables below a URL. */

import { UpstreamError } from '../errors.ts';
import { decodeText } from '../http/body.ts';
import type { Codec, Fetcher } from '../http/fetcher.ts';
import type { Progress } from './source.ts';
import { type TableName, type TableTexts, tableNames } from './tables.ts';

export interface FetchOptions {
  readonly fetcher: Fetcher;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A path inside a commit, whose files never change. */
const COMMIT = /\/[0-9a-f]{40}\//;

/** How often the tables are read to find them unchanged. */
const MAX_PASSES = 4;

/**
 * Reads the tables below a base URL, all of one state: unless the URL names a commit, they are read again, past the caches on
 * the way, until none has changed in between.
 *
 * @throws UpstreamError if they change each time
 */
export async function fetchTables(upstream: string, options: FetchOptions): Promise<TableTexts> {
  let texts = await readTables(upstream, options);
  if (COMMIT.test(`${upstream}/`)) return texts;
  for (let pass = 2; pass <= MAX_PASSES; pass++) {
    const before = texts;
    texts = await readTables(upstream, { fetcher: options.fetcher, query: `?edition=${Date.now()}` });
    if (tableNames.every((name) => texts[name] === before[name])) return texts;
  }
  throw new UpstreamError(
    `got tables that changed whenever they were read, ${MAX_PASSES} times: expected tables of one commit`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: 'Try again later, or name a commit in the URL instead of a branch.' },
  );
}

const codec: Codec<string> = {
  decode: decodeText,
  revive: (cached) => (typeof cached === 'string' ? cached : undefined),
};

async function readTables(
  upstream: string,
  { fetcher, onProgress, query }: FetchOptions & { query?: string },
): Promise<TableTexts> {
  const texts = new Map<TableName, string>();
  for (const name of tableNames) {
    const url = `${upstream}/${name}.csv`;
    const again = query === undefined ? {} : { at: url + query, revalidate: true };
    texts.set(name, (await fetcher.load(url, codec, again)).value);
    const { stats: requests, waiting } = fetcher;
    onProgress?.({ done: texts.size, total: tableNames.length, requests, waiting });
  }
  return Object.fromEntries(texts) as Record<TableName, string>;
}
