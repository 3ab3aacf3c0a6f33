/** Finds out which icons the upstream has, because its tables do not say, and half of today's items have none. */

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

/** Returns the URL of the list of icons for tables in the upstream's repository or a fork; undefined for other tables. */
export const findIconListUrl = (upstream: string): string | undefined =>
  GITHUB_TABLES.test(upstream) ? GITHUB_LIST : undefined;

/** In percent of the icons that are known to exist. A list that lacks more is incomplete. */
const MAX_LACKING = 1;

/**
 * Compares a list with the icons that are known to exist.
 *
 * @returns the problem of a list that is empty or incomplete
 */
function findIconProblem(icons: Icons, known: Icons): string | undefined {
  if (icons.size === 0) return 'got no icons';
  const lacking = [...known].filter((icon) => !icons.has(icon)).length;
  if (lacking * 100 <= known.size * MAX_LACKING) return undefined;
  return `got a list without ${lacking} of ${known.size} known icons, expected at most ${MAX_LACKING} %`;
}

const toIcons = (files: readonly string[]): Icons =>
  new Set(files.map((file) => ICONS_FOLDER + file));

/** Lists the icons in a clone of the upstream's repository, where they are a Git submodule next to the tables. */
export function readIconFolder(tables: string, context: SourceContext): IconList {
  const folder = path.join(tables, '..', 'sprites', 'sprites', 'items');
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    return { icons: new Set(), problem: `${folder} cannot be read (${errorCode(error)})` };
  }
  const icons = toIcons(files);
  const problem = findIconProblem(icons, readBundledIcons(context));
  if (problem === undefined) return { icons };
  return { icons: new Set(), problem: `${folder}: ${problem}` };
}

const treeSchema = z.object({
  truncated: z.boolean(),
  tree: z.array(z.object({ path: z.string() })),
});

/** Rejects a list that is not complete, so that the cached one is used. */
const createCodec = (known: Icons): Codec<string[]> => ({
  decode(body) {
    const { data } = treeSchema.safeParse(decodeJson(body));
    if (!data) throw new InvalidBodyError('got another response, expected the list of a folder');
    if (data.truncated) throw new InvalidBodyError('got a truncated list, expected every icon');
    const files = data.tree.map((entry) => entry.path);
    const problem = findIconProblem(toIcons(files), known);
    if (problem !== undefined) throw new InvalidBodyError(problem);
    return files;
  },
  revive: (cached) => z.array(z.string()).safeParse(cached).data,
});

/**
 * Requests the list of icons for tables at a URL. GitHub allows 60 anonymous requests an hour for
 * each address, so it is requested once, without retries, and a failure does not end the build: the
 * cached list is used instead.
 */
export async function fetchIconList(upstream: string, context: SourceContext): Promise<IconList> {
  const url = context.iconListUrl ?? findIconListUrl(upstream);
  if (url === undefined) return { icons: new Set(), problem: `${upstream} has no list of icons` };
  const fetcherOptions = { ...context, retries: 0, onStored: undefined };
  const key = { upstream: url, version: 'icon-list-1' };
  const list = await withFetcher(fetcherOptions, key, async (fetcher): Promise<IconList> => {
    const { stats: requests } = fetcher;
    const codec = createCodec(readBundledIcons(context));
    const options = { revalidate: true, retriesMissing: false, maxBytes: responseLimits.list };
    try {
      const { value } = await fetcher.load(url, codec, options);
      return { icons: toIcons(value), requests };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const cached = fetcher.recall(url, codec) ?? [];
      return { icons: toIcons(cached), problem: error.message, requests };
    }
  });
  // An abort looks like a failed request.
  context.signal?.throwIfAborted();
  return list;
}

function readBundledIcons(context: SourceContext): Icons {
  const icons = mapIcons(context.readEarlier?.().bundled);
  return new Set(icons.values());
}

/** Maps slugs to icons, except the placeholder. */
function mapIcons(records: AnyRecords | undefined): Map<string, string> {
  const icons = new Map<string, string>();
  for (const { slug, icon } of records?.item ?? [])
    if (typeof icon === 'string' && icon !== PLACEHOLDER_ICON) icons.set(slug, icon);
  return icons;
}

function mapEarlierIcons({ readEarlier }: SourceContext): Map<string, string> {
  const { published, bundled } = readEarlier?.() ?? {};
  const icons = mapIcons(bundled);
  // A published item without an icon has none, although the bundled one may have one.
  for (const { slug } of published?.item ?? []) icons.delete(slug);
  for (const [slug, icon] of mapIcons(published)) icons.set(slug, icon);
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
 * icons cannot be read and an older one lacks an icon, the item keeps what the published or, failing
 * that, the bundled data set has for its slug.
 */
export function createIconChooser(
  { icons, problem }: IconList,
  context: SourceContext,
): IconChooser {
  const unchecked = new Set<string>();
  let earlier: Map<string, string> | undefined;
  return {
    choose(slug, derived) {
      if (icons.has(derived)) return derived;
      if (problem === undefined) return null;
      unchecked.add(derived);
      earlier ??= mapEarlierIcons(context);
      return earlier.get(slug) ?? null;
    },
    notices() {
      if (unchecked.size === 0) return [];
      return [`could not check ${formatCount(unchecked.size, 'icon')}: ${problem}`];
    },
  };
}
