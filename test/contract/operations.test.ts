import { describe, expect, it } from 'vitest';
import { kindNames, mapKinds } from '../../src/contract/kinds.ts';
import * as contract from '../../src/contract/operations.ts';
import { schemaNames } from '../../src/contract/served.ts';
import { capitalize, pluralize } from '../../src/contract/words.ts';

const examples = {
  root: { move: 'a list' },
  ...mapKinds(() => ({ record: { slug: 'a' }, page: { count: 1 } })),
} as unknown as contract.Examples;
const names = { digest: '', languages: { fr: mapKinds(() => 1), de: mapKinds(() => 1) } };
const site = { links: 'query', downloads: true, names } as const;

const list = (links: 'query' | 'file') => contract.listOperations({ ...site, links }, examples, true);
const find = (id: string, links: 'query' | 'file' = 'query') =>
  list(links).find((operation) => operation.id === id);

describe('listOperations', () => {
  it('lists the endpoints with their parameters and examples', () => {
    const group = 'records';
    const slug = { name: 'slug', in: 'path', required: true, example: 'a', schema: { type: 'string' } };
    const parameters = ['format', 'ifNoneMatch'];
    const root = { id: 'getRoot', path: '/api/gamedata/', schema: 'root', summary: 'API root' };
    expect(list('query').filter(contract.isEndpoint)).toMatchObject([
      { ...root, group, parameters, example: examples.root },
      ...kindNames.flatMap((kind) => [
        {
          ...{ id: `get${capitalize(kind)}Page`, path: `/api/gamedata/${kind}/`, group },
          ...{ schema: `${kind}-page`, example: { count: 1 } },
          parameters: ['format', 'limit', 'offset', 'ifNoneMatch'],
          summary: `A page of the list of all ${pluralize(kind)}, in order of id`,
        },
        {
          ...{ id: `get${capitalize(kind)}`, path: `/api/gamedata/${kind}/{slug}/`, group, parameters },
          ...{ schema: kind, summary: `One ${kind}`, example: { slug: 'a' }, pathParameter: slug },
        },
      ]),
    ]);
  });

  it('lists the files of the API instead of endpoints', () => {
    expect(list('file').filter(contract.isEndpoint)).toEqual([]);
    const files = list('file').filter(({ group }) => group === 'records');
    expect(files.map(({ path }) => path)).toEqual([
      '/api/gamedata/index.json',
      ...kindNames.flatMap((kind) =>
        ['', 'offset/{offset}/', '{slug}/'].map((folder) => `/api/gamedata/${kind}/${folder}index.json`),
      ),
    ]);
    const page = { parameters: ['ifNoneMatch'], schema: 'move-page', example: undefined };
    const { pageOffset } = contract.parameters;
    expect(find('getMovePage', 'file')).toMatchObject(page);
    expect(find('getMovePageAt', 'file')).toMatchObject({ ...page, pathParameter: pageOffset });
    expect(find('getMove', 'file')?.example).toEqual({ slug: 'a' });
  });

  it.each<[string, object, object?]>([
    [
      'getNames',
      { group: 'names', path: '/names/{language}.json', schema: 'names', parameters: ['ifNoneMatch'] },
      { name: 'language', example: 'fr', schema: { type: 'string', enum: ['fr', 'de'] } },
    ],
    [
      'getSchema',
      { group: 'site', path: '/schemas/{schema}.json' },
      { name: 'schema', example: schemaNames[0], schema: { type: 'string', enum: schemaNames } },
    ],
    ['getPicture', { group: 'site' }, { name: 'icon', example: 'unknown.png' }],
    ['downloadMoveCsv', { group: 'downloads' }],
  ])('lists %s with its path parameter', (id, operation, parameter) => {
    const pathParameter = parameter && { in: 'path', required: true, ...parameter };
    expect(find(id)).toMatchObject({ ...operation, pathParameter });
  });

  it.each([
    [{ names: undefined }, false, ['records', 'downloads', 'site']],
    [{ downloads: false }, false, ['records', 'names', 'site']],
    [{ downloads: false }, true, ['records', 'names', 'downloads', 'site']],
  ])('lists only files that the site contains: %o, archive %s', (own, archive, groups) => {
    const operations = contract.listOperations({ ...site, ...own }, examples, archive);
    expect([...new Set(operations.map(({ group }) => group))]).toEqual(groups);
  });
});
