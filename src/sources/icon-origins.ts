/** The places where a build looks for the icons of its site. `icons.ts` asks them in order. */

import pLimit from 'p-limit';
import { ignoreDamage } from '../built/damage.ts';
import type { BuiltSite } from '../built/site.ts';
import { readVerified } from '../built/verified-files.ts';
import { kindNames } from '../contract/kinds.ts';
import { limitMemory, responseLimits } from '../contract/limits.ts';
import type { Meta } from '../contract/meta.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { InvalidBodyError } from '../http/body.ts';
import {
  type Codec,
  type Fetcher,
  type FetcherOptions,
  type FetcherStats,
  withFetcher,
} from '../http/fetcher.ts';

/**
 * The icon's file; `none` if the upstream does not have it; `unknown` if the origin cannot tell.
 */
export type IconAnswer = Buffer | 'none' | 'unknown';

export interface IconOrigin {
  readonly name: 'copied' | 'fetched' | 'published';
  /** Returns an answer for each icon, such as `sprites/items/potion.png`. */
  find(icons: readonly string[]): Promise<ReadonlyMap<string, IconAnswer>>;
}

/** A built site, as far as its icons are concerned. */
export type IconSite = Pick<BuiltSite, 'storage' | 'entries'>;

export interface CopiedIconSite extends IconSite {
  readonly meta: Pick<Meta, 'warnings'>;
}

/**
 * Looks for icons in the site that is copied. A damaged icon is an error, like any other damaged
 * file of that site.
 */
export function createCopiedOrigin(
  site: CopiedIconSite,
  recordIcons: readonly string[],
): IconOrigin {
  const placeholderAnswer = hasWarnedOfPlaceholders(site, recordIcons) ? 'none' : 'unknown';

  function findIcon(icon: string): IconAnswer {
    if (!site.entries.has(icon)) return 'unknown';
    if (!hasOwnIcon(site, icon)) return placeholderAnswer;
    return readIcon(site, icon);
  }

  return {
    name: 'copied',
    async find(icons) {
      return new Map(icons.map((icon) => [icon, findIcon(icon)]));
    },
  };
}

/**
 * Returns whether the upstream lacks every icon that is the placeholder in a site, because the site
 * has a warning for each. A site that was built without icons, or whose icons could not all be
 * fetched, has more placeholders than warnings.
 *
 * @param recordIcons the icon of each record, so an icon that two records share is listed twice
 */
function hasWarnedOfPlaceholders(site: CopiedIconSite, recordIcons: readonly string[]): boolean {
  let warnings = 0;
  for (const kind of kindNames) {
    warnings += site.meta.warnings[kind]['icon-not-found'] ?? 0;
  }
  let placeholders = 0;
  for (const icon of recordIcons) {
    if (site.entries.has(icon) && !hasOwnIcon(site, icon)) placeholders++;
  }
  return placeholders === warnings;
}

/**
 * Looks for icons in the published site. The next site replaces its damaged files, so they count as
 * unknown.
 */
export function createPublishedOrigin(site: IconSite): IconOrigin {
  function findIcon(icon: string): IconAnswer {
    if (!hasOwnIcon(site, icon)) return 'unknown';
    return ignoreDamage(() => readIcon(site, icon)) ?? 'unknown';
  }

  return {
    name: 'published',
    async find(icons) {
      return new Map(icons.map((icon) => [icon, findIcon(icon)]));
    },
  };
}

/** Returns whether a site lists a file for an icon that is not a copy of the placeholder. */
export function hasOwnIcon({ entries }: Pick<IconSite, 'entries'>, icon: string): boolean {
  const listedHash = entries.get(icon)?.sha256;
  const placeholderHash = entries.get(PLACEHOLDER_ICON)?.sha256;
  return listedHash !== undefined && listedHash !== placeholderHash;
}

function readIcon({ storage, entries }: IconSite, icon: string): Buffer {
  const body = readVerified(storage, entries, icon);
  if (isImage(body)) return body;
  throw new DataError('expected a PNG, GIF, JPEG or WebP image', { record: storage.at(icon) });
}

const SIGNATURES = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff'];

/** @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
function isImage(body: Buffer): boolean {
  const start = body.toString('latin1', 0, 12);
  if (SIGNATURES.some((signature) => start.startsWith(signature))) return true;
  return /^RIFF.{4}WEBP/s.test(start);
}

/**
 * The value of an icon in the cache: base64, because the cache is a text file; null if the upstream
 * does not have the icon.
 */
type CachedIcon = string | null;

const iconCodec: Codec<CachedIcon> = {
  decode(body) {
    if (isImage(body)) return body.toString('base64');
    throw new InvalidBodyError(`got ${body.length} bytes, expected a PNG, GIF, JPEG or WebP image`);
  },
  revive(cached) {
    const isValid = cached === null || typeof cached === 'string';
    return isValid ? cached : undefined;
  },
};

function toAnswer(cached: CachedIcon | undefined): IconAnswer {
  if (cached === undefined) return 'unknown';
  if (cached === null) return 'none';
  return Buffer.from(cached, 'base64');
}

export interface IconFetcherOptions extends FetcherOptions {
  /** Limits the sum of all icons. Default: `MAX_MEMORY_BYTES`. */
  readonly maxMemoryBytes?: number | undefined;
}

export interface UpstreamOrigin extends IconOrigin {
  readonly log: FetchLog;
}

/** What happened when icons were fetched. `find` updates it. */
export interface FetchLog {
  /** Null if no request was sent. */
  requests: FetcherStats | null;
  /** The number of icons that could not be fetched, even if they are in the cache. */
  failed: number;
  /** The first failure. */
  problem: UpstreamError | undefined;
}

/**
 * After so many failed icons, the upstream as a whole is probably broken, and each of them was
 * retried.
 */
const MAX_FAILURES = 10;

/**
 * Fetches icons from the upstream.
 *
 * The first icon is fetched alone, because it shows whether the upstream is reachable, and then the
 * others at the same time. If an icon cannot be fetched, the answer is the cached one. If the
 * upstream is unreachable, or has failed for ten icons, only the cache is asked for the rest.
 */
export function createUpstreamOrigin(
  upstream: string,
  { maxMemoryBytes, ...options }: IconFetcherOptions,
): UpstreamOrigin {
  const log: FetchLog = { requests: null, failed: 0, problem: undefined };
  let hasGivenUp = false;

  async function fetchIcon(fetcher: Fetcher, icon: string): Promise<IconAnswer> {
    const url = `${upstream}/${icon.slice(ICONS_FOLDER.length)}`;
    if (!hasGivenUp) {
      try {
        const loadOptions = { missing: { value: null }, maxBytes: responseLimits.icon };
        const { value } = await fetcher.load(url, iconCodec, loadOptions);
        return toAnswer(value);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        // An abort closes the connections, which looks like a failure of the upstream.
        options.signal?.throwIfAborted();
        log.problem ??= error;
        hasGivenUp ||= error.request.unreachable || log.failed + 1 >= MAX_FAILURES;
      }
    }
    log.failed++;
    return toAnswer(fetcher.recall(url, iconCodec));
  }

  async function find(icons: readonly string[]): Promise<Map<string, IconAnswer>> {
    const answers = new Map<string, IconAnswer>();
    const key = { upstream, version: 'icons-1' };
    await withFetcher(options, key, async (fetcher) => {
      log.requests = fetcher.stats;
      const keep = limitMemory(upstream, maxMemoryBytes);
      const addIcon = async (icon: string): Promise<void> => {
        const answer = await fetchIcon(fetcher, icon);
        if (Buffer.isBuffer(answer)) keep(answer.length);
        answers.set(icon, answer);
      };
      const [firstIcon, ...otherIcons] = icons;
      if (firstIcon !== undefined) await addIcon(firstIcon);
      await pLimit(options.concurrency).map(otherIcons, addIcon);
    });
    return answers;
  }

  return { name: 'fetched', find, log };
}
