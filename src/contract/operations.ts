/** Defines the GET requests that the OpenAPI document and the docs describe. */

import * as z from 'zod';
import { type FileGroup, fileRows } from './files.ts';
import { type Kind, kindNames } from './kinds.ts';
import type { Meta } from './meta.ts';
import { PAGE_SIZE } from './page-range.ts';
import * as paths from './paths.ts';
import { slugSchema } from './records.ts';
import { formats } from './responses.ts';
import {
  type JsonSchema,
  type SchemaName,
  schemaNames,
  typeName,
} from './served.ts';
import { pluralize } from './words.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: true;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export const parameters = {
  format: {
    name: 'format',
    in: 'query',
    schema: { type: 'string', enum: [...formats] },
    description:
      '`api` is JSON for programs and a page for browsers. `json` is always JSON. Any other value is a 404.',
  },
  limit: {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, default: PAGE_SIZE },
    description: `The maximum number of records on the page. If this host serves only built pages, it rejects any value other than ${PAGE_SIZE}. Otherwise, it treats an invalid value as ${PAGE_SIZE}.`,
  },
  offset: {
    name: 'offset',
    in: 'query',
    schema: { type: 'integer', minimum: 0, default: 0 },
    description: `The number of records to skip. If this host serves only built pages, it accepts only multiples of ${PAGE_SIZE} below \`count\`. Otherwise, it treats an invalid value as 0 and returns no results beyond the end.`,
  },
  /**
   * The offset in a file path. Sites whose links point to files use it in place of the
   * query parameter.
   */
  pageOffset: {
    name: 'offset',
    in: 'path',
    required: true,
    description: `The number of records before the page: a multiple of ${PAGE_SIZE} below \`count\`. The URL of the first page has no offset.`,
    schema: {
      type: 'integer',
      minimum: PAGE_SIZE,
      multipleOf: PAGE_SIZE,
      examples: [PAGE_SIZE],
    },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: { type: 'string' },
    description:
      'The ETag of a cached response. If it still matches, the response is 304.',
  },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;

interface PathParameterDetails {
  readonly description?: string;
  /** Restrictions on the text, in addition to its type. */
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

function createPathParameter(
  name: string,
  details: PathParameterDetails,
): Parameter {
  const schema: JsonSchema = { type: 'string', ...details.schema };
  return { name, in: 'path', required: true, ...details, schema };
}

/**
 * Example responses of this site for one kind. A kind without records has no
 * examples.
 */
interface KindExamples {
  readonly record?: { readonly slug: string };
  readonly page?: object;
}

/** Example responses of this site. */
export interface Examples extends Readonly<Record<Kind, KindExamples>> {
  readonly root: object;
}

/** A GET request that a site responds to. */
export interface Operation {
  /** The path of the request. Parts in braces are parameters. */
  readonly path: string;
  readonly id: string;
  readonly group: 'records' | 'names' | 'downloads' | 'site';
  readonly summary: string;
  /** What a program needs to know to read the response. */
  readonly note?: string | undefined;
  readonly schema?: SchemaName | undefined;
  readonly example?: object | undefined;
  readonly pathParameter?: Parameter | undefined;
  /** The query and header parameters. `pathParameter` is not included. */
  readonly parameters: readonly ParameterName[];
}

/**
 * Returns whether an operation requests an endpoint, such as `/api/gamedata/move/`. All
 * other operations request files, which have no `format` parameter.
 */
export const isEndpoint = ({ parameters }: Operation): boolean =>
  parameters.includes('format');

/**
 * Lists the requests that a site responds to. Requests for endpoints (or for their
 * files, if links point to files) come first, followed by requests for all other files.
 */
export function listOperations(
  site: Pick<Meta, 'links' | 'names'>,
  examples: Examples,
  archive: boolean,
): Operation[] {
  const hasGroup: Readonly<Record<FileGroup, boolean>> = {
    names: site.names !== undefined,
    bulk: true,
    archives: archive,
    site: true,
  };
  const languages = Object.keys(site.names?.languages ?? {});
  // On plain file servers, links point to files such as `/api/gamedata/index.json`.
  const operations =
    site.links === 'file' ? listApiFiles(examples) : listEndpoints(examples);
  for (const group of Object.keys(fileRows) as FileGroup[]) {
    if (hasGroup[group]) operations.push(...listFiles(group, languages));
  }
  return operations;
}

const { $schema: _, ...slugJsonSchema } = z.toJSONSchema(slugSchema);

/** Lists the API root, and then the list and the records of each kind. */
function listEndpoints(examples: Examples): Operation[] {
  const root = createEndpoint('root', paths.API_PREFIX, 'API root');
  const operations: Operation[] = [{ ...root, example: examples.root }];
  for (const kind of kindNames) {
    const { record, page } = examples[kind];
    const listSummary = `A page of the list of all ${pluralize(kind)}, in order of id`;
    const listEndpoint = createEndpoint(
      `${kind}-page`,
      paths.listPath(kind),
      listSummary,
    );
    operations.push({
      ...listEndpoint,
      example: page,
      parameters: ['format', 'limit', 'offset', 'ifNoneMatch'],
    });
    const recordEndpoint = createEndpoint(
      kind,
      paths.recordPath(kind, '{slug}'),
      `One ${kind}`,
    );
    const slugParameter = createPathParameter('slug', {
      description: "The record's slug. It is case-sensitive.",
      schema: slugJsonSchema,
      example: record?.slug,
    });
    operations.push({
      ...recordEndpoint,
      example: record,
      pathParameter: slugParameter,
    });
  }
  return operations;
}

/** Creates an endpoint with the parameters that all endpoints have. */
function createEndpoint(
  schema: SchemaName,
  path: string,
  summary: string,
): Operation {
  return {
    path,
    id: `get${typeName(schema)}`,
    group: 'records',
    summary,
    schema,
    parameters: ['format', 'ifNoneMatch'],
  };
}

/**
 * Lists the endpoints' files. A list gets two operations, because only the path of
 * the first page has no offset.
 */
function listApiFiles(examples: Examples): Operation[] {
  const operations: Operation[] = [];
  for (const endpoint of listEndpoints(examples)) {
    const file: Operation = {
      ...endpoint,
      path: endpoint.path + paths.INDEX_FILE,
      parameters: ['ifNoneMatch'],
    };
    const isList = endpoint.parameters.includes('offset');
    if (!isList) {
      operations.push(file);
      continue;
    }
    // Omit the example, because it is shortened to two records, but the file contains
    // the whole page.
    const firstPage = { ...file, example: undefined };
    operations.push(firstPage);
    operations.push({
      ...firstPage,
      path: `${endpoint.path}offset/{offset}/${paths.INDEX_FILE}`,
      id: `${file.id}At`,
      pathParameter: parameters.pageOffset,
    });
  }
  return operations;
}

/**
 * Lists the files in a group. A path with a variable, such as `names/{language}.json`, gets
 * the parameter that describes the variable.
 */
function listFiles(group: FileGroup, languages: readonly string[]): Operation[] {
  const pathParameters: Readonly<Record<string, Parameter>> = {
    '{language}': createPathParameter('language', {
      description: 'A BCP 47 tag.',
      schema: { enum: [...languages] },
      example: languages[0],
    }),
    '{schema}': createPathParameter('schema', {
      schema: { enum: [...schemaNames] },
      example: schemaNames[0],
    }),
    '{icon}': createPathParameter('icon', { example: 'unknown.png' }),
  };
  const isDownload = group === 'bulk' || group === 'archives';
  const operations: Operation[] = [];
  for (const { path, id, summary, note, schema } of fileRows[group]) {
    const variable = /\{.+\}/.exec(path)?.[0] ?? '';
    operations.push({
      path: `/${path}`,
      id,
      summary,
      note,
      schema,
      group: isDownload ? 'downloads' : group,
      pathParameter: pathParameters[variable],
      parameters: ['ifNoneMatch'],
    });
  }
  return operations;
}
