import { createExchangeBox, requestRecord } from '../exchange/exchange-box.ts';
import { connectOfflineSwitch } from '../offline/offline-switch.ts';
import { showStoredDate } from '../offline/stored-date.ts';
import type { SearchFields } from '../search/find-rows.ts';
import { loadSearchEngine } from '../search/load-search.ts';
import { createSearchBox } from '../search/search-box.ts';
import type { Match } from '../search/search-engine.ts';
import { adaptLinks, getMessage, isOnDisk, requireElement } from '../shared/dom.ts';
import { createRareSave } from '../shared/history.ts';
import { createWall } from './wall.ts';

/** How long the selection must stay the same before its record is requested. */
const REQUEST_DELAY_MS = 150;

void adaptLinks();
void showStoredDate();

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

const box = requireElement('exchange', HTMLElement);
const exchangeBox = createExchangeBox(box);
const failure = requireElement('exchange-failure', HTMLParagraphElement);

/** Aborts the request for the selected record. */
let runningRequest = new AbortController();
let waiting: ReturnType<typeof setTimeout> | undefined;
let selected: string | undefined;

/**
 * Requests the selected record once the selection has not changed for a moment. The
 * previous response stays visible until the new one arrives, but the box is inert, so
 * that users cannot copy from the wrong response.
 */
function followSelection(match: Match | undefined): void {
  const address = match ? `${match.kind}/${match.slug}` : '';
  if (address === selected) return;
  selected = address;
  runningRequest.abort();
  clearTimeout(waiting);
  const isShown = box.querySelector('.request-line em')?.textContent === match?.slug;
  box.inert = !isShown;
  if (!match) return;
  runningRequest = new AbortController();
  const { signal } = runningRequest;
  waiting = setTimeout(() => void showExchange(match, signal), REQUEST_DELAY_MS);
}

/**
 * Requests a record, and shows the request and its response in the box. If the request
 * fails, a message says why, and the previous response stays. In both cases, the box is
 * no longer inert.
 *
 * @param signal aborts when the user selects another record. The box then stays as it
 * is, because it is already waiting for the other record.
 */
async function showExchange(match: Match, signal: AbortSignal): Promise<void> {
  const name = match.local ?? match.name;
  try {
    const exchange = await requestRecord({ ...match, name }, signal);
    exchangeBox.show(exchange);
    failure.hidden = true;
  } catch (error) {
    if (signal.aborted) return;
    failure.textContent = `${name} could not be requested (${getMessage(error)}).`;
    failure.hidden = false;
  }
  box.inert = false;
}

function startPage(): void {
  const wall = createWall(requireElement('wall', HTMLOListElement));
  const setSearch = createSearchBox({
    onSearch: followSearch,
    onResults: wall.raise,
    onSelect: followSelection,
  });
  void setSearch(Object.fromEntries(new URLSearchParams(location.search)));
  focusSearch();
  connectOfflineSwitch(requireElement('offline', HTMLDivElement));
  loadSearchEngine().then(
    ({ records }) => wall.draw(records),
    // The search form reports the problem when the user searches.
    () => {},
  );
}

/**
 * Focuses the search field, except on phones, where this would open the on-screen
 * keyboard.
 */
function focusSearch(): void {
  const hasMouse = matchMedia('(min-width: 64em) and (hover: hover)').matches;
  if (!hasMouse || location.hash !== '') return;
  requireElement('query', HTMLInputElement).focus({ preventScroll: true });
}

if (!isOnDisk) startPage();
