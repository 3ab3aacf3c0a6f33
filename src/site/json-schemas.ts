/** The public schemas as JSON Schema 2020-12, generated from those that validate builds, and as TypeScript. */

import * as z from 'zod';
import { asSchema, type JsonSchema, publicSchemas, typeName } from '../contract/served.ts';

/**
 * Name → JSON Schema.
 *
 * @param addressOf the URL of a schema: its `$id`, and the target of references to it
 */
export function jsonSchemas(addressOf: (name: string) => string): Map<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(publicSchemas)) registry.add(schema, { id });
  return new Map(Object.entries(z.toJSONSchema(registry, { uri: addressOf, override }).schemas));
}

/** The same without references: each is complete by itself. */
export const completeSchemas = (addressOf: (name: string) => string): [name: string, JsonSchema][] =>
  Object.entries(publicSchemas).map(([name, schema]) => [
    name,
    { $id: addressOf(name), ...z.toJSONSchema(schema, { override }) },
  ]);

/** What is required has no default; and a slash needs no escape, which some generators of code do not expect in a pattern. */
function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  delete jsonSchema.default;
  if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/');
}

/** `types.d.ts` of every site and of the package. */
export function typeDeclarations(): string {
  const types = Array.from(jsonSchemas(typeName), ([name, schema]) => {
    return `${comment(schema, '')}export interface ${typeName(name)} ${typeOf(schema, '')}\n`;
  });
  return `/** The responses of the API, generated from the schemas that validate every build. */\n\n${types.join('\n')}`;
}

/** @param indent the indentation of the type's lines */
function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, anyOf, enum: values, type, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref;
  if (anyOf) return anyOf.map((one) => typeOf(asSchema(one), indent)).join(' | ');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `readonly ${parenthesized(typeOf(asSchema(items), indent))}[]`;
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  if (type === 'integer') return 'number';
  if (type !== 'object') return type ?? 'unknown';
  if (!properties) return `{ readonly [name: string]: ${typeOf(asSchema(additionalProperties), indent)} }`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const one = asSchema(field);
    const mark = schema.required?.includes(name) ? '' : '?';
    return `${comment(one, inner)}${inner}readonly ${name}${mark}: ${typeOf(one, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

const parenthesized = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

const comment = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description} */\n`;
