import { type JsonSchema, toSchemaObject } from '../../contract/served.ts';
import { type HtmlValue, html, Markup } from '../shared/html.ts';

/** A field of a type, or a parameter of a request. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly description?: string | undefined;
}

/** Renders a type's fields. Returns an empty string if it has no fixed fields. */
export function renderTypeFields(schema: JsonSchema | undefined): Markup | '' {
  const properties = schema?.properties ?? {};
  const fields: Field[] = [];
  for (const [name, property] of Object.entries(properties)) {
    fields.push({ name, schema: toSchemaObject(property) });
  }
  return renderFields('Field', mergeIndexNumbers(fields));
}

/** Renders a table with the name, type and meaning of each field. */
export function renderFields(
  heading: string,
  fields: readonly Field[],
): Markup | '' {
  if (fields.length === 0) return '';
  return renderTable([heading, 'Meaning'], fields.map(renderField));
}

function renderField({ name, schema, description }: Field): Markup {
  const meaning = renderProse(description ?? schema.description ?? '');
  return renderRow(
    html`<code>${name}</code> <span>${describeType(schema)}</span>`,
    meaning,
  );
}

export const renderRow = (head: HtmlValue, ...cells: readonly HtmlValue[]): Markup =>
  html`<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;

export function renderTable(
  heads: readonly string[],
  rows: readonly Markup[],
): Markup {
  return html`<table class="fields">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

/**
 * Converts text in backticks to code, as in Markdown. Keeps the name of the encoding on
 * one line, because browsers may otherwise break it after the hyphen.
 */
export function renderProse(text: string): Markup {
  const escaped = html`${text}`.text;
  const withCode = escaped.replaceAll(/`(.*?)`/g, '<code>$1</code>');
  return new Markup(
    withCode.replaceAll('UTF-8', '<span class="whole">UTF-8</span>'),
  );
}

const INDEX_NUMBER = /^id(\d+)$/;

/**
 * Merges the index numbers, such as `id1` to `id9`, into one field, because they differ
 * only in their generation.
 */
function mergeIndexNumbers(fields: readonly Field[]): Field[] {
  const indexNumbers = fields.filter(({ name }) => INDEX_NUMBER.test(name));
  const [first] = indexNumbers;
  const last = indexNumbers.at(-1);
  if (!first || !last) return [...fields];
  const generations = `generations 1 to ${indexNumbers.length}`;
  const merged = {
    name: `${first.name} … ${last.name}`,
    schema: first.schema,
    description: first.schema.description?.replace('generation 1', generations),
  };
  const others = fields.filter((field) => !indexNumbers.includes(field));
  // No index number comes before the first one, so removing them does not change its
  // position.
  return others.toSpliced(fields.indexOf(first), 0, merged);
}

/** Describes the type of a field in words, such as `string or null`. */
function describeType(schema: JsonSchema): Markup {
  const { $ref, anyOf, enum: values, type, items } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (values) {
    return joinTypes(values.map((value) => html`<code>${String(value)}</code>`));
  }
  if (anyOf) {
    return joinTypes(anyOf.map((option) => describeType(toSchemaObject(option))));
  }
  if (Array.isArray(type)) {
    return joinTypes(
      type.map((option) => describeType({ ...schema, type: option })),
    );
  }
  if (type === 'array') return html`${describeType(toSchemaObject(items))}[]`;
  return html`${type ?? 'any'}`;
}

const joinTypes = (types: readonly Markup[]): Markup => joinMarkup(types, ' or ');

export const joinMarkup = (parts: readonly Markup[], separator: string): Markup =>
  new Markup(parts.map(({ text }) => text).join(separator));
