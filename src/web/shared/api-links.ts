/** Links from other pages to the browsable one, wherever the host serves it. */

import { API_PREFIX } from '../../contract/paths.ts';

export interface ApiLinks {
  /** The `href` of a link to a path: the path itself, or one file with the path in the fragment. */
  hrefTo(path: string): string;
}

/**
 * Checks whether the host serves the browsable page at API paths, and adapts the links of the page if it does not.
 *
 * @param root the base URL with a trailing slash
 */
export function fitLinks(root: string): ApiLinks {
  let isNegotiated = document.documentElement.dataset.links !== 'file';
  const hrefTo = (path: string): string => (isNegotiated ? root + path.slice(1) : `${root}browse/#${path}`);
  const adapt = async (): Promise<void> => {
    try {
      const { headers } = await fetch(root + API_PREFIX.slice(1), {
        method: 'HEAD',
        headers: { Accept: 'text/html' },
      });
      isNegotiated = /^text\/html/.test(headers.get('Content-Type') ?? '');
    } catch {
      // A failed request says nothing about the host.
    }
    if (isNegotiated) return;
    for (const link of document.querySelectorAll('a'))
      if (link.dataset.api !== undefined) link.href = hrefTo(link.dataset.api);
  };
  if (isNegotiated) void adapt();
  return { hrefTo };
}
