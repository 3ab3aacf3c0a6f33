/**
 * Finds out which icons the upstream has, because its tables do not say, and half of today's items
 * have none.
 */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { responseLimits } from '../contract/limits.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import { formatCount } from '../contract/words.ts';
import type { AnyRecords } from '../dataset/data-set.ts';
import { errorCode, UpstreamError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import { InvalidBodyError } from '../http/failures.ts';
import { type Codec, type FetcherStats, withFetcher } from '../http/fetcher.ts';
import type { SourceContext } from './source.ts';

/** Icons that exist, such as `sprites/items/potion.png`. */
type Icons = ReadonlySet<string>;

const noIcons: Icons = new Set();

export interface IconList {
  /** Older icons, or none, if the current list cannot be read. */
  readonly icons: Icons;
  /** The reason why the icons are not the current ones. */
  readonly problem?: string | undefined;
  readonly requests?: FetcherStats | undefined;
}

/** @see https://docs.github.com/en/rest/git/trees */
const GITHUB_LIST = 'https://api.github.com/repos/PokeAPI/sprites/git/trees/master:sprites/items';
const GITHUB_TABLES = /^https:\/\/raw\.githubusercontent\.com\/[^/]+\/pokeapi\//i;

/**
 * Returns the URL of the list of icons for tables in the upstream's repository or a fork; undefined
 * for other tables.
 */
export const findIconListUrl = (upstream: string): string | undefined =>
  GITHUB_TABLES.test(upstream) ? GITHUB_LIST : undefined;

/** In percent of the icons that are known to exist. A list that lacks more is incomplete. */
const MAX_LACKING = 1;

/**
 * Compares a list with the icons that are known to exist.
 *
 * @returns the problem of a list that is empty or incomplete
 */
function findIconProblem(icons: Icons, knownIcons: Icons): string | undefined {
  if (icons.size === 0) return 'got no icons';
  let lacking = 0;
  for (const icon of knownIcons) {
    if (!icons.has(icon)) lacking++;
  }
  const percent = (100 * lacking) / Math.max(knownIcons.size, 1);
  if (percent <= MAX_LACKING) return undefined;
  const subject = `a list without ${lacking} of ${knownIcons.size} known icons`;
  return `got ${subject}, expected at most ${MAX_LACKING} %`;
}

const toIcons = (files: readonly string[]): Icons =>
  new Set(files.map((file) => ICONS_FOLDER + file));

/**
 * Lists the icons in a clone of the upstream's repository, where they are a Git submodule next to
 * the tables.
 */
export function readIconFolder(tables: string, context: SourceContext): IconList {
  const folder = path.join(tables, '..', 'sprites', 'sprites', 'items');
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    return { icons: noIcons, problem: `${folder} cannot be read (${errorCode(error)})` };
  }
  const icons = toIcons(files);
  const problem = findIconProblem(icons, readBundledIcons(context));
  if (problem === undefined) return { icons };
  return { icons: noIcons, problem: `${folder}: ${problem}` };
}

const treeSchema = z.object({
  truncated: z.boolean(),
  tree: z.array(z.object({ path: z.string() })),
});

/** Rejects a list that is not complete, so that the cached one is used. */
const createCodec = (knownIcons: Icons): Codec<string[]> => ({
  decode(body) {
    const { data } = treeSchema.safeParse(decodeJson(body));
    if (!data) throw new InvalidBodyError('got another response, expected the list of a folder');
    if (data.truncated) throw new InvalidBodyError('got a truncated list, expected every icon');
    const files = data.tree.map((entry) => entry.path);
    const problem = findIconProblem(toIcons(files), knownIcons);
    if (problem !== undefined) throw new InvalidBodyError(problem);
    return files;
  },
  revive: (cached) => z.array(z.string()).safeParse(cached).data,
});

/**
 * Requests the list of icons for tables at a URL. GitHub allows 60 anonymous requests an hour for
 * each address, so the list is requested once, without retries. A failure does not end the build:
 * the cached list is used instead.
 */
export async function fetchIconList(upstream: string, context: SourceContext): Promise<IconList> {
  const url = context.iconListUrl ?? findIconListUrl(upstream);
  if (url === undefined) return { icons: noIcons, problem: `${upstream} has no list of icons` };
  const fetcherOptions = { ...context, retries: 0, onStored: undefined };
  const cacheKey = { upstream: url, version: 'icon-list-1' };
  const list = await withFetcher(fetcherOptions, cacheKey, async (fetcher): Promise<IconList> => {
    const { stats: requests } = fetcher;
    const codec = createCodec(readBundledIcons(context));
    const options = { revalidate: true, retriesMissing: false, maxBytes: responseLimits.list };
    try {
      const { value: files } = await fetcher.load(url, codec, options);
      return { icons: toIcons(files), requests };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const cachedFiles = fetcher.recall(url, codec) ?? [];
      return { icons: toIcons(cachedFiles), problem: error.message, requests };
    }
  });
  // An abort looks like a failed request.
  context.signal?.throwIfAborted();
  return list;
}

/** Returns the icons of the bundled data set, which certainly exist. */
function readBundledIcons(context: SourceContext): Icons {
  const earlier = context.readEarlier?.();
  const icons = mapIcons(earlier?.bundled);
  return new Set(icons.values());
}

/** Maps slugs to icons, except the placeholder. */
function mapIcons(records: AnyRecords | undefined): Map<string, string> {
  const icons = new Map<string, string>();
  for (const { slug, icon } of records?.item ?? []) {
    if (typeof icon === 'string' && icon !== PLACEHOLDER_ICON) icons.set(slug, icon);
  }
  return icons;
}

/**
 * Maps slugs to the icons that items have in the published data set or, failing that, in the
 * bundled one.
 */
function mapEarlierIcons({ readEarlier }: SourceContext): Map<string, string> {
  const { published, bundled } = readEarlier?.() ?? {};
  const icons = mapIcons(bundled);
  // A published item without an icon has none, although the bundled one may have one.
  for (const { slug } of published?.item ?? []) {
    icons.delete(slug);
  }
  for (const [slug, icon] of mapIcons(published)) {
    icons.set(slug, icon);
  }
  return icons;
}

/** Chooses the icons of items, and counts those that could not be checked. */
export interface IconChooser {
  /** @param derived the icon that the item would have by the upstream's rule */
  choose(slug: string, derived: string): string | null;
  notices(): readonly string[];
}

/**
 * Creates a function that returns an item's icon, or null if it has none. If the current list of
 * icons cannot be read and an older one lacks an icon, the item keeps what the published or,
 * failing that, the bundled data set has for its slug.
 */
export function createIconChooser(
  { icons, problem }: IconList,
  context: SourceContext,
): IconChooser {
  const uncheckedIcons = new Set<string>();
  let earlierIcons: Map<string, string> | undefined;
  return {
    choose(slug, derived) {
      if (icons.has(derived)) return derived;
      if (problem === undefined) return null;
      uncheckedIcons.add(derived);
      // Most builds do not need the earlier records.
      earlierIcons ??= mapEarlierIcons(context);
      return earlierIcons.get(slug) ?? null;
    },
    notices() {
      if (uncheckedIcons.size === 0) return [];
      const icons = formatCount(uncheckedIcons.size, 'icon');
      return [`could not check ${icons}: ${problem}`];
    },
  };
}
