/**
 * The places where a build looks for the site's icons. `icons.ts` asks them in
 * order.
 */

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
import type {
  Codec,
  Fetcher,
  FetcherOptions,
  FetcherStats,
} from '../http/fetcher.ts';

/**
 * The answer for an icon: the content of its file, `none` if the upstream does not
 * have the icon, or `unknown` if this origin cannot tell.
 */
export type IconAnswer = Buffer | 'none' | 'unknown';

export interface IconOrigin {
  readonly name: 'copied' | 'fetched' | 'published';
  /**
   * Returns an answer for each requested icon, such as `sprites/items/potion.png`.
   */
  find(icons: readonly string[]): Promise<ReadonlyMap<string, IconAnswer>>;
}

/** The parts of a built site that are needed to read its icons. */
export type IconSite = Pick<BuiltSite, 'storage' | 'entries'>;

export interface CopiedIconSite extends IconSite {
  readonly meta: Pick<Meta, 'warnings'>;
}

/**
 * Creates an origin that reads icons from the copied site. A damaged icon is an
 * error, as is any other damaged file of that site.
 */
export function createCopiedOrigin(
  site: CopiedIconSite,
  recordIcons: readonly string[],
): IconOrigin {
  const placeholderAnswer = hasWarnedOfPlaceholders(site, recordIcons)
    ? 'none'
    : 'unknown';

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
 * Returns whether a placeholder in the copied site means that the upstream does not
 * have the icon. This is the case if the site has a warning for each placeholder. If
 * a site was built without icons, or if some icons could not be fetched, it has more
 * placeholders than warnings.
 *
 * @param recordIcons the icon of each record; an icon that two records share occurs
 * twice
 */
function hasWarnedOfPlaceholders(
  site: CopiedIconSite,
  recordIcons: readonly string[],
): boolean {
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
 * Creates an origin that reads icons from the published site. A damaged icon is
 * unknown instead of an error, because the new site will replace it.
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

/**
 * Returns whether a site has a file for an icon, other than a copy of the
 * placeholder.
 */
export function hasOwnIcon(
  { entries }: Pick<IconSite, 'entries'>,
  icon: string,
): boolean {
  const listedHash = entries.get(icon)?.sha256;
  const placeholderHash = entries.get(PLACEHOLDER_ICON)?.sha256;
  return listedHash !== undefined && listedHash !== placeholderHash;
}

function readIcon({ storage, entries }: IconSite, icon: string): Buffer {
  const body = readVerified(storage, entries, icon);
  if (isImage(body)) return body;
  throw new DataError('expected a PNG, GIF, JPEG or WebP image', {
    record: storage.at(icon),
  });
}

const SIGNATURES = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff'];

/**
 * Checks the signature at the start of a file.
 *
 * @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
 */
function isImage(body: Buffer): boolean {
  const start = body.toString('latin1', 0, 12);
  if (SIGNATURES.some((signature) => start.startsWith(signature))) return true;
  return /^RIFF.{4}WEBP/s.test(start);
}

/**
 * An icon in the disk cache. It is encoded as base64, because the cache is a text
 * file. Null means that the upstream does not have the icon.
 */
type CachedIcon = string | null;

const iconCodec: Codec<CachedIcon> = {
  decode(body) {
    if (isImage(body)) return body.toString('base64');
    throw new InvalidBodyError(
      `got ${body.length} bytes, expected a PNG, GIF, JPEG or WebP image`,
    );
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
  /** The size limit for all icons together. The default is `MAX_MEMORY_BYTES`. */
  readonly maxMemoryBytes?: number | undefined;
}

export interface UpstreamOrigin extends IconOrigin {
  readonly log: FetchLog;
}

/** The results of fetching icons. `find` updates them. */
export interface FetchLog {
  /** The number of requests, or null if none were sent. */
  requests: FetcherStats | null;
  /**
   * The number of icons that could not be fetched, including icons that were found
   * in the cache instead.
   */
  failed: number;
  /** The first error, if any. */
  problem: UpstreamError | undefined;
}

/**
 * The number of failed icons after which we stop requesting more. Each of these
 * icons was retried, so the upstream as a whole is probably broken.
 */
const MAX_FAILURES = 10;

/**
 * Creates an origin that fetches icons from the upstream.
 *
 * The first icon is fetched alone, because it shows whether the upstream is
 * reachable. The others are then fetched concurrently. If an icon cannot be fetched,
 * the origin answers from the cache. If the upstream is unreachable, or ten icons
 * have failed, the remaining icons come only from the cache.
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
        const loadOptions = {
          missing: { value: null },
          maxBytes: responseLimits.icon,
        };
        const { value } = await fetcher.load(url, iconCodec, loadOptions);
        return toAnswer(value);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        // Aborting closes the connections, which looks like a failure of the
        // upstream, so we check for it here.
        options.signal?.throwIfAborted();
        log.problem ??= error;
        hasGivenUp ||= error.request.unreachable || log.failed + 1 >= MAX_FAILURES;
      }
    }
    log.failed++;
    return toAnswer(fetcher.recall(url, iconCodec));
  }

  async function find(icons: readonly string[]): Promise<Map<string, IconAnswer>> {
    // Most builds request no icons, so we import this module as late as possible.
    const { withFetcher } = await import('../http/fetcher.ts');
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
