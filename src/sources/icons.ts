import { type Kind, kindNames } from '../contract/kinds.ts';
import type { SiteFile } from '../contract/meta.ts';
import { PLACEHOLDER_ICON } from '../contract/paths.ts';
import type { IconSource } from '../contract/responses.ts';
import { formatCount } from '../contract/words.ts';
import type { DataSet, Records, Warning } from '../dataset/data-set.ts';
import { UpstreamError } from '../errors.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import {
  type CopiedIconSite,
  createCopiedOrigin,
  createPublishedOrigin,
  createUpstreamOrigin,
  type FetchLog,
  hasOwnIcon,
  type IconAnswer,
  type IconFetcherOptions,
  type IconOrigin,
  type IconSite,
  type UpstreamOrigin,
} from './icon-origins.ts';

export interface IconsReport extends IconSource {
  /** The number of different icons in records, without the placeholder. */
  readonly icons: number;
  /** The number of icons that the upstream does not have. */
  readonly missing: number;
  /** The number of icons that were taken from the copied site. */
  readonly copied: number;
  /**
   * The number of icons that were taken from the published site, because they could
   * not be fetched.
   */
  readonly published: number;
  readonly placeholders: number;
  /**
   * The number of icons that could not be fetched. Each of them was taken from the
   * cache or the published site, or is the placeholder.
   */
  readonly failed: number;
  /** The reason why the first failed icon could not be fetched. */
  readonly problem: string | null;
  readonly requests: FetcherStats | null;
}

export interface GatherOptions {
  readonly source: IconSource;
  /** The files that are part of every site, including the placeholder. */
  readonly assets: readonly SiteFile[];
  readonly copiedSite: CopiedIconSite | undefined;
  readonly publishedSite: IconSite | undefined;
  /**
   * Options for requesting icons from the upstream. Undefined if we must not request
   * any.
   */
  readonly fetcher: IconFetcherOptions | undefined;
  /**
   * Whether the user asked for the icons. If so, a first build fails if it cannot
   * get them.
   */
  readonly isRequired: boolean;
}

export interface GatheredIcons {
  readonly files: readonly SiteFile[];
  /** One warning for each record whose icon does not exist in the upstream. */
  readonly warnings: readonly Warning[];
  /**
   * One warning for each record that loses its icon, because the published file is
   * damaged and cannot be fetched again. These warnings are not reported. The guard
   * counts them.
   */
  readonly losses: readonly Warning[];
  readonly notices: readonly string[];
  readonly report: IconsReport;
}

/**
 * The percentage of icons that may fail in a first build. If more cannot be fetched,
 * the build fails.
 */
const MAX_FAILED = 1;

/**
 * Gathers a site's icon files.
 *
 * The origins are asked in order: first the copied site, then the upstream or its
 * cache, and then the published site. This way, an icon that cannot be fetched stays
 * as it was published. If the upstream does not have an icon, or no origin has it,
 * the placeholder is used. The guard limits how many published icons may be lost in
 * this way.
 *
 * @throws UpstreamError if icons are required, none are published, and too many
 * cannot be fetched
 */
export async function gatherIcons(
  dataSet: Pick<DataSet, 'records'>,
  options: GatherOptions,
): Promise<GatheredIcons> {
  const { source, assets, publishedSite } = options;
  const placeholder = assets.find(({ path }) => path === PLACEHOLDER_ICON)?.body;
  if (placeholder === undefined) {
    throw new Error(`${PLACEHOLDER_ICON} is missing from the assets`);
  }
  // Links to icons need no files, so the records are not read.
  const items = source.mode === 'link' ? [] : listItems(dataSet.records, assets);
  const icons = [...new Set(items.map(({ icon }) => icon))].sort();

  const upstream = createUpstream(options);
  const origins = listOrigins(items, upstream, options);
  const { answers, counts } = await askOrigins(icons, origins);
  const log = upstream?.log ?? noRequests;
  const unknownIcons = new Set(icons.filter((icon) => !answers.has(icon)));
  assertEnoughIcons(icons, unknownIcons.size, log, options);

  const files: SiteFile[] = [];
  let placeholders = 0;
  for (const icon of icons) {
    const answer = answers.get(icon);
    const hasFile = Buffer.isBuffer(answer);
    files.push({ path: icon, body: hasFile ? answer : placeholder });
    if (!hasFile) placeholders++;
  }
  const missingIcons = new Set(icons.filter((icon) => answers.get(icon) === 'none'));
  const missingItems = items.filter(({ icon }) => missingIcons.has(icon));
  const lostItems = listLostItems(items, unknownIcons, publishedSite);
  return {
    files,
    warnings: missingItems.map(warnOfMissingIcon),
    losses: lostItems.map(warnOfLostIcon),
    notices: describeFailures(log),
    report: {
      ...source,
      icons: icons.length,
      missing: missingIcons.size,
      copied: counts.copied,
      published: counts.published,
      placeholders,
      failed: log.failed,
      problem: log.problem?.message ?? null,
      requests: log.requests,
    },
  };
}

interface OriginAnswers {
  /**
   * The first answer for each icon that is not `unknown`. An icon without any such
   * answer is left out.
   */
  readonly answers: ReadonlyMap<string, IconAnswer>;
  /** The number of answers from each origin. */
  readonly counts: Readonly<Record<IconOrigin['name'], number>>;
}

/**
 * Asks the origins one after another. Each origin is asked only for the icons that
 * are still unknown.
 */
async function askOrigins(
  icons: readonly string[],
  origins: readonly IconOrigin[],
): Promise<OriginAnswers> {
  const answers = new Map<string, IconAnswer>();
  const counts = { copied: 0, fetched: 0, published: 0 };
  for (const origin of origins) {
    const unknownIcons = icons.filter((icon) => !answers.has(icon));
    if (unknownIcons.length === 0) break;
    const originAnswers = await origin.find(unknownIcons);
    for (const [icon, answer] of originAnswers) {
      if (answer === 'unknown') continue;
      answers.set(icon, answer);
      counts[origin.name]++;
    }
  }
  return { answers, counts };
}

/** A record with an icon. */
interface IconItem {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly icon: string;
}

/**
 * Lists the records that need an icon file. An icon such as the placeholder, which
 * is one of the assets, needs no other file.
 */
function listItems(records: Records, assets: readonly SiteFile[]): IconItem[] {
  // We ignore case, because some file systems are case-insensitive.
  const assetPaths = new Set(assets.map(({ path }) => path.toLowerCase()));
  const items: IconItem[] = [];
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      if (!('icon' in record) || assetPaths.has(record.icon.toLowerCase())) continue;
      const { id, slug, icon } = record;
      items.push({ kind, id, slug, icon });
    }
  }
  return items;
}

function createUpstream({
  source,
  fetcher,
}: GatherOptions): UpstreamOrigin | undefined {
  if (source.mode !== 'mirror' || source.upstream === null || !fetcher) {
    return undefined;
  }
  return createUpstreamOrigin(source.upstream, fetcher);
}

/**
 * Lists the origins in the order in which they are asked. If the site does not
 * contain icons, the list is empty.
 */
function listOrigins(
  items: readonly IconItem[],
  upstream: UpstreamOrigin | undefined,
  { source, copiedSite, publishedSite }: GatherOptions,
): IconOrigin[] {
  const origins: IconOrigin[] = [];
  if (source.mode !== 'mirror') return origins;
  const recordIcons = items.map(({ icon }) => icon);
  if (copiedSite) origins.push(createCopiedOrigin(copiedSite, recordIcons));
  if (upstream) origins.push(upstream);
  if (publishedSite) origins.push(createPublishedOrigin(publishedSite));
  return origins;
}

const noRequests: FetchLog = { requests: null, failed: 0, problem: undefined };

/**
 * Rejects a first build if too many icons cannot be fetched. A later build can keep
 * the published icons, and the guard limits its losses.
 */
function assertEnoughIcons(
  icons: readonly string[],
  failedCount: number,
  { problem: firstFailure }: FetchLog,
  { isRequired, publishedSite }: GatherOptions,
): void {
  if (!isRequired || firstFailure === undefined) return;
  const tolerated = (icons.length * MAX_FAILED) / 100;
  if (failedCount <= tolerated) return;
  const hasPublishedIcons =
    publishedSite && icons.some((icon) => hasOwnIcon(publishedSite, icon));
  if (hasPublishedIcons) return;
  const excess = `${failedCount} of ${formatCount(icons.length, 'icon')} cannot be fetched, expected at most ${MAX_FAILED} %`;
  const hint =
    firstFailure.hint ??
    'Try again later, or build without the images: --sprites link.';
  const problem = `${firstFailure.problem}; ${excess}`;
  throw new UpstreamError(problem, firstFailure.request, {
    cause: firstFailure,
    hint,
  });
}

/**
 * Lists the records that lose their published icon, because it can neither be read
 * from the published site nor fetched.
 */
function listLostItems(
  items: readonly IconItem[],
  unknownIcons: ReadonlySet<string>,
  publishedSite: IconSite | undefined,
): IconItem[] {
  if (!publishedSite) return [];
  return items.filter(
    ({ icon }) => unknownIcons.has(icon) && hasOwnIcon(publishedSite, icon),
  );
}

const warnOfMissingIcon = ({ kind, id, slug, icon }: IconItem): Warning => ({
  code: 'icon-not-found',
  kind,
  id,
  message: `${slug} (${id}): the upstream does not have ${icon}, using the placeholder`,
});

const warnOfLostIcon = ({ kind, id, slug, icon }: IconItem): Warning => ({
  code: 'icon-not-found',
  kind,
  id,
  message: `${slug} (${id}): the published ${icon} is damaged and cannot be fetched`,
});

function describeFailures({ failed, problem }: FetchLog): string[] {
  if (failed === 0) return [];
  const icons = formatCount(failed, 'icon');
  return [
    `could not fetch ${icons}, using the cached or published icon or the placeholder: ${problem?.message}`,
  ];
}
