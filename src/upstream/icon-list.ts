/**
 * Finds out which icons the upstream has. The upstream's tables do not contain this
 * information, and about half of the items have no icon.
 */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { responseLimits } from '../contract/limits.ts';
import { parse } from '../contract/parse.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import { formatCount } from '../contract/words.ts';
import type { AnyRecords, PreviousDataSet } from '../data/data-set.ts';
import { describeReadFailure, GamedataError, isExpected } from '../errors.ts';
import { decodeJson } from './body.ts';
import type { AcceptableResponse, Client } from './client.ts';
import { type RawRecord, sanitizeSlug } from './normalize.ts';
import type { SourceContext } from './source.ts';

/** The icons that exist, or the reason why they are unknown. */
export interface IconList {
  /** The paths of the icons, such as `sprites/items/potion.png`. */
  readonly icons: ReadonlySet<string>;
  readonly problem?: string | undefined;
}

const createUnknownList = (problem: string): IconList => ({
  icons: new Set(),
  problem,
});

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

/** @throws GamedataError if the list is empty */
function createList(files: readonly string[]): IconList {
  if (files.length === 0) throw new GamedataError('data', 'got no icons');
  return { icons: new Set(files.map((file) => ICONS_FOLDER + file)) };
}

/**
 * Lists the icons in a clone of the upstream's repository. The icons are in a Git
 * submodule next to the tables.
 */
export function readIconFolder(tables: string): IconList {
  const folder = path.join(tables, '..', 'sprites', 'sprites', 'items');
  try {
    return createList(readdirSync(folder));
  } catch (error) {
    if (error instanceof GamedataError) {
      return createUnknownList(`${folder}: ${error.message}`);
    }
    return createUnknownList(`${folder} ${describeReadFailure(error)}`);
  }
}

const treeSchema = z.object({
  truncated: z.literal(false, 'expected a complete list'),
  tree: z.array(z.object({ path: z.string() })),
});

function acceptList({ body }: AcceptableResponse): IconList {
  const { tree } = parse(treeSchema, decodeJson(body), {});
  return createList(tree.map((entry) => entry.path));
}

/**
 * Requests the icon list for tables at a URL. GitHub allows each IP address 60
 * anonymous requests per hour, so we send a single request, with the token in
 * `GITHUB_TOKEN` if there is one.
 */
export async function fetchIconList(
  client: Client,
  upstream: string,
  { iconListUrl, signal }: SourceContext,
): Promise<IconList> {
  const url = iconListUrl ?? findIconListUrl(upstream);
  if (url === undefined) {
    return createUnknownList(`${upstream} has no list of icons`);
  }
  try {
    return await client.get(url, acceptList, {
      maxBytes: responseLimits.list,
      maxAttempts: 1,
      headers: createAuthorization(process.env.GITHUB_TOKEN),
    });
  } catch (error) {
    // An aborted request looks like a failed request, so we check for it here.
    signal?.throwIfAborted();
    if (!isExpected(error, 'upstream')) throw error;
    return createUnknownList(error.message);
  }
}

function createAuthorization(token = ''): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}

export interface CheckedIcons {
  /** The items. `sprite` is null if the item has no icon. */
  readonly items: readonly RawRecord<'item'>[];
  readonly notices: readonly string[];
}

/**
 * Removes from the items all icons that do not exist. The field `sprite` of an item is the
 * path that the item's icon has according to the upstream's rule. Only the list of icons
 * shows whether there is an icon at this path. If we could not get the list, each item
 * keeps the icon with which it is already published, and items without a published icon
 * get none. A notice then gives the reason.
 *
 * @param items items with the icons that the upstream's rule derives
 * @param previous the published data set
 */
export function checkIcons(
  items: readonly RawRecord<'item'>[],
  { icons, problem }: IconList,
  previous: PreviousDataSet | undefined,
): CheckedIcons {
  if (problem !== undefined) {
    const derivedIcons = new Set(items.map(({ sprite }) => sprite));
    const count = formatCount(derivedIcons.size, 'icon');
    const notice = `could not check ${count}: ${problem}`;
    return { items: usePublishedIcons(items, previous), notices: [notice] };
  }
  return { items: removeMissingIcons(items, icons), notices: [] };
}

/** Sets the icon of each item to null if it is not in the list of existing icons. */
function removeMissingIcons(
  items: readonly RawRecord<'item'>[],
  existingIcons: ReadonlySet<string>,
): RawRecord<'item'>[] {
  return items.map((item) => {
    const exists = item.sprite !== null && existingIcons.has(item.sprite);
    return exists ? item : { ...item, sprite: null };
  });
}

/** Gives each item its published icon, or none if no icon is published for it. */
function usePublishedIcons(
  items: readonly RawRecord<'item'>[],
  previous: PreviousDataSet | undefined,
): RawRecord<'item'>[] {
  const publishedIcons = mapIcons(previous?.readRecords());
  return items.map((item) => {
    const slug = sanitizeSlug(item.slug);
    return { ...item, sprite: publishedIcons.get(slug) ?? null };
  });
}

/** Maps item slugs to icons. Items with the placeholder are left out. */
function mapIcons(records: AnyRecords | undefined): Map<string, string> {
  const icons = new Map<string, string>();
  for (const { slug, icon } of records?.item ?? []) {
    if (typeof icon === 'string' && icon !== PLACEHOLDER_ICON) icons.set(slug, icon);
  }
  return icons;
}
