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
import type { PreviousDataSet } from '../data/data-set.ts';
import { describeReadFailure, GamedataError, isExpected } from '../errors.ts';
import { decodeJson } from './body.ts';
import type { AcceptableResponse, Client } from './client.ts';
import { type RawRecord, sanitizeSlug } from './normalize.ts';
import type { SourceContext } from './source.ts';

/** Tells which icons exist. */
export interface IconList {
  /**
   * Returns the icon of an item, or null if it has none.
   *
   * @param item an item whose `sprite` is the path that its icon has according to the
   * upstream's rule
   */
  findIcon(item: RawRecord<'item'>): string | null;
  readonly notices: readonly string[];
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

/** @throws GamedataError if the list is empty */
function createList(files: readonly string[]): IconList {
  if (files.length === 0) throw new GamedataError('data', 'got no icons');
  const icons = new Set<string | null>(files.map((file) => ICONS_FOLDER + file));
  return {
    findIcon: ({ sprite }) => (icons.has(sprite) ? sprite : null),
    notices: [],
  };
}

/**
 * Creates the list to use if we could not find out which icons exist. Each item keeps
 * its published icon, and items without a published icon get none.
 */
function createPublishedList(
  previous: PreviousDataSet | undefined,
  problem: string,
): IconList {
  const icons = new Map<string, string>();
  for (const { slug, icon } of previous?.readRecords().item ?? []) {
    if (typeof icon === 'string' && icon !== PLACEHOLDER_ICON) icons.set(slug, icon);
  }
  return {
    findIcon: ({ slug }) => icons.get(sanitizeSlug(slug)) ?? null,
    notices: [`could not check which icons exist: ${problem}`],
  };
}

/**
 * Lists the icons in a clone of the upstream's repository. The icons are in a Git
 * submodule next to the tables.
 */
export function readIconFolder(
  tables: string,
  previous: PreviousDataSet | undefined,
): IconList {
  const folder = path.join(tables, '..', 'sprites', 'sprites', 'items');
  try {
    return createList(readdirSync(folder));
  } catch (error) {
    const isEmpty = error instanceof GamedataError;
    const problem = isEmpty ? error.message : describeReadFailure(error);
    return createPublishedList(previous, `${folder}: ${problem}`);
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
  { iconListUrl, signal, previous }: SourceContext,
): Promise<IconList> {
  const url = iconListUrl ?? findIconListUrl(upstream);
  if (url === undefined) {
    return createPublishedList(previous, `${upstream} has no list of icons`);
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
    return createPublishedList(previous, error.message);
  }
}

function createAuthorization(token = ''): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}
