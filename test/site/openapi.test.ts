import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { errorDetails } from '../../src/contract/responses.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Record<
    string,
    { content: Record<string, { schema?: object; example?: object }> }
  >;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly info: { readonly description: string };
  readonly paths: Record<string, { readonly get?: Operation }>;
  readonly components: { readonly schemas: Record<string, object> };
}

function createDocument(moves: number, options: SiteOptions = {}): Document {
  const { meta, records, plan } = siteOf(rawRecords(moves, moves), options);
  const files = createSpecification(records, meta, { ...plan, archive: true });
  const file = files.find(({ path }) => path === 'openapi.json');
  return JSON.parse(String(file?.body));
}

const validator = new Validator();
const fileDocument = createDocument(120, { links: 'file' });

const documents: [name: string, Document][] = [
  ['of endpoints', createDocument(120)],
  ['of files', fileDocument],
  ['without records', createDocument(0)],
];

it.each(documents)(
  'the OpenAPI document %s conforms to version 3.1',
  async (_, document) => {
    // We pass a copy, because the validator may change the document.
    const result = await validator.validate({ ...structuredClone(document) });
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  },
);

it.each(documents)(
  'the OpenAPI document %s has unique operation ids',
  (_, document) => {
    const ids = Object.values(document.paths).map(({ get }) => get?.operationId);
    expect(ids).toEqual([...new Set(ids)]);
  },
);

it.each(documents)(
  'the OpenAPI document %s has examples that match their schemas',
  (_, document) => {
    const { components } = document;
    const formats = { date: true, 'date-time': true } as const;
    const ajv = new Ajv2020({ strict: false, formats });
    ajv.addSchema({ $id: 'doc:', components });
    const names = Object.keys(components.schemas);
    const schemas = names.map((name) => `#/components/schemas/${name}`);
    let examples = 0;
    // Visits every key at any depth.
    JSON.stringify(document, (key, value) => {
      if (key === '$ref') expect(schemas, value).toContain(value);
      const schema: string | undefined = value?.schema?.$ref;
      if (schema === undefined || value.example === undefined) return value;
      const validate = ajv.compile({ $ref: `doc:${schema}` });
      expect(validate(value.example), JSON.stringify(validate.errors)).toBe(true);
      examples += 1;
      return value;
    });
    expect(examples).toBeGreaterThan(0);
  },
);

it("describes each endpoint's parameters, responses and first records", () => {
  const { servers, paths, components } = createDocument(120);
  expect(servers).toMatchObject([{ url: 'https://example.test' }]);
  expect(Object.keys(components)).toEqual(['schemas']);
  // The header differs between hosts.
  expect(JSON.stringify(paths)).not.toContain('Vary');
  const { get, ...others } = paths['/api/gamedata/move/'] ?? {};
  expect(others).toEqual({});
  expect(get?.parameters.map(({ name }) => name)).toEqual([
    'format',
    'limit',
    'offset',
    'If-None-Match',
  ]);
  const { plan, files } = siteOf(rawRecords(120, 120));
  const pageFile = files().find(({ path }) => path.endsWith('/move/index.json'));
  const page = JSON.parse(String(pageFile?.body));
  const shortPage = { ...page, results: plan.served.move.slice(0, 2) };
  function createContent(name: string, example: object) {
    const schema = { $ref: `#/components/schemas/${name}` };
    return { content: { 'application/json': { schema, example } } };
  }
  const statuses = Object.keys(get?.responses ?? {});
  expect(statuses).toEqual(['200', '304', '404', 'default']);
  expect(get?.responses).toMatchObject({
    200: createContent('MovePage', shortPage),
    404: createContent('ApiError', { detail: 'Not found.' }),
    default: createContent('ApiError', { detail: errorDetails[400] }),
  });
});

it.each([
  [
    '/api/gamedata/index.json',
    'application/json',
    { $ref: '#/components/schemas/Root' },
  ],
  ['/openapi.json', 'application/json', { type: 'object' }],
  ['/changes.atom', 'application/atom+xml', { type: 'string' }],
  ['/download/move.csv', 'text/csv; charset=utf-8', { type: 'string' }],
  ['/download/gamedata.tar.gz', 'application/gzip', undefined],
  ['/sprites/items/{icon}', 'image/png', undefined],
])('describes the responses of the file %s', (path, type, schema) => {
  const { paths, info } = fileDocument;
  const responses = paths[path]?.get?.responses ?? {};
  expect(Object.keys(responses)).toEqual(['200', '304', '404']);
  expect(Object.entries(responses[200]?.content ?? {})).toMatchObject([
    [type, schema ? { schema } : {}],
  ]);
  expect(info.description).toContain('plain file servers');
});
