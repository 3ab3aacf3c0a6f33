/** A record as a card: its picture, and its fields. */

import { element } from '../shared/elements.ts';
import { iconImage } from '../shared/icon.ts';
import { iconOf } from './json-view.ts';
import { SHOWN_APART } from './table.ts';

/** Empty if the response is no record. */
export function recordCard(json: unknown, { root }: { readonly root: string }): HTMLElement[] {
  if (typeof json !== 'object' || json === null || !('slug' in json)) return [];
  const icon = iconOf(json);
  const { slug, ...others } = json;
  const fields = Object.entries({ slug, ...others })
    .filter(([name]) => !SHOWN_APART.includes(name))
    .map(([name, value]) => element('div', {}, element('dt', {}, name), valueCell(value)));
  const picture = icon === undefined ? [] : [element('p', { class: 'picture' }, iconImage(icon, root, 90))];
  return [element('div', { class: 'card' }, ...picture, element('dl', {}, ...fields))];
}

const valueCell = (value: unknown): HTMLElement =>
  value === null
    ? element('dd', { class: 'null' }, 'null')
    : element('dd', {}, typeof value === 'object' ? JSON.stringify(value) : String(value));
