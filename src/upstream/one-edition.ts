/**
 * Reads an upstream without using any response that states another edition.
 *
 * An edition is one deployment of the upstream, identified by its hash and its time.
 * The upstream's CDN caches responses for up to a day, so shortly after a deployment, a
 * build could get a list from the new edition and records from the old one. Together,
 * they would form a data set that never existed.
 */

import * as z from 'zod';
import {
  type CountTowardLimit,
  createMemoryLimit,
  responseLimits,
} from '../contract/limits.ts';
import { type Edition, parseEdition } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import { GamedataError, isExpected } from '../errors.ts';
import {
  type AcceptableResponse,
  type Client,
  findFailure,
  withClient,
} from './client.ts';
import { type Journal, openJournal } from './journal.ts';
import { retryIfRedeployed } from './redeployment.ts';
import type { SourceContext } from './source.ts';
import type { RequestStats } from './transport.ts';

export interface EditionOptions extends SourceContext {
  readonly upstream: string;
  /**
   * A URL whose response states its edition, in case `/meta/` does not state the
   * current one.
   */
  readonly firstUrl: string;
  /** The version of the format of decoded values. */
  readonly version: string;
}

/** Reads URLs of an upstream, all from the same edition. */
export interface EditionReader {
  readonly stats: Readonly<RequestStats>;
  /**
   * Reads a URL. If an earlier run has already read it in this edition, the value comes
   * from the journal.
   *
   * @param decode converts the body to a value that JSON can represent, or throws a
   * `GamedataError` to reject the response
   * @throws GamedataError if all values together are too large
   */
  read<T>(url: string, decode: (body: Buffer) => T, maxBytes: number): Promise<T>;
  /**
   * Returns the edition, or null if it is unknown, or if no response so far has stated
   * it.
   */
  findEdition(): Edition | null;
  /** Returns whether every value so far came from the journal. */
  isCached(): boolean;
}

/**
 * Calls a function that reads an upstream, and ensures that it reads a single edition,
 * which is one deployment of the upstream.
 *
 * The current edition is requested first. A response that states another edition comes
 * from a cache, so it is requested again, bypassing caches. If the upstream is deployed
 * in the meantime and the function fails, the function is called again with the new
 * edition.
 */
export async function readOneEdition<T>(
  options: EditionOptions,
  readAll: (reader: EditionReader) => Promise<T>,
): Promise<T> {
  return withClient(options, (client) =>
    retryIfRedeployed(
      () => requestEdition(client, options),
      (edition) => readEdition(client, edition, options, readAll),
    ),
  );
}

/**
 * Requests the current edition. If `/meta/` is missing or fails, the upstream may still
 * state its edition in the headers of other responses. Returns null if it does not.
 *
 * No response may come from a cache, because caches have the previous edition for up to
 * a day.
 */
async function requestEdition(
  client: Client,
  { upstream, firstUrl }: EditionOptions,
): Promise<Edition | null> {
  const edition = await requestMeta(client, upstream);
  if (edition !== null) return edition;
  const options = { mustBypassCaches: true, maxBytes: responseLimits.list };
  return client.get(firstUrl, parseHeaders, options);
}

/**
 * Requests the edition from `/meta/`. Returns null if the upstream responds, but not with
 * an edition.
 *
 * @throws GamedataError if the upstream does not respond at all, because it would not
 * respond to another request either
 */
async function requestMeta(
  client: Client,
  upstream: string,
): Promise<Edition | null> {
  try {
    return await client.get(`${upstream}/meta/`, parseMeta, {
      mustBypassCaches: true,
      maxBytes: responseLimits.list,
      isOptional: true,
    });
  } catch (error) {
    if (findFailure(error)?.hasResponse) return null;
    throw error;
  }
}

/** Accepts fields of any type, because `parseEdition` checks them. */
const metaSchema = z
  .object({ hash: z.unknown(), deploy_date: z.unknown() })
  .partial()
  .catch({});

function parseMeta({ body }: AcceptableResponse): Edition | null {
  const { hash, deploy_date } = metaSchema.parse(parseJson(String(body)));
  return parseEdition(hash, deploy_date, Date.now());
}

const HASH_HEADER = 'x-pokeapi-hash';

/** @see https://github.com/PokeAPI/pokeapi */
function parseHeaders({ header }: AcceptableResponse): Edition | null {
  const deployed = header('x-pokeapi-deploy-date');
  return parseEdition(header(HASH_HEADER), deployed, Date.now());
}

/**
 * Calls the function once, with a reader for one edition. The reader keeps the
 * responses in a journal, so that a later run can resume if this one is interrupted.
 */
async function readEdition<T>(
  client: Client,
  edition: Edition | null,
  options: EditionOptions,
  readAll: (reader: EditionReader) => Promise<T>,
): Promise<T> {
  const countTowardLimit = createMemoryLimit(
    options.upstream,
    options.maxMemoryBytes,
  );
  const journal = openJournal({
    ...options,
    edition: edition?.hash,
    countTowardLimit,
  });
  try {
    const reader = createReader(client, journal, edition, countTowardLimit);
    const value = await readAll(reader);
    journal.finish();
    return value;
  } finally {
    journal.close();
  }
}

/**
 * Creates the reader. The edition and the hash that a response states decide what
 * happens to the response:
 *
 * | edition | response states | used | kept in the journal |
 * |---|---|---|---|
 * | known | its hash | yes | yes |
 * | known | nothing | yes | no |
 * | known | another hash | no, requested again, bypassing caches | no |
 * | unknown | nothing | yes | yes, for an hour |
 * | unknown | a hash | yes, if no earlier response stated another one | no |
 */
function createReader(
  client: Client,
  journal: Journal,
  edition: Edition | null,
  countTowardLimit: CountTowardLimit,
): EditionReader {
  const { stats } = client;
  let isStated = false;
  let isCached = true;
  let expectedHash = edition?.hash;

  /**
   * Requests a URL, and treats the response as the table says: rejects it if it is from
   * another edition, and keeps the value in the journal only if it certainly belongs to
   * the journal's edition.
   */
  async function request<T>(
    url: string,
    decode: (body: Buffer) => T,
    maxBytes: number,
  ): Promise<T> {
    isCached = false;
    let statedHash: string | undefined;
    const accept = (response: AcceptableResponse): T => {
      statedHash = response.header(HASH_HEADER);
      assertSameEdition(statedHash, expectedHash);
      // If the edition is unknown, the first response that states one sets the expected
      // hash.
      expectedHash ??= statedHash;
      return decode(response.body);
    };
    const value = await client.get(url, accept, { maxBytes });
    const json = JSON.stringify(value);
    countTowardLimit(json.length);
    if (statedHash !== undefined) isStated = true;
    // If the edition is unknown, only responses that state no edition are added,
    // because both values are then undefined.
    if (statedHash === edition?.hash) journal.add(url, json);
    return value;
  }

  async function read<T>(
    url: string,
    decode: (body: Buffer) => T,
    maxBytes: number,
  ): Promise<T> {
    const value = journal.take(url);
    if (value === undefined) return request(url, decode, maxBytes);
    stats.cacheHits++;
    isStated = true;
    // The journal's name contains the version of the format, so the value has the type
    // that `decode` returns.
    return value as T;
  }

  return {
    stats,
    read,
    findEdition: () => (isStated ? edition : null),
    isCached: () => isCached,
  };
}

/** Thrown for a response that states a different edition from the current one. */
class OtherEditionError extends GamedataError {}

/**
 * Rejects a response from another edition. A response that states no edition is accepted.
 *
 * @throws OtherEditionError
 */
function assertSameEdition(
  statedHash: string | undefined,
  expectedHash: string | undefined,
): void {
  if (statedHash === undefined || expectedHash === undefined) return;
  if (statedHash === expectedHash) return;
  // A Git hash has 40 digits, but a broken upstream could send any text.
  const got = JSON.stringify(statedHash.slice(0, 40));
  throw new OtherEditionError(
    'data',
    `got edition ${got}, expected ${expectedHash}`,
  );
}

/**
 * Returns whether the last response to a request was from another edition. If so, all
 * other requests would fail as well.
 */
export function isOtherEdition(error: unknown): boolean {
  const attempt = isExpected(error, 'upstream') ? error.cause : undefined;
  return attempt instanceof Error && attempt.cause instanceof OtherEditionError;
}
