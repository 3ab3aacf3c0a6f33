/** The front page's script: search, the copy button, and links that suit the host. */

import { createSearchBox } from '../search/box.ts';
import type { Filter } from '../search/engine.ts';
import { copyText, find, fitLinks, isOnDisk } from '../shared/script.ts';

void fitLinks();

/** Keeps the search in the page's URL, so that the back button restores it, and others can be sent it. */
function keepInUrl(filter: Filter, isEmpty: boolean): void {
  const kept = Object.entries(filter).filter(([, value]) => !isEmpty && value !== '');
  const search = new URLSearchParams(kept).toString();
  history.replaceState(null, '', location.pathname + (search && `?${search}`) + location.hash);
}

const setSearch = createSearchBox(keepInUrl);
if (location.search !== '' && !isOnDisk) setSearch(Object.fromEntries(new URLSearchParams(location.search)));

const command = document.getElementById('command');
find('copy', HTMLButtonElement).addEventListener('click', () => {
  if (command) void copyText(command);
});
