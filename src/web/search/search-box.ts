import { groupDigits } from '../../contract/words.ts';
import { findName } from '../../data/find-name.ts';
import { createButton, getMessage, requireElement } from '../shared/dom.ts';
import {
  findRecord,
  findRows,
  type SearchFields,
  type SearchResult,
} from './find-rows.ts';
import {
  findLanguageField,
  listLanguages,
  preselectLanguage,
  selectLanguage,
} from './language-field.ts';
import { loadNames, loadSearchEngine } from './load-search.ts';
import { createOptions, createResult } from './options.ts';
import type { ResultRow } from './render-result.ts';
import type { Match } from './search-engine.ts';

/** The callbacks of a page that uses the search. */
export interface SearchListener {
  /** Called before each search. `isEmpty` means that there is nothing to search for. */
  readonly onSearch: (fields: SearchFields, isEmpty: boolean) => void;
  /**
   * Called with all matches once they are visible, or with undefined if there is no
   * search.
   */
  readonly onResults?: (matches: readonly Match[] | undefined) => void;
  /**
   * Called with the first result or the one chosen with the keyboard, or with undefined
   * if there are no results.
   */
  readonly onSelect?: (match: Match | undefined) => void;
}

/**
 * The time before a loading message appears. The first search loads the index, and
 * the first search in a language loads its names.
 */
const LOADING_DELAY_MS = 200;
/**
 * How long to wait after the last keystroke before screen readers announce the results.
 */
const ANNOUNCEMENT_DELAY_MS = 700;
const RESULTS_PER_STEP = 30;

/**
 * Sets up the search form, which shows results while the user types. Returns a
 * function that fills in the form and resolves when the results are visible.
 *
 * The field and its results are a combobox: arrow keys choose a result, and Enter opens
 * the chosen result. If none is chosen, Enter chooses the first one.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function createSearchBox(
  listener: SearchListener,
): (fields: Partial<SearchFields>) => Promise<void> {
  const form = requireElement('search-form', HTMLFormElement);
  const query = requireElement('query', HTMLInputElement);
  const kind = requireElement('kind', HTMLSelectElement);
  const generation = document.querySelector<HTMLSelectElement>('#generation');
  const found = requireElement('found', HTMLSpanElement);
  const problem = requireElement('search-problem', HTMLParagraphElement);
  const announcement = requireElement('announcement', HTMLParagraphElement);
  const results = requireElement('results', HTMLDivElement);
  const more = requireElement('more', HTMLButtonElement);
  const language = findLanguageField();
  if (language) preselectLanguage(language);

  const options = createOptions(query, results, (match) =>
    listener.onSelect?.(match),
  );
  const allRecords = found.textContent ?? '';
  /** The links that appear when there is no search. The build chose their records. */
  let examples = [...results.querySelectorAll('a')];

  /**
   * The number of searches so far. An older search must not replace the results of a
   * newer one.
   */
  let searches = 0;
  let announcing: ReturnType<typeof setTimeout> | undefined;

  /**
   * Shows the results for the form, or the examples if there is nothing to search for.
   * If the search takes a moment, a loading message appears.
   */
  async function search(): Promise<void> {
    // If another search begins while this one waits, it changes `searches`, and this
    // search must not show its results.
    const current = ++searches;
    const fields = readFields();
    const isEmpty = isEmptySearch(fields);
    listener.onSearch(fields, isEmpty);
    if (isEmpty) {
      showExamples();
      await localizeExamples(fields.language);
      if (current === searches) showExamples();
      return;
    }

    const loading = setTimeout(() => {
      if (current === searches) found.textContent = 'Loading…';
    }, LOADING_DELAY_MS);
    try {
      const result = await findRows(fields, listLanguages(language));
      if (current === searches) showRows(result);
    } catch (error) {
      if (current === searches) showProblem(error);
    } finally {
      clearTimeout(loading);
    }
  }

  const readFields = (): SearchFields => ({
    q: query.value,
    kind: kind.value,
    language: language?.value ?? '',
    generation: generation?.value ?? '',
  });

  function isEmptySearch(fields: SearchFields): boolean {
    const hasChosenKind = !isHidden(kind) && fields.kind !== '';
    const isChosen = hasChosenKind || fields.generation !== '';
    return fields.q.trim() === '' && !isChosen;
  }

  function showExamples(): void {
    problem.hidden = true;
    more.hidden = true;
    found.textContent = allRecords;
    options.replace(examples);
    announce('');
    listener.onResults?.(undefined);
  }

  /** Shows the examples' names in the selected language. */
  async function localizeExamples(language: string): Promise<void> {
    if (examples.length === 0) return;
    try {
      const { records } = await loadSearchEngine();
      const names = language === '' ? undefined : await loadNames(language);
      examples = examples.map((link) => {
        const match = findRecord(records, link.dataset.api ?? '');
        if (!match) return link;
        const local = findName(names, match.kind, match.slug);
        return createResult({ ...match, local, language });
      });
    } catch {
      // The examples keep the names from the build.
    }
  }

  function showRows({ rows, total }: SearchResult): void {
    problem.hidden = rows.length > 0;
    problem.textContent = 'No record has this id, slug or name.';
    found.textContent = `${groupDigits(rows.length)} of ${groupDigits(total)}`;
    announce(describeRows(rows));
    options.replace(rows.slice(0, RESULTS_PER_STEP).map(createResult));
    more.hidden = rows.length <= RESULTS_PER_STEP;
    more.onclick = () => {
      const firstNew = results.children.length;
      const nextRows = rows.slice(firstNew, firstNew + RESULTS_PER_STEP);
      options.append(nextRows.map(createResult));
      more.hidden = results.children.length >= rows.length;
      options.choose(firstNew);
      query.focus();
    };
    listener.onResults?.(rows);
  }

  function showProblem(error: unknown): void {
    found.textContent = allRecords;
    options.replace([]);
    more.hidden = true;
    problem.hidden = false;
    problem.replaceChildren(
      `The search index could not be loaded (${getMessage(error)}). `,
      createButton('Try again', () => void search()),
    );
    announce(problem.textContent ?? '');
  }

  /** Tells screen readers about the results when the user stops typing. */
  function announce(text: string): void {
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      announcement.textContent = text;
    }, ANNOUNCEMENT_DELAY_MS);
  }

  form.addEventListener('input', () => void search());
  form.addEventListener('focusin', () => void loadSearchEngine().catch(() => {}), {
    once: true,
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    query.focus();
    options.enter();
  });
  options.replace(examples);

  return (fields) => {
    query.value = fields.q ?? '';
    kind.value = fields.kind ?? '';
    if (generation) generation.value = fields.generation ?? '';
    if (fields.language && language) selectLanguage(language, fields.language);
    return search();
  };
}

const isHidden = (field: HTMLElement): boolean => field.closest('[hidden]') !== null;

function describeRows(rows: readonly ResultRow[]): string {
  const [first] = rows;
  if (!first) return 'No records';
  const count = rows.length === 1 ? '1 record' : `${rows.length} records`;
  return `${count}, the first is ${first.local ?? first.name}`;
}
