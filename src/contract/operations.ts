/** The GET requests that OpenAPI and the docs describe. */

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
    ...{ name: 'format', in: 'query', schema: { type: 'string', enum: [...formats] } },
    description:
      '`api` is JSON for programs and a page for browsers. `json` is always JSON. Any other value is a 404.',
  },
  limit: {
    ...{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, default: PAGE_SIZE } },
    description: `The maximum number of records on the page. If this host serves only built pages, it rejects any value other than ${PAGE_SIZE}. Otherwise, it treats an invalid value as ${PAGE_SIZE}.`,
  },
  offset: {
    ...{ name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
    description: `The number of records to skip. If this host serves only built pages, it accepts only multiples of ${PAGE_SIZE} below \`count\`. Otherwise, it treats an invalid value as 0 and returns no results beyond the end.`,
  },
  pageOffset: {
    ...{ name: 'offset', in: 'path', required: true },
    description: `The number of records before the page: a multiple of ${PAGE_SIZE} below \`count\`. The URL of the first page has no offset.`,
    schema: { type: 'integer', minimum: PAGE_SIZE, multipleOf: PAGE_SIZE, examples: [PAGE_SIZE] },
  },
  ifNoneMatch: {
    ...{ name: 'If-None-Match', in: 'header', schema: { type: 'string' } },
    description: 'The ETag of a cached response. If it still matches, the response is 304.',
  },
} as const satisfies Record<string, Parameter>;

const createPathParameter = (name: string, own: Partial<Parameter>): Parameter => ({
  ...{ name, in: 'path', required: true, ...own },
  schema: { type: 'string', ...own.schema },
});

export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record?: { readonly slug: string }; readonly page?: object }>
>;

export interface Operation {
  readonly path: string;
  readonly id: string;
  readonly group: 'records' | 'names' | 'downloads' | 'site';
  readonly summary: string;
  readonly schema?: SchemaName | undefined;
  readonly example?: object | undefined;
  readonly pathParameter?: Parameter | undefined;
  readonly parameters: readonly (keyof typeof parameters)[];
}

/** Only endpoints have JSON errors on every host. */
export const isEndpoint = ({ parameters }: Operation): boolean => parameters.includes('format');

export function listOperations(
  site: Pick<Meta, 'links' | 'downloads' | 'names'>,
  examples: Examples,
  archive: boolean,
): Operation[] {
  const has = {
    names: site.names !== undefined,
    bulk: site.downloads,
    archives: archive,
    site: true,
  };
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
    const description = "The record's slug. It is case-sensitive.";
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
        pathParameter: createPathParameter('slug', {
          description,
          schema: slugs,
          example: record?.slug,
        }),
      },
    ];
  });
  return [{ ...endpoint('root', paths.API_PREFIX, 'API root'), example: examples.root }, ...lists];
}

function listApiFiles(examples: Examples): Operation[] {
  return listEndpoints(examples).flatMap((endpoint): Operation[] => {
    const toFile = (path: string): string => path + paths.INDEX_FILE;
    const file: Operation = {
      ...endpoint,
      path: toFile(endpoint.path),
      parameters: ['ifNoneMatch'],
    };
    if (!endpoint.parameters.includes('offset')) return [file];
    const path = toFile(`${endpoint.path}offset/{offset}/`);
    // The example is shortened to two records, so it matches no file of the site.
    const page = { ...file, example: undefined };
    return [page, { ...page, path, id: `${file.id}At`, pathParameter: parameters.pageOffset }];
  });
}

function listFiles(group: FileGroup, languages: readonly string[]): Operation[] {
  const pathParameters: Readonly<Record<string, Parameter>> = {
    '{language}': createPathParameter('language', {
      ...{ description: 'A BCP 47 tag.', schema: { enum: [...languages] }, example: languages[0] },
    }),
    '{schema}': createPathParameter('schema', {
      schema: { enum: [...schemaNames] },
      example: schemaNames[0],
    }),
    '{icon}': createPathParameter('icon', { example: 'unknown.png' }),
  };
  return fileRows[group].map(({ path, id, summary, schema }) => ({
    ...{ path: `/${path}`, id, summary, schema },
    group: group === 'bulk' || group === 'archives' ? 'downloads' : group,
    pathParameter: pathParameters[/\{.+\}/.exec(path)?.[0] ?? ''],
    parameters: ['ifNoneMatch'],
  }));
}
