/**
 * Removes the user name and password from a URL such as `http://user:secret@host/`.
 * `fetch` rejects URLs with credentials, and users copy the URLs that we show. The
 * browser still sends the credentials with each request.
 */
export function removeCredentials(href: string): string {
  const url = new URL(href);
  url.username = '';
  url.password = '';
  return url.href;
}

/**
 * Returns the path, query and fragment of a URL. The History API rejects a URL if
 * its credentials differ from those of the page. A relative URL avoids this problem.
 */
export function getRelativeUrl(href: string): string {
  const { pathname, search, hash } = new URL(href);
  return pathname + search + hash;
}
