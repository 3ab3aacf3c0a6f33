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
  return new Map(Object.entries(z.toJSONSchema(registry, { uri: addressOf }).schemas));
}
