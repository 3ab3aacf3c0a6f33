/**
 * The OpenAPI 3.1 document of a site (https://spec.openapis.org/oas/v3.1.1.html), the JSON Schemas, and the docs.
 */

import { isCompressible, mediaTypeOf, preflightHeaders } from '../contract/headers.ts';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { linkBaseOf, type Meta, type SiteFile } from '../contract/meta.ts';
import * as contract from '../contract/operations.ts';
import * as paths from '../contract/paths.ts';
import { type JsonSchema, typeName } from '../contract/served.ts';
import { PAGE_SIZE } from '../contract/windows.ts';
import { counted } from '../contract/words.ts';
import { type Records, served } from '../dataset/data-set.ts';
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
  const operations = contract.operationsOf(meta, examplesOf(records, linkBaseOf(meta)), archive);
  const schemas = schemasOf(operations);
  const complete = completeSchemas((name) => `${meta.base_url}/${paths.schemaFile(name)}`);
  return [
    { path: paths.OPENAPI_FILE, body: JSON.stringify(openApiDocument(meta, operations, schemas)) },
    { path: `${paths.DOCS_PATH.slice(1)}index.html`, body: renderDocs(docs, { operations, schemas }, meta) },
    ...complete.map(([name, schema]) => ({ path: paths.schemaFile(name), body: JSON.stringify(schema) })),
  ];
}

/** An example page has two records, and is the first one otherwise. */
function examplesOf(records: Records, base: paths.LinkBase): contract.Examples {
  const kinds = mapKinds((kind) => {
    const results = records[kind].slice(0, 2).map((record) => served(base, kind, record));
    const window = { limit: PAGE_SIZE, offset: 0 };
    const page = paths.listPage(base, kind, { window, count: records[kind].length, results });
    return results[0] ? { record: results[0], page } : {};
  });
  return { root: mapKinds((kind) => paths.listUrl(base, kind)), ...kinds };
}

/** Type → its schema, of the types that operations return; references are those of the document. */
function schemasOf(operations: readonly Operation[]): Map<string, JsonSchema> {
  const used = new Set<string | undefined>(operations.map(({ schema }) => schema));
  if (operations.some(isEndpoint)) used.add('error');
  const all = jsonSchemas((name) => `#/components/schemas/${typeName(name)}`);
  return new Map(
    [...all]
      .filter(([name]) => used.has(name))
      .map(([name, { $id: _id, $schema: _dialect, ...schema }]) => [typeName(name), schema]),
  );
}

const isEndpoint = ({ parameters }: Operation): boolean => parameters.includes('format');

function openApiDocument(meta: Meta, operations: readonly Operation[], schemas: Map<string, JsonSchema>) {
  const { base_url: baseUrl, generator } = meta;
  const used = operations.flatMap((one) => [
    one.pathParameter,
    ...one.parameters.map((name) => contract.parameters[name]),
  ]);
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
    components: {
      schemas: Object.fromEntries(schemas),
      parameters: Object.fromEntries(
        Object.entries(contract.parameters).filter(([, one]) => used.includes(one)),
      ),
      headers: Object.fromEntries(
        contract.headersOf(operations).map(({ name, ...header }) => [name, header]),
      ),
      responses: operations.some(isEndpoint) ? responseComponents : {},
    },
  };
}

function description({ base_url: baseUrl, links, counts }: Meta): string {
  const records = kindNames.map((kind) => counted(counts[kind], kind)).join(' and ');
  const about = `Every response is a pre-built static file: ${records}. For people: ${baseUrl}${paths.DOCS_PATH}. The schemas are also available as files (\`${baseUrl}/${paths.schemaFile(kindNames[0])}\`), and as TypeScript types (\`${baseUrl}/${paths.TYPES_FILE}\`).`;
  const hosts =
    links === 'file'
      ? 'This site is built for plain file servers: links point to the files themselves, and queries are ignored.'
      : 'Hosts that do not run code serve built pages only, and reject any other limit or offset with 400 or 404, and a body that says which exist.';
  return `${about}\n\n${hosts}`;
}

/** A reference to a component, such as `schemas/Move`. */
const ref = (component: string): object => ({ $ref: `#/components/${component}` });

const headersNamed = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, ref(`headers/${name}`)]));

const responseObject = ({ description, headers, detail }: contract.Response) => ({
  description,
  headers: headers && headersNamed(headers),
  content:
    detail === undefined
      ? undefined
      : { 'application/json': { schema: ref('schemas/ApiError'), example: { detail } } },
});

const fixed = (value: string) => ({ schema: { type: 'string', const: value } });

const responseComponents = {
  ...Object.fromEntries(contract.endpointResponses.map((one) => [one.name, responseObject(one)])),
  Options: {
    description: 'A description of the endpoint, on hosts that run code.',
    headers: headersNamed(contract.endpointHeaders),
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  Preflight: {
    description: 'A CORS preflight; on hosts that do not run code, any OPTIONS request.',
    headers: {
      ...headersNamed(contract.endpointHeaders),
      ...Object.fromEntries(Object.entries(preflightHeaders).map(([name, value]) => [name, fixed(value)])),
    },
  },
};

function contentOf({ path, pathParameter, schema, group, example }: Operation): object {
  const mediaType = mediaTypeOf(path.replace(/\{\w+\}$/, String(pathParameter?.example)));
  if (schema !== undefined || mediaType === 'application/json') {
    const type = schema === undefined ? { type: 'object' } : ref(`schemas/${typeName(schema)}`);
    return { 'application/json': { schema: type, example } };
  }
  const name = group === 'downloads' ? mediaType : mediaType.replace(/;.*/, '');
  return { [name]: isCompressible(mediaType) ? { schema: { type: 'string' } } : {} };
}

/** A path with its operations. Endpoints have further methods, and their HTML is not listed: typed clients would consider every response to be a record or a text. */
function pathItem(operation: Operation): object {
  const { id, group, summary, pathParameter: inPath } = operation;
  const method = (name: string, title: string) => ({
    operationId: id.replace('get', name),
    tags: [group],
    summary: title,
  });
  const read = (content?: object) => {
    const responses = operation.responses.map((one) => {
      const described = { ...responseObject(one), ...(one.status === 200 && { content }) };
      return [one.status, one.name === undefined ? described : ref(`responses/${one.name}`)];
    });
    const parameters = operation.parameters.map((name) => ref(`parameters/${name}`));
    return { parameters, responses: Object.fromEntries(responses) };
  };
  return {
    parameters: inPath && [inPath === contract.parameters.pageOffset ? ref('parameters/pageOffset') : inPath],
    get: { ...method('get', summary), ...read(contentOf(operation)) },
    ...(isEndpoint(operation) && {
      head: { ...method('head', `${summary}: headers only`), ...read() },
      options: {
        ...method('options', `Allowed methods of: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`),
        responses: {
          200: ref('responses/Options'),
          204: ref('responses/Preflight'),
          404: ref('responses/NotFound'),
        },
      },
    }),
  };
}
