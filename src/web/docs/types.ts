/** Types as people read them: the schemas of the document as tables of fields. */

import { html, type Markup, nothing } from '../shared/markup.ts';
import { type Described, nameOf, type Schema } from './openapi.ts';

/** A type's fields under its name, to which other types link. */
export const typeSection = (
  name: string,
  { description = '', properties = {} }: Schema,
): Markup => html`<section id="${name}">
<h3>${name}</h3>
<p>${prose(description)}</p>
${typeTable(
  'Field',
  Object.entries(properties).map(([field, schema]) => ({
    name: field,
    schema,
    description: schema.description ?? '',
  })),
)}
</section>`;

interface Row extends Described {
  readonly name: string;
  /** Where a parameter is. */
  readonly in?: string;
}

/** @param what the rows are names of; nothing if there are none */
export const typeTable = (what: string, rows: readonly Row[]): Markup =>
  rows.length === 0
    ? nothing
    : table(
        html`<th scope="col">${what}</th><th scope="col">Type</th><th scope="col">Meaning</th>`,
        rows.map(({ name, in: place, schema, description }) => {
          const where = place === undefined ? nothing : html`<span>${place}</span>`;
          return html`<tr><th scope="row"><code>${name}</code>${where}</th><td>${typeOf(schema)}</td><td>${prose(description)}</td></tr>`;
        }),
      );

export const table = (heads: Markup, rows: readonly Markup[]): Markup => html`<table class="fields">
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;

/** Text in which code is marked with backticks, as in Markdown. */
export const prose = (text: string): Markup =>
  text
    .split('`')
    .reduce(
      (before, part, at) => html`${before}${at % 2 === 1 ? html`<code>${part}</code>` : part}`,
      nothing,
    );

/** A schema in a few words; types with a table of their own are links. */
export function typeOf(schema: Schema): Markup {
  const { $ref, anyOf, enum: values, type, items } = schema;
  if ($ref !== undefined) return html`<a href="#${nameOf($ref)}">${nameOf($ref)}</a>`;
  if (values) return joined(values.map((value) => html`<code>${String(value)}</code>`));
  if (anyOf) return joined(anyOf.map(typeOf));
  if (Array.isArray(type)) return joined(type.map((one: string) => typeOf({ ...schema, type: one })));
  if (type === 'array') return html`array of ${typeOf(items ?? {})}`;
  return html`${String(type ?? 'any')}`;
}

const joined = ([first, ...others]: readonly Markup[]): Markup =>
  others.reduce((before, next) => html`${before} or ${next}`, first ?? html``);
