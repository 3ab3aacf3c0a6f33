import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { bulkFiles } from '../../src/contract/files.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { specificationFiles } from '../../src/site/openapi.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly responses: Record<string, Record<string, unknown>>;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly info: { readonly description: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, Record<string, Record<string, unknown>>>;
}

/** The document as clients read it. */
function documentOf(moves: number, { downloads = true, ...options }: SiteOptions = {}): Document {
  const { meta, records, plan } = siteOf(rawRecords(moves, moves), options);
  const files = specificationFiles(records, { ...meta, downloads }, { ...plan, archive: downloads });
  return JSON.parse(String(files.find(({ path }) => path === 'openapi.json')?.body));
}

/** What an object with a reference stands for. */
function resolved(document: Document, value: Record<string, unknown>): Record<string, unknown> {
  const [, , part, name] = typeof value.$ref === 'string' ? value.$ref.split('/') : [];
  return part === undefined || name === undefined ? value : (document.components[part]?.[name] ?? {});
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
    const ids = Object.values(document.paths).flatMap(({ parameters: _, ...operations }) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).not.toContain(undefined);
  });

  it('has examples that fit its schemas, and refers to nothing that is not there', () => {
    const ajv = new Ajv2020({ strict: false, formats: { date: true, 'date-time': true } });
    ajv.addSchema({ $id: 'doc:', components: document.components });
    let examples = 0;
    JSON.stringify(document, (key, value) => {
      if (key === '$ref') expect(resolved(document, { $ref: value }), value).not.toEqual({});
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
  it('says what every endpoint answers, to which request', () => {
    const document = documentOf(120);
    expect(document.servers).toMatchObject([{ url: 'https://example.test' }]);
    const endpoints = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/'));
    const described = endpoints.map(([path, { get, head, options }]) => [
      path,
      ...[get, head, options].map((one) => Object.keys(one?.responses ?? {}).join(' ')),
      get?.parameters?.map(({ $ref }) => $ref.split('/').at(-1)).join(' '),
    ]);
    const list = '200 301 304 400 404 405';
    const other = '200 301 304 404 405';
    const window = 'format limit offset ifNoneMatch';
    expect(described).toEqual([
      ['/api/gamedata/', other, other, '200 204 404', 'format ifNoneMatch'],
      ...kindNames.flatMap((kind) => [
        [`/api/gamedata/${kind}/`, list, list, '200 204 404', window],
        [`/api/gamedata/${kind}/{slug}/`, other, other, '200 204 404', 'format ifNoneMatch'],
      ]),
    ]);
  });

  it('has the headers that hosts are configured with', () => {
    const document = documentOf(120);
    const answer = document.paths['/api/gamedata/move/']?.get?.responses[200] ?? {};
    const { headers } = answer as { headers: Record<string, Record<string, unknown>> };
    const values = Object.entries(headers).map(([name, header]) => {
      const { schema } = resolved(document, header) as { schema: { const?: string } };
      return [name, schema.const];
    });
    expect(Object.fromEntries(values)).toEqual({
      Allow: 'GET, HEAD, OPTIONS',
      Vary: 'Accept',
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
      ETag: undefined,
    });
  });

  it('shows the first records of the site', () => {
    const answer = documentOf(120).paths['/api/gamedata/move/']?.get?.responses[200];
    const { plan, files } = siteOf(rawRecords(120, 120));
    const page = JSON.parse(String(files().find(({ path }) => path.endsWith('/move/index.json'))?.body));
    const example = { ...page, results: plan.served.move.slice(0, 2) };
    expect(answer?.content).toMatchObject({ 'application/json': { example } });
  });

  it('names the files of a site for hosts that know files only, and promises no header there', () => {
    const { paths, info } = documentOf(120, { links: 'file' });
    const api = Object.keys(paths).filter((path) => path.startsWith('/api/'));
    const folders = kindNames.flatMap((kind) => [`${kind}/`, `${kind}/offset/{offset}/`, `${kind}/{slug}/`]);
    expect(api).toEqual(['', ...folders].map((folder) => `/api/gamedata/${folder}index.json`));
    expect(Object.keys(paths['/api/gamedata/index.json']?.get?.responses ?? {}).join()).toBe('200,304,404');
    expect(info.description).toContain('plain file servers');
  });

  it('names 304 wherever a request may be conditional', () => {
    const operations = Object.entries(documentOf(1).paths).map(([path, { get }]) => ({ path, get }));
    const conditional = operations.filter(({ get }) =>
      get?.parameters?.some(({ $ref }) => $ref.endsWith('/ifNoneMatch')),
    );
    expect(conditional.map(({ path }) => path)).toContain('/sprites/items/{icon}');
    expect(conditional.filter(({ get }) => !get?.responses[304]).map(({ path }) => path)).toEqual([]);
  });

  it('has bulk files if the site has them', () => {
    const bulk = (downloads: boolean): string[] =>
      Object.keys(documentOf(1, { downloads }).paths).filter((path) => path.startsWith('/download/'));
    expect(bulk(true)).toHaveLength(bulkFiles.length + 3);
    expect(bulk(true)).toContain('/download/gamedata.tar.gz');
    expect(bulk(false)).toEqual([]);
  });
});
