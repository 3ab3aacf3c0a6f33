import pLimit from 'p-limit';
import { ignoreDamage } from '../built/damage.ts';
import type { PreviousSite } from '../built/previous-site.ts';
import type { BuiltSite } from '../built/site.ts';
import { readVerified } from '../built/verified-files.ts';
import { kindNames } from '../contract/kinds.ts';
import { limitMemory, responseLimits } from '../contract/limits.ts';
import type { SiteFile } from '../contract/meta.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import type { IconSource } from '../contract/responses.ts';
import type { Records, Warning } from '../dataset/data-set.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { InvalidBodyError } from '../http/body.ts';
import {
  type Codec,
  type FetcherOptions,
  type FetcherStats,
  withFetcher,
} from '../http/fetcher.ts';

export interface IconsReport extends IconSource {
  /** Distinct icons in records, excluding the placeholder. */
  readonly icons: number;
  /** Icons that the upstream does not have. */
  readonly missing: number;
  readonly copied: number;
  readonly published: number;
  readonly placeholders: number;
  /** The reason why the upstream was unreachable; null if it responded or no request was sent. */
  readonly offline: string | null;
  readonly requests: FetcherStats | null;
}

/** Icon → its file, or null if the upstream does not have it. */
type IconFiles = Map<string, Buffer | null>;

export interface IconOrigins {
  readonly assets: readonly SiteFile[];
  readonly site: BuiltSite | undefined;
  /** Whether to fetch missing icons. `ifReachable` falls back to published icons; `never` uses published icons without requests. */
  readonly fetching: 'always' | 'ifReachable' | 'never';
  readonly fetcher: FetcherOptions & Pick<IconFetcherOptions, 'maxMemoryBytes'>;
  readonly previous: PreviousSite | undefined;
}

/** Returns the icon files of a site, with the placeholder for missing icons, and a warning for each item whose icon is missing. */
export async function gatherIcons(
  source: IconSource,
  records: Records,
  { assets, site, fetching, fetcher, previous }: IconOrigins,
): Promise<{ files: SiteFile[]; warnings: Warning[]; notices: string[]; report: IconsReport }> {
  const { mode, upstream } = source;
  const placeholder = assets.find(({ path }) => path === PLACEHOLDER_ICON)?.body;
  if (placeholder === undefined) throw new Error(`${PLACEHOLDER_ICON} is missing from the assets`);
  const provided = new Set(assets.map(({ path }) => path.toLowerCase()));
  const items = kindNames.flatMap((kind) =>
    records[kind].flatMap((record) =>
      mode !== 'link' && 'icon' in record && !provided.has(record.icon.toLowerCase())
        ? [{ kind, ...record }]
        : [],
    ),
  );
  const icons = [...new Set(items.map(({ icon }) => icon))].sort();
  const files: IconFiles = new Map();
  if (site && mode === 'mirror')
    for (const icon of icons.filter((name) => site.entries.has(name))) {
      const body = readIcon(site, icon);
      // A placeholder may also mean that the site was built without icons, so by default the icon is fetched.
      if (body || fetching === 'always') files.set(icon, body);
    }
  const copied = files.size;
  const others = icons.filter((icon) => !files.has(icon));
  const { offline, requests } =
    mode === 'mirror' && upstream !== null && others.length > 0 && fetching !== 'never'
      ? await fetchIcons(others, upstream, files, {
          ...fetcher,
          isOptional: fetching === 'ifReachable',
        })
      : { offline: null, requests: null };
  let published = 0;
  for (const icon of mode === 'mirror' ? others.filter((name) => !files.has(name)) : []) {
    const body = previous && ignoreDamage(() => readIcon(previous, icon));
    if (!body) continue;
    files.set(icon, body);
    published++;
  }
  const missing = items.filter(({ icon }) => files.get(icon) === null);
  return {
    files: icons.map((icon) => ({ path: icon, body: files.get(icon) ?? placeholder })),
    warnings: missing.map(({ kind, id, slug, icon }) => ({
      ...{ code: 'icon-not-found', kind, id },
      message: `${slug} (${id}): the upstream does not have ${icon}, using the placeholder`,
    })),
    notices: offline === null ? [] : [`using cached or published icons: ${offline}`],
    report: {
      ...{ ...source, icons: icons.length, copied, published, offline, requests },
      missing: new Set(missing.map(({ icon }) => icon)).size,
      placeholders: icons.filter((icon) => !files.get(icon)).length,
    },
  };
}

/** Returns null if the site uses the placeholder for the icon. */
function readIcon(
  { storage, entries }: Pick<BuiltSite, 'storage' | 'entries'>,
  icon: string,
): Buffer | null {
  if (entries.get(icon)?.sha256 === entries.get(PLACEHOLDER_ICON)?.sha256) return null;
  const body = readVerified(storage, entries, icon);
  if (isImage(body)) return body;
  throw new DataError('expected a PNG, GIF, JPEG or WebP image', { record: storage.at(icon) });
}

const SIGNATURES = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff'];

/** @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
function isImage(body: Buffer): boolean {
  const start = body.toString('latin1', 0, 12);
  return (
    SIGNATURES.some((signature) => start.startsWith(signature)) || /^RIFF.{4}WEBP/s.test(start)
  );
}

/** Encodes icons as base64, because the cache is a text file. */
const codec: Codec<string | null> = {
  decode(body) {
    if (!isImage(body))
      throw new InvalidBodyError(
        `got ${body.length} bytes, expected a PNG, GIF, JPEG or WebP image`,
      );
    return body.toString('base64');
  },
  revive: (cached) => (cached === null || typeof cached === 'string' ? cached : undefined),
};

interface IconFetcherOptions extends FetcherOptions {
  readonly isOptional: boolean;
  /** Limits the sum of all icons. Default: `MAX_MEMORY_BYTES`. */
  readonly maxMemoryBytes?: number | undefined;
}

/** Adds icons to `files`. Uses the cache if the upstream is unreachable. Without a cached icon, fails unless icons are optional. */
const fetchIcons = (
  icons: readonly string[],
  upstream: string,
  files: IconFiles,
  { isOptional, maxMemoryBytes, ...options }: IconFetcherOptions,
) =>
  withFetcher(options, { upstream, version: 'icons-1' }, async (fetcher) => {
    const keep = limitMemory(upstream, maxMemoryBytes);
    let offline: UpstreamError | undefined;
    const load = async (url: string): Promise<string | null | undefined> => {
      try {
        const options = { missing: { value: null }, maxBytes: responseLimits.icon };
        if (!offline) return (await fetcher.load(url, codec, options)).value;
      } catch (error) {
        if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
        offline = error;
      }
      const cached = fetcher.recall(url, codec);
      if (cached === undefined && !isOptional) throw offline;
      return cached;
    };
    const add = async (icon: string): Promise<void> => {
      const text = await load(`${upstream}/${icon.slice(ICONS_FOLDER.length)}`);
      if (text === undefined) return;
      const body = text === null ? null : Buffer.from(text, 'base64');
      keep(body?.length ?? 0);
      files.set(icon, body);
    };
    // The first request shows whether the upstream is reachable.
    for (const icon of icons.slice(0, 1)) await add(icon);
    await pLimit(options.concurrency).map(icons.slice(1), add);
    return { offline: offline?.message ?? null, requests: fetcher.stats };
  });
