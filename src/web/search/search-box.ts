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

/** The query parameters of the front page's URL. An empty language means English. */
export interface SearchFields {
  readonly q: string;
  readonly kind: string;
  readonly language: string;
}

/**
 * Connects the search form, which shows results while the user types. Returns a function that fills in the form and resolves when the
 * results are shown.
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

  /** Older searches must not replace the results of newer searches. */
  let searches = 0;

  async function search(): Promise<void> {
    const current = ++searches;
    const fields = { q: query.value, kind: kind.value, language: language?.value ?? '' };
    const isKindHidden = kind.closest('[hidden]') !== null;
    const isEmpty = fields.q.trim() === '' && (isKindHidden || fields.kind === '');
    onSearch(fields, isEmpty);
    if (isEmpty) return showResults([], '', '');
    try {
      const [engine, names] = await Promise.all([
        loadSearchEngine(),
        fields.language === '' ? undefined : loadNames(fields.language),
      ]);
      if (current !== searches) return;
      const matches = engine.match(fields.q, fields.kind, names);
      const summary = matches.length === 1 ? '1 record' : `${matches.length || 'No'} records`;
      showResults(matches, summary, fields.language);
    } catch (error) {
      if (current !== searches) return;
      showResults([], `The search index could not be loaded (${getMessage(error)}). `, '');
      found.append(createButton('Try again', () => void search()));
    }
  }

  function showResults(matches: readonly Match[], summary: string, tag: string): void {
    found.textContent = summary;
    results.replaceChildren();
    const append = (): void => {
      const shown = results.children.length;
      results.append(...matches.slice(shown, shown + 30).map((match) => createResult(match, tag)));
      more.hidden = results.children.length >= matches.length;
    };
    more.onclick = () => {
      const { length } = results.children;
      append();
      results.children[length]?.querySelector('a')?.focus();
    };
    append();
  }

  form.addEventListener('input', () => void search());
  form.addEventListener('focusin', () => void loadSearchEngine().catch(() => {}), { once: true });
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

export function createResult(
  { kind, slug, name, icon, local }: Match,
  language = '',
): HTMLLIElement {
  const localName =
    local === undefined ? [] : [element('span', getLangAttributes(language), local), ' '];
  const link = element(
    'a',
    getLinkAttributes(`${recordPath(kind, slug)}?format=api`),
    element(
      'span',
      { class: 'what' },
      element('b', {}, name),
      ' ',
      ...localName,
      element('code', {}, slug),
    ),
    element('span', { class: 'where' }, kind),
    ...(icon === undefined ? [] : [createIcon(icon)]),
  );
  return element('li', {}, link);
}

function once<Args extends readonly string[], T>(load: (...args: Args) => Promise<T>): typeof load {
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
    // The engine is imported by URL, because the bundler would otherwise add it to each page.
    import(`${siteRoot}search.js`) as Promise<typeof import('./search-engine.ts')>,
    fetchJson<SearchIndex>(SEARCH_FILE),
  ]);
  return module.createSearchEngine(index);
});

export const loadNames = once((language) => fetchJson<Names>(namesFile(language)));

export const getLangAttributes = (language: string) => ({ lang: language, dir: 'auto' });

/** Null on sites without names. */
export const findLanguageField = (): HTMLSelectElement | null =>
  document.querySelector('#names-language');

const LANGUAGE_KEY = 'gamedata.names';

/** Selects and remembers the user's last choice, by default the browser's language. */
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
  for (const option of options) if (option.value === value) option.selected = true;
}
