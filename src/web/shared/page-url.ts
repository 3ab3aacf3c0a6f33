/**
 * Removes the user name and password of a URL such as `http://user:secret@host/`, because `fetch` rejects a URL that has them, and
 * because users copy our URLs. The browser still sends them with requests.
 */
export function removeCredentials(href: string): string {
  const url = new URL(href);
  url.username = '';
  url.password = '';
  return url.href;
}

/**
 * Returns the path, query and fragment of a URL. The History API rejects a URL whose user name or
 * password differs from the page's, and a relative URL has the page's.
 */
export function getRelativeUrl(href: string): string {
  const { pathname, search, hash } = new URL(href);
  return pathname + search + hash;
}
