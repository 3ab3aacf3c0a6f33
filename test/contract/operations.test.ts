import { describe, expect, it } from 'vitest';
import { kindNames, mapKinds } from '../../src/contract/kinds.ts';
import {
  type Examples,
  isEndpoint,
  listOperations,
  type Parameter,
  parameters,
} from '../../src/contract/operations.ts';
import { schemaNames } from '../../src/contract/served.ts';
import { capitalize } from '../../src/contract/words.ts';

const examples = {
  root: { move: 'a list' },
  ...mapKinds(() => ({ record: { slug: 'a' }, page: { count: 1 } })),
} as unknown as Examples;
const names = { digest: '', languages: { fr: mapKinds(() => 1), de: mapKinds(() => 1) } };
const site = { links: 'query', downloads: true, names } as const;

function find(id: string, links: 'query' | 'file' = 'query') {
  const found = listOperations({ ...site, links }, examples, true).find((operation) => operation.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

describe('listOperations', () => {
  it('lists the endpoints with their parameters and examples', () => {
    const endpoints = listOperations(site, examples, true).filter(isEndpoint);
    const shared = { group: 'records', parameters: ['format', 'ifNoneMatch'] };
    const slug = { name: 'slug', in: 'path', required: true, example: 'a', schema: { type: 'string' } };
    expect(endpoints).toMatchObject([
      {
        ...shared,
        id: 'getRoot',
        path: '/api/gamedata/',
        schema: 'root',
        summary: 'API root',
        example: examples.root,
      },
      ...kindNames.flatMap((kind) => [
        {
          ...{
            ...shared,
            id: `get${capitalize(kind)}Page`,
            path: `/api/gamedata/${kind}/`,
            schema: `${kind}-page`,
          },
          ...{ parameters: ['format', 'limit', 'offset', 'ifNoneMatch'], example: { count: 1 } },
          summary: `A page of the list of all ${kind}s, in order of id`,
        },
        {
          ...{ ...shared, id: `get${capitalize(kind)}`, path: `/api/gamedata/${kind}/{slug}/`, schema: kind },
          ...{ summary: `One ${kind}`, example: { slug: 'a' }, pathParameter: slug },
        },
      ]),
    ]);
  });

  it('lists the files of the API instead of endpoints', () => {
    const operations = listOperations({ ...site, links: 'file' }, examples, true);
    expect(operations.filter(isEndpoint)).toEqual([]);
    const files = operations.filter(({ group }) => group === 'records');
    expect(files.map(({ path }) => path)).toEqual([
      '/api/gamedata/index.json',
      ...kindNames.flatMap((kind) =>
        ['', 'offset/{offset}/', '{slug}/'].map((folder) => `/api/gamedata/${kind}/${folder}index.json`),
      ),
    ]);
    expect(find('getMovePageAt', 'file')).toMatchObject({
      ...{ parameters: ['ifNoneMatch'], schema: 'move-page', pathParameter: parameters.pageOffset },
    });
    expect(
      [find('getMovePage', 'file'), find('getMovePageAt', 'file')].map(({ example }) => example),
    ).toEqual([undefined, undefined]);
    expect(find('getMove', 'file').example).toEqual({ slug: 'a' });
  });

  it('lists other files with the variable part of their path', () => {
    const path = (name: string, own: object) => ({ name, in: 'path', required: true, ...own });
    expect(find('getNames')).toMatchObject({
      ...{ group: 'names', path: '/names/{language}.json', schema: 'names', parameters: ['ifNoneMatch'] },
      pathParameter: path('language', { example: 'fr', schema: { type: 'string', enum: ['fr', 'de'] } }),
    });
    expect(find('getSchema')).toMatchObject({
      ...{ group: 'site', path: '/schemas/{schema}.json' },
      pathParameter: path('schema', {
        example: schemaNames[0],
        schema: { type: 'string', enum: schemaNames },
      }),
    });
    expect(find('getPicture').pathParameter).toMatchObject(path('icon', { example: 'unknown.png' }));
    expect(find('downloadMoveCsv')).toMatchObject({ group: 'downloads', pathParameter: undefined });
  });

  it.each([
    [{}, true, ['records', 'names', 'downloads', 'site']],
    [{ names: undefined }, false, ['records', 'downloads', 'site']],
    [{ downloads: false }, false, ['records', 'names', 'site']],
    [{ downloads: false }, true, ['records', 'names', 'downloads', 'site']],
  ])('lists only files of the site: %o, archive %s', (own, archive, groups) => {
    const operations = listOperations({ ...site, ...own }, examples, archive);
    expect([...new Set(operations.map(({ group }) => group))]).toEqual(groups);
  });

  it('requires only parameters in the path', () => {
    const required = Object.values<Parameter>(parameters).filter((one) => one.required);
    expect(required).toEqual([parameters.pageOffset]);
  });
});
