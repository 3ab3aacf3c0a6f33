/** The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1.html), the JSON Schemas, and the docs. */

import type { Comparison } from '../contract/changes.ts';
import { plainBulkRows } from '../contract/files.ts';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { formatUpstream, getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import * as contract from '../contract/operations.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { errorDetails, getMediaType, isCompressible } from '../contract/responses.ts';
import * as served from '../contract/served.ts';
import { describeSubject, formatCount, joinWords, TRADEMARK_NOTE } from '../contract/words.ts';
import { addUrl, addUrls, type Records } from '../dataset/data-set.ts';
import { selectNames } from '../dataset/names.ts';
import { hosts } from '../hosts/index.ts';
import { renderDocs } from '../web/docs/render-docs.ts';
import { createBulkText } from './record-files.ts';

type Operation = contract.Operation;

interface SpecificationOptions {
  readonly archive: boolean;
  readonly template: (name: string) => string;
  readonly schemas: served.CompiledSchemas;
  readonly names?: readonly Names[];
}

export function createSpecification(
  records: Records,
  meta: Meta,
  { archive, template, schemas: compiled, names = [] }: SpecificationOptions,
): SiteFile[] {
  const first = mapKinds((kind) => records[kind].slice(0, 1)) as Records;
  const examples = createFileExamples(first, meta, names);
  const operations = contract
    .listOperations(meta, pickExamples(records, getLinkBase(meta)), archive)
    .map((operation) => ({ ...operation, example: operation.example ?? examples[operation.id] }));
  const schemas = pickSchemas(operations, compiled);
  const excerpts = createExcerpts(first, getLinkBase(meta));
  const content = { operations, schemas, anyPageRange: supportsAnyPageRange(meta), excerpts };
  return [
    { path: paths.OPENAPI_FILE, body: JSON.stringify(createOpenApi(meta, operations, schemas)) },
    { path: `${paths.DOCS_PATH.slice(1)}index.html`, body: renderDocs(template, content, meta) },
    ...Object.entries(compiled.standalone).map(([name, schema]) => {
      const path = paths.schemaFile(name);
      return { path, body: JSON.stringify({ $id: `${meta.base_url}/${path}`, ...schema }) };
    }),
  ];
}

/** A site without host configuration may be served by a plain file server. */
const supportsAnyPageRange = ({ hosts: names }: Meta): boolean =>
  names.length > 0 &&
  Object.entries(hosts).every(
    ([name, host]) => !names.includes(name) || !host.unsupported.includes('windows'),
  );

function createExcerpts(first: Records, base: paths.LinkBase): Map<string, string> {
  const kind = kindNames.find((name) => first[name].length > 0);
  const rows = plainBulkRows.filter((row) => row.kind === kind && kind !== undefined);
  return new Map(
    rows.map((row) => [row.path, createBulkText(row, addUrls(base, first)).trimEnd()]),
  );
}

function createFileExamples(
  first: Records,
  meta: Meta,
  names: readonly Names[],
): Record<string, object> {
  const { digest, captured, counts, names: summary, upstream, ...others } = meta;
  const kind = kindNames.find((name) => first[name].length > 0);
  const [record] = kind ? first[kind] : [];
  if (!kind || !record) return {};
  const { id, slug, name } = record;
  const [own] = selectNames(names.filter(({ language }) => language !== 'en').slice(0, 1), first);
  const none = { added: [], removed: [], renamed: [], changed: [] };
  const step: Comparison = {
    from: {
      digest: `sha256:${'0'.repeat(64)}`,
      captured,
      counts: { ...counts, [kind]: counts[kind] - 1 },
    },
    to: { digest, captured, counts },
    totals: { added: 1, removed: 0, renamed: 0, changed: 0 },
    changes: mapKinds((one) => (one === kind ? { ...none, added: [{ id, slug, name }] } : none)),
  };
  const languages = Object.fromEntries(Object.entries(summary?.languages ?? {}).slice(0, 1));
  return {
    ...(own && { getNames: own }),
    getMeta: {
      ...others,
      upstream: formatUpstream(upstream),
      // The reason may be a network error of the machine that built the site, which says nothing to a reader.
      fallback: null,
      digest,
      captured,
      counts,
      ...(summary && { names: { ...summary, languages } }),
    },
    getChanges: { steps: [step] },
  };
}

/** Picks each kind's first record, and its first page shortened to two records. */
function pickExamples(records: Records, base: paths.LinkBase): contract.Examples {
  const kinds = mapKinds((kind) => {
    const results = records[kind].slice(0, 2).map((record) => addUrl(base, kind, record));
    const range = { limit: PAGE_SIZE, offset: 0 };
    const page = paths.createListPage(base, kind, { range, count: records[kind].length, results });
    return results[0] ? { record: results[0], page } : {};
  });
  return { root: mapKinds((kind) => paths.listUrl(base, kind)), ...kinds };
}

function pickSchemas(
  operations: readonly Operation[],
  { components }: served.CompiledSchemas,
): Map<string, served.JsonSchema> {
  const used = new Set<string | undefined>(operations.map(({ schema }) => schema));
  if (operations.some(contract.isEndpoint)) used.add('error');
  return new Map(
    Object.entries(components)
      .filter(([name]) => used.has(name))
      .map(([name, { $id: _id, $schema: _dialect, ...schema }]) => [served.typeName(name), schema]),
  );
}

function createOpenApi(
  meta: Meta,
  operations: readonly Operation[],
  schemas: ReadonlyMap<string, served.JsonSchema>,
) {
  const { base_url: baseUrl, generator } = meta;
  return {
    openapi: '3.1.1',
    info: {
      title: 'gamedata',
      version: generator.split('/').at(-1),
      summary: `${describeSubject()} as a JSON API: static files built from PokéAPI.`,
      description: describeSite(meta),
      license: { name: 'BSD-3-Clause (data from PokéAPI)', url: `${baseUrl}/data-license.txt` },
    },
    servers: [{ url: baseUrl, description: 'The base URL of this site.' }],
    security: [],
    tags: [
      { name: 'records', description: 'Lists and single records.' },
      { name: 'names', description: 'Names of records in every language.' },
      { name: 'downloads', description: 'Every record in one request.' },
      { name: 'site', description: 'Files about the site.' },
    ],
    paths: Object.fromEntries(
      operations.map((operation) => [operation.path, describePath(operation)]),
    ),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

function describeSite({ base_url: baseUrl, links, counts }: Meta): string {
  const records = joinWords(kindNames.map((kind) => formatCount(counts[kind], kind)));
  const about = `Every response is a pre-built static file: ${records}. Docs: ${baseUrl}${paths.DOCS_PATH}. The schemas are also available as files (\`${baseUrl}/${paths.schemaFile(kindNames[0])}\`) and as TypeScript types (\`${baseUrl}/${paths.TYPES_FILE}\`).`;
  const hosts =
    links === 'file'
      ? 'This site is built for plain file servers: links point to the files themselves, and queries are ignored.'
      : 'If this host serves only built pages, it rejects any other limit or offset with 400 or 404.';
  return `${about}\n\n${hosts}\n\n${TRADEMARK_NOTE}`;
}

/** Endpoints list only JSON, because typed clients would treat an HTML page as a record. */
function describePath(operation: Operation): object {
  const { id, group, summary, pathParameter, parameters } = operation;
  const named = parameters.map((name) => contract.parameters[name]);
  const description = 'Any other error, such as 400 for a page that was not built.';
  const errors = {
    404: { description: 'The record or the format does not exist.', content: describeError(404) },
    default: { description, content: describeError(400) },
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

const createRef = (schema: served.SchemaName): object => ({
  $ref: `#/components/schemas/${served.typeName(schema)}`,
});

const describeError = (status: keyof typeof errorDetails) => ({
  'application/json': { schema: createRef('error'), example: { detail: errorDetails[status] } },
});

function describeContent({ path, pathParameter, schema, group, example }: Operation): object {
  const mediaType = getMediaType(path.replace(/\{\w+\}$/, String(pathParameter?.example)));
  if (schema !== undefined || mediaType === 'application/json')
    return {
      'application/json': { schema: schema ? createRef(schema) : { type: 'object' }, example },
    };
  const name = group === 'downloads' ? mediaType : mediaType.replace(/;.*/, '');
  return { [name]: isCompressible(mediaType) ? { schema: { type: 'string' } } : {} };
}
