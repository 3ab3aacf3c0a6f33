import { element, getRecordLinkAttributes, setContent } from '../shared/dom.ts';
import { watchIcons } from '../shared/icon-loader.ts';
import { type ResultRow, renderResult } from './render-result.ts';
import type { Match } from './search-engine.ts';

/** The results below the field, from which the user chooses with the arrow keys. */
export interface Options {
  readonly replace: (rows: readonly Element[]) => void;
  readonly append: (rows: readonly Element[]) => void;
  readonly choose: (index: number) => void;
  /** Opens the chosen result, or chooses the first one if none is chosen. */
  readonly enter: () => void;
}

/** Maps each result's element to its record. */
const matchesByOption = new WeakMap<Element, Match>();

export function createOptions(
  field: HTMLInputElement,
  list: HTMLElement,
  onSelect: (match: Match | undefined) => void,
): Options {
  /** The index of the chosen result, or -1 if the user has not chosen one. */
  let chosen = -1;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Records');

  function replace(rows: readonly Element[]): void {
    list.replaceChildren();
    append(rows);
    list.scrollTop = 0;
    choose(-1);
    // We show the first result even if the user has not chosen it.
    show(list.children[0]);
  }

  function append(rows: readonly Element[]): void {
    for (const row of rows) {
      row.id = `result-${list.children.length}`;
      row.setAttribute('role', 'option');
      row.setAttribute('tabindex', '-1');
      row.setAttribute('aria-selected', 'false');
      list.append(row);
    }
    watchIcons(list);
  }

  function choose(index: number): void {
    list.children[chosen]?.setAttribute('aria-selected', 'false');
    chosen = index;
    const option = list.children[index];
    if (!option) {
      field.removeAttribute('aria-activedescendant');
      return;
    }
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    field.setAttribute('aria-activedescendant', option.id);
    show(option);
  }

  function show(option: Element | undefined): void {
    list.querySelector('.shown')?.classList.remove('shown');
    option?.classList.add('shown');
    const match = option && matchesByOption.get(option);
    // The examples from the build have no match until the search is loaded.
    if (match || !option) onSelect(match);
  }

  function enter(): void {
    const option = list.children[chosen];
    if (option instanceof HTMLElement) option.click();
    else if (list.children.length > 0) choose(0);
  }

  field.addEventListener('keydown', (event) => {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const last = list.children.length - 1;
    choose(Math.max(0, Math.min(chosen + step, last)));
  });
  return { replace, append, choose, enter };
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowUp', -1],
  ['ArrowDown', 1],
]);

/** Creates a search result, which is a link to a record. */
export function createResult(row: ResultRow): HTMLAnchorElement {
  const link = element('a', getRecordLinkAttributes(row.kind, row.slug));
  setContent(link, renderResult(row));
  matchesByOption.set(link, row);
  return link;
}
