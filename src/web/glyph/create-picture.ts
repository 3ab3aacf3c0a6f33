import { element, setContent } from '../shared/dom.ts';
import { type GlyphSubject, renderGlyph } from './render-glyph.ts';

/**
 * Creates a record's picture: its glyph, which the icon replaces later.
 *
 * @param icon the path of the icon; an empty string if the glyph should stay
 */
export function createPicture(subject: GlyphSubject, icon = ''): HTMLElement {
  const picture = element('span', { class: 'picture', 'data-icon': icon });
  setContent(picture, renderGlyph(subject));
  return picture;
}
