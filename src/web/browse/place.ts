/** Where the page is, links from it, and what its host can do. */

import { API_PREFIX } from '../../contract/paths.ts';
import { type Attributes, element, root } from '../shared/elements.ts';
import { hrefTo, placeOf } from './address.ts';

export const place = placeOf(
  location,
  root,
  document.documentElement.dataset.links === 'file' ? 'file' : 'query',
);

/** The attributes of a link to an endpoint, which opens in this page. */
export const linkTo = (address: string): Attributes => ({
  href: hrefTo(address, place),
  'data-api': address,
});

/** The same for a path of the API. */
export const linkToPath = (path: string): Attributes => linkTo(`${path}?format=api`);

export const link = (address: string, text: string): HTMLElement => element('a', linkTo(address), text);

let asked: Promise<boolean> | undefined;

/**
 * Whether pages of any size are served, as on hosts that run code. Those describe an endpoint in response to `OPTIONS`, others
 * have nothing to say. A request for such a page would be an error in the browser's console if it is refused.
 */
export async function servesAnySize(): Promise<boolean> {
  if (!place.isNegotiated) return false;
  asked ??= fetch(root + API_PREFIX.slice(1), { method: 'OPTIONS', headers: { Accept: 'application/json' } })
    .then(({ status }) => status === 200)
    .catch(() => false);
  return asked;
}
