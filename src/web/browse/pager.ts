/** The page controls of a list: first, previous, next, last, and the page size. */

import type { ListPage } from '../../contract/paths.ts';
import { groupDigits } from '../../contract/words.ts';
import { element } from '../shared/elements.ts';
import { endpointOf, windowOf, withWindow } from './address.ts';
import { link } from './place.ts';

const SIZES = [10, 20, 50, 100, 200, 500];

export function isListPage(json: unknown): json is ListPage {
  if (typeof json !== 'object' || json === null) return false;
  const { count, next, previous, results } = json as Partial<Record<keyof ListPage, unknown>>;
  const isLink = (address: unknown): boolean => address === null || typeof address === 'string';
  return typeof count === 'number' && isLink(next) && isLink(previous) && Array.isArray(results);
}

export interface PagerOptions {
  readonly address: string;
  readonly page: ListPage;
  readonly label: string;
  /** Whether the host serves pages of other sizes. */
  readonly hasSizes: boolean;
}

export function pager({ address, page, label, hasSizes }: PagerOptions): HTMLElement {
  const { limit, offset } = windowOf(address);
  const { count, next, previous, results } = page;
  const last = count === 0 ? 0 : count - 1 - ((count - 1) % limit);
  const at = (start: number): string => withWindow(address, { limit, offset: start });
  const control = (text: string, to: string | undefined): HTMLElement =>
    to === undefined ? element('a', { role: 'link', 'aria-disabled': 'true' }, text) : link(to, text);

  return element(
    'nav',
    { class: 'pager', 'aria-label': label },
    element('p', {}, shownRange(offset, results.length, count)),
    element(
      'div',
      { class: 'steps' },
      control('First', offset > 0 ? at(0) : undefined),
      control('Previous', endpointOf(previous ?? '')),
      control('Next', endpointOf(next ?? '')),
      control('Last', offset === last ? undefined : at(last)),
    ),
    ...(hasSizes ? [sizeLinks(address)] : []),
  );
}

function shownRange(offset: number, shown: number, count: number): string {
  const [first, last, all] = [offset + 1, offset + shown, count].map(groupDigits);
  if (shown > 0) return `Records ${first} to ${last} of ${all}`;
  return count === 0 ? 'No records' : `No records at offset ${offset}: there are ${all}`;
}

/** Links to other page sizes. The target contains the first record of this page. */
function sizeLinks(address: string): HTMLElement {
  const { limit, offset } = windowOf(address);
  const sizes = [...new Set([...SIZES, limit])].sort((a, b) => a - b);
  const links = sizes.map((size) =>
    size === limit
      ? element('a', { role: 'link', 'aria-current': 'true' }, String(size))
      : link(withWindow(address, { limit: size, offset: offset - (offset % size) }), String(size)),
  );
  return element('p', { class: 'sizes' }, 'Page size ', ...links);
}
