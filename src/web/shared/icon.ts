/** An item's icon: from this site, which may redirect to the upstream; the placeholder if it cannot be loaded. */

import { PLACEHOLDER_ICON } from '../../contract/paths.ts';
import { element } from './elements.ts';

/**
 * @param icon as in records, relative to the base URL
 * @param size in pixels
 */
export function iconImage(icon: string, root: string, size = 30): HTMLImageElement {
  const image = element('img', { alt: '', width: size, height: size, loading: 'lazy', decoding: 'async' });
  image.addEventListener(
    'error',
    () => {
      image.src = root + PLACEHOLDER_ICON;
    },
    { once: true },
  );
  image.src = root + icon;
  return image;
}
