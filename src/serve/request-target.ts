/** Request targets as they are sent: https://httpwg.org/specs/rfc9112.html#request.target */

/**
 * Path and query as they were sent. A WHATWG URL would resolve dot segments, replace backslashes and drop fragments, and
 * so lead to other resources.
 */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  // Not allowed in a URL: in a redirect, clients would misinterpret them.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const at = encoded.indexOf('?');
  const path = at < 0 ? encoded : encoded.slice(0, at);
  return { path: path || '/', search: at < 0 ? '' : encoded.slice(at) };
}
