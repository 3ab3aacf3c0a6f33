import { describe, expect, it } from 'vitest';
import { kindNames, mapKinds } from '../../src/contract/kinds.ts';
import * as contract from '../../src/contract/operations.ts';
import { schemaNames } from '../../src/contract/served.ts';
import { capitalize } from '../../src/contract/words.ts';

const examples = {
  root: { move: 'a list' },
  ...mapKinds(() => ({ record: { slug: 'a' }, page: { count: 1 } })),
} as unknown as contract.Examples;
const names = {
  digest: '',
  languages: { fr: mapKinds(() => 1), de: mapKinds(() => 1) },
};
const site = { links: 'query', downloads: true, names } as const;

const list = (links: 'query' | 'file') =>
  contract.listOperations({ ...site, links }, examples, true);
const find = (id: string, links: 'query' | 'file' = 'query') =>
  list(links).find((operation) => operation.id === id);

describe('listOperations', () => {
  const describe = ({ id, path, schema, parameters }: contract.Operation) =>
    `${id} ${path} ${schema} ${parameters.join(' ')}`;

  it('lists the endpoints with their parameters and examples', () => {
    expect(list('query').filter(contract.isEndpoint).map(describe)).toEqual([
      'getRoot /api/gamedata/ root format ifNoneMatch',
      ...kindNames.flatMap((kind) => [
        `get${capitalize(kind)}Page /api/gamedata/${kind}/ ${kind}-page format limit offset ifNoneMatch`,
        `get${capitalize(kind)} /api/gamedata/${kind}/{slug}/ ${kind} format ifNoneMatch`,
      ]),
    ]);
    const slug = {
      name: 'slug',
      in: 'path',
      required: true,
      example: 'a',
      schema: { type: 'string' },
    };
    expect([find('getRoot'), find('getMovePage'), find('getMove')]).toMatchObject([
      { summary: 'API root', example: examples.root },
      {
        summary: 'A page of the list of all moves, in order of id',
        example: { count: 1 },
      },
      {
        summary: 'One move',
        group: 'records',
        example: { slug: 'a' },
        pathParameter: slug,
      },
    ]);
  });

  it('lists the files of the API if links point to files', () => {
    expect(list('file').filter(contract.isEndpoint)).toEqual([]);
    const files = list('file').filter(({ group }) => group === 'records');
    expect(files.map(describe)).toEqual([
      'getRoot /api/gamedata/index.json root ifNoneMatch',
      ...kindNames.flatMap((kind) => [
        `get${capitalize(kind)}Page /api/gamedata/${kind}/index.json ${kind}-page ifNoneMatch`,
        `get${capitalize(kind)}PageAt /api/gamedata/${kind}/offset/{offset}/index.json ${kind}-page ifNoneMatch`,
        `get${capitalize(kind)} /api/gamedata/${kind}/{slug}/index.json ${kind} ifNoneMatch`,
      ]),
    ]);
    const [page, pageAt, move] = ['getMovePage', 'getMovePageAt', 'getMove'].map(
      (id) => find(id, 'file'),
    );
    expect([page?.example, pageAt?.example, move?.example]).toEqual([
      undefined,
      undefined,
      { slug: 'a' },
    ]);
    expect(pageAt?.pathParameter).toBe(contract.parameters.pageOffset);
  });

  it.each<[string, object, object?]>([
    [
      'getNames',
      {
        group: 'names',
        path: '/names/{language}.json',
        schema: 'names',
        parameters: ['ifNoneMatch'],
      },
      {
        name: 'language',
        example: 'fr',
        schema: { type: 'string', enum: ['fr', 'de'] },
      },
    ],
    [
      'getSchema',
      { group: 'site', path: '/schemas/{schema}.json' },
      {
        name: 'schema',
        example: schemaNames[0],
        schema: { type: 'string', enum: schemaNames },
      },
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
  ])(
    'lists only files that the site contains: %o, archive %s',
    (own, archive, groups) => {
      const operations = contract.listOperations(
        { ...site, ...own },
        examples,
        archive,
      );
      expect([...new Set(operations.map(({ group }) => group))]).toEqual(groups);
    },
  );
});
