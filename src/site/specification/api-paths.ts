/** The endpoints, or on a site whose links point to files, those files. */

import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  type LinkBase,
  type LinkStyle,
  listPageFile,
  listPath,
  listUrl,
  recordFile,
  recordPath,
  rootFile,
} from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import type { EncodedRecords } from '../../dataset/data-set.ts';
import { listPage, servedText } from '../../dataset/encode.ts';
import { fileOperation, parameter, response, successHeaders } from './components.ts';
import { typeName } from './schemas.ts';

/** What a request returns, whatever its path looks like. */
interface Subject {
  /** As in names of operations, such as `MovePage`. */
  readonly name: string;
  readonly summary: string;
  readonly schema: string;
  /** A real response. */
  readonly example?: object | undefined;
}

const root = (examples: Examples): Subject => ({
  name: 'Root',
  summary: 'API root',
  schema: 'Root',
  example: examples.root,
});

const page = (kind: Kind, examples: Examples): Subject => ({
  name: typeName(`${kind}-page`),
  summary: `A page of the list of all ${kind}s, in order of id`,
  schema: typeName(`${kind}-page`),
  example: examples[kind]?.page,
});

const record = (kind: Kind, examples: Examples): Subject => ({
  name: typeName(kind),
  summary: `One ${kind}`,
  schema: typeName(kind),
  example: examples[kind]?.record,
});

/** Path → its operations. */
export function apiPaths(links: LinkStyle, examples: Examples): object {
  return Object.assign({}, ...(links === 'file' ? fileSubjects(examples) : endpoints(examples)));
}

const endpoints = (examples: Examples): object[] => [
  { [API_PREFIX]: endpoint(root(examples), []) },
  ...kindNames.map((kind) => ({
    [listPath(kind)]: endpoint(page(kind, examples), ['limit', 'offset']),
    [recordPath(kind, '{slug}')]: {
      parameters: [parameter('slug')],
      ...endpoint(record(kind, examples), []),
    },
  })),
];

const fileSubjects = (examples: Examples): object[] => [
  { [`/${rootFile}`]: { get: jsonFile(root(examples)) } },
  ...kindNames.map((kind) => {
    // The example has two records, which no file of the site does.
    const { example: _, ...whole } = page(kind, examples);
    return {
      [`/${listPageFile(kind, 0)}`]: { get: jsonFile(whole) },
      [`/${listPageFile(kind, 1).replace('/1/', '/{offset}/')}`]: {
        parameters: [parameter('pageOffset')],
        get: jsonFile({ ...whole, name: `${whole.name}At` }),
      },
      [`/${recordFile(kind, '{slug}')}`]: {
        parameters: [parameter('slug')],
        get: jsonFile(record(kind, examples)),
      },
    };
  }),
];

const jsonContent = ({ schema, example }: Subject): object => ({
  'application/json': {
    schema: { $ref: `#/components/schemas/${schema}` },
    ...(example && { example }),
  },
});

const jsonFile = (subject: Subject): object =>
  fileOperation(`get${subject.name}`, 'records', subject.summary, jsonContent(subject));

/** A path with every response that hosts send there. */
function endpoint(subject: Subject, window: readonly ('limit' | 'offset')[]): object {
  const { name, summary } = subject;
  const parameters = ['format' as const, ...window].map(parameter);
  const isList = window.length > 0;
  const read = (method: 'get' | 'head', content: object): object => ({
    operationId: `${method}${name}`,
    tags: ['records'],
    summary: method === 'get' ? summary : `${summary}: headers only`,
    parameters: [...parameters, parameter('ifNoneMatch')],
    responses: {
      // HTML is not listed as content: typed clients would consider every response to be a record or a text.
      200: {
        description: `${summary}. Clients that prefer HTML get a page that displays it.`,
        headers: successHeaders,
        ...content,
      },
      301: response('Slash'),
      304: response('NotModified'),
      ...(isList && { 400: response('NotBuilt') }),
      404: response('NotFound'),
      405: response('MethodNotAllowed'),
      406: response('NotAcceptable'),
    },
  });
  return {
    get: read('get', { content: jsonContent(subject) }),
    head: read('head', {}),
    options: {
      operationId: `options${name}`,
      tags: ['records'],
      summary: `Allowed methods of: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
      responses: { 200: response('Options'), 204: response('Preflight'), 404: response('NotFound') },
    },
  };
}

/** Kind → its examples; undefined for a kind without records. */
export type Examples = { readonly root: object } & Readonly<
  Record<Kind, { readonly record: object; readonly page: object } | undefined>
>;

/** The number of records on the example page, which is the first one otherwise. */
const SHOWN = 2;

export function examplesOf(records: EncodedRecords, linkBase: LinkBase): Examples {
  const kinds = mapKinds((kind) => {
    const [first] = records[kind];
    if (!first) return undefined;
    const results = records[kind].slice(0, SHOWN).map((record) => servedText(linkBase, kind, record));
    const window = { limit: PAGE_SIZE, offset: 0 };
    const page = listPage(linkBase, kind, { window, count: records[kind].length, results });
    return { record: JSON.parse(servedText(linkBase, kind, first)), page: JSON.parse(page) };
  });
  return { root: mapKinds((kind) => listUrl(linkBase, kind)), ...kinds };
}
