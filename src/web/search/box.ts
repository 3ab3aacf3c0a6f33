/** The search box: shows the matching records as somebody types, and can be used by keyboard alone. */

import type { Names } from '../../contract/names.ts';
import { namesFile, recordPath, SEARCH_FILE } from '../../contract/paths.ts';
import type { SearchIndex } from '../../contract/served.ts';
import {
  type Attributes,
  button,
  element,
  fetchJson,
  find,
  iconImage,
  linkTo,
  preference,
  reasonOf,
  root,
} from '../shared/script.ts';
import type { Filter, Match } from './engine.ts';

/** The number of results shown at first, and added each time. */
const STEP = 30;

/**
 * @param onSearch called with each search; it is empty if nothing is searched for
 * @returns fills the fields in, and searches; a kind alone is no search where its field is hidden
 */
export function createSearchBox(
  onSearch: (filter: Filter, isEmpty: boolean) => void,
): (filter: Partial<Filter>) => void {
  const form = find('search-form', HTMLFormElement);
  const query = find('query', HTMLInputElement);
  const kind = find('kind', HTMLSelectElement);
  const kindField = find('kind-field', HTMLDivElement);
  const generation = find('generation', HTMLSelectElement);
  const shortcut = find('shortcut', HTMLInputElement);
  const keys = find('shortcut-field', HTMLDetailsElement);
  const found = find('found', HTMLParagraphElement);
  const results = find('results', HTMLOListElement);
  const more = find('more', HTMLButtonElement);
  const language = languageField();
  if (language) preselect(language);

  /** Counts searches: only the results of the latest are shown. */
  let searches = 0;

  async function search(): Promise<void> {
    const now = ++searches;
    const tag = language?.value ?? '';
    const filter = { q: query.value, kind: kind.value, generation: generation.value, language: tag };
    const wanted = [filter.q, filter.generation, kindField.hidden ? '' : filter.kind];
    const isEmpty = wanted.every((value) => value.trim() === '');
    onSearch(filter, isEmpty);
    if (isEmpty) return showResults([], '');
    try {
      const [{ match, languagesIn }] = await Promise.all([loadEngine(), tag && loadNames(tag)]);
      if (now !== searches) return;
      const matches = match(filter, loadedNames);
      const loaded = ['', ...loadedNames.map((names) => names.language)];
      const others = Array.from(language?.options ?? []).filter(({ value }) => !loaded.includes(value));
      const offered =
        matches.length > 0
          ? []
          : languagesIn(
              filter.q,
              others.map(({ value }) => value),
            );
      const summary = matches.length === 1 ? '1 record' : `${matches.length || 'No'} records`;
      showResults(matches, offered.length > 0 ? `${summary}. Search the names in ` : summary);
      for (const { value, text } of others.filter((other) => offered.includes(other.value)))
        found.append(
          button(text, () => chooseLanguage(value)),
          ' ',
        );
    } catch (error) {
      if (now !== searches) return;
      showResults([], `The search index could not be loaded (${reasonOf(error)}). `);
      found.append(button('Try again', () => void search()));
    }
  }

  function chooseLanguage(tag: string): void {
    if (language) language.value = tag;
    language?.dispatchEvent(new Event('change'));
    query.focus();
    void search();
  }

  function showResults(entries: readonly Match[], summary: string): void {
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

  const linkAt = (at: number): HTMLAnchorElement | null => results.children[at]?.querySelector('a') ?? null;

  /** Arrow keys move from the search box through the results, and from the first one back, as Escape does from any. */
  function moveFocus(event: KeyboardEvent): void {
    const item = event.target instanceof Element ? event.target.closest('li') : null;
    const at = item ? [...results.children].indexOf(item) : -1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Escape: -1 }[event.key];
    if (to === undefined || (to < 0 && !item)) return;
    const next = to < 0 ? query : linkAt(to);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  query.addEventListener('keydown', moveFocus);
  results.addEventListener('keydown', moveFocus);
  form.addEventListener('input', () => void search());
  form.addEventListener('focusin', () => void loadEngine().catch(() => {}), { once: true });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await search();
    linkAt(0)?.click();
  });

  // A single character is only allowed as a shortcut if it can be turned off: WCAG 2.1.4.
  shortcut.checked = preference('shortcut') !== 'off';
  shortcut.addEventListener('change', () => preference('shortcut', shortcut.checked ? 'on' : 'off'));
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element &&
      event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea');
    const isOther = event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey;
    // On a device without a keyboard its field is hidden, and so it is where there is no search.
    if (isOther || isTyping || !shortcut.checked || keys.offsetParent === null) return;
    event.preventDefault();
    query.focus();
  });

  return ({ q = '', kind: ofKind = '', generation: of = '', language: tag = '' }) => {
    query.value = q;
    kind.value = ofKind;
    generation.value = of;
    if (tag !== '' && language) select(language, tag);
    void search();
  };
}

/** A record as a line of a list of results, with its name in another language, if there is one. */
export function resultItem({ kind, slug, name, generation, icon, local }: Match): HTMLLIElement {
  const own = local ? [element('span', inLanguage(local.language), local.name), ' '] : [];
  const link = element(
    'a',
    linkTo(recordPath(kind, slug)),
    element('span', { class: 'what' }, element('b', {}, name), ' ', ...own, element('code', {}, slug)),
    element('span', { class: 'where' }, generation === null ? kind : `${kind}, generation ${generation}`),
    ...(icon === null ? [] : [iconImage(icon)]),
  );
  return element('li', {}, link);
}

/** Makes a function that loads each thing once, and again after a failure. */
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

export const loadEngine = once(async () => {
  const [module, index] = await Promise.all([
    // By address: the bundler would make it part of each page.
    import(`${root}search.js`) as Promise<typeof import('./engine.ts')>,
    fetchJson<SearchIndex>(SEARCH_FILE),
  ]);
  return module.createEngine(index);
});

/** Besides English, in which every record is found. */
const loadedNames: Names[] = [];

/** The names of records in a language. */
export const loadNames = once(async (language) => {
  const names = await fetchJson<Names>(namesFile(language));
  if (language !== 'en') loadedNames.push(names);
  return names;
});

/** The attributes of text in a language. */
export const inLanguage = (language: string): Attributes => ({ lang: language, dir: 'auto' });

/** The field with the language of names; null on sites without any. */
export const languageField = (): HTMLSelectElement | null => document.querySelector('#names-language');

/** Selects what was chosen last, or else what the browser prefers, and remembers other choices. */
function preselect(field: HTMLSelectElement): void {
  const known = Array.from(field.options, ({ value }) => value);
  select(field, preference('names') ?? preferredLanguage(known));
  field.addEventListener('change', () => preference('names', field.value));
}

/** Selects an option, if there is such. */
function select({ options }: HTMLSelectElement, value: string): void {
  for (const option of options) if (option.value === value) option.selected = true;
}

/** The first of a visitor's languages that is known; empty for English, which records are in. */
function preferredLanguage(known: readonly string[]): string {
  for (const tag of navigator.languages) {
    // Of Chinese, the script counts.
    const { language, script } = new Intl.Locale(tag).maximize();
    const tags = [tag, language, `${language}-${script}`].map((one) => one.toLowerCase());
    const found = tags.find((one) => known.includes(one));
    if (found !== undefined || language === 'en') return found ?? '';
  }
  return '';
}
