/** The files about changes: the history, its feed, and the redirects of renamed records. */

import type { History } from '../contract/changes.ts';
import { CHANGES_FILE, FEED_FILE, MOVED_FILE } from '../contract/paths.ts';
import type { MovedRoute } from '../contract/routes.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { encodeHistory } from '../dataset/history.ts';
import { encodeFeed, type FeedOptions } from './feed.ts';

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
