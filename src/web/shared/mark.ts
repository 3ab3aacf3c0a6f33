/** The mark: in the header of every page, without a request, and as the file that is their icon. */

import { html } from './markup.ts';

const shapes = html`<rect width="32" height="32" rx="7"/><path d="M12.5 7.5C9 7.5 9.5 11 9.5 13s-1 3-3 3c2 0 3 1 3 3s-.5 5.5 3 5.5M19.5 7.5C23 7.5 22.5 11 22.5 13s1 3 3 3c-2 0-3 1-3 3s.5 5.5-3 5.5"/><circle cx="16" cy="16" r="2.7"/>`;

/** Colored by the style sheet. */
export const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${shapes}</svg>`;

/** Colored by itself, in light and dark. */
const style = html`rect{fill:#0b55c4}path{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}circle{fill:#fff}@media(prefers-color-scheme:dark){rect{fill:#8ab8ff}path{stroke:#131619}circle{fill:#131619}}`;
export const markFile =
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>gamedata</title><style>${style}</style>${shapes}</svg>`
    .text;
