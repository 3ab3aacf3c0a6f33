import * as z from 'zod';
import {
  describeEdition,
  type Edition,
  findNewestEdition,
  parseEdition,
} from '../contract/meta.ts';
import { formatValue, parseJson } from '../contract/parse.ts';
import { UpstreamError } from '../errors.ts';
import type { Codec, Fetcher, LoadedValue, LoadOptions } from '../http/fetcher.ts';
import { bustCaches } from '../http/retry.ts';

type Response = LoadedValue<unknown> | { readonly edition: Edition; readonly error: UpstreamError };

/** Reads each URL once per edition. Returns undefined if only a different edition may have the response. */
export type Read = <T>(
  url: string,
  codec: Codec<T>,
  options?: LoadOptions<T>,
) => Promise<T | undefined>;

const MAX_DEPLOYS = 2;

/** Repeats the work until all responses are from the newest edition. The edition is null if any response lacks an edition. */
export async function readOneEdition<T>(
  { fetcher, upstream }: { fetcher: Fetcher; upstream: string },
  readAll: (read: Read) => Promise<T>,
): Promise<{ value: T; edition: Edition | null }> {
  const responses = new Map<string, Response>();
  const used = new Map<string, Response>();
  let target = null as Edition | null;

  async function load<V>(url: string, codec: Codec<V>, options: LoadOptions<V>): Promise<Response> {
    // We send no validators, because a 304 might lack an edition.
    const override = target && { urlOverride: bustCaches(url, target.hash), revalidate: false };
    try {
      return await fetcher.load(url, codec, { ...options, ...override });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const { status, edition } = error.request;
      // A missing record may belong to a different edition.
      if (!edition || (status !== 404 && status !== 410)) throw error;
      return { error, edition };
    }
  }

  const read: Read = async <V>(url: string, codec: Codec<V>, options: LoadOptions<V> = {}) => {
    let response = responses.get(url);
    if (!response || isOlder(response, target)) response = await load(url, codec, options);
    responses.set(url, response);
    used.set(url, response);
    return 'value' in response ? (response.value as V) : undefined;
  };

  for (let deploys = 0; ; deploys++) {
    used.clear();
    const value = await readAll(read);
    const all = [...used.values()];
    const newest = findNewestEdition(all.map(({ edition }) => edition));
    if (!all.some((response) => isOlder(response, newest))) {
      for (const response of all) if ('error' in response) throw response.error;
      return { value, edition: all.every(({ edition }) => edition) ? newest : null };
    }
    if (target?.hash === newest?.hash || deploys > MAX_DEPLOYS)
      throw inconsistentError(upstream, all);
    target = newest;
  }
}

const isOlder = ({ edition }: Response, newest: Edition | null): boolean =>
  newest !== null && edition !== null && edition.hash !== newest.hash;

function inconsistentError(upstream: string, responses: readonly Response[]): UpstreamError {
  const editions = responses.flatMap(({ edition }) => edition ?? []);
  const names = editions.sort((a, b) => (a.deployed < b.deployed ? 1 : -1)).map(describeEdition);
  const parts = [...new Set(names)].map(
    (name) => `${names.filter((one) => one === name).length} of ${name}`,
  );
  return new UpstreamError(
    `got responses from several editions: ${parts.join(', ')}, expected one`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: "The upstream's CDN drops old responses within a day. Try again then." },
  );
}

const metaSchema = z.object({ hash: z.unknown(), deploy_date: z.unknown() }).partial().catch({});

/** Checks whether the cache is complete for the current edition. Notices report an invalid `/meta/` response. */
export async function checkCachedEdition(
  { lastEdition, request }: Fetcher,
  upstream: string,
): Promise<{ isCurrent: boolean; notices: readonly string[] }> {
  if (!lastEdition) return { isCurrent: false, notices: [] };
  const url = `${upstream}/meta/`;
  try {
    const text = String(await request(url));
    const meta = parseJson(text);
    const { hash, deploy_date } = metaSchema.parse(meta);
    const edition = parseEdition(hash, deploy_date, Date.now());
    if (edition) return { isCurrent: edition.hash === lastEdition.hash, notices: [] };
    const problem = `got ${formatValue(meta ?? text)}, expected hash and deploy_date of an edition`;
    return {
      isCurrent: false,
      notices: [`GET ${url}: ${problem}; ignored, every record was requested`],
    };
  } catch (error) {
    // A gateway may fail for this URL only.
    const isOffline =
      error instanceof UpstreamError && error.request.unreachable && !error.request.status;
    if (!(error instanceof UpstreamError) || isOffline) throw error;
    return { isCurrent: false, notices: [] };
  }
}
