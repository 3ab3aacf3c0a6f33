import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import type { Host } from './host.ts';

export const githubPages: Host = {
  unsupported: guaranteeNames.filter(
    (name) =>
      guarantees[name].needs !== 'files' && !['etag', 'not-modified', 'cors', 'compression'].includes(name),
  ),
  files: () => [
    // GitHub Pages would otherwise omit files whose names start with an underscore.
    { path: '.nojekyll', body: '' },
  ],
};
