/** The search box: shows the matching records as somebody types, and can be used by keyboard alone. */

import { recordPath } from '../../contract/paths.ts';
import { button, find } from '../shared/elements.ts';
import { recall, remember } from '../shared/preferences.ts';
import { loadEngine } from './load.ts';
import type { Filter } from './matcher.ts';
import { resultItem } from './result.ts';
import type { SearchEntry } from './search-index.ts';

export interface SearchBoxOptions {
  /** The base URL with a trailing slash. */
  readonly root: string;
  /** The attributes of a link to a record's path. */
  readonly linkTo: (path: string) => Readonly<Record<string, string>>;
  /** Called with each search; it is empty if nothing is searched for. */
  readonly onSearch: (filter: Filter, isEmpty: boolean) => void;
}

export interface SearchBox {
  /** Fills the fields in, and searches. A kind alone is no search where its field is hidden. */
  set(filter: Partial<Filter>): void;
}

/** The number of results shown at first, and added each time. */
const STEP = 30;

export function createSearchBox({ root, linkTo, onSearch }: SearchBoxOptions): SearchBox {
  const form = find('search-form', HTMLFormElement);
  const query = find('query', HTMLInputElement);
  const kind = find('kind', HTMLSelectElement);
  const generation = find('generation', HTMLSelectElement);
  const shortcut = find('shortcut', HTMLInputElement);
  const found = find('found', HTMLParagraphElement);
  const results = find('results', HTMLOListElement);
  const more = find('more', HTMLButtonElement);

  /** Counts searches: only the results of the latest are shown. */
  let searches = 0;
  const isFixed = (): boolean => find('kind-field', HTMLDivElement).hasAttribute('hidden');

  async function search(): Promise<void> {
    const now = ++searches;
    const filter = { text: query.value, kind: kind.value, generation: generation.value };
    const wanted = [filter.text, filter.generation, isFixed() ? '' : filter.kind];
    const isEmpty = wanted.every((value) => value.trim() === '');
    onSearch(filter, isEmpty);
    if (isEmpty) return showResults([], '');
    try {
      const { match } = await loadEngine(root);
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

  function showResults(entries: readonly SearchEntry[], summary: string): void {
    found.textContent = summary;
    results.replaceChildren();
    const showMore = (): void => {
      const shown = results.children.length;
      results.append(...entries.slice(shown, shown + STEP).map(itemOf));
      more.hidden = results.children.length >= entries.length;
    };
    more.onclick = () => {
      const { length } = results.children;
      showMore();
      linkAt(length)?.focus();
    };
    showMore();
  }

  const itemOf = (entry: SearchEntry): HTMLElement =>
    resultItem(entry, linkTo(recordPath(entry.kind, entry.slug)), root);
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
  form.addEventListener('focusin', () => void loadEngine(root).catch(() => {}), { once: true });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await search();
    linkAt(0)?.click();
  });

  // A single character is only allowed as a shortcut if it can be turned off: WCAG 2.1.4.
  shortcut.checked = recall('shortcut') !== 'off';
  shortcut.addEventListener('change', () => remember('shortcut', shortcut.checked ? 'on' : 'off'));
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element &&
      event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea');
    const isOther = event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey;
    if (isOther || isTyping || !shortcut.checked || query.offsetParent === null) return;
    event.preventDefault();
    query.focus();
  });

  return {
    set({ text = '', kind: ofKind = '', generation: of = '' }) {
      query.value = text;
      kind.value = ofKind;
      generation.value = of;
      void search();
    },
  };
}
