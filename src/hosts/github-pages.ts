import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import type { Host } from './host.ts';

/** GitHub Pages keeps these guarantees without configuration. */
const keptAnyway: readonly string[] = ['etag', 'not-modified', 'cors', 'compression'];

export const githubPages: Host = {
  unsupported: guaranteeNames.filter(
    (name) => guarantees[name].needs !== 'files' && !keptAnyway.includes(name),
  ),
  ignoresQueries: true,
  // GitHub Pages would otherwise omit files whose names start with an underscore.
  createFiles: () => [{ path: '.nojekyll', body: '' }],
};
