/** The public schemas as JSON Schema 2020-12, generated from the schemas that validate builds. */

import * as z from 'zod';
import { type JsonSchema, publicSchemas } from '../contract/served.ts';

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
