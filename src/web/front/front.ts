import { createSearchBox, type SearchFields } from '../search/search-box.ts';
import { adaptLinks, copyText, isOnDisk, requireElement } from '../shared/dom.ts';
import { connectTabs, findSelectedPanel } from './tabs.ts';

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

const tabs = document.querySelector<HTMLElement>('[role="tablist"]');
// A site without records has nothing to request.
if (tabs) {
  connectTabs(tabs);
  requireElement('copy', HTMLButtonElement).addEventListener('click', () => {
    const sample = findSelectedPanel(tabs);
    if (sample) void copyText(sample);
  });
}
