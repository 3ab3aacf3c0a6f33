import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { bulkFiles } from '../../src/contract/files.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { errorDetails } from '../../src/contract/responses.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Record<string, Record<string, unknown>>;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly info: { readonly description: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

/** The document as clients read it. */
function documentOf(moves: number, { downloads = true, ...options }: SiteOptions = {}): Document {
  const { meta, records, plan } = siteOf(rawRecords(moves, moves), options);
  const files = createSpecification(records, { ...meta, downloads }, { ...plan, archive: downloads });
  return JSON.parse(String(files.find(({ path }) => path === 'openapi.json')?.body));
}

describe.each([
  ['of the endpoints', documentOf(120)],
  ['of files', documentOf(120, { links: 'file' })],
  ['without bulk files', documentOf(120, { downloads: false })],
  ['without records', documentOf(0)],
])('the document %s', (_, document) => {
  it('is OpenAPI 3.1 by an independent validator', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...structuredClone(document) })).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('names each operation once', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).not.toContain(undefined);
  });

  it('has examples that fit its schemas, and refers to nothing that is not there', () => {
    const ajv = new Ajv2020({ strict: false, formats: { date: true, 'date-time': true } });
    ajv.addSchema({ $id: 'doc:', components: document.components });
    const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    let examples = 0;
    JSON.stringify(document, (key, value) => {
      if (key === '$ref') expect(schemas, value).toContain(value);
      if (value?.schema?.$ref !== undefined && value.example !== undefined) {
        const validate = ajv.compile({ $ref: `doc:${value.schema.$ref}` });
        expect(validate(value.example), JSON.stringify(validate.errors)).toBe(true);
        examples++;
      }
      return value;
    });
    expect(examples).toBeGreaterThan(0);
  });
});

describe('the document', () => {
  it('lists the parameters and responses of GET for each endpoint', () => {
    const { servers, paths, components } = documentOf(120);
    expect(servers).toMatchObject([{ url: 'https://example.test' }]);
    expect(Object.keys(components)).toEqual(['schemas']);
    const endpoints = Object.entries(paths).filter(([path]) => path.startsWith('/api/'));
    const described = endpoints.map(([path, methods]) => [
      path,
      ...Object.entries(methods).flatMap(([method, { responses, parameters }]) => [
        method,
        Object.keys(responses).join(' '),
        parameters.map(({ name }) => name).join(' '),
      ]),
    ]);
    const statuses = '200 304 404 default';
    expect(described).toEqual([
      ['/api/gamedata/', 'get', statuses, 'format If-None-Match'],
      ...kindNames.flatMap((kind) => [
        [`/api/gamedata/${kind}/`, 'get', statuses, 'format limit offset If-None-Match'],
        [`/api/gamedata/${kind}/{slug}/`, 'get', statuses, 'slug format If-None-Match'],
      ]),
    ]);
    const { 404: missing, default: other } = paths['/api/gamedata/']?.get?.responses ?? {};
    for (const [response, detail] of [
      [missing, 'Not found.'],
      [other, errorDetails[400]],
    ] as const)
      expect(response?.content).toEqual({
        'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, example: { detail } },
      });
  });

  it('shows the first records of the site', () => {
    const answer = documentOf(120).paths['/api/gamedata/move/']?.get?.responses[200];
    const { plan, files } = siteOf(rawRecords(120, 120));
    const page = JSON.parse(String(files().find(({ path }) => path.endsWith('/move/index.json'))?.body));
    const example = { ...page, results: plan.served.move.slice(0, 2) };
    expect(answer?.content).toMatchObject({ 'application/json': { example } });
  });

  it.each([
    ['/api/gamedata/index.json', 'application/json', '#/components/schemas/Root'],
    ['/meta.json', 'application/json', '#/components/schemas/Meta'],
    ['/openapi.json', 'application/json', undefined],
    ['/changes.atom', 'application/atom+xml', undefined],
    ['/types.d.ts', 'text/plain', undefined],
    ['/download/move.csv', 'text/csv; charset=utf-8', undefined],
    ['/download/gamedata.tar.gz', 'application/gzip', undefined],
    ['/sprites/items/{icon}', 'image/png', undefined],
  ])('describes the file %s', (path, type, $ref) => {
    const { paths, info } = documentOf(120, { links: 'file' });
    const { responses = {} } = paths[path]?.get ?? {};
    expect(Object.keys(responses)).toEqual(['200', '304', '404']);
    const { content } = responses[200] as { content: Record<string, { schema?: { $ref?: string } }> };
    expect(Object.keys(content)).toEqual([type]);
    expect(content[type]?.schema?.$ref).toBe($ref);
    expect(info.description).toContain('plain file servers');
  });

  it('has bulk files if the site has them', () => {
    const bulk = (downloads: boolean): string[] =>
      Object.keys(documentOf(1, { downloads }).paths).filter((path) => path.startsWith('/download/'));
    expect(bulk(true)).toHaveLength(bulkFiles.length + 2);
    expect(bulk(true)).toContain('/download/gamedata.tar.gz');
    expect(bulk(false)).toEqual([]);
  });
});
