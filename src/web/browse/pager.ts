/** The page controls of a list: first, previous, next, last, and the page size. */

import type { Window } from '../../contract/windows.ts';
import { element } from '../shared/elements.ts';
import { endpointOf, windowOf, withWindow } from './address.ts';

const SIZES = [10, 20, 50, 100, 200, 500];

/** A list page. */
export interface ListPage {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly unknown[];
}

export function isListPage(json: unknown): json is ListPage {
  if (typeof json !== 'object' || json === null) return false;
  const { count, next, previous, results } = json as Partial<Record<keyof ListPage, unknown>>;
  const isLink = (link: unknown): boolean => link === null || typeof link === 'string';
  return typeof count === 'number' && isLink(next) && isLink(previous) && Array.isArray(results);
}

export interface PagerOptions {
  readonly address: string;
  readonly page: ListPage;
  readonly label: string;
  /** Whether the host serves pages of other sizes. */
  readonly hasSizes: boolean;
  readonly hrefTo: (address: string) => string;
}

export function pager({ address, page, label, hasSizes, hrefTo }: PagerOptions): HTMLElement {
  const { limit, offset } = windowOf(address);
  const { count, results } = page;
  const last = count === 0 ? 0 : count - 1 - ((count - 1) % limit);
  const at = (start: number): string => withWindow(address, { limit, offset: start });
  const linkOf = (link: string | null): string | undefined => (link === null ? undefined : endpointOf(link));
  const control = (text: string, to: string | undefined): HTMLElement =>
    to === undefined
      ? element('a', { role: 'link', 'aria-disabled': 'true' }, text)
      : element('a', { href: hrefTo(to), 'data-address': to }, text);

  return element(
    'nav',
    { class: 'pager', 'aria-label': label },
    element('p', {}, shownRange(offset, results.length, count)),
    element(
      'div',
      { class: 'steps' },
      control('First', offset > 0 ? at(0) : undefined),
      control('Previous', linkOf(page.previous)),
      control('Next', linkOf(page.next)),
      control('Last', offset === last ? undefined : at(last)),
    ),
    ...(hasSizes ? [sizeLinks({ limit, offset }, (window) => withWindow(address, window), { hrefTo })] : []),
  );
}

function shownRange(offset: number, shown: number, count: number): string {
  if (shown > 0) return `Records ${offset + 1} to ${offset + shown} of ${count}`;
  return count === 0 ? 'No records' : `No records at offset ${offset}: there are ${count}`;
}

/** Links to other page sizes. The target contains the first record of this page. */
function sizeLinks(
  { limit, offset }: Window<number>,
  addressAt: (window: Window) => string,
  options: Pick<PagerOptions, 'hrefTo'>,
): HTMLElement {
  const sizes = [...new Set([...SIZES, limit])].sort((a, b) => a - b);
  const links = sizes.map((size) => {
    if (size === limit) return element('a', { role: 'link', 'aria-current': 'true' }, String(size));
    const address = addressAt({ limit: size, offset: offset - (offset % size) });
    return element('a', { href: options.hrefTo(address), 'data-address': address }, String(size));
  });
  return element('p', { class: 'sizes' }, 'Page size ', ...links);
}
