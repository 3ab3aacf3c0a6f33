/**
 * Finds out which icons the upstream has. The upstream's tables do not contain this
 * information, and about half of the items have no icon.
 */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { responseLimits } from '../contract/limits.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import { formatCount } from '../contract/words.ts';
import type { AnyRecords } from '../dataset/data-set.ts';
import { describeReadFailure, UpstreamError } from '../errors.ts';
import { decodeJson } from '../http/body.ts';
import { InvalidBodyError } from '../http/failures.ts';
import { type Codec, type FetcherStats, withFetcher } from '../http/fetcher.ts';
import type { SourceContext } from './source.ts';

/** A set of existing icons, such as `sprites/items/potion.png`. */
type Icons = ReadonlySet<string>;

const noIcons: Icons = new Set();

export interface IconList {
  /**
   * The icons that exist. If the current list cannot be read, these are the icons
   * from an older list, or none.
   */
  readonly icons: Icons;
  /** The reason why the current list could not be used. */
  readonly problem?: string | undefined;
  readonly requests?: FetcherStats | undefined;
}

/**
 * The list of all icons in the upstream's repository.
 *
 * @see https://docs.github.com/en/rest/git/trees
 */
const GITHUB_LIST =
  'https://api.github.com/repos/PokeAPI/sprites/git/trees/master:sprites/items';
const GITHUB_TABLES = /^https:\/\/raw\.githubusercontent\.com\/[^/]+\/pokeapi\//i;

/**
 * Returns the URL of the icon list if the tables are in the upstream's repository or
 * in a fork of it. Returns undefined for all other tables.
 */
export const findIconListUrl = (upstream: string): string | undefined =>
  GITHUB_TABLES.test(upstream) ? GITHUB_LIST : undefined;

/**
 * The percentage of known icons that may be missing from a list. If more are
 * missing, the list is incomplete.
 */
const MAX_LACKING = 1;

/**
 * Compares a list with the icons that are known to exist.
 *
 * @returns the problem if the list is empty or incomplete
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
 * Lists the icons in a clone of the upstream's repository. The icons are in a Git
 * submodule next to the tables.
 */
export function readIconFolder(tables: string, context: SourceContext): IconList {
  const folder = path.join(tables, '..', 'sprites', 'sprites', 'items');
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (error) {
    return {
      icons: noIcons,
      problem: `${folder} ${describeReadFailure(error)}`,
    };
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

/**
 * Creates a codec that rejects an incomplete list. The cached list is then used
 * instead.
 */
const createCodec = (knownIcons: Icons): Codec<string[]> => ({
  decode(body) {
    const { data } = treeSchema.safeParse(decodeJson(body));
    if (!data) {
      throw new InvalidBodyError(
        'got another response, expected the list of a folder',
      );
    }
    if (data.truncated) {
      throw new InvalidBodyError('got a truncated list, expected every icon');
    }
    const files = data.tree.map((entry) => entry.path);
    const problem = findIconProblem(toIcons(files), knownIcons);
    if (problem !== undefined) throw new InvalidBodyError(problem);
    return files;
  },
  revive: (cached) => z.array(z.string()).safeParse(cached).data,
});

/**
 * Requests the icon list for tables at a URL. GitHub allows each IP address 60
 * anonymous requests per hour, so we send a single request without retries. If it
 * fails, the build continues with the cached list.
 */
export async function fetchIconList(
  upstream: string,
  context: SourceContext,
): Promise<IconList> {
  const url = context.iconListUrl ?? findIconListUrl(upstream);
  if (url === undefined) {
    return { icons: noIcons, problem: `${upstream} has no list of icons` };
  }
  const fetcherOptions = { ...context, retries: 0, onStored: undefined };
  const cacheKey = { upstream: url, version: 'icon-list-1' };
  const list = await withFetcher(
    fetcherOptions,
    cacheKey,
    async (fetcher): Promise<IconList> => {
      const { stats: requests } = fetcher;
      const codec = createCodec(readBundledIcons(context));
      const options = {
        revalidate: true,
        retriesMissing: false,
        maxBytes: responseLimits.list,
      };
      try {
        const { value: files } = await fetcher.load(url, codec, options);
        return { icons: toIcons(files), requests };
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        const cachedFiles = fetcher.recall(url, codec) ?? [];
        return { icons: toIcons(cachedFiles), problem: error.message, requests };
      }
    },
  );
  // An aborted request looks like a failed request, so we check for it here.
  context.signal?.throwIfAborted();
  return list;
}

/** Returns the icons in the bundled data set, which are known to exist. */
function readBundledIcons(context: SourceContext): Icons {
  const earlier = context.readEarlier?.();
  const icons = mapIcons(earlier?.bundled);
  return new Set(icons.values());
}

/** Maps item slugs to icons. Items with the placeholder are left out. */
function mapIcons(records: AnyRecords | undefined): Map<string, string> {
  const icons = new Map<string, string>();
  for (const { slug, icon } of records?.item ?? []) {
    if (typeof icon === 'string' && icon !== PLACEHOLDER_ICON) icons.set(slug, icon);
  }
  return icons;
}

/**
 * Maps item slugs to earlier icons, which come from the published data set. For
 * items that are not published, the icons come from the bundled data set.
 */
function mapEarlierIcons({ readEarlier }: SourceContext): Map<string, string> {
  const { published, bundled } = readEarlier?.() ?? {};
  const icons = mapIcons(bundled);
  // If a published item has no icon, it has none here either, even if the bundled
  // item has an icon.
  for (const { slug } of published?.item ?? []) {
    icons.delete(slug);
  }
  for (const [slug, icon] of mapIcons(published)) {
    icons.set(slug, icon);
  }
  return icons;
}

/** Chooses item icons, and counts the icons that could not be checked. */
export interface IconChooser {
  /**
   * Returns an item's icon, or null if it has none.
   *
   * @param derived the icon that the upstream's rule derives from the slug
   */
  choose(slug: string, derived: string): string | null;
  notices(): readonly string[];
}

/**
 * Creates an icon chooser. If the current list cannot be read and the older list
 * does not contain an icon, the item keeps its published icon. An item that is not
 * published keeps its icon from the bundled data set.
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
      // Most builds do not need the earlier records, so we read them as late as
      // possible.
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
