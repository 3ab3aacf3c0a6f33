/** The front page's script: search, the copy button, and links that suit the host. */

import { API_PREFIX, recordPath, SEARCH_FILE } from '../../contract/paths.ts';
import { readSearchIndex, type SearchEntry } from '../search-index.ts';
import { copyText } from '../shared/clipboard.ts';
import { button, element, find } from '../shared/elements.ts';
import { iconImage } from '../shared/icon.ts';
import { createMatcher, type Matcher } from './matcher.ts';

/** The number of results shown at first, and added each time. */
const STEP = 30;

const root = new URL('.', import.meta.url).href;
const form = find('search-form', HTMLFormElement);
const query = find('query', HTMLInputElement);
const kind = find('kind', HTMLSelectElement);
const generation = find('generation', HTMLSelectElement);
const found = find('found', HTMLParagraphElement);
const results = find('results', HTMLOListElement);
const more = find('more', HTMLButtonElement);

/** Whether the host serves the browsable page at API paths; otherwise it is one file, with the path in the fragment. */
let isNegotiated = document.documentElement.dataset.links !== 'file';
const hrefTo = (path: string): string => (isNegotiated ? root + path.slice(1) : `${root}browse/#${path}`);

let matcher: Promise<Matcher> | undefined;

/** Loads the index once, on the first search, and again after a failure. */
function loadMatcher(): Promise<Matcher> {
  matcher ??= fetch(root + SEARCH_FILE)
    .then((response) => {
      if (!response.ok) throw new Error(`got ${response.status}`);
      return response.json();
    })
    .then((index) => createMatcher(readSearchIndex(index)));
  matcher.catch(() => {
    matcher = undefined;
  });
  return matcher;
}

/** Counts searches: only the results of the latest are shown. */
let searches = 0;

async function search(): Promise<void> {
  const now = ++searches;
  const filter = { text: query.value, kind: kind.value, generation: generation.value };
  remember(filter);
  if (Object.values(filter).every((value) => value.trim() === '')) return showResults([], '');
  try {
    const match = await loadMatcher();
    if (now !== searches) return;
    const entries = match(filter);
    showResults(entries, entries.length === 1 ? '1 record' : `${entries.length || 'No'} records`);
  } catch (error) {
    if (now !== searches) return;
    const reason = error instanceof Error ? error.message : String(error);
    showResults([], `The search index could not be loaded (${reason}). `);
    found.append(button('Try again', () => void search()));
  }
}

/** Keeps the search in the page's URL, so that the back button restores it. */
function remember(filter: Readonly<Record<'text' | 'kind' | 'generation', string>>): void {
  const { text, ...others } = filter;
  const kept = Object.entries({ q: text, ...others }).filter(([, value]) => value !== '');
  const search = new URLSearchParams(kept).toString();
  history.replaceState(null, '', location.pathname + (search && `?${search}`) + location.hash);
}

function recall(): void {
  const asked = new URLSearchParams(location.search);
  query.value = asked.get('q') ?? query.value;
  kind.value = asked.get('kind') ?? kind.value;
  generation.value = asked.get('generation') ?? generation.value;
  if (query.value || kind.value || generation.value) void search();
}

function showResults(entries: readonly SearchEntry[], summary: string): void {
  found.textContent = summary;
  results.replaceChildren();
  const showMore = (): void => {
    const shown = results.children.length;
    results.append(...entries.slice(shown, shown + STEP).map(resultItem));
    more.hidden = results.children.length >= entries.length;
  };
  more.onclick = () => {
    const { length } = results.children;
    showMore();
    linkAt(length)?.focus();
  };
  showMore();
}

function resultItem({ kind: ofKind, slug, name, generation: of, icon }: SearchEntry): HTMLLIElement {
  const path = recordPath(ofKind, slug);
  const link = element('a', { href: hrefTo(path), 'data-api': path });
  link.append(
    icon === null ? element('span', { class: 'blank' }) : iconImage(icon, root),
    element('span', { class: 'what' }, element('b', {}, name), ' ', element('code', {}, slug)),
    element('span', { class: 'where' }, of === null ? ofKind : `${ofKind}, generation ${of}`),
  );
  return element('li', {}, link);
}

const linkAt = (at: number): HTMLAnchorElement | null => results.children[at]?.querySelector('a') ?? null;

/** Arrow keys move through the results, and from the first one back to the search box. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const item = event.target instanceof Element ? event.target.closest('li') : null;
  if (step === undefined) return;
  const at = item ? [...results.children].indexOf(item) : -1;
  const next = at + step < 0 ? query : linkAt(at + step);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

query.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') moveFocus(event);
});
results.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') query.focus();
  else moveFocus(event);
});
form.addEventListener('input', () => void search());
form.addEventListener('focusin', () => void loadMatcher().catch(() => {}), { once: true });
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  await search();
  linkAt(0)?.click();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  query.focus();
});

/** Checks whether the host serves the browsable page at API paths, and adapts the links if it does not. */
async function fitLinks(): Promise<void> {
  if (!isNegotiated) return;
  try {
    const { headers } = await fetch(root + API_PREFIX.slice(1), {
      method: 'HEAD',
      headers: { Accept: 'text/html' },
    });
    isNegotiated = /^text\/html/.test(headers.get('Content-Type') ?? '');
  } catch {
    // A failed request says nothing about the host.
  }
  if (isNegotiated) return;
  for (const link of document.querySelectorAll('a')) {
    if (link.dataset.api !== undefined) link.href = hrefTo(link.dataset.api);
  }
}

const command = document.getElementById('command');
if (command) {
  const copy = find('copy', HTMLButtonElement);
  copy.hidden = false;
  const copied = find('copied', HTMLParagraphElement);
  copy.addEventListener('click', () => void copyText(command.textContent, command, copied));
}
form.hidden = false;
find('keys', HTMLParagraphElement).hidden = false;
recall();
void fitLinks();
