import { createSearchBox, type SearchFields } from '../search/search-box.ts';
import { adaptLinks, copyText, isOnDisk, requireElement } from '../shared/dom.ts';

void adaptLinks();

/** Keeps the search in the URL, so that the back button restores it and users can share it. */
function keepInUrl(fields: SearchFields, isEmpty: boolean): void {
  const kept = Object.entries(fields).filter(([, value]) => !isEmpty && value !== '');
  const query = new URLSearchParams(kept).toString();
  history.replaceState(null, '', location.pathname + (query && `?${query}`) + location.hash);
}

const setSearch = createSearchBox(keepInUrl);
if (location.search !== '' && !isOnDisk)
  void setSearch(Object.fromEntries(new URLSearchParams(location.search)));

const command = document.getElementById('command');
requireElement('copy', HTMLButtonElement).addEventListener('click', () => {
  if (command) void copyText(command);
});
