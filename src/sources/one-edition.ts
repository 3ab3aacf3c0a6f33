/**
 * Reads an upstream in such a way that all responses come from the same edition.
 *
 * An edition is one deployment of the upstream, identified by its hash and its time.
 * The upstream's CDN caches responses for up to a day, so shortly after a
 * deployment, a build may get a list from the new edition and records from the old
 * one. The resulting mixture would be a data set that never existed.
 */

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

/** A 404 or 410 response from one edition. Another edition may have the record. */
interface MissingResponse {
  readonly edition: Edition;
  readonly error: UpstreamError;
}

type EditionResponse = LoadedValue<unknown> | MissingResponse;

/**
 * Reads a URL. Each URL is requested once per edition. Returns undefined if this
 * edition does not have the record, but another edition may have it.
 */
export type Read = <T>(
  url: string,
  codec: Codec<T>,
  options?: LoadOptions<T>,
) => Promise<T | undefined>;

export interface Upstream {
  readonly fetcher: Fetcher;
  /** The base URL of the upstream. */
  readonly upstream: string;
}

export interface EditionResult<T> {
  readonly value: T;
  /**
   * The edition of all responses. Null if a response does not state its edition, as
   * is the case for mirrors.
   */
  readonly edition: Edition | null;
}

/**
 * The maximum number of passes. The upstream may be deployed while we read it, but
 * not three times within a few minutes.
 */
const MAX_PASSES = 4;

/**
 * Repeats the work until all responses are from the newest edition.
 *
 * The first pass reads every URL in the usual way, so the CDN may return responses
 * from several editions. In that case, the newest edition is the target. The next
 * pass bypasses the CDN and requests only those responses again that are from
 * another edition. It also repeats the rest of the work, because a newer list may
 * contain other records. If a pass ends with the same mixture, the upstream is
 * inconsistent.
 *
 * @throws UpstreamError if the upstream is inconsistent, or does not have a record
 * that it lists
 */
export async function readOneEdition<T>(
  { fetcher, upstream }: Upstream,
  readAll: (read: Read) => Promise<T>,
): Promise<EditionResult<T>> {
  /** The latest response for each URL, from any pass. */
  const responses = new Map<string, EditionResponse>();
  /** The responses that were used in the current pass. */
  const passResponses = new Map<string, EditionResponse>();
  let target = null as Edition | null;

  const read: Read = async <V>(
    url: string,
    codec: Codec<V>,
    options?: LoadOptions<V>,
  ) => {
    let response = responses.get(url);
    if (response === undefined || isOther(response, target)) {
      response = await loadResponse(fetcher, url, codec, {
        ...options,
        ...bypassCdn(url, target),
      });
      responses.set(url, response);
    }
    passResponses.set(url, response);
    return 'value' in response ? (response.value as V) : undefined;
  };

  for (let pass = 1; ; pass++) {
    passResponses.clear();
    const value = await readAll(read);
    const usedResponses = [...passResponses.values()];
    const editions = usedResponses.map(({ edition }) => edition);
    const newest = findNewestEdition(editions);
    const isMixed = usedResponses.some((response) => isOther(response, newest));
    if (!isMixed) {
      rejectMissing(usedResponses);
      const isComplete = editions.every((edition) => edition !== null);
      return { value, edition: isComplete ? newest : null };
    }
    const isUnchanged = target?.hash === newest?.hash;
    if (isUnchanged || pass === MAX_PASSES) {
      throw createMixedError(upstream, editions);
    }
    target = newest;
  }
}

/**
 * Loads a response. If the edition does not have it, returns the error instead of
 * throwing it.
 */
async function loadResponse<T>(
  fetcher: Fetcher,
  url: string,
  codec: Codec<T>,
  options: LoadOptions<T>,
): Promise<EditionResponse> {
  try {
    return await fetcher.load(url, codec, options);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const { status, edition } = error.request;
    const isMissing = status === 404 || status === 410;
    if (!isMissing || !edition) throw error;
    return { error, edition };
  }
}

/**
 * Returns options that bypass the CDN, so that the upstream itself responds with the
 * target edition.
 */
function bypassCdn(
  url: string,
  target: Edition | null,
): Pick<LoadOptions<unknown>, 'urlOverride' | 'revalidate'> {
  if (target === null) return {};
  // We do not revalidate a cached response, because a 304 might not state its
  // edition.
  return { urlOverride: bustCaches(url, target.hash), revalidate: false };
}

/**
 * Returns whether a response states a different edition than the expected one. If a
 * response does not state its edition, we accept it.
 */
function isOther({ edition }: EditionResponse, expected: Edition | null): boolean {
  if (edition === null || expected === null) return false;
  return edition.hash !== expected.hash;
}

/**
 * Throws the error for a missing record. This happens only once all responses are
 * from one edition.
 */
function rejectMissing(responses: readonly EditionResponse[]): void {
  for (const response of responses) {
    if ('error' in response) throw response.error;
  }
}

function createMixedError(
  upstream: string,
  editions: readonly (Edition | null)[],
): UpstreamError {
  const namedEditions = editions.filter((edition) => edition !== null);
  namedEditions.sort((a, b) => (a.deployed < b.deployed ? 1 : -1));
  const counts = new Map<string, number>();
  for (const edition of namedEditions) {
    const name = describeEdition(edition);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) => `${count} of ${name}`);
  return new UpstreamError(
    `got responses from several editions: ${parts.join(', ')}, expected one`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: "The upstream's CDN drops old responses within a day. Try again then." },
  );
}

export interface CachedEditionCheck {
  /** Whether the cache contains all responses of the upstream's current edition. */
  readonly isCurrent: boolean;
  /** Contains a message if the `/meta/` response is invalid. */
  readonly notices: readonly string[];
}

const notCurrent: CachedEditionCheck = { isCurrent: false, notices: [] };

/** Accepts fields of any type, because `parseEdition` checks them. */
const metaSchema = z
  .object({ hash: z.unknown(), deploy_date: z.unknown() })
  .partial()
  .catch({});

/**
 * Requests the current edition of the upstream if the cache contains a complete
 * edition. If both are the same, this saves thousands of requests.
 */
export async function checkCachedEdition(
  { lastEdition, request }: Fetcher,
  upstream: string,
): Promise<CachedEditionCheck> {
  if (!lastEdition) return notCurrent;
  const url = `${upstream}/meta/`;
  let text: string;
  try {
    text = String(await request(url));
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // A gateway may fail only for this URL, so the build continues. But if there is
    // no response at all, the other requests would fail, too.
    const { unreachable, status } = error.request;
    const isOffline = unreachable && status === undefined;
    if (isOffline) throw error;
    return notCurrent;
  }
  const meta = parseJson(text);
  const { hash, deploy_date } = metaSchema.parse(meta);
  const edition = parseEdition(hash, deploy_date, Date.now());
  if (edition) return { isCurrent: edition.hash === lastEdition.hash, notices: [] };
  const received = formatValue(meta ?? text);
  const problem = `got ${received}, expected hash and deploy_date of an edition`;
  const notice = `GET ${url}: ${problem}; ignored, every record was requested`;
  return { isCurrent: false, notices: [notice] };
}
