import pLimit from 'p-limit';
import { kindNames } from '../contract/kinds.ts';
import { createMemoryLimit, responseLimits } from '../contract/limits.ts';
import type { SiteFile } from '../contract/meta.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import type { IconSource } from '../contract/responses.ts';
import { formatCount } from '../contract/words.ts';
import type { DataSet, Records } from '../data/data-set.ts';
import { GamedataError, isExpected } from '../errors.ts';
import type { AcceptableResponse, Client, ClientOptions } from './client.ts';
import type { RequestStats } from './transport.ts';

export interface IconsReport extends IconSource {
  /** The number of icon files in the site. A site that links to icons has none. */
  readonly icons: number;
  /** The number of icons that were taken from the copied site. */
  readonly copied: number;
  /** The number of icons that were taken from the published site. */
  readonly published: number;
  readonly placeholders: number;
  /**
   * The number of icons that could not be fetched, or were not requested after many
   * consecutive failures.
   */
  readonly failed: number;
  /** Why the first of these icons could not be fetched. */
  readonly problem: string | null;
  /** Null if no icon was requested. */
  readonly requests: Readonly<RequestStats> | null;
}

export interface IconFetcherOptions extends ClientOptions {
  /** The size limit for all icons together. The default is `MAX_MEMORY_BYTES`. */
  readonly maxMemoryBytes?: number | undefined;
}

export interface GatherOptions {
  readonly source: IconSource;
  /** The files that are part of every site, including the placeholder. */
  readonly assets: readonly SiteFile[];
  /** The icons of the copied site, by path. Undefined if no site is copied. */
  readonly copied: ReadonlyMap<string, Uint8Array> | undefined;
  /** Returns the published file of an icon, or undefined if there is none. */
  readonly readPublished: (icon: string) => Uint8Array | undefined;
  /**
   * Options for requesting icons from the upstream. Undefined if we must not request
   * any.
   */
  readonly fetcher: IconFetcherOptions | undefined;
}

export interface GatheredIcons {
  readonly files: readonly SiteFile[];
  readonly notices: readonly string[];
  readonly report: IconsReport;
}

/**
 * Gathers a site's icon files. A site that links to icons has none. A site without
 * icons has the placeholder image in place of each icon.
 *
 * A site that mirrors icons takes each one from the first place that has it: the copied
 * site, the published site, or the upstream. If an icon cannot be fetched, the
 * placeholder is used in its place, and the next build requests the icon again.
 *
 * @throws GamedataError if the placeholder is missing, or if the icons together are too
 * large
 */
export async function gatherIcons(
  dataSet: DataSet,
  options: GatherOptions,
): Promise<GatheredIcons> {
  const { source, assets } = options;
  const placeholder = findPlaceholder(assets);
  // A site that links to icons needs no icon files, so we do not read the records.
  const icons =
    source.mode === 'link' ? [] : listIcons(dataSet.readRecords(), assets);
  const mirroredIcons = source.mode === 'mirror' ? icons : [];
  const copied = new Map<string, Uint8Array>();
  const published = new Map<string, Uint8Array>();
  const missing: string[] = [];
  for (const icon of mirroredIcons) {
    const copiedIcon = options.copied?.get(icon);
    if (copiedIcon) {
      copied.set(icon, copiedIcon);
      continue;
    }
    const publishedIcon = options.readPublished(icon);
    if (publishedIcon) published.set(icon, publishedIcon);
    else missing.push(icon);
  }
  const fetched = await fetchMissing(missing, options);

  // Each icon is in at most one of these maps.
  const bodies = new Map([...copied, ...published, ...fetched.bodies]);
  const files: SiteFile[] = [];
  for (const icon of icons) {
    files.push({ path: icon, body: bodies.get(icon) ?? placeholder });
  }
  const { failed, problem, requests } = fetched;
  const report = {
    ...source,
    icons: icons.length,
    copied: copied.size,
    published: published.size,
    placeholders: icons.length - bodies.size,
    failed,
    problem,
    requests,
  };
  return { files, notices: describeFailures(fetched), report };
}

/** @throws GamedataError if the operator has removed the placeholder */
function findPlaceholder(assets: readonly SiteFile[]): SiteFile['body'] {
  const file = assets.find(({ path }) => path === PLACEHOLDER_ICON);
  if (file) return file.body;
  const problem = 'does not exist, expected the image for items without an icon';
  throw new GamedataError('output', `public/${PLACEHOLDER_ICON}: ${problem}`);
}

/**
 * Lists the icons for which the site needs files. Omits icons that are among the
 * assets, such as the placeholder.
 */
function listIcons(records: Records, assets: readonly SiteFile[]): string[] {
  const assetPaths = new Set(assets.map(({ path }) => path));
  const icons = new Set<string>();
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      if (!('icon' in record) || assetPaths.has(record.icon)) continue;
      icons.add(record.icon);
    }
  }
  return [...icons].sort();
}

const IMAGE = 'a PNG, GIF, JPEG or WebP image';
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

/** The results of requesting icons. */
interface FetchedIcons {
  readonly bodies: ReadonlyMap<string, Uint8Array>;
  readonly failed: number;
  /** Why the first of these icons could not be fetched. */
  readonly problem: string | null;
  readonly requests: Readonly<RequestStats> | null;
}

const noFetchedIcons: FetchedIcons = {
  bodies: new Map(),
  failed: 0,
  problem: null,
  requests: null,
};

/** Fetches the missing icons, unless requests are not allowed. */
async function fetchMissing(
  missing: readonly string[],
  { source, fetcher }: GatherOptions,
): Promise<FetchedIcons> {
  const canFetch = source.upstream !== null && fetcher && missing.length > 0;
  return canFetch ? fetchIcons(source.upstream, missing, fetcher) : noFetchedIcons;
}

/**
 * The number of consecutive failures after which we request no more icons. If so many
 * icons in a row fail in every attempt, the upstream does not work at all. A response
 * that the upstream lacks an icon is not a failure, so missing icons never keep others
 * from being fetched.
 */
const MAX_FAILURES_IN_A_ROW = 20;

/**
 * Fetches icons concurrently. Omits icons that could not be fetched. After many
 * consecutive failures, stops requesting icons, because the upstream evidently does not
 * work.
 *
 * @throws GamedataError if the icons together are too large
 */
async function fetchIcons(
  upstream: string,
  icons: readonly string[],
  options: IconFetcherOptions,
): Promise<FetchedIcons> {
  // Most builds request no icons, so we import this module as late as possible.
  const { isMissing, withClient } = await import('./client.ts');
  const bodies = new Map<string, Buffer>();
  const countTowardLimit = createMemoryLimit(upstream, options.maxMemoryBytes);
  let failedInARow = 0;
  let firstProblem: string | null = null;

  async function fetchIcon(client: Client, icon: string): Promise<void> {
    const upstreamWorks = failedInARow < MAX_FAILURES_IN_A_ROW;
    if (!upstreamWorks) return;
    const url = `${upstream}/${icon.slice(ICONS_FOLDER.length)}`;
    const bodyOrError = await requestIcon(client, url);
    if (bodyOrError instanceof GamedataError) {
      // An aborted request looks like a failed request, so we check for it here.
      options.signal?.throwIfAborted();
      firstProblem ??= bodyOrError.message;
      // An upstream that reports a missing icon is working.
      failedInARow = isMissing(bodyOrError) ? 0 : failedInARow + 1;
      return;
    }
    failedInARow = 0;
    countTowardLimit(bodyOrError.length);
    bodies.set(icon, bodyOrError);
  }

  return withClient(options, async (client) => {
    await pLimit(options.concurrency).map(icons, (icon) => fetchIcon(client, icon));
    const failed = icons.length - bodies.size;
    return { bodies, failed, problem: firstProblem, requests: client.stats };
  });
}

/**
 * Requests an icon. If the request fails, returns its error, because a missing icon does
 * not end the build.
 */
async function requestIcon(
  client: Client,
  url: string,
): Promise<Buffer | GamedataError> {
  const options = { isOptional: true, maxBytes: responseLimits.icon };
  try {
    return await client.get(url, acceptImage, options);
  } catch (error) {
    if (isExpected(error, 'upstream')) return error;
    throw error;
  }
}

function acceptImage({ body }: AcceptableResponse): Buffer {
  if (isImage(body)) return body;
  throw new GamedataError('data', `got ${body.length} bytes, expected ${IMAGE}`);
}

function describeFailures({ failed, problem }: FetchedIcons): string[] {
  if (failed === 0) return [];
  const icons = formatCount(failed, 'icon');
  return [
    `could not fetch ${icons}, using the placeholder until the next build: ${problem}`,
  ];
}
