/**
 * Editions of the upstream: reads one, as answers of an older one are asked for again, past the caches that still hold it; and
 * asks whether the cache is of the present one, which saves thousands of requests.
 */

import * as z from 'zod';
import { describeEdition, type Edition, findNewestEdition, parseEdition } from '../contract/meta.ts';
import { formatValue, parseJson } from '../contract/parse.ts';
import { UpstreamError } from '../errors.ts';
import { type Codec, cacheBustingUrl, type Fetcher, type Loaded, type LoadOptions } from '../http/fetcher.ts';

type Answer = Loaded<unknown> | (Pick<Loaded<unknown>, 'edition'> & { readonly error: UpstreamError });

/** Reads values, each URL once for each edition that turns up. */
export interface EditionReader {
  /** Rejects if the request fails, unless an upstream with editions may have another answer in the next one. */
  read<T>(url: string, codec: Codec<T>, options?: LoadOptions<T>): Promise<T | undefined>;
}

/** How often the upstream may be deployed anew meanwhile. */
const MAX_DEPLOYS = 2;

/** Reads everything until each answer is of the newest edition that any of them names; null if one named none. */
export async function readOneEdition<T>(
  { fetcher, upstream }: { fetcher: Fetcher; upstream: string },
  readAll: (reader: EditionReader) => Promise<T>,
): Promise<{ value: T; edition: Edition | null }> {
  const answers = new Map<string, Answer>();
  let target = null as Edition | null;
  /** The answers of one pass. */
  const used = new Map<string, Answer>();

  async function request<V>(url: string, codec: Codec<V>, options: LoadOptions<V>): Promise<Answer> {
    const at = target ? cacheBustingUrl(url, target.hash) : undefined;
    try {
      // At that URL the request is unconditional: a response without a body might name no edition.
      return await fetcher.load(url, codec, { ...options, at, revalidate: !at && options.revalidate });
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const { status, edition = null } = error.request;
      // Without an edition, nothing says that a record which is gone belongs to another one.
      if (!edition || (status !== 404 && status !== 410)) throw error;
      return { error, edition };
    }
  }

  const reader: EditionReader = {
    async read<V>(url: string, codec: Codec<V>, options: LoadOptions<V> = {}) {
      let answer = answers.get(url);
      if (!answer || isOlder(answer.edition, target)) answer = await request(url, codec, options);
      answers.set(url, answer);
      used.set(url, answer);
      return 'value' in answer ? (answer.value as V) : undefined;
    },
  };

  for (let deploys = 0; ; deploys++) {
    used.clear();
    const value = await readAll(reader);
    const found = [...used.values()];
    const newest = findNewestEdition(found.map(({ edition }) => edition));
    if (!found.some(({ edition }) => isOlder(edition, newest))) {
      for (const answer of found) if ('error' in answer) throw answer.error;
      return { value, edition: found.every(({ edition }) => edition) ? newest : null };
    }
    if (target?.hash === newest?.hash || deploys > MAX_DEPLOYS) throw mixture(upstream, found);
    target = newest;
  }
}

/** An answer that names no edition is of any. */
const isOlder = (edition: Edition | null, newest: Edition | null): boolean =>
  newest !== null && edition !== null && edition.hash !== newest.hash;

function mixture(upstream: string, answers: readonly Answer[]): UpstreamError {
  const editions = answers.flatMap(({ edition }) => edition ?? []);
  const names = editions.sort((a, b) => (a.deployed < b.deployed ? 1 : -1)).map(describeEdition);
  const parts = [...new Set(names)].map((name) => `${names.filter((one) => one === name).length} of ${name}`);
  return new UpstreamError(
    `got answers of several editions: ${parts.join(', ')}: expected one`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    { hint: "The upstream's CDN forgets old answers within a day: try again then." },
  );
}

const metaSchema = z.object({ hash: z.unknown(), deploy_date: z.unknown() }).partial().catch({});

/** Whether the cache has all of the present edition; and what the upstream says about that, if it makes no sense. */
export async function checkCachedEdition(
  { lastEdition, ask }: Fetcher,
  upstream: string,
  retries: number | undefined,
): Promise<{ isPresent: boolean; notices: readonly string[] }> {
  const url = `${upstream}/meta/`;
  try {
    const text = lastEdition && String(await ask(url, { retries }));
    if (text === null) return { isPresent: false, notices: [] };
    const meta = parseJson(text);
    const { hash, deploy_date } = metaSchema.parse(meta);
    const edition = parseEdition(hash, deploy_date, Date.now());
    if (edition) return { isPresent: edition.hash === lastEdition?.hash, notices: [] };
    const problem = `got ${formatValue(meta ?? text)}: expected hash and deploy_date of an edition`;
    return { isPresent: false, notices: [`GET ${url}: ${problem}; ignored, every record was asked for`] };
  } catch (error) {
    // A gateway may fail for this address alone.
    const isNowhere = error instanceof UpstreamError && error.request.unreachable && !error.request.status;
    if (!(error instanceof UpstreamError) || isNowhere) throw error;
    return { isPresent: false, notices: [] };
  }
}
