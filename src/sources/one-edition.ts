/** Reads one edition of the upstream: answers of an older one are asked for again, past the caches that still hold it. */

import { describeEdition, type Edition, newestEdition } from '../contract/edition.ts';
import { UpstreamError } from '../errors.ts';
import type { Codec, Fetcher, Loaded, LoadOptions } from '../http/fetcher.ts';

/** A value, or the error of the upstream that has none. */
type Answer = Loaded<unknown> | (Pick<Loaded<unknown>, 'edition'> & { readonly error: UpstreamError });

/** Reads values, each URL once for each edition that turns up. */
export interface EditionReader {
  /** Rejects if the request fails, unless an upstream with editions may have another answer in the next one. */
  read<T>(url: string, codec: Codec<T>, options?: LoadOptions<T>): Promise<T | undefined>;
}

/** What was read in the end. */
export interface Consistent<T> {
  readonly value: T;
  /** The edition of every answer; null if they did not all name the same. */
  readonly edition: Edition | null;
  /** URL → the older edition that its answer is of. Empty unless mixtures are allowed. */
  readonly stale: ReadonlyMap<string, Edition>;
}

export interface ReadOptions {
  readonly fetcher: Fetcher;
  readonly upstream: string;
  /** Accept what remains mixed. */
  readonly allowMixed: boolean;
}

/** How often the upstream may be deployed anew meanwhile. */
const MAX_DEPLOYS = 2;

/**
 * Reads until every answer is of the newest edition that any of them names.
 *
 * @param readAll reads everything; called again for each edition. It may find answers that contradict each other.
 * @throws UpstreamError if answers of several editions remain
 */
export async function readOneEdition<T>(
  { fetcher, upstream, allowMixed }: ReadOptions,
  readAll: (reader: EditionReader) => Promise<T>,
): Promise<Consistent<T>> {
  const answers = new Map<string, Answer>();
  let target = null as Edition | null;
  /** The answers of one pass. */
  let used = new Map<string, Answer>();

  async function request<V>(url: string, codec: Codec<V>, options: LoadOptions<V>): Promise<Answer> {
    const at = target ? `${url}${url.includes('?') ? '&' : '?'}edition=${target.hash}` : undefined;
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
    used = new Map();
    const value = await readAll(reader);
    const found = [...used.values()];
    const newest = newestEdition(found.map(({ edition }) => edition));
    const stale = new Map<string, Edition>();
    for (const [url, { edition }] of used) if (edition && isOlder(edition, newest)) stale.set(url, edition);
    if (stale.size > 0 && target?.hash !== newest?.hash && deploys <= MAX_DEPLOYS) {
      target = newest;
      continue;
    }
    if (stale.size > 0 && !allowMixed) throw mixture(upstream, found);
    for (const answer of found) if ('error' in answer) throw answer.error;
    const isNamed = stale.size === 0 && found.every(({ edition }) => edition !== null);
    return { value, edition: isNamed ? newest : null, stale };
  }
}

/** An answer that names no edition is of any. */
const isOlder = (edition: Edition | null, newest: Edition | null): boolean =>
  newest !== null && edition !== null && edition.hash !== newest.hash;

/** Says how many answers there were of which edition, the newest first. */
function mixture(upstream: string, answers: readonly Answer[]): UpstreamError {
  const counts = new Map<string, number>();
  const sorted = answers
    .flatMap(({ edition }) => edition ?? [])
    .sort((a, b) => (a.deployed < b.deployed ? 1 : -1));
  for (const edition of sorted) {
    const name = describeEdition(edition);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) => `${count} of ${name}`);
  return new UpstreamError(
    `got answers of several editions: ${parts.join(', ')}: expected one`,
    { method: 'GET', url: `${upstream}/`, attempts: 1, unreachable: false },
    {
      hint: "The upstream's CDN forgets old answers within a day: try again then, or publish the mixture with --allow-mixed-editions.",
    },
  );
}
