/** The public schemas as JSON Schema 2020-12, generated from those that validate builds, and as TypeScript. */

import * as z from 'zod';
import { formerSchema, historySchema, movedSchema } from '../../contract/changes.ts';
import { manifestSchema, metaSchema } from '../../contract/meta.ts';
import { namesIndexSchema, namesSchema } from '../../contract/names.ts';
import {
  bulkSchema,
  errorSchema,
  pageSchemas,
  rootSchema,
  searchSchema,
  servedSchemas,
} from '../../contract/served.ts';
import { capitalize } from '../../contract/words.ts';

/** Name → schema, as in `/schemas/<name>.json`. */
const publicSchemas = {
  move: servedSchemas.move,
  item: servedSchemas.item,
  'move-page': pageSchemas.move,
  'item-page': pageSchemas.item,
  root: rootSchema,
  error: errorSchema,
  gamedata: bulkSchema,
  names: namesSchema,
  'names-index': namesIndexSchema,
  meta: metaSchema,
  manifest: manifestSchema,
  changes: historySchema,
  former: formerSchema,
  moved: movedSchema,
  search: searchSchema,
} as const satisfies Record<string, z.ZodType>;

export type SchemaName = keyof typeof publicSchemas;
export const schemaNames = Object.keys(publicSchemas) as readonly SchemaName[];

/** https://json-schema.org/draft/2020-12/json-schema-validation */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

export const schemaFile = (name: string): string => `schemas/${name}.json`;

/** The name of a schema as an identifier: `move-page` is `MovePage`. `Error` would shadow the global. */
export const typeName = (name: string): string =>
  name === 'error' ? 'ApiError' : name.split('-').map(capitalize).join('');

/**
 * Name → JSON Schema.
 *
 * @param addressOf the URL of a schema: its `$id`, and the target of references to it
 */
export function jsonSchemas(addressOf: (name: string) => string): Map<string, JsonSchema> {
  const registry = z.registry<{ id: SchemaName }>();
  for (const name of schemaNames) registry.add(publicSchemas[name], { id: name });
  return new Map(Object.entries(z.toJSONSchema(registry, { uri: addressOf, override }).schemas));
}

/** The same without references: each is complete by itself. */
export const completeSchemas = (addressOf: (name: string) => string): [name: string, JsonSchema][] =>
  schemaNames.map((name) => [
    name,
    { $id: addressOf(name), ...z.toJSONSchema(publicSchemas[name], { override }) },
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

/** JSON Schema also allows true and false; anything that is not an object becomes `unknown`. */
const asSchema = (schema: JsonSchema['items'] | JsonSchema['additionalProperties']): JsonSchema =>
  typeof schema === 'object' && !Array.isArray(schema) ? schema : {};

const parenthesized = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`);

const comment = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? '' : `${indent}/** ${description} */\n`;
