/** The endpoints, or on a site whose links point to files, those files. */

import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import * as paths from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { type Records, served } from '../../dataset/data-set.ts';
import { fileOperation, ref, slugParameter, successHeaders } from './components.ts';
import { type SchemaName, typeName } from './schemas.ts';

/** What a request returns, whatever its path looks like. */
interface Subject {
  readonly schema: SchemaName;
  readonly summary: string;
  /** A real response. */
  readonly example?: object | undefined;
}

const root = ({ root }: Examples): Subject => ({ schema: 'root', summary: 'API root', example: root });

const page = (kind: Kind, examples: Examples): Subject => ({
  schema: `${kind}-page`,
  summary: `A page of the list of all ${kind}s, in order of id`,
  example: examples[kind]?.page,
});

const record = (kind: Kind, examples: Examples): Subject => ({
  schema: kind,
  summary: `One ${kind}`,
  example: examples[kind]?.record,
});

/** Path → its operations. */
export const apiPaths = (links: paths.LinkStyle, examples: Examples): object =>
  Object.assign({}, ...(links === 'file' ? fileSubjects(examples) : endpoints(examples)));

const withSlug = (kind: Kind, examples: Examples): object => ({
  parameters: [slugParameter(examples[kind]?.record.slug)],
});

const endpoints = (examples: Examples): object[] => [
  { [paths.API_PREFIX]: endpoint(root(examples)) },
  ...kindNames.map((kind) => ({
    [paths.listPath(kind)]: endpoint(page(kind, examples), { isList: true }),
    [paths.recordPath(kind, '{slug}')]: { ...withSlug(kind, examples), ...endpoint(record(kind, examples)) },
  })),
];

const fileSubjects = (examples: Examples): object[] => [
  { [`/${paths.rootFile}`]: jsonFile(root(examples)) },
  ...kindNames.map((kind) => {
    // The example has two records, which no file of the site does.
    const { example: _, ...whole } = page(kind, examples);
    return {
      [`/${paths.listPageFile(kind, 0)}`]: jsonFile(whole),
      [`/${paths.listPageFile(kind, 1).replace('/1/', '/{offset}/')}`]: {
        parameters: [ref('parameters/pageOffset')],
        ...jsonFile(whole, 'At'),
      },
      [`/${paths.recordFile(kind, '{slug}')}`]: {
        ...withSlug(kind, examples),
        ...jsonFile(record(kind, examples)),
      },
    };
  }),
];

const jsonContent = ({ schema, example }: Subject): object => ({
  'application/json': { schema: ref(`schemas/${typeName(schema)}`), ...(example && { example }) },
});

function jsonFile(subject: Subject, suffix = ''): object {
  const id = `get${typeName(subject.schema)}${suffix}`;
  return { get: fileOperation(id, 'records', subject.summary, jsonContent(subject)) };
}

/** A path with every response that hosts send there. */
function endpoint(subject: Subject, { isList = false } = {}): object {
  const { schema, summary } = subject;
  const parameters = ['format', ...(isList ? ['limit', 'offset'] : []), 'ifNoneMatch'];
  const read = (method: 'get' | 'head', content: object): object => ({
    operationId: `${method}${typeName(schema)}`,
    tags: ['records'],
    summary: method === 'get' ? summary : `${summary}: headers only`,
    parameters: parameters.map((name) => ref(`parameters/${name}`)),
    responses: {
      // HTML is not listed as content: typed clients would consider every response to be a record or a text.
      200: {
        description: `${summary}. Clients that prefer HTML get /${paths.BROWSE_FILE}.`,
        headers: successHeaders,
        ...content,
      },
      301: ref('responses/Slash'),
      304: ref('responses/NotModified'),
      ...(isList && { 400: ref('responses/NotBuilt') }),
      404: ref('responses/NotFound'),
      405: ref('responses/MethodNotAllowed'),
      406: ref('responses/NotAcceptable'),
    },
  });
  return {
    get: read('get', { content: jsonContent(subject) }),
    head: read('head', {}),
    options: {
      operationId: `options${typeName(schema)}`,
      tags: ['records'],
      summary: `Allowed methods of: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
      responses: {
        200: ref('responses/Options'),
        204: ref('responses/Preflight'),
        404: ref('responses/NotFound'),
      },
    },
  };
}

/** Kind → its examples; undefined for a kind without records. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record: { readonly slug: string }; readonly page: object } | undefined>
>;

/** The number of records on the example page, which is the first one otherwise. */
const SHOWN = 2;

export function examplesOf(records: Records, linkBase: paths.LinkBase): Examples {
  const kinds = mapKinds((kind) => {
    const results = records[kind].slice(0, SHOWN).map((record) => served(linkBase, kind, record));
    const window = { limit: PAGE_SIZE, offset: 0 };
    const page = paths.listPage(linkBase, kind, { window, count: records[kind].length, results });
    return results[0] && { record: results[0], page };
  });
  return { root: mapKinds((kind) => paths.listUrl(linkBase, kind)), ...kinds };
}
