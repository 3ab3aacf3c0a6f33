/** The icons of a site: which ones its records name, and their files, each distinct one fetched once. */

import pLimit from 'p-limit';
import { kindNames } from '../contract/kinds.ts';
import { responseLimits } from '../contract/limits.ts';
import type { SiteFile } from '../contract/meta.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import type { IconSource } from '../contract/responses.ts';
import type { Records, Warning } from '../dataset/data-set.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { InvalidBodyError } from '../http/body.ts';
import { type Codec, type FetcherOptions, type FetcherStats, withFetcher } from '../http/fetcher.ts';
import { readVerified, type Site } from './site/read.ts';

export interface IconsReport extends IconSource {
  /** Distinct icons named by records, without the placeholder. */
  readonly icons: number;
  readonly missing: number;
  /** Why cached icons were used instead of the upstream's; null if they were not. */
  readonly offline: string | null;
  readonly requests: FetcherStats | null;
}

/** The icon files that a site has to hold, with the placeholder in place of missing ones, and a warning for each item that lacks its own. */
export async function gatherIcons(
  source: IconSource,
  records: Records,
  { assets, fetcher, site }: { assets: readonly SiteFile[]; fetcher: FetcherOptions; site: Site | undefined },
): Promise<{ files: SiteFile[]; warnings: Warning[]; report: IconsReport }> {
  const { mode, upstream } = source;
  const none: Gathered = { files: new Map(), offline: null, requests: null };
  const placeholder = assets.find(({ path }) => path === PLACEHOLDER_ICON)?.body;
  if (placeholder === undefined) throw new Error(`${PLACEHOLDER_ICON} is missing from the assets`);
  const held = new Set(assets.map(({ path }) => path.toLowerCase()));
  const named = kindNames.flatMap((kind) =>
    records[kind].flatMap((record) =>
      mode !== 'link' && 'icon' in record && !held.has(record.icon.toLowerCase())
        ? [{ kind, ...record }]
        : [],
    ),
  );
  const icons = [...new Set(named.map(({ icon }) => icon))].sort();
  const copied = new Map(
    icons.flatMap((icon) =>
      mode === 'mirror' && site?.entries.has(icon) ? [[icon, readIcon(site, icon)] as const] : [],
    ),
  );
  const others = icons.filter((icon) => !copied.has(icon));
  const { offline, requests, ...fetched } =
    mode === 'mirror' && upstream !== null && others.length > 0
      ? await fetchIcons(others, upstream, fetcher)
      : none;
  const files = new Map([...fetched.files, ...copied]);
  const missing = named.filter(({ icon }) => files.get(icon) === null);
  return {
    files: icons.map((icon) => ({ path: icon, body: files.get(icon) ?? placeholder })),
    warnings: missing.map(({ kind, id, slug, icon }) => ({
      ...{ code: 'icon-not-found', kind, id },
      message: `${slug} (${id}): the upstream does not have ${icon}, using the placeholder`,
    })),
    report: {
      ...{ ...source, icons: icons.length, offline, requests },
      missing: new Set(missing.map(({ icon }) => icon)).size,
    },
  };
}

interface Gathered extends Pick<IconsReport, 'offline' | 'requests'> {
  /** Icon → its file, or null if the upstream does not have it. */
  readonly files: ReadonlyMap<string, Buffer | null>;
}

/** Null for an icon that the site replaced by its placeholder. */
function readIcon({ storage, entries }: Site, icon: string): Buffer | null {
  if (entries.get(icon)?.sha256 === entries.get(PLACEHOLDER_ICON)?.sha256) return null;
  const body = readVerified(storage, entries, icon);
  if (isImage(body)) return body;
  throw new DataError('expected a PNG, GIF, JPEG or WebP image', { record: storage.at(icon) });
}

/** How PNG, GIF and JPEG start; of WebP, the size comes in between. */
const SIGNATURES = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff'];

/** @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
function isImage(body: Buffer): boolean {
  const start = body.toString('latin1', 0, 12);
  return SIGNATURES.some((signature) => start.startsWith(signature)) || /^RIFF.{4}WEBP/s.test(start);
}

/** Cached as base64, since the cache is a text file. */
const codec: Codec<string | null> = {
  decode(body) {
    if (!isImage(body))
      throw new InvalidBodyError(`got ${body.length} bytes, expected a PNG, GIF, JPEG or WebP image`);
    return body.toString('base64');
  },
  revive(cached) {
    if (cached === null) return null;
    return typeof cached === 'string' && isImage(Buffer.from(cached, 'base64')) ? cached : undefined;
  },
};

/** If the upstream cannot be reached, cached ones are used. 404 and 410 mean that an icon does not exist. */
function fetchIcons(icons: readonly string[], upstream: string, options: FetcherOptions): Promise<Gathered> {
  return withFetcher(options, { upstream, version: 'icons-1' }, async (fetcher) => {
    let offline: UpstreamError | undefined;

    async function read(icon: string): Promise<string | null> {
      const url = `${upstream}/${icon.slice(ICONS_FOLDER.length)}`;
      try {
        const options = { absent: { value: null }, maxBytes: responseLimits.icon };
        if (!offline) return (await fetcher.load(url, codec, options)).value;
      } catch (error) {
        if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
        offline = error;
      }
      const known = fetcher.recall(url, codec);
      if (known === undefined) throw offline;
      return known;
    }

    // The first by itself: it tells whether the upstream can be reached.
    const [first, ...others] = icons;
    const texts = first === undefined ? [] : [await read(first)];
    const rest = await pLimit(options.concurrency).map(others, read);
    const bodies = [...texts, ...rest].map((text) => (text === null ? null : Buffer.from(text, 'base64')));
    const files = new Map(icons.map((icon, at) => [icon, bodies[at] ?? null]));
    return { files, offline: offline?.message ?? null, requests: fetcher.stats };
  });
}
