/** The table of GET requests, from which OpenAPI and the docs are generated. */

import * as z from 'zod';
import { type FileGroup, fileRows } from './files.ts';
import { type Kind, kindNames } from './kinds.ts';
import type { Meta } from './meta.ts';
import { PAGE_SIZE } from './page-range.ts';
import * as paths from './paths.ts';
import { slugSchema } from './records.ts';
import { formats } from './responses.ts';
import { type JsonSchema, type SchemaName, schemaNames, typeName } from './served.ts';
import { pluralize } from './words.ts';

/** @param schema overrides `type: string` */
const parameter = (
  name: string,
  place: 'query' | 'path' | 'header',
  description?: string,
  schema: JsonSchema = {},
  example?: unknown,
) => ({
  name,
  in: place,
  required: place === 'path' || undefined,
  description,
  schema: { type: 'string', ...schema } as JsonSchema,
  example,
});
export type Parameter = ReturnType<typeof parameter>;

/** Parameters that are the same on every site. */
export const parameters = {
  format: parameter(
    'format',
    'query',
    '`api` is the browsable form: JSON for programs, a page for browsers. `json` is always JSON. Any other value is a 404.',
    { enum: [...formats] },
  ),
  limit: parameter(
    'limit',
    'query',
    `The maximum number of records on the page. Hosts that do not run code reject any value but ${PAGE_SIZE}; on others, an invalid value means ${PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, default: PAGE_SIZE },
  ),
  offset: parameter(
    'offset',
    'query',
    `The number of records to skip. Hosts that do not run code reject any value but multiples of ${PAGE_SIZE} below \`count\`; on others, an invalid value means 0, and beyond the end there are no results.`,
    { type: 'integer', minimum: 0, default: 0 },
  ),
  pageOffset: parameter(
    'offset',
    'path',
    `The number of records before the page: a multiple of ${PAGE_SIZE} below \`count\`. The URL of the first page has no offset.`,
    { type: 'integer', minimum: PAGE_SIZE, multipleOf: PAGE_SIZE, examples: [PAGE_SIZE] },
  ),
  ifNoneMatch: parameter(
    'If-None-Match',
    'header',
    'The ETag of a cached response: if unchanged, the response is 304.',
  ),
} as const;

/** Real responses. A kind without records has none. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record?: { readonly slug: string }; readonly page?: object }>
>;

export interface Operation {
  readonly path: string;
  /** Its name in generated clients. */
  readonly id: string;
  readonly group: 'records' | 'names' | 'downloads' | 'site';
  readonly summary: string;
  /** The schema of JSON. */
  readonly schema?: SchemaName | undefined;
  readonly example?: object | undefined;
  /** The part of the path in braces. */
  readonly pathParameter?: Parameter | undefined;
  readonly parameters: readonly (keyof typeof parameters)[];
}

/** Endpoints respond with JSON errors; files depend on the host. */
export const isEndpoint = ({ parameters }: Operation): boolean => parameters.includes('format');

/** @param archive whether the site offers itself for download */
export function listOperations(
  site: Pick<Meta, 'links' | 'downloads' | 'names'>,
  examples: Examples,
  archive: boolean,
): Operation[] {
  const has = { names: site.names !== undefined, bulk: site.downloads, archives: archive, site: true };
  const groups = (Object.keys(fileRows) as FileGroup[]).filter((group) => has[group]);
  const languages = Object.keys(site.names?.languages ?? {});
  const api = site.links === 'file' ? listApiFiles(examples) : listEndpoints(examples);
  return [...api, ...groups.flatMap((group) => listFiles(group, languages))];
}

const { $schema: _, ...slugs } = z.toJSONSchema(slugSchema);

function listEndpoints(examples: Examples): Operation[] {
  const endpoint = (schema: SchemaName, path: string, summary: string): Operation => ({
    ...{ path, id: `get${typeName(schema)}`, group: 'records', summary, schema },
    parameters: ['format', 'ifNoneMatch'],
  });
  const lists = kindNames.flatMap((kind): Operation[] => {
    const { record, page } = examples[kind];
    const about = "The record's slug, case-sensitive: its address, which `name` is not.";
    const summary = `A page of the list of all ${pluralize(kind)}, in order of id`;
    return [
      {
        ...endpoint(`${kind}-page`, paths.listPath(kind), summary),
        example: page,
        parameters: ['format', 'limit', 'offset', 'ifNoneMatch'],
      },
      {
        ...endpoint(kind, paths.recordPath(kind, '{slug}'), `One ${kind}`),
        example: record,
        pathParameter: parameter('slug', 'path', about, slugs, record?.slug),
      },
    ];
  });
  return [{ ...endpoint('root', paths.API_PREFIX, 'API root'), example: examples.root }, ...lists];
}

/** The files behind the endpoints, for a site whose links point to files. */
function listApiFiles(examples: Examples): Operation[] {
  return listEndpoints(examples).flatMap((endpoint): Operation[] => {
    const toFile = (path: string): string => path + paths.INDEX_FILE;
    const file: Operation = { ...endpoint, path: toFile(endpoint.path), parameters: ['ifNoneMatch'] };
    if (!endpoint.parameters.includes('offset')) return [file];
    const path = toFile(`${endpoint.path}offset/{offset}/`);
    // The example has two records, unlike any file of the site.
    const page = { ...file, example: undefined };
    return [page, { ...page, path, id: `${file.id}At`, pathParameter: parameters.pageOffset }];
  });
}

function listFiles(group: FileGroup, languages: readonly string[]): Operation[] {
  const pathParameters: Readonly<Record<string, Parameter>> = {
    '{language}': parameter('language', 'path', 'A BCP 47 tag.', { enum: [...languages] }, languages[0]),
    '{schema}': parameter('schema', 'path', undefined, { enum: [...schemaNames] }, schemaNames[0]),
    '{icon}': parameter('icon', 'path', undefined, {}, 'unknown.png'),
  };
  return fileRows[group].map(({ path, id, summary, schema }) => ({
    ...{ path: `/${path}`, id, summary, schema },
    group: group === 'bulk' || group === 'archives' ? 'downloads' : group,
    pathParameter: pathParameters[/\{.+\}/.exec(path)?.[0] ?? ''],
    parameters: ['ifNoneMatch'],
  }));
}
