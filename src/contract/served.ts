/**
 * Defines the schemas of responses. The JSON Schemas, the OpenAPI document and the
 * TypeScript types are generated from them.
 */

import * as z from 'zod';
import { historySchema, movedSchema } from './changes.ts';
import { type Kind, kindNames, mapKinds } from './kinds.ts';
import { manifestSchema, metaSchema } from './meta.ts';
import { namesIndexSchema, namesSchema } from './names.ts';
import { API_PREFIX } from './paths.ts';
import {
  iconSchema,
  idSchema,
  nameSchema,
  recordSchemas,
  slugSchema,
} from './records.ts';
import { addArticle, capitalize, pluralize } from './words.ts';

function linkSchema(kind: Kind, rest: string) {
  const pattern = new RegExp(`^https?://[^\\s?#]+${API_PREFIX}${kind}/${rest}$`);
  return z.string().regex(pattern, `expected a URL of the ${kind} list`);
}

/** Links to files end with the file name, but links to endpoints do not. */
const FILE = '(?:index\\.json)?';

function listLink(kind: Kind) {
  const schema = linkSchema(kind, `${FILE}\\?format=api`);
  return schema.describe(`The list of all ${pluralize(kind)}.`);
}

function rangeLink(kind: Kind) {
  const folder = '(?:offset/\\d+/)?';
  const query = '\\?format=(?:api|json)&limit=\\d+&offset=\\d+';
  return linkSchema(kind, `${folder}${FILE}${query}`).nullable();
}

function recordLink(kind: Kind) {
  const schema = linkSchema(kind, `(?:[a-z0-9]|-)+/${FILE}\\?format=api`);
  return schema.describe("The record's own URL.");
}

/** The schema of a served record: its URL, followed by the fields of its kind. */
export type ServedSchema<K extends Kind> =
  (typeof recordSchemas)[K] extends z.ZodObject<infer Fields>
    ? z.ZodObject<{ url: z.ZodString } & Fields, z.core.$strict>
    : never;

function servedSchema<K extends Kind>(kind: K) {
  const fields = recordSchemas[kind].shape as (typeof recordSchemas)[K]['shape'];
  const description = `${capitalize(addArticle(kind))}, the same object in lists and at its own URL.`;
  const schema = z.strictObject({ url: recordLink(kind), ...fields });
  return schema.meta({ title: capitalize(kind), description });
}

export const servedSchemas = mapKinds(servedSchema) as {
  [K in Kind]: ServedSchema<K>;
};

export type ServedRecord = z.infer<(typeof servedSchemas)[Kind]>;

/** The fields of a list page. */
type PageFields<K extends Kind> = {
  readonly count: z.ZodInt;
  readonly next: z.ZodNullable<z.ZodString>;
  readonly previous: z.ZodNullable<z.ZodString>;
  readonly results: z.ZodArray<ServedSchema<K>>;
};

export type PageSchema<K extends Kind> = z.ZodObject<PageFields<K>, z.core.$strict>;

/** Creates the schema of a page in a kind's list. */
function pageSchema<K extends Kind>(kind: K) {
  const schema = z.strictObject({
    count: z.int().min(0).describe('The total number of records on all pages.'),
    next: rangeLink(kind).describe('The next page; null on the last page.'),
    previous: rangeLink(kind).describe('The previous page; null on the first page.'),
    results: z
      .array(servedSchemas[kind])
      .describe('The records on this page, in order of id.'),
  });
  return schema.meta({
    title: `Page of ${pluralize(kind)}`,
    description: `A page of the list of all ${pluralize(kind)}.`,
  });
}

export const pageSchemas = mapKinds(pageSchema) as {
  [K in Kind]: PageSchema<K>;
};

export const rootSchema = z
  .strictObject(mapKinds(listLink))
  .meta({ title: 'Root', description: 'The lists of the API.' });

export const errorSchema = z
  .strictObject({ detail: z.string().describe('The human-readable reason.') })
  .meta({ title: 'Error', description: 'An error response.' });

const searchEntrySchema = z.strictObject({
  id: idSchema,
  slug: slugSchema,
  name: nameSchema,
  icon: iconSchema.optional(),
  generation: z
    .int()
    .min(1)
    .nullable()
    .describe(
      'The generation of a move, or the first generation in which an item has an index number.',
    ),
});

const searchSchema = z
  .strictObject(
    mapKinds((kind) =>
      z.array(searchEntrySchema).describe(`Every ${kind}, in order of id.`),
    ),
  )
  .meta({
    title: 'Search',
    description:
      'The search index: id, slug, name, icon and generation of every record.',
  });
export type SearchIndex = z.infer<typeof searchSchema>;

const otherSchemas = {
  root: rootSchema,
  error: errorSchema,
  gamedata: z
    .strictObject(
      mapKinds((kind) => z.array(servedSchemas[kind]).describe(`Every ${kind}.`)),
    )
    .meta({
      title: 'Everything',
      description: 'Every record of every kind, in order of id.',
    }),
  names: namesSchema,
  'names-index': namesIndexSchema,
  meta: metaSchema,
  manifest: manifestSchema,
  changes: historySchema,
  moved: movedSchema,
  search: searchSchema,
} as const;

export type SchemaName = Kind | `${Kind}-page` | keyof typeof otherSchemas;

const publicSchemas: Readonly<Record<string, z.ZodType>> = {
  ...servedSchemas,
  ...Object.fromEntries(
    kindNames.map((kind) => [`${kind}-page`, pageSchemas[kind]]),
  ),
  ...otherSchemas,
};

export const schemaNames = Object.keys(publicSchemas);

/** Converts a schema name such as `move-page` to the type name `MovePage`. */
export function typeName(name: string): string {
  // A type with the name `Error` would shadow the global type.
  if (name === 'error') return 'ApiError';
  return name.split('-').map(capitalize).join('');
}

/**
 * A JSON Schema object: https://json-schema.org/draft/2020-12/json-schema-validation
 */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Narrows the type of a nested schema. Our schemas never use a boolean or a list as
 * a nested schema.
 */
export function toSchemaObject(
  schema: JsonSchema['items'] | JsonSchema['additionalProperties'],
): JsonSchema {
  if (typeof schema !== 'object' || Array.isArray(schema)) return {};
  return schema;
}

/**
 * Creates a JSON Schema 2020-12 for each public schema. The schemas refer to each
 * other by URL.
 */
export function createJsonSchemas(
  getUrl: (name: string) => string,
): Map<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(publicSchemas)) {
    registry.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(registry, { uri: getUrl, override });
  return new Map(Object.entries(schemas));
}

export interface CompiledSchemas {
  /**
   * The schemas of an OpenAPI document, by name. They refer to each other as components
   * of the document.
   */
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** Each schema by name, together with all schemas that it contains. */
  readonly standalone: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts all public schemas. We run this in `npm run compile`, because the
 * conversion would take a tenth of a build's time.
 */
export function compileSchemas(): CompiledSchemas {
  const components = createJsonSchemas(
    (name) => `#/components/schemas/${typeName(name)}`,
  );
  const standalone: Record<string, JsonSchema> = {};
  for (const [name, schema] of Object.entries(publicSchemas)) {
    standalone[name] = z.toJSONSchema(schema, { override });
  }
  return { components: Object.fromEntries(components), standalone };
}

/**
 * Adapts a published schema for clients. Our own readers use the strict schemas. Zod calls
 * this function for each nested schema.
 */
function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  // A default would tell clients that the field may be missing in responses.
  delete jsonSchema.default;
  // A later version may add fields, which must not make a client's validation fail.
  if (jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties;
  }
  // Some code generators reject `\/`, which means the same as `/`.
  if (jsonSchema.pattern) {
    jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/');
  }
}
