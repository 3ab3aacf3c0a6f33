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
const site = { links: 'query', names } as const;

type Links = 'query' | 'file';

function listAll(links: Links): readonly contract.Operation[] {
  return contract.listOperations({ ...site, links }, examples, true);
}

function findOperation(
  id: string,
  links: Links = 'query',
): contract.Operation | undefined {
  return listAll(links).find((operation) => operation.id === id);
}

/** Returns a line such as `getMove /api/gamedata/move/{slug}/ move format`. */
function summarize({ id, path, schema, parameters }: contract.Operation): string {
  return `${id} ${path} ${schema} ${parameters.join(' ')}`;
}

describe('listOperations', () => {
  it('lists the endpoints with their parameters if links use queries', () => {
    const endpoints = listAll('query').filter(contract.isEndpoint);
    const expected = ['getRoot /api/gamedata/ root format ifNoneMatch'];
    for (const kind of kindNames) {
      const id = `get${capitalize(kind)}`;
      const path = `/api/gamedata/${kind}/`;
      expected.push(
        `${id}Page ${path} ${kind}-page format limit offset ifNoneMatch`,
        `${id} ${path}{slug}/ ${kind} format ifNoneMatch`,
      );
    }
    expect(endpoints.map(summarize)).toEqual(expected);
  });

  it('lists files instead of endpoints if links point to files', () => {
    const operations = listAll('file');
    expect(operations.filter(contract.isEndpoint)).toEqual([]);
    const files = operations.filter(({ group }) => group === 'records');
    const expected = ['getRoot /api/gamedata/index.json root ifNoneMatch'];
    for (const kind of kindNames) {
      const id = `get${capitalize(kind)}`;
      const folder = `/api/gamedata/${kind}`;
      expected.push(
        `${id}Page ${folder}/index.json ${kind}-page ifNoneMatch`,
        `${id}PageAt ${folder}/offset/{offset}/index.json ${kind}-page ifNoneMatch`,
        `${id} ${folder}/{slug}/index.json ${kind} ifNoneMatch`,
      );
    }
    expect(files.map(summarize)).toEqual(expected);
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
    ['downloadMoveCsv', { group: 'downloads' }],
  ])(
    'lists the operation %s with its path parameter',
    (id, operation, parameter) => {
      const pathParameter = parameter && {
        in: 'path',
        required: true,
        ...parameter,
      };
      expect(findOperation(id)).toMatchObject({ ...operation, pathParameter });
    },
  );

  it.each([
    {
      options: { names: undefined },
      hasArchive: false,
      groups: ['records', 'downloads', 'site'],
    },
    {
      options: {},
      hasArchive: true,
      groups: ['records', 'names', 'downloads', 'site'],
    },
  ])(
    'lists only files that the site contains: $options, archive $hasArchive',
    ({ options, hasArchive, groups }) => {
      const operations = contract.listOperations(
        { ...site, ...options },
        examples,
        hasArchive,
      );
      const listedGroups = new Set<string>();
      for (const { group } of operations) listedGroups.add(group);
      expect([...listedGroups]).toEqual(groups);
    },
  );
});
