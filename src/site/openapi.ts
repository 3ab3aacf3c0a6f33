/**
 * Creates the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1.html), the JSON Schemas
 * and the docs.
 */

import type { Comparison } from '../contract/changes.ts';
import { plainBulkRows } from '../contract/files.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import * as contract from '../contract/operations.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import type { RecordOf } from '../contract/records.ts';
import {
  errorDetails,
  getMediaType,
  isCompressible,
} from '../contract/responses.ts';
import * as served from '../contract/served.ts';
import {
  describeSubject,
  formatCount,
  joinWords,
  TRADEMARK_NOTE,
} from '../contract/words.ts';
import { addUrl, addUrls } from '../data/api-values.ts';
import type { Records } from '../data/data-set.ts';
import { selectNames } from '../data/names.ts';
import { hasNoRateLimit, listKeptGuarantees } from '../hosts/index.ts';
import { renderDocs } from '../web/docs/render-docs.ts';
import { createBulkText } from './record-files.ts';

type Operation = contract.Operation;

/** Maps the path of each file that is not JSON to its first lines. */
type Excerpts = Map<string, string>;

interface SpecificationOptions {
  /** Whether the site contains an archive of itself. */
  readonly archive: boolean;
  /** Reads a template by its file name. */
  readonly template: (name: string) => string;
  readonly schemas: served.CompiledSchemas;
  readonly names?: readonly Names[];
}

/**
 * Creates the OpenAPI document, the docs, and a JSON Schema for each type. The
 * OpenAPI document and the docs describe the same operations, with examples from the
 * site's first records.
 */
export function createSpecification(
  records: Records,
  meta: Meta,
  options: SpecificationOptions,
): SiteFile[] {
  const base = getLinkBase(meta);
  const firstRecords = selectFirstRecords(records);
  const operations = listOperations(records, meta, options);
  const schemas = pickSchemas(operations, options.schemas);
  const openApi = createOpenApi(meta, operations, schemas);
  const docsContent = {
    operations,
    schemas,
    kept: listKeptGuarantees(meta),
    hasNoRateLimit: hasNoRateLimit(meta),
    excerpts: createExcerpts(firstRecords, base),
  };
  const docs = renderDocs(options.template, docsContent, meta);
  return [
    { path: paths.OPENAPI_FILE, body: JSON.stringify(openApi) },
    { path: DOCS_FILE, body: docs },
    ...createSchemaFiles(meta, options.schemas),
  ];
}

/** File paths, unlike the paths of requests, do not start with a slash. */
const DOCS_FILE = `${paths.DOCS_PATH.slice(1)}index.html`;

/** Creates a file for each JSON Schema, with its URL on this site as its id. */
function createSchemaFiles(
  meta: Meta,
  { standalone }: served.CompiledSchemas,
): SiteFile[] {
  const files: SiteFile[] = [];
  for (const [name, schema] of Object.entries(standalone)) {
    const path = paths.schemaFile(name);
    const publishedSchema = { $id: `${meta.base_url}/${path}`, ...schema };
    files.push({ path, body: JSON.stringify(publishedSchema) });
  }
  return files;
}

/** Selects the first record of each kind that has records. */
function selectFirstRecords(records: Records): Records {
  return mapKinds((kind) => records[kind].slice(0, 1)) as Records;
}

/** Lists the site's operations, with an example response if one is available. */
function listOperations(
  records: Records,
  meta: Meta,
  { archive, names = [] }: SpecificationOptions,
): Operation[] {
  const base = getLinkBase(meta);
  const firstRecords = selectFirstRecords(records);
  const endpointExamples = pickExamples(records, base);
  const fileExamples = createFileExamples(firstRecords, meta, names);
  const operations: Operation[] = [];
  for (const operation of contract.listOperations(meta, endpointExamples, archive)) {
    const example = operation.example ?? fileExamples[operation.id];
    operations.push({ ...operation, example });
  }
  return operations;
}

/** Creates excerpts from the bulk files of the first kind that has records. */
function createExcerpts(firstRecords: Records, base: paths.LinkBase): Excerpts {
  const excerpts: Excerpts = new Map();
  const firstKind = kindNames.find((kind) => firstRecords[kind].length > 0);
  if (firstKind === undefined) return excerpts;
  const servedRecords = addUrls(base, firstRecords);
  for (const row of plainBulkRows) {
    if (row.kind !== firstKind) continue;
    excerpts.set(row.path, createBulkText(row, servedRecords).trimEnd());
  }
  return excerpts;
}

/**
 * Creates shortened examples of files, by operation id. Returns no examples if the
 * site has no records.
 */
function createFileExamples(
  firstRecords: Records,
  meta: Meta,
  names: readonly Names[],
): Record<string, object> {
  const firstKind = kindNames.find((kind) => firstRecords[kind].length > 0);
  if (firstKind === undefined) return {};
  const [record] = firstRecords[firstKind];
  if (!record) return {};
  const examples: Record<string, object> = {
    getMeta: createMetaExample(meta),
    getChanges: { steps: [createStepExample(meta, firstKind, record)] },
  };
  // We choose another language because the records already include English names.
  const foreignNames = names.find(({ language }) => language !== 'en');
  if (foreignNames) examples.getNames = selectNames(foreignNames, firstRecords);
  return examples;
}

/**
 * Creates an example of `meta.json`: the site's own file, shortened to one language.
 */
function createMetaExample(meta: Meta): object {
  if (!meta.names) return meta;
  const firstLanguage = Object.entries(meta.names.languages).slice(0, 1);
  const languages = Object.fromEntries(firstLanguage);
  return { ...meta, names: { ...meta.names, languages } };
}

/**
 * Creates an example of a history step: the step that would have added the given
 * record.
 */
function createStepExample(
  { digest, captured, counts }: Meta,
  kind: Kind,
  { id, slug, name }: RecordOf<Kind>,
): Comparison {
  const noChanges = { added: [], removed: [], renamed: [], changed: [] };
  const oneAddition = { ...noChanges, added: [{ id, slug, name }] };
  const changes = mapKinds((anyKind) =>
    anyKind === kind ? oneAddition : noChanges,
  );
  const countsBefore = { ...counts, [kind]: counts[kind] - 1 };
  // The data set before this step does not exist, so its digest is made up.
  const digestBefore = `sha256:${'0'.repeat(64)}`;
  return {
    from: { digest: digestBefore, captured, counts: countsBefore },
    to: { digest, captured, counts },
    totals: { added: 1, removed: 0, renamed: 0, changed: 0 },
    changes,
  };
}

/**
 * Creates the example responses of the endpoints: the root, and one record and one page
 * of each kind.
 */
function pickExamples(records: Records, base: paths.LinkBase): contract.Examples {
  const root = mapKinds((kind) => paths.listUrl(base, kind));
  const kindExamples = mapKinds((kind) => pickKindExamples(kind, records, base));
  return { root, ...kindExamples };
}

/**
 * Picks the first record of a kind, and the first page of its list, which is shortened to
 * two records. Returns no examples if the kind has no records.
 */
function pickKindExamples(
  kind: Kind,
  records: Records,
  base: paths.LinkBase,
): contract.Examples[Kind] {
  const count = records[kind].length;
  const shownRecords = records[kind].slice(0, 2);
  const results = shownRecords.map((record) => addUrl(base, kind, record));
  const [firstRecord] = results;
  if (!firstRecord) return {};
  const range = { limit: PAGE_SIZE, offset: 0 };
  const page = paths.createListPage(base, kind, { range, count, results });
  return { record: firstRecord, page };
}

/**
 * Picks the schemas that the operations refer to, by type name. Endpoints also refer to
 * the error schema.
 */
function pickSchemas(
  operations: readonly Operation[],
  { components }: served.CompiledSchemas,
): Map<string, served.JsonSchema> {
  const usedNames = new Set<string>();
  for (const operation of operations) {
    if (operation.schema !== undefined) usedNames.add(operation.schema);
    if (contract.isEndpoint(operation)) usedNames.add('error');
  }
  const schemas = new Map<string, served.JsonSchema>();
  for (const [name, component] of Object.entries(components)) {
    if (!usedNames.has(name)) continue;
    // The OpenAPI document sets one dialect for all schemas, and its components need
    // no ids.
    const { $id: _id, $schema: _dialect, ...schema } = component;
    schemas.set(served.typeName(name), schema);
  }
  return schemas;
}

/** Creates the OpenAPI document of this site, with its base URL and its counts. */
function createOpenApi(
  meta: Meta,
  operations: readonly Operation[],
  schemas: ReadonlyMap<string, served.JsonSchema>,
): object {
  const { base_url: baseUrl, generator } = meta;
  const pathItems = operations.map((operation) => [
    operation.path,
    describePath(operation),
  ]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'gamedata',
      version: generator.split('/').at(-1),
      summary: `${describeSubject()} as a JSON API: static files built from PokéAPI.`,
      description: describeSite(meta),
      license: {
        name: 'BSD-3-Clause (data from PokéAPI)',
        url: `${baseUrl}/data-license.txt`,
      },
    },
    servers: [{ url: baseUrl, description: 'The base URL of this site.' }],
    security: [],
    tags: [
      { name: 'records', description: 'Lists and single records.' },
      { name: 'names', description: 'Names of records in every language.' },
      { name: 'downloads', description: 'Every record in one request.' },
      { name: 'site', description: 'Files about the site.' },
    ],
    paths: Object.fromEntries(pathItems),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

/** Describes the site for the readers of its OpenAPI document. */
function describeSite({ base_url: baseUrl, links, counts }: Meta): string {
  const records = joinWords(
    kindNames.map((kind) => formatCount(counts[kind], kind)),
  );
  const schemaUrl = `${baseUrl}/${paths.schemaFile(kindNames[0])}`;
  const sentences = [
    `Every response is a pre-built static file: ${records}.`,
    `Docs: ${baseUrl}${paths.DOCS_PATH}.`,
    `The schemas are also available as files (\`${schemaUrl}\`) and as TypeScript types (\`${baseUrl}/${paths.TYPES_FILE}\`).`,
  ];
  const hosting = links === 'file' ? FILE_LINKS_NOTE : BUILT_PAGES_NOTE;
  return [sentences.join(' '), hosting, TRADEMARK_NOTE].join('\n\n');
}

const FILE_LINKS_NOTE =
  'This site is built for plain file servers: links point to the files themselves, and queries are ignored.';

const BUILT_PAGES_NOTE =
  'If this host serves only built pages, it rejects any other limit or offset with 400 or 404.';

/** Creates the entry of an operation in `paths`. Every operation is a GET request. */
function describePath(operation: Operation): object {
  const { id, group, summary, note, pathParameter } = operation;
  const parameters: contract.Parameter[] = [];
  if (pathParameter) parameters.push(pathParameter);
  for (const name of operation.parameters) {
    parameters.push(contract.parameters[name]);
  }
  const responses = {
    200: { description: summary, content: describeContent(operation) },
    304: { description: 'The cached response is still valid.' },
    ...describeErrors(operation),
  };
  return {
    get: {
      operationId: id,
      tags: [group],
      summary,
      description: note,
      parameters,
      responses,
    },
  };
}

/**
 * Describes an operation's error responses. The body is described only for endpoints,
 * because the errors for files depend on the host.
 */
function describeErrors(operation: Operation): object {
  if (!contract.isEndpoint(operation)) {
    return { 404: { description: 'The site does not have this file.' } };
  }
  return {
    404: {
      description: 'The record or the format does not exist.',
      content: describeErrorContent(404),
    },
    default: {
      description: 'Any other error, such as 400 for a page that was not built.',
      content: describeErrorContent(400),
    },
  };
}

const describeErrorContent = (status: keyof typeof errorDetails): object => ({
  'application/json': {
    schema: createRef('error'),
    example: { detail: errorDetails[status] },
  },
});

const createRef = (schema: served.SchemaName): object => ({
  $ref: `#/components/schemas/${served.typeName(schema)}`,
});

/**
 * Describes a response's body by its media type. Endpoints list only JSON, because
 * typed clients would otherwise treat an HTML page as a record. A file that is not
 * JSON is described as a string if it is text, and has no schema if it is binary.
 */
function describeContent(operation: Operation): object {
  const { path, pathParameter, schema, group, example } = operation;
  if (schema !== undefined) {
    return { 'application/json': { schema: createRef(schema), example } };
  }
  // The path of an icon ends with a variable, so its file extension comes from the
  // example.
  const file = path.replace(/\{\w+\}$/, String(pathParameter?.example));
  const mediaType = getMediaType(file);
  if (mediaType === 'application/json') {
    return { 'application/json': { schema: { type: 'object' }, example } };
  }
  const isText = isCompressible(mediaType);
  const description = isText ? { schema: { type: 'string' } } : {};
  const withoutCharset = mediaType.replace(/;.*/, '');
  // The charset matters only for downloads, because programs parse their text.
  const isDownload = group === 'downloads';
  const describedType = isDownload ? mediaType : withoutCharset;
  return { [describedType]: description };
}
