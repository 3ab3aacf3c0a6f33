/** Types as people read them: the schemas of the document as tables of fields. */

import { html, type Markup, nothing } from '../shared/markup.ts';
import { nameOf, type Schema } from './openapi.ts';

/** A table of a type's fields, under its name, to which other types link. */
export const typeTable = (
  name: string,
  { description = '', properties = {} }: Schema,
): Markup => html`<section id="${name}">
<h3>${name}</h3>
<p>${prose(description)}</p>
<table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${Object.entries(properties).map(
  ([field, schema]) =>
    html`<tr><th scope="row"><code>${field}</code></th><td>${typeOf(schema)}</td><td>${prose(schema.description ?? '')}</td></tr>`,
)}
</tbody>
</table>
</section>`;

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
