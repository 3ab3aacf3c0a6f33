/** Markup: pieces of a page, in which every value is escaped that is not markup itself. */

/** A piece of a page. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Markup;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As a page shows it, also inside the quotes of an attribute. */
const escapePiece = (piece: Piece): string =>
  piece instanceof Markup
    ? piece.text
    : String(piece).replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);

/** Tag of a template: ``html`<p>${name}</p>` ``. A list stands with line breaks between its members. */
export function html(text: TemplateStringsArray, ...values: readonly (Piece | readonly Piece[])[]): Markup {
  const pieces = values.map((value) =>
    typeof value === 'object' && !(value instanceof Markup)
      ? value.map(escapePiece).join('\n')
      : escapePiece(value),
  );
  return new Markup(String.raw({ raw: text }, ...pieces));
}

export const nothing = new Markup('');

/**
 * Fills the places of a hand-written page, which are marked like `{{captured}}`. Throws where the page has a place that
 * is not filled, or none for a value.
 */
export function fillPlaces(page: string, values: Readonly<Record<string, Piece>>): string {
  const unused = new Set(Object.keys(values));
  const filled = page.replaceAll(/\{\{(\w+)\}\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`page template: got ${place}, for which there is no value`);
    unused.delete(name);
    return escapePiece(value);
  });
  if (unused.size > 0) throw new Error(`page template: got no place for ${[...unused].join(', ')}`);
  return filled;
}
