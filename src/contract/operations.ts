/** Every request that a site answers, with its parameters and responses: OpenAPI and the docs are made from these tables. */

import * as z from 'zod';
import { type FileGroup, fileRows } from './files.ts';
import { apiHeaders, commonHeaders, downloadHeaders } from './headers.ts';
import { type Kind, kindNames } from './kinds.ts';
import type { Meta } from './meta.ts';
import * as paths from './paths.ts';
import { slugSchema } from './records.ts';
import { errorDetails, formats, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from './routes.ts';
import { type JsonSchema, type SchemaName, schemaNames, typeName } from './served.ts';
import { PAGE_SIZE } from './windows.ts';
import { plural } from './words.ts';

/** What the values of headers mean, and examples of those that differ. */
const headerRows = {
  Allow: ['The allowed methods.'],
  Vary: ['The same URL serves JSON to programs and a page to browsers.'],
  'Cache-Control': ['How long a response may be cached.'],
  'Access-Control-Allow-Origin': ['Every origin is allowed.'],
  'X-Content-Type-Options': ['Browsers must not guess the media type.'],
  'Content-Disposition': ['Browsers save it as a file.'],
  ETag: ['Identifies this version of the response, for If-None-Match.', { examples: ['"2f1c6a0b"'] }],
  Location: ['The URL to use instead.', { format: 'uri-reference' }],
} as const satisfies Record<string, readonly [description: string, schema?: object]>;

export type HeaderName = keyof typeof headerRows;

/** Every host is configured with these. */
const values: Readonly<Record<string, string>> = { ...commonHeaders, ...downloadHeaders, ...apiHeaders };

const headers = Object.entries(headerRows).map(([name, [description, schema]]) => ({
  name,
  description,
  schema: { type: 'string', ...(name in values ? { const: values[name] } : schema) } as JsonSchema,
}));

/** @param schema of a text, unless given */
const parameter = (
  name: string,
  place: 'query' | 'path' | 'header',
  description?: string,
  schema: JsonSchema = {},
  example?: unknown,
) => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  ...(description !== undefined && { description }),
  schema: { type: 'string', ...schema } as JsonSchema,
  ...(example !== undefined && { example }),
});
export type Parameter = ReturnType<typeof parameter>;

/** Those that are the same on every site. */
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
    `The maximum number of records on the page. Hosts that do not run code reject any value but ${PAGE_SIZE}; on others, an invalid value counts as ${PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, default: PAGE_SIZE },
  ),
  offset: parameter(
    'offset',
    'query',
    `The number of records to skip. Hosts that do not run code reject any value but multiples of ${PAGE_SIZE} below \`count\`; on others, an invalid value counts as 0, and beyond the end there are no results.`,
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

export type ParameterName = keyof typeof parameters;

export interface Response {
  readonly status: number;
  readonly description: string;
  readonly headers: readonly HeaderName[];
  /** The reason that the body of an error gives. */
  readonly detail?: string | undefined;
  /** What OpenAPI calls one that operations share. */
  readonly name?: string | undefined;
}

const response = (
  status: number,
  description: string,
  headers: readonly HeaderName[] = [],
  { name, detail }: Pick<Response, 'name' | 'detail'> = {},
): Response => ({ status, description, headers, name, detail });

/** On every response of an endpoint, including errors. */
export const endpointHeaders = [
  'Allow',
  'Vary',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
] as const;
const successHeaders = [...endpointHeaders, 'Cache-Control', 'ETag'] as const;

const notBuilt = response(
  400,
  'On hosts that do not run code: there is no such page. Hosts that cannot send 400 send 404 with the same body.',
  endpointHeaders,
  { name: 'NotBuilt', detail: errorDetails[400] },
);

/** The responses of an endpoint besides its content. */
export const endpointResponses: readonly Response[] = [
  response(
    301,
    'The trailing slash is missing. The redirect keeps the query.',
    [...endpointHeaders, 'Location'],
    { name: 'Slash' },
  ),
  response(304, 'The cached response is still valid.', successHeaders, { name: 'NotModified' }),
  notBuilt,
  response(404, 'The record or the format does not exist.', endpointHeaders, {
    name: 'NotFound',
    detail: errorDetails[404],
  }),
  response(405, 'The API is read-only.', endpointHeaders, {
    name: 'MethodNotAllowed',
    detail: notAllowedDetail('POST'),
  }),
  response(406, 'The Accept header cannot be satisfied.', endpointHeaders, {
    name: 'NotAcceptable',
    detail: NOT_ACCEPTABLE_DETAIL,
  }),
];

/** Kind → its examples; undefined for a kind without records. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record: { readonly slug: string }; readonly page: object } | undefined>
>;

/** A path that programs request with GET. */
export interface Operation {
  readonly path: string;
  /** Its name in generated clients. */
  readonly id: string;
  readonly group: 'records' | 'names' | 'downloads' | 'site';
  readonly summary: string;
  /** Of JSON that has a schema. */
  readonly schema?: SchemaName | undefined;
  /** A real response. */
  readonly example?: object | undefined;
  /** Of the part of the path in braces. */
  readonly pathParameter?: Parameter | undefined;
  readonly parameters: readonly ParameterName[];
  /** The first is the successful one. */
  readonly responses: readonly [Response, ...Response[]];
}

/** @param archive whether the site offers itself for download */
export function operationsOf(
  site: Pick<Meta, 'links' | 'downloads' | 'names'>,
  examples: Examples,
  archive: boolean,
): Operation[] {
  const has = { names: site.names !== undefined, bulk: site.downloads, archives: archive, site: true };
  const groups = (Object.keys(fileRows) as FileGroup[]).filter((group) => has[group]);
  const languages = Object.keys(site.names?.languages ?? {});
  return [...apiOperations(site.links, examples), ...groups.flatMap((group) => siteFiles(group, languages))];
}

const { $schema: _, ...slugs } = z.toJSONSchema(slugSchema);

/** Endpoints, or on a site whose links point to files, those files. */
function apiOperations(links: paths.LinkStyle, examples: Examples): Operation[] {
  const isFile = links === 'file';
  const pageRows = (kind: Kind) => {
    const summary = `A page of the list of all ${plural(kind)}, in order of id`;
    const page = { schema: `${kind}-page`, summary, path: paths.listPath(kind) } as const;
    // An example has two records, which no file of the site does.
    if (!isFile) return [{ ...page, file: '', example: examples[kind]?.page }];
    const others = paths.listPageFile(kind, 1).replace('/1/', '/{offset}/');
    return [
      { ...page, file: paths.listPageFile(kind, 0) },
      { ...page, file: others, id: `get${typeName(page.schema)}At`, pathParameter: parameters.pageOffset },
    ];
  };
  const recordRow = (kind: Kind) => {
    const about = "The record's slug, case-sensitive: its address, which `name` is not.";
    const example = examples[kind]?.record;
    return {
      schema: kind,
      summary: `One ${kind}`,
      path: paths.recordPath(kind, '{slug}'),
      file: paths.recordFile(kind, '{slug}'),
      example,
      pathParameter: parameter('slug', 'path', about, slugs, example?.slug),
    };
  };
  const root = { schema: 'root', summary: 'API root', example: examples.root } as const;
  return [
    { ...root, path: paths.API_PREFIX, file: paths.rootFile },
    ...kindNames.flatMap((kind) => [...pageRows(kind), recordRow(kind)]),
  ].map(({ path, file, ...row }) => {
    const operation = { id: `get${typeName(row.schema)}`, group: 'records', ...row } as const;
    if (isFile) return fileOperation({ ...operation, path: file });
    const isList = row.schema.endsWith('-page');
    const content = `${row.summary}. Clients that prefer HTML get /${paths.BROWSE_FILE}.`;
    return {
      ...operation,
      path,
      parameters: isList ? ['format', 'limit', 'offset', 'ifNoneMatch'] : ['format', 'ifNoneMatch'],
      responses: [
        response(200, content, successHeaders),
        ...endpointResponses.filter((one) => isList || one !== notBuilt),
      ],
    };
  });
}

const unchanged = response(304, 'The cached file is still valid.');

/** Reads a file at its own URL, which every host supports. */
const fileOperation = (
  file: Omit<Operation, 'parameters' | 'responses'>,
  headers: readonly HeaderName[] = ['Access-Control-Allow-Origin', 'X-Content-Type-Options'],
): Operation => ({
  ...file,
  path: `/${file.path}`,
  parameters: ['ifNoneMatch'],
  responses: [
    response(200, file.summary, headers),
    unchanged,
    response(404, 'The site does not have this file.'),
  ],
});

function siteFiles(group: FileGroup, languages: readonly string[]): Operation[] {
  const isDownload = group === 'bulk' || group === 'archives';
  const parameterOf: Readonly<Record<string, Parameter>> = {
    '{language}': parameter('language', 'path', 'A BCP 47 tag.', { enum: [...languages] }, languages[0]),
    '{schema}': parameter('schema', 'path', undefined, { enum: [...schemaNames] }, schemaNames[0]),
    '{icon}': parameter('icon', 'path', undefined, {}, 'unknown.png'),
  };
  return fileRows[group].map((row) => {
    const pathParameter = parameterOf[/\{.+\}/.exec(row.path)?.[0] ?? ''];
    const operation = fileOperation(
      { ...row, group: isDownload ? 'downloads' : group, pathParameter },
      group === 'site' ? undefined : ['Access-Control-Allow-Origin', 'Cache-Control', 'Content-Disposition'],
    );
    return pathParameter === parameterOf['{icon}'] ? { ...operation, responses: iconResponses } : operation;
  });
}

/** Not every site holds its icons. */
const iconResponses: Operation['responses'] = [
  response(200, 'The icon, if the site holds it.', ['Access-Control-Allow-Origin']),
  response(302, "The upstream's icon.", ['Location']),
  unchanged,
  response(404, 'The host only serves files, and the site does not hold this icon.'),
];

/** The headers that any response has. */
export function headersOf(operations: readonly Operation[]): typeof headers {
  const used = new Set<string>(
    operations.flatMap((one) => one.responses.flatMap((response) => response.headers)),
  );
  return headers.filter(({ name }) => used.has(name));
}
