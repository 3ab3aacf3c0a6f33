/** The files that tell a site's visitors what changed. */

import { MOVED_FILE } from '../contract/addresses.ts';
import { CHANGES_FILE, FEED_FILE, type History } from '../contract/changes.ts';
import type { MovedRoute } from '../contract/routes.ts';
import type { SiteFile } from '../contract/site.ts';
import { encodeFeed, type FeedOptions } from './feed.ts';
import { encodeHistory } from './history.ts';

export function changeFiles(
  history: History,
  moved: readonly MovedRoute[],
  feed: FeedOptions,
): readonly SiteFile[] {
  return [
    { path: CHANGES_FILE, body: encodeHistory(history) },
    { path: FEED_FILE, body: encodeFeed(history, feed) },
    { path: MOVED_FILE, body: JSON.stringify(Object.fromEntries(moved.map(({ path, to }) => [path, to]))) },
  ];
}
