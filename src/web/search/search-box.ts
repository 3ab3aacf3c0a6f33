import type { Names } from '../../contract/names.ts';
import { namesFile, recordPath, SEARCH_FILE } from '../../contract/paths.ts';
import type { SearchIndex } from '../../contract/served.ts';
import {
  createButton,
  createIcon,
  element,
  fetchJson,
  getLinkAttributes,
  getMessage,
  requireElement,
  siteRoot,
} from '../shared/dom.ts';
import { findPreferredLanguage } from './preferred-language.ts';
import type { Match, SearchEngine } from './search-engine.ts';

/** The query parameters of a search. An empty language means English. */
export interface SearchFields {
  readonly q: string;
  readonly kind: string;
  readonly language: string;
}

/**
 * The time before a loading message appears. The first search loads the index, and
 * the first search in a language loads its names.
 */
const LOADING_DELAY_MS = 200;
const RESULTS_PER_STEP = 30;

/**
 * Sets up the search form, which shows results while the user types. Returns a
 * function that fills in the form and resolves when the results are visible.
 *
 * @param onSearch is called before each search; `isEmpty` is true if the user has
 * entered nothing to search for
 */
export function createSearchBox(
  onSearch: (fields: SearchFields, isEmpty: boolean) => void,
): (fields: Partial<SearchFields>) => Promise<void> {
  const form = requireElement('search-form', HTMLFormElement);
  const query = requireElement('query', HTMLInputElement);
  const kind = requireElement('kind', HTMLSelectElement);
  const found = requireElement('found', HTMLParagraphElement);
  const results = requireElement('results', HTMLOListElement);
  const more = requireElement('more', HTMLButtonElement);
  const language = findLanguageField();
  if (language) preselectLanguage(language);

  /**
   * The number of searches so far. An older search must not replace the results of a
   * newer one.
   */
  let searches = 0;

  /**
   * Shows the results for the form, or a message if there are none. If the search
   * takes a moment, a loading message appears.
   */
  async function search(): Promise<void> {
    const current = ++searches;
    const fields = readFields();
    const isEmpty = isEmptySearch(fields);
    onSearch(fields, isEmpty);
    if (isEmpty) return showResults([], '', '');

    const loading = setTimeout(() => {
      if (current === searches) found.textContent = 'Loading the search index…';
    }, LOADING_DELAY_MS);
    try {
      const matches = await findMatches(fields);
      if (current === searches) {
        showResults(matches, summarize(matches.length), fields.language);
      }
    } catch (error) {
      if (current !== searches) return;
      showResults(
        [],
        `The search index could not be loaded (${getMessage(error)}). `,
        '',
      );
      found.append(createButton('Try again', () => void search()));
    } finally {
      clearTimeout(loading);
    }
  }

  const readFields = (): SearchFields => ({
    q: query.value,
    kind: kind.value,
    language: language?.value ?? '',
  });

  function isEmptySearch(fields: SearchFields): boolean {
    const isKindHidden = kind.closest('[hidden]') !== null;
    const hasChosenKind = !isKindHidden && fields.kind !== '';
    return fields.q.trim() === '' && !hasChosenKind;
  }

  function showResults(
    matches: readonly Match[],
    summary: string,
    tag: string,
  ): void {
    found.textContent = summary;
    results.replaceChildren();
    const append = (): void => {
      const shown = results.children.length;
      const next = matches.slice(shown, shown + RESULTS_PER_STEP);
      results.append(...next.map((match) => createResult(match, tag)));
      more.hidden = results.children.length >= matches.length;
    };
    more.onclick = () => {
      const firstNew = results.children.length;
      append();
      results.children[firstNew]?.querySelector('a')?.focus();
    };
    append();
  }

  form.addEventListener('input', () => void search());
  form.addEventListener('focusin', () => void loadSearchEngine().catch(() => {}), {
    once: true,
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await search();
    results.querySelector('a')?.click();
  });

  return (fields) => {
    query.value = fields.q ?? '';
    kind.value = fields.kind ?? '';
    if (fields.language && language) select(language, fields.language);
    return search();
  };
}

async function findMatches({ q, kind, language }: SearchFields): Promise<Match[]> {
  const loadingNames = language === '' ? undefined : loadNames(language);
  const [engine, names] = await Promise.all([loadSearchEngine(), loadingNames]);
  return engine.match(q, kind, names);
}

function summarize(count: number): string {
  if (count === 0) return 'No records';
  return count === 1 ? '1 record' : `${count} records`;
}

/**
 * Creates an entry in the list of results.
 *
 * @param language the language of the record's local name
 */
export function createResult(
  { kind, slug, name, icon, local }: Match,
  language = '',
): HTMLLIElement {
  const what = element('span', { class: 'what' }, element('b', {}, name), ' ');
  if (local !== undefined) {
    what.append(element('span', getLangAttributes(language), local), ' ');
  }
  what.append(element('code', {}, slug));
  const where = element('span', { class: 'where' }, kind);
  const address = `${recordPath(kind, slug)}?format=api`;
  const link = element('a', getLinkAttributes(address), what, where);
  if (icon !== undefined) link.append(createIcon(icon));
  return element('li', {}, link);
}

/**
 * Caches the results of a loading function. Failures are not cached, so the next
 * call tries again.
 */
function once<Args extends readonly string[], T>(
  load: (...args: Args) => Promise<T>,
): typeof load {
  const loaded = new Map<string, Promise<T>>();
  return (...args) => {
    const key = args.join();
    const loading = loaded.get(key) ?? load(...args);
    loaded.set(key, loading);
    loading.catch(() => loaded.delete(key));
    return loading;
  };
}

export const loadSearchEngine = once(async (): Promise<SearchEngine> => {
  const [module, index] = await Promise.all([
    // We import the engine by its URL. Otherwise, the bundler would add it to each
    // page's script.
    import(`${siteRoot}search.js`) as Promise<typeof import('./search-engine.ts')>,
    fetchJson<SearchIndex>(SEARCH_FILE),
  ]);
  return module.createSearchEngine(index);
});

export const loadNames = once((language) => fetchJson<Names>(namesFile(language)));

export const getLangAttributes = (language: string) => ({
  lang: language,
  dir: 'auto',
});

/**
 * Finds the field in which the user chooses a language. Returns null if the site has only
 * English names.
 */
export const findLanguageField = (): HTMLSelectElement | null =>
  document.querySelector('#names-language');

const LANGUAGE_KEY = 'gamedata.names';

/**
 * Selects the language that the user chose last, or else the browser's language, and
 * remembers later choices.
 */
function preselectLanguage(field: HTMLSelectElement): void {
  const known = Array.from(field.options, ({ value }) => value);
  const last = ignoreBlockedStorage(() => localStorage.getItem(LANGUAGE_KEY));
  select(field, last ?? findPreferredLanguage(navigator.languages, known));
  field.addEventListener('change', () =>
    ignoreBlockedStorage(() => localStorage.setItem(LANGUAGE_KEY, field.value)),
  );
}

function ignoreBlockedStorage<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

function select({ options }: HTMLSelectElement, value: string): void {
  for (const option of options) {
    if (option.value === value) option.selected = true;
  }
}
