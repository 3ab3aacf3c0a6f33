/** The public schemas as JSON Schema 2020-12, generated from those that validate builds. */

import * as z from 'zod';
import { manifestSchema, metaSchema } from '../../contract/meta.ts';
import { bulkSchema, errorSchema, pageSchemas, rootSchema, servedSchemas } from '../../contract/served.ts';
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
  meta: metaSchema,
  manifest: manifestSchema,
} as const satisfies Record<string, z.ZodType>;

export type SchemaName = keyof typeof publicSchemas;
export const schemaNames = Object.keys(publicSchemas) as readonly SchemaName[];

/** https://json-schema.org/draft/2020-12/json-schema-validation */
export type JsonSchema = z.core.JSONSchema.BaseSchema;
export type JsonSchemas = Readonly<Record<SchemaName, JsonSchema>>;

export const schemaFile = (name: SchemaName): string => `schemas/${name}.json`;

/** The name of a schema as an identifier: `move-page` is `MovePage`. */
export function typeName(name: SchemaName): string {
  // `Error` would shadow the global.
  if (name === 'error') return 'ApiError';
  return name.split('-').map(capitalize).join('');
}

/** @param addressOf the URL of a schema: its `$id`, and the target of references to it */
export function jsonSchemas(addressOf: (name: SchemaName) => string): JsonSchemas {
  converted ??= convert();
  return JSON.parse(converted, (key, value) => (key === '$id' || key === '$ref' ? addressOf(value) : value));
}

/** The text of all schemas with names for addresses. Every site needs it three times, and it takes as long as a hundred files. */
let converted: string | undefined;

function convert(): string {
  const registry = z.registry<{ id: SchemaName }>();
  for (const name of schemaNames) registry.add(publicSchemas[name], { id: name });
  return JSON.stringify(z.toJSONSchema(registry, { uri: (id) => id }).schemas);
}
