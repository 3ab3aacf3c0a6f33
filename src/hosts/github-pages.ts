import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import type { Host } from './host.ts';

/** The guarantees that GitHub Pages keeps without any configuration. */
const keptAnyway: readonly string[] = ['etag', 'cors'];

export const githubPages: Host = {
  unsupported: guaranteeNames.filter(
    (name) => guarantees[name].needs !== 'files' && !keptAnyway.includes(name),
  ),
  ignoresQueries: true,
  // Without this file, GitHub Pages would omit files whose names start with an
  // underscore.
  createFiles: () => [{ path: '.nojekyll', body: '' }],
};
