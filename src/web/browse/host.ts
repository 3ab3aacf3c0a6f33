/** What the host of the page can do. */

import { API_PREFIX } from '../../contract/paths.ts';
import type { Place } from './address.ts';

let asked: Promise<boolean> | undefined;

/**
 * Whether pages of any size are served, as on hosts that run code. Those describe an endpoint in response to `OPTIONS`, others
 * have nothing to say. A request for such a page would be an error in the browser's console if it is refused.
 */
export function servesAnySize({ root, isNegotiated }: Place): Promise<boolean> {
  if (!isNegotiated) return Promise.resolve(false);
  asked ??= fetch(root + API_PREFIX.slice(1), { method: 'OPTIONS', headers: { Accept: 'application/json' } })
    .then(({ status }) => status === 200)
    .catch(() => false);
  return asked;
}
