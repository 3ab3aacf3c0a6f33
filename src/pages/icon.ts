/** An item's picture: from this site's own address, which may lead on to the upstream's; the placeholder where none comes. */

import { element } from './elements.ts';

const PLACEHOLDER = 'sprites/items/unknown.png';

/** @param icon relative to the site, as records have it */
export function picture(icon: string, root: string): HTMLImageElement {
  const image = element('img', { alt: '', width: 30, height: 30, loading: 'lazy', decoding: 'async' });
  image.addEventListener(
    'error',
    () => {
      image.src = root + PLACEHOLDER;
    },
    { once: true },
  );
  image.src = root + icon;
  return image;
}
