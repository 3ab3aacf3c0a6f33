/** Links of a page to endpoints: at their own paths, or behind the fragment of one file, as the host serves the browsable page. */

import { API_PREFIX } from '../../contract/paths.ts';
import { root } from './elements.ts';

let isNegotiated = document.documentElement.dataset.links !== 'file';

/** The `href` of a link to a path: the path itself, or one file with the path in the fragment. */
export const hrefTo = (path: string): string =>
  isNegotiated ? root + path.slice(1) : `${root}browse/#${path}`;

/** Checks whether the host serves the browsable page at API paths, and adapts the links of the page if it does not. */
export async function fitLinks(): Promise<void> {
  if (!isNegotiated) return;
  try {
    const headers = { Accept: 'text/html' };
    const response = await fetch(root + API_PREFIX.slice(1), { method: 'HEAD', headers });
    isNegotiated = /^text\/html/.test(response.headers.get('Content-Type') ?? '');
  } catch {
    // A failed request says nothing about the host.
  }
  if (!isNegotiated) pointLinks(hrefTo);
}

/** Sets the `href` of every link to an endpoint. */
export function pointLinks(to: (path: string) => string): void {
  for (const link of document.querySelectorAll('a'))
    if (link.dataset.api !== undefined) link.href = to(link.dataset.api);
}
