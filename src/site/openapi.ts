/** The OpenAPI 3.1 document of a site (https://spec.openapis.org/oas/v3.1.1.html), the JSON Schemas, and the docs. */

import { getMediaType, isCompressible } from '../contract/headers.ts';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import * as contract from '../contract/operations.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { errorDetails } from '../contract/routes.ts';
import { type JsonSchema, type SchemaName, typeName } from '../contract/served.ts';
import { formatCount } from '../contract/words.ts';
import { addUrl, type Records } from '../dataset/data-set.ts';
import { renderDocs } from '../web/docs/render-docs.ts';
import { completeSchemas, jsonSchemas } from './json-schemas.ts';

type Operation = contract.Operation;

/**
 * @param archive whether the site offers itself for download
 * @param docs the docs with placeholders
 */
export function specificationFiles(
  records: Records,
  meta: Meta,
  { archive, docs }: { archive: boolean; docs: string },
): SiteFile[] {
  const operations = contract.listOperations(meta, pickExamples(records, getLinkBase(meta)), archive);
  const schemas = pickSchemas(operations);
  const complete = completeSchemas((name) => `${meta.base_url}/${paths.schemaFile(name)}`);
  return [
    { path: paths.OPENAPI_FILE, body: JSON.stringify(openApiDocument(meta, operations, schemas)) },
    { path: `${paths.DOCS_PATH.slice(1)}index.html`, body: renderDocs(docs, { operations, schemas }, meta) },
    ...complete.map(([name, schema]) => ({ path: paths.schemaFile(name), body: JSON.stringify(schema) })),
  ];
}

/** An example page has two records, and is the first one otherwise. */
function pickExamples(records: Records, base: paths.LinkBase): contract.Examples {
  const kinds = mapKinds((kind) => {
    const results = records[kind].slice(0, 2).map((record) => addUrl(base, kind, record));
    const window = { limit: PAGE_SIZE, offset: 0 };
    const page = paths.createListPage(base, kind, { window, count: records[kind].length, results });
    return results[0] ? { record: results[0], page } : {};
  });
  return { root: mapKinds((kind) => paths.listUrl(base, kind)), ...kinds };
}

/** Type → the schema of each type that operations return. */
function pickSchemas(operations: readonly Operation[]): Map<string, JsonSchema> {
  const used = new Set<string | undefined>(operations.map(({ schema }) => schema));
  if (operations.some(contract.isEndpoint)) used.add('error');
  const all = jsonSchemas((name) => `#/components/schemas/${typeName(name)}`);
  return new Map(
    [...all]
      .filter(([name]) => used.has(name))
      .map(([name, { $id: _id, $schema: _dialect, ...schema }]) => [typeName(name), schema]),
  );
}

function openApiDocument(meta: Meta, operations: readonly Operation[], schemas: Map<string, JsonSchema>) {
  const { base_url: baseUrl, generator } = meta;
  return {
    openapi: '3.1.1',
    info: {
      title: 'gamedata',
      version: generator.split('/').at(-1),
      summary: 'Moves and items of a series of creature-collecting games, as static JSON.',
      description: description(meta),
      license: { name: "BSD-3-Clause (the data, which is PokéAPI's)", url: `${baseUrl}/data-license.txt` },
    },
    servers: [{ url: baseUrl, description: 'The base URL of this site.' }],
    security: [],
    tags: [
      { name: 'records', description: 'Lists and single records.' },
      { name: 'names', description: 'Names of records in every language.' },
      { name: 'downloads', description: 'Every record in one request.' },
      { name: 'site', description: 'About the site itself.' },
    ],
    paths: Object.fromEntries(operations.map((operation) => [operation.path, pathItem(operation)])),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

function description({ base_url: baseUrl, links, counts }: Meta): string {
  const records = kindNames.map((kind) => formatCount(counts[kind], kind)).join(' and ');
  const about = `Every response is a pre-built static file: ${records}. For people: ${baseUrl}${paths.DOCS_PATH}. The schemas are also available as files (\`${baseUrl}/${paths.schemaFile(kindNames[0])}\`), and as TypeScript types (\`${baseUrl}/${paths.TYPES_FILE}\`).`;
  const hosts =
    links === 'file'
      ? 'This site is built for plain file servers: links point to the files themselves, and queries are ignored.'
      : 'Hosts that do not run code serve built pages only, and reject any other limit or offset with 400 or 404, and a body that says which exist.';
  return `${about}\n\n${hosts}`;
}

/** Lists only JSON for endpoints, because typed clients would take every response for a record or a page. */
function pathItem(operation: Operation): object {
  const { id, group, summary, pathParameter, parameters } = operation;
  const named = parameters.map((name) => contract.parameters[name]);
  const errors = {
    404: { description: 'The record or the format does not exist.', content: errorContent(404) },
    default: {
      description: 'Another error, such as a page that the host does not have.',
      content: errorContent(400),
    },
  };
  return {
    get: {
      operationId: id,
      tags: [group],
      summary,
      parameters: pathParameter ? [pathParameter, ...named] : named,
      responses: {
        200: { description: summary, content: describeContent(operation) },
        304: { description: 'The cached response is still valid.' },
        ...(contract.isEndpoint(operation)
          ? errors
          : { 404: { description: 'The site does not have this file.' } }),
      },
    },
  };
}

const ref = (schema: SchemaName): object => ({ $ref: `#/components/schemas/${typeName(schema)}` });

const errorContent = (status: keyof typeof errorDetails) => ({
  'application/json': { schema: ref('error'), example: { detail: errorDetails[status] } },
});

function describeContent({ path, pathParameter, schema, group, example }: Operation): object {
  const mediaType = getMediaType(path.replace(/\{\w+\}$/, String(pathParameter?.example)));
  if (schema !== undefined || mediaType === 'application/json')
    return { 'application/json': { schema: schema ? ref(schema) : { type: 'object' }, example } };
  const name = group === 'downloads' ? mediaType : mediaType.replace(/;.*/, '');
  return { [name]: isCompressible(mediaType) ? { schema: { type: 'string' } } : {} };
}
