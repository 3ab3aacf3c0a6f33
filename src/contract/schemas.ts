/** The public shapes as JSON Schema 2020-12, made of the very schemas that validate a build. */

import * as z from 'zod';
import { manifestSchema, metaSchema } from './meta.ts';
import { bulkSchema, errorSchema, pageSchemas, rootSchema, servedSchemas } from './served.ts';

/** Name → the schema. Files under `/schemas/` are called so. */
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

/** What a shape is called where names are identifiers: `move-page` is `MovePage`. */
export function typeName(name: SchemaName): string {
  // Whoever imports a type of that name could not throw any more.
  if (name === 'error') return 'ApiError';
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** @param addressOf where a schema is: its `$id`, and what others refer to it by */
export function jsonSchemas(addressOf: (name: SchemaName) => string): JsonSchemas {
  const registry = z.registry<{ id: SchemaName }>();
  for (const name of schemaNames) registry.add(publicSchemas[name], { id: name });
  const uri = (id: string): string => addressOf(schemaNames.find((name) => name === id) ?? 'gamedata');
  const { schemas } = z.toJSONSchema(registry, { uri });
  return schemas as Record<SchemaName, JsonSchema>;
}
