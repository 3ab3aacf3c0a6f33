/** Every request that a site answers, with its parameters and responses: OpenAPI and the docs are made from these tables. */

import * as z from 'zod';
import { type FileGroup, fileRows } from './files.ts';
import { apiHeaders, commonHeaders, downloadHeaders } from './headers.ts';
import { type Kind, kindNames } from './kinds.ts';
import type { Meta } from './meta.ts';
import * as paths from './paths.ts';
import { slugSchema } from './records.ts';
import { errorDetails, formats, notAllowedDetail } from './routes.ts';
import { type JsonSchema, type SchemaName, schemaNames, typeName } from './served.ts';
import { PAGE_SIZE } from './windows.ts';
import { plural } from './words.ts';

/** Every host is configured with these. */
const values: Readonly<Record<string, string>> = { ...commonHeaders, ...downloadHeaders, ...apiHeaders };

const header = (name: string, description: string, schema: JsonSchema = { const: values[name] ?? '' }) => ({
  name,
  description,
  schema: { type: 'string', ...schema } as JsonSchema,
});

const headers = [
  header('Allow', 'The allowed methods.'),
  header('Vary', 'The same URL serves JSON to programs and a page to browsers.'),
  header('Cache-Control', 'How long a response may be cached.'),
  header('Access-Control-Allow-Origin', 'Every origin is allowed.'),
  header('X-Content-Type-Options', 'Browsers must not guess the media type.'),
  header('Content-Disposition', 'Browsers save it as a file.'),
  header('ETag', 'Identifies this version of the response, for If-None-Match.', { examples: ['"2f1c6a0b"'] }),
  header('Location', 'The URL to use instead.', { format: 'uri-reference' }),
];

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
  required: place === 'path' || undefined,
  description,
  schema: { type: 'string', ...schema } as JsonSchema,
  example,
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

export interface Response {
  readonly status: number;
  readonly description: string;
  readonly headers?: readonly string[];
  /** The reason that the body of an error gives. */
  readonly detail?: string | undefined;
  /** What OpenAPI calls one that operations share. */
  readonly name?: string;
}

/** On every response of an endpoint, including errors. */
export const endpointHeaders: readonly string[] = [
  'Allow',
  'Vary',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
];
const cacheHeaders = ['Cache-Control', 'ETag'];

const shared = (
  name: string,
  status: number,
  description: string,
  detail?: string,
  headers: readonly string[] = [],
): Response => ({ status, description, headers: [...endpointHeaders, ...headers], detail, name });

const NOT_BUILT =
  'On hosts that do not run code: there is no such page. Hosts that cannot send 400 send 404 with the same body.';

/** The responses of an endpoint besides its content. */
export const endpointResponses: readonly Response[] = [
  shared('Slash', 301, 'The trailing slash is missing. The redirect keeps the query.', undefined, [
    'Location',
  ]),
  shared('NotModified', 304, 'The cached response is still valid.', undefined, cacheHeaders),
  shared('NotBuilt', 400, NOT_BUILT, errorDetails[400]),
  shared('NotFound', 404, 'The record or the format does not exist.', errorDetails[404]),
  shared('MethodNotAllowed', 405, 'The API is read-only.', notAllowedDetail('POST')),
];

/** Real responses; a kind without records has none. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record?: { readonly slug: string }; readonly page?: object }>
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
  readonly example?: object | undefined;
  /** Of the part of the path in braces. */
  readonly pathParameter?: Parameter | undefined;
  readonly parameters: readonly (keyof typeof parameters)[];
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

type More = Partial<Pick<Operation, 'id' | 'example' | 'pathParameter'>>;

/** Endpoints, or on a site whose links point to files, those files. */
function apiOperations(links: paths.LinkStyle, examples: Examples): Operation[] {
  const isFile = links === 'file';
  const row = (schema: SchemaName, summary: string, path: string, more: More) =>
    ({ id: `get${typeName(schema)}`, group: 'records', schema, summary, path, ...more }) as const;
  const rows = kindNames.flatMap((kind) => {
    const { record, page } = examples[kind];
    const about = "The record's slug, case-sensitive: its address, which `name` is not.";
    const slug = parameter('slug', 'path', about, slugs, record?.slug);
    const listRow = (path: string, more: More) =>
      row(`${kind}-page`, `A page of the list of all ${plural(kind)}, in order of id`, path, more);
    const others = { id: `get${typeName(`${kind}-page`)}At`, pathParameter: parameters.pageOffset };
    return [
      // An example has two records, which no file of the site does.
      listRow(paths.listPath(kind), { example: isFile ? undefined : page }),
      ...(isFile ? [listRow(`${paths.listPath(kind)}offset/{offset}/`, others)] : []),
      row(kind, `One ${kind}`, paths.recordPath(kind, '{slug}'), { example: record, pathParameter: slug }),
    ];
  });
  const root = row('root', 'API root', paths.API_PREFIX, { example: examples.root });
  return [root, ...rows].map((operation) => {
    const { summary, path } = operation;
    if (isFile) return fileOperation({ ...operation, path: path.slice(1) + paths.INDEX_FILE });
    const isList = operation.schema.endsWith('-page');
    const description = `${summary}. Clients that prefer HTML get /${paths.BROWSE_FILE}.`;
    return {
      ...operation,
      parameters: isList ? ['format', 'limit', 'offset', 'ifNoneMatch'] : ['format', 'ifNoneMatch'],
      responses: [
        { status: 200, description, headers: [...endpointHeaders, ...cacheHeaders] },
        ...endpointResponses.filter(({ status }) => isList || status !== 400),
      ],
    };
  });
}

const unchanged: Response = { status: 304, description: 'The cached file is still valid.' };

/** Reads a file at its own URL, which every host supports. */
const fileOperation = (
  file: Omit<Operation, 'parameters' | 'responses'>,
  headers: readonly string[] = ['Access-Control-Allow-Origin', 'X-Content-Type-Options'],
): Operation => ({
  ...file,
  path: `/${file.path}`,
  parameters: ['ifNoneMatch'],
  responses: [
    { status: 200, description: file.summary, headers },
    unchanged,
    { status: 404, description: 'The site does not have this file.' },
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
  { status: 200, description: 'The icon, if the site holds it.', headers: ['Access-Control-Allow-Origin'] },
  { status: 302, description: "The upstream's icon.", headers: ['Location'] },
  unchanged,
  { status: 404, description: 'The host only serves files, and the site does not hold this icon.' },
];

/** The headers that any response has. */
export const headersOf = (operations: readonly Operation[]) =>
  headers.filter(({ name }) =>
    operations.some(({ responses }) => responses.some((response) => response.headers?.includes(name))),
  );
