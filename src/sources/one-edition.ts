/**
 * Reads an upstream so that every response comes from the same edition.
 *
 * An edition is one deployment of the upstream, with its hash and its time. The upstream's CDN
 * keeps responses for up to a day, so after a deployment a build may get a list from the new
 * edition and records from the old one. Together they would be a data set that never existed.
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

/** A 404 or 410 from an edition. Another edition may have the record. */
interface MissingResponse {
  readonly edition: Edition;
  readonly error: UpstreamError;
}

type EditionResponse = LoadedValue<unknown> | MissingResponse;

/**
 * Reads each URL once per edition. Returns undefined if only a different edition may have the
 * response.
 */
export type Read = <T>(
  url: string,
  codec: Codec<T>,
  options?: LoadOptions<T>,
) => Promise<T | undefined>;

export interface Upstream {
  readonly fetcher: Fetcher;
  /** The base URL. */
  readonly upstream: string;
}

export interface EditionResult<T> {
  readonly value: T;
  /** Null if a response does not name its edition. The responses of mirrors do not. */
  readonly edition: Edition | null;
}

/** The upstream may be deployed again while it is read, but not three times in a few minutes. */
const MAX_PASSES = 4;

/**
 * Repeats the work until all responses are from the newest edition that was seen.
 *
 * The first pass reads every URL as usual, so the CDN may return responses from several editions.
 * If it does, the newest of them is the target, and the next pass requests only the responses of
 * other editions again, past the CDN. It must also repeat the rest of the work, because a newer
 * list may name other records. If a pass ends with the same mixture, the upstream is inconsistent.
 *
 * @throws UpstreamError if the upstream is inconsistent, or does not have a record that it lists
 */
export async function readOneEdition<T>(
  { fetcher, upstream }: Upstream,
  readAll: (read: Read) => Promise<T>,
): Promise<EditionResult<T>> {
  /** The last response for each URL, from any pass. */
  const responses = new Map<string, EditionResponse>();
  /** The responses that the current pass has used. */
  const passResponses = new Map<string, EditionResponse>();
  let target = null as Edition | null;

  const read: Read = async <V>(url: string, codec: Codec<V>, options?: LoadOptions<V>) => {
    let response = responses.get(url);
    if (response === undefined || isOther(response, target)) {
      response = await loadResponse(fetcher, url, codec, { ...options, ...bypassCdn(url, target) });
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
    if (isUnchanged || pass === MAX_PASSES) throw createMixedError(upstream, editions);
    target = newest;
  }
}

/** Loads a response, or describes that its edition does not have it. */
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

/** Returns options that request a response of the target edition from the upstream itself. */
function bypassCdn(
  url: string,
  target: Edition | null,
): Pick<LoadOptions<unknown>, 'urlOverride' | 'revalidate'> {
  if (target === null) return {};
  // We send no validators, because a 304 might lack an edition.
  return { urlOverride: bustCaches(url, target.hash), revalidate: false };
}

/**
 * Returns whether a response names another edition than the expected one. A response that names no
 * edition never does.
 */
function isOther({ edition }: EditionResponse, expected: Edition | null): boolean {
  if (edition === null || expected === null) return false;
  return edition.hash !== expected.hash;
}

/** Once all responses are from one edition, a missing record is an error. */
function rejectMissing(responses: readonly EditionResponse[]): void {
  for (const response of responses) {
    if ('error' in response) throw response.error;
  }
}

function createMixedError(upstream: string, editions: readonly (Edition | null)[]): UpstreamError {
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
  /** Whether the cache has every response of the upstream's current edition. */
  readonly isCurrent: boolean;
  /** Reports a `/meta/` response that is not valid. */
  readonly notices: readonly string[];
}

const notCurrent: CachedEditionCheck = { isCurrent: false, notices: [] };

/** The fields are checked by `parseEdition`. */
const metaSchema = z.object({ hash: z.unknown(), deploy_date: z.unknown() }).partial().catch({});

/**
 * Asks the upstream for its edition, if the cache is complete for one, to save thousands of
 * requests.
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
    // A gateway may fail for this URL only. Without any response, the other requests would fail as
    // well.
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
