/** The pictures of a site: which its records name, and what of that it holds. */

import { PLACEHOLDER_ICON } from './contract/addresses.ts';
import type { EncodedRecords, Warning } from './contract/data-set.ts';
import { parse } from './contract/parse.ts';
import type { Sprites } from './contract/pictures.ts';
import { recordSchemas } from './contract/records.ts';
import type { SiteFile } from './contract/site.ts';
import type { FetcherStats } from './http/fetcher.ts';
import type { ResolvedSource } from './options.ts';
import type { Pictures } from './sprites/fetch.ts';

export interface SpritesReport extends Sprites {
  /** How many distinct pictures records name, the placeholder not counted, and how many the upstream does not have. */
  readonly pictures: number;
  readonly missing: number;
  /** Why the last ones that were fetched had to do; null where they did not. */
  readonly offline: string | null;
  /** Null where nothing was fetched. */
  readonly requests: FetcherStats | null;
}

export interface GatheredPictures {
  readonly files: readonly SiteFile[];
  /** One for each item whose picture the upstream does not have. */
  readonly warnings: readonly Warning[];
  readonly report: SpritesReport;
}

/** What one item says of its picture. */
interface Named {
  readonly id: number;
  readonly slug: string;
  readonly icon: string;
}

/**
 * Gathers what a site has to hold, so that every icon is a picture: nothing where requests are redirected, else every
 * picture that a record names, which is the placeholder where there is no other.
 *
 * @param assets the hand-written files, the placeholder among them; what they have is not made again
 */
export async function gatherPictures(
  sprites: Sprites,
  records: EncodedRecords,
  {
    assets,
    source,
    signal,
  }: { assets: readonly SiteFile[]; source: ResolvedSource; signal: AbortSignal | undefined },
): Promise<GatheredPictures> {
  const report = { ...sprites, pictures: 0, missing: 0, offline: null, requests: null };
  if (sprites.mode === 'link') return { files: [], warnings: [], report };
  const placeholder = assets.find(({ path }) => path === PLACEHOLDER_ICON)?.body;
  if (placeholder === undefined) throw new Error(`${PLACEHOLDER_ICON} is missing among the assets`);
  const held = new Set(assets.map(({ path }) => path.toLowerCase()));
  const named = records.item.map(readIcon).filter(({ icon }) => !held.has(icon.toLowerCase()));
  const icons = [...new Set(named.map(({ icon }) => icon))].sort();
  const { mode, upstream } = sprites;
  const fetched =
    mode === 'mirror' && upstream !== null ? await fetchAll(icons, { upstream, source, signal }) : undefined;
  const files = icons.map((icon) => ({ path: icon, body: fetched?.pictures.get(icon) ?? placeholder }));
  const isMissing = (icon: string): boolean => fetched?.pictures.get(icon) === null;
  return {
    files,
    warnings: named.filter(({ icon }) => isMissing(icon)).map(warn),
    report: {
      ...report,
      pictures: icons.length,
      missing: icons.filter(isMissing).length,
      offline: fetched?.offline ?? null,
      requests: fetched?.requests ?? null,
    },
  };
}

function readIcon({ id, slug, json }: EncodedRecords['item'][number]): Named {
  const { icon } = parse(recordSchemas.item.pick({ icon: true }).loose(), JSON.parse(json), {
    kind: 'item',
    record: slug,
  });
  return { id, slug, icon };
}

const warn = ({ id, slug, icon }: Named): Warning => ({
  code: 'missing-picture',
  kind: 'item',
  id,
  message: `${slug} (${id}): the upstream has no ${icon}, it is the placeholder`,
});

async function fetchAll(
  icons: readonly string[],
  { upstream, source, signal }: { upstream: string; source: ResolvedSource; signal: AbortSignal | undefined },
): Promise<{ pictures: Pictures; offline: string | null; requests: FetcherStats }> {
  const { fetching } = await import('./sources/fetching.ts');
  const { fetchPictures } = await import('./sprites/fetch.ts');
  return fetching({ ...source, signal }, { upstream, version: 'pictures-1' }, async (fetcher) => {
    const { concurrency } = source;
    const { pictures, offline } = await fetchPictures(icons, { upstream, fetcher, concurrency });
    return { pictures, offline: offline?.message ?? null, requests: fetcher.stats };
  });
}
