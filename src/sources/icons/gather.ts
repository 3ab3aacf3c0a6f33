/** The icons of a site: which ones its records name, and which of their files the site holds. */

import type { IconSource } from '../../contract/icons.ts';
import { kindNames } from '../../contract/kinds.ts';
import { PLACEHOLDER_ICON } from '../../contract/paths.ts';
import type { Item } from '../../contract/records.ts';
import type { SiteFile } from '../../contract/site-file.ts';
import type { Records, Warning } from '../../dataset/data-set.ts';
import { DataError } from '../../errors.ts';
import { type FetcherOptions, type FetcherStats, withFetcher } from '../../http/fetcher.ts';
import { readListed, type Site } from '../site/read.ts';
import { fetchIcons, type IconFiles, isImage } from './fetch.ts';

export interface IconsReport extends IconSource {
  /** Distinct icons named by records, without the placeholder. */
  readonly icons: number;
  /** Icons that the upstream does not have. */
  readonly missing: number;
  /** Why cached icons were used instead of the upstream's; null if they were not. */
  readonly offline: string | null;
  /** Null if nothing was fetched. */
  readonly requests: FetcherStats | null;
}

/**
 * Gathers the icon files that a site has to hold: none if requests are redirected, otherwise one for every icon that a
 * record names, with the placeholder in place of missing ones, and a warning for each item whose icon is missing.
 *
 * @param assets the hand-written files, including the placeholder; icons among them are not gathered again
 * @param site the site that the records are from, if they are; one that holds copies of icons is where they are taken from
 */
export async function gatherIcons(
  source: IconSource,
  records: Records,
  {
    assets,
    fetcher: options,
    site,
  }: { assets: readonly SiteFile[]; fetcher: FetcherOptions; site?: Site | undefined },
): Promise<{ files: SiteFile[]; warnings: Warning[]; report: IconsReport }> {
  const { mode, upstream } = source;
  const report = { ...source, icons: 0, missing: 0, offline: null, requests: null };
  if (mode === 'link') return { files: [], warnings: [], report };
  const placeholder = assets.find(({ path }) => path === PLACEHOLDER_ICON)?.body;
  if (placeholder === undefined) throw new Error(`${PLACEHOLDER_ICON} is missing from the assets`);
  const held = new Set(assets.map(({ path }) => path.toLowerCase()));
  const named = kindNames.flatMap((kind) =>
    records[kind].flatMap((record) =>
      'icon' in record && !held.has(record.icon.toLowerCase()) ? [{ kind, ...record }] : [],
    ),
  );
  const icons = [...new Set(named.map(({ icon }) => icon))].sort();
  const isHeld = site?.meta.sprites.mode === 'mirror';
  const fetched =
    mode !== 'mirror' || upstream === null
      ? undefined
      : isHeld
        ? { files: new Map(icons.map((icon) => [icon, readIcon(site, icon)])), offline: null, requests: null }
        : await fetchAll(icons, upstream, options);
  const files = icons.map((icon) => ({ path: icon, body: fetched?.files.get(icon) ?? placeholder }));
  const isMissing = (icon: string): boolean => fetched?.files.get(icon) === null;
  return {
    files,
    warnings: named.filter(({ icon }) => isMissing(icon)).map(warn),
    report: {
      ...report,
      icons: icons.length,
      missing: icons.filter(isMissing).length,
      offline: fetched?.offline ?? null,
      requests: fetched?.requests ?? null,
    },
  };
}

function readIcon({ place, entries }: Site, icon: string): Buffer {
  const body = readListed(place, entries, icon);
  if (isImage(body)) return body;
  throw new DataError('expected a PNG, GIF, JPEG or WebP image', { record: place.at(icon) });
}

const warn = ({ kind, id, slug, icon }: Item & Pick<Warning, 'kind'>): Warning => ({
  code: 'icon-not-found',
  kind,
  id,
  message: `${slug} (${id}): the upstream does not have ${icon}, using the placeholder`,
});

async function fetchAll(
  icons: readonly string[],
  upstream: string,
  options: FetcherOptions,
): Promise<{ files: IconFiles; offline: string | null; requests: FetcherStats }> {
  return withFetcher(options, { upstream, version: 'icons-1' }, async (fetcher) => {
    const { concurrency } = options;
    const { files, offline } = await fetchIcons(icons, { upstream, fetcher, concurrency });
    return { files, offline: offline?.message ?? null, requests: fetcher.stats };
  });
}
