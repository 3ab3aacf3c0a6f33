/** HTML markup, in which every value is escaped unless it is markup itself. */

/** A fragment of HTML. */
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

/** Escaped for text and quoted attributes. */
const escapePiece = (piece: Piece): string =>
  piece instanceof Markup
    ? piece.text
    : String(piece).replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);

/** Template tag: ``html`<p>${name}</p>` ``. The members of an array are separated by line breaks. */
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
 * Fills the placeholders of a hand-written page, such as `{{captured}}`. Throws if a placeholder has no value, or a value
 * no placeholder.
 */
export function fillPlaceholders(page: string, values: Readonly<Record<string, Piece>>): string {
  const unused = new Set(Object.keys(values));
  const filled = page.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`page template: no value for ${placeholder}`);
    unused.delete(name);
    return escapePiece(value);
  });
  if (unused.size > 0) throw new Error(`page template: no placeholder for ${[...unused].join(', ')}`);
  return filled;
}
