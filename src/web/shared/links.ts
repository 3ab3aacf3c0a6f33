/** Links to endpoints: at their own paths, or behind the fragment of one file, as the host serves the browsable page. */

import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';
import { type Attributes, element, root } from './elements.ts';

/** The style of the links in the data. */
export const linkStyle: LinkStyle = document.documentElement.dataset.links === 'file' ? 'file' : 'query';

let isNegotiated = linkStyle === 'query';

/** The `href` of a link to an endpoint. */
export const hrefTo = (address: string): string =>
  isNegotiated ? root + address.slice(1) : `${root}browse/#${address}`;

/** The attributes of a link to an endpoint. */
export const linkTo = (address: string): Attributes => ({ href: hrefTo(address), 'data-api': address });

export const link = (address: string, text: string): HTMLElement => element('a', linkTo(address), text);

/** Adapts the links of the page to whether the host serves the browsable page at API paths. */
export function setNegotiated(negotiated: boolean): void {
  isNegotiated = negotiated;
  for (const anchor of document.querySelectorAll('a'))
    if (anchor.dataset.api !== undefined) anchor.href = hrefTo(anchor.dataset.api);
}

/** Checks whether the host serves the browsable page at API paths, and adapts the links of the page if it does not. */
export async function fitLinks(): Promise<void> {
  if (!isNegotiated) return;
  try {
    const headers = { Accept: 'text/html' };
    const response = await fetch(root + API_PREFIX.slice(1), { method: 'HEAD', headers });
    setNegotiated(/^text\/html/.test(response.headers.get('Content-Type') ?? ''));
  } catch {
    // A failed request says nothing about the host.
  }
}
