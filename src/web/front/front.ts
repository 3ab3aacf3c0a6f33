import { connectOfflineSwitch } from '../offline/offline-switch.ts';
import { createSearchBox, type SearchFields } from '../search/search-box.ts';
import { adaptLinks, copyText, isOnDisk, requireElement } from '../shared/dom.ts';
import { createRareSave } from '../shared/history.ts';
import { connectTabs, findSelectedPanel } from './tabs.ts';

void adaptLinks();

/** The current search, as query parameters. */
let query = '';

/**
 * Saves the search in the URL, so that the back button restores it and users can
 * share it.
 */
const url = createRareSave(() => {
  const search = query === '' ? '' : `?${query}`;
  history.replaceState(null, '', location.pathname + search + location.hash);
});
// Following a search result leaves the page, so we save the search on every click.
document.addEventListener('click', url.flush);
addEventListener('pagehide', url.flush);

function followSearch(fields: SearchFields, isEmpty: boolean): void {
  const parameters = new URLSearchParams();
  if (!isEmpty) {
    for (const [name, value] of Object.entries(fields)) {
      if (value !== '') parameters.set(name, value);
    }
  }
  query = parameters.toString();
  url.schedule();
}

const setSearch = createSearchBox(followSearch);
if (location.search !== '' && !isOnDisk) {
  const fields = new URLSearchParams(location.search);
  void setSearch(Object.fromEntries(fields));
}

const tabs = document.querySelector<HTMLElement>('[role="tablist"]');
// A site without records has no example request, and so no tabs.
if (tabs) {
  connectTabs(tabs);
  requireElement('copy', HTMLButtonElement).addEventListener('click', () => {
    const sample = findSelectedPanel(tabs);
    if (sample) void copyText(sample);
  });
}

const offline = document.querySelector<HTMLElement>('#offline');
if (offline) connectOfflineSwitch(offline);
