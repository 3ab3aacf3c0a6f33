/** Request targets as they come over the wire: https://httpwg.org/specs/rfc9112.html#request.target */

/**
 * Path and query as they were sent. A WHATWG URL would resolve dots, turn backslashes and cut fragments off, and so find
 * other resources.
 */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  // What no address may hold as it is, a client would take for something else in a redirect.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const at = encoded.indexOf('?');
  const path = at < 0 ? encoded : encoded.slice(0, at);
  return { path: path || '/', search: at < 0 ? '' : encoded.slice(at) };
}
