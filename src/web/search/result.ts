/** A record as a line of a list of results. */

import { element } from '../shared/elements.ts';
import { iconImage } from '../shared/icon.ts';
import type { SearchEntry } from './search-index.ts';

/** @param link the attributes of the link to the record */
export function resultItem(
  { kind, slug, name, generation, icon }: SearchEntry,
  link: Readonly<Record<string, string>>,
  root: string,
): HTMLLIElement {
  return element(
    'li',
    {},
    element(
      'a',
      link,
      icon === null ? element('span', { class: 'blank' }) : iconImage(icon, root),
      element('span', { class: 'what' }, element('b', {}, name), ' ', element('code', {}, slug)),
      element('span', { class: 'where' }, generation === null ? kind : `${kind}, generation ${generation}`),
    ),
  );
}
