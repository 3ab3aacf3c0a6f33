import { describe, expect, it } from 'vitest';
import { mapKinds } from '../../src/contract/kinds.ts';
import { type Examples, headersOf, operationsOf, parameters } from '../../src/contract/operations.ts';
import { schemaNames } from '../../src/contract/served.ts';

const examples = {
  root: { move: 'a list' },
  ...mapKinds(() => ({ record: { slug: 'a' }, page: { count: 1 } })),
};
const names = { digest: '', languages: { fr: mapKinds(() => 1), de: mapKinds(() => 1) } };

const ofSite = ({
  links = 'query' as 'query' | 'file',
  hasNames = true,
  downloads = true,
  archive = true,
} = {}) =>
  operationsOf(
    { links, downloads, names: hasNames ? names : undefined },
    examples as unknown as Examples,
    archive,
  );
const find = (wanted: string, links?: 'query' | 'file') => {
  const found = ofSite({ links }).find(({ id }) => id === wanted);
  if (!found) throw new Error(`no operation ${wanted}`);
  return found;
};

const fileStatuses = [
  { status: 304, description: 'The cached file is still valid.' },
  { status: 404, description: 'The site does not have this file.' },
];
const path = (name: string, own: object) => ({ name, in: 'path', required: true, ...own });

describe('an operation', () => {
  it('of an endpoint has its example, its parameters and the page that browsers get', () => {
    const description = (text: string) => [
      expect.objectContaining({
        status: 200,
        description: `${text}. Clients that prefer HTML get /browse.html.`,
      }),
    ];
    const of = (id: string) => {
      const { responses, ...own } = find(id);
      return { ...own, responses: responses.slice(0, 1) };
    };
    expect(of('getRoot')).toEqual({
      ...{ id: 'getRoot', group: 'records', schema: 'root', summary: 'API root', path: '/api/gamedata/' },
      ...{
        example: examples.root,
        parameters: ['format', 'ifNoneMatch'],
        responses: description('API root'),
      },
    });
    const summary = 'A page of the list of all moves, in order of id';
    expect(of('getMovePage')).toEqual({
      ...{ id: 'getMovePage', group: 'records', schema: 'move-page', summary, path: '/api/gamedata/move/' },
      ...{ example: { count: 1 }, parameters: ['format', 'limit', 'offset', 'ifNoneMatch'] },
      responses: description(summary),
    });
    const about = "The record's slug, case-sensitive: its address, which `name` is not.";
    expect(of('getMove')).toMatchObject({
      ...{ summary: 'One move', path: '/api/gamedata/move/{slug}/', example: { slug: 'a' } },
      ...{ parameters: ['format', 'ifNoneMatch'], responses: description('One move') },
      pathParameter: path('slug', { description: about, example: 'a' }),
    });
    const statuses = (id: string) => find(id).responses.map(({ status }) => status);
    expect(statuses('getMovePage').filter((status) => !statuses('getMove').includes(status))).toEqual([400]);
  });

  it('of a list page that is a file has its offset in the path, and no example', () => {
    const { pathParameter, example, ...own } = find('getMovePageAt', 'file');
    expect(own).toMatchObject({
      ...{ path: '/api/gamedata/move/offset/{offset}/index.json', parameters: ['ifNoneMatch'] },
      responses: [
        {
          ...{ status: 200, description: 'A page of the list of all moves, in order of id' },
          headers: ['Access-Control-Allow-Origin', 'X-Content-Type-Options'],
        },
        ...fileStatuses,
      ],
    });
    expect([pathParameter, example]).toEqual([parameters.pageOffset, undefined]);
    expect(find('getMovePage', 'file').example).toBeUndefined();
  });

  it('of another file says what is in its path, and how it is saved', () => {
    const saved = ['Access-Control-Allow-Origin', 'Cache-Control', 'Content-Disposition'];
    expect(find('getNames')).toMatchObject({
      ...{ group: 'names', path: '/names/{language}.json' },
      pathParameter: path('language', { description: 'A BCP 47 tag.', example: 'fr' }),
      responses: [{ status: 200, headers: saved }, ...fileStatuses],
    });
    expect(find('getNames').pathParameter?.schema.enum).toEqual(['fr', 'de']);
    const schema = ofSite().find((one) => one.path === '/schemas/{schema}.json');
    expect(schema).toMatchObject({
      ...{
        group: 'site',
        responses: [{ headers: ['Access-Control-Allow-Origin', 'X-Content-Type-Options'] }, {}, {}],
      },
      pathParameter: path('schema', { schema: { enum: [...schemaNames] }, example: schemaNames[0] }),
    });
    expect(find('downloadMoveCsv')).toMatchObject({
      group: 'downloads',
      responses: [{ headers: saved }, {}, {}],
    });
    expect(find('downloadMoveCsv').pathParameter).toBeUndefined();
    const { pathParameter, responses } = find('getPicture');
    expect(pathParameter).toMatchObject(path('icon', { example: 'unknown.png' }));
    expect(responses.map(({ status }) => status)).toEqual([200, 302, 304, 404]);
  });

  it('is there for what a site has', () => {
    const groups = (own: Parameters<typeof ofSite>[0]) => new Set(ofSite(own).map(({ group }) => group));
    expect([...groups({})]).toEqual(['records', 'names', 'downloads', 'site']);
    expect([...groups({ hasNames: false, archive: false })]).toEqual(['records', 'downloads', 'site']);
    expect([...groups({ downloads: false, archive: false })]).toEqual(['records', 'names', 'site']);
    expect([...groups({ downloads: false })]).toEqual(['records', 'names', 'downloads', 'site']);
  });

  it('has parameters that nobody needs to give, but those in its path', () => {
    const { pageOffset, ...others } = parameters;
    expect(pageOffset.required).toBe(true);
    for (const { required } of Object.values(others)) expect(required).toBeUndefined();
  });

  it('has only headers that are described', () => {
    const icons = headersOf([find('getPicture')]).map(({ name }) => name);
    expect(icons).toEqual(['Access-Control-Allow-Origin', 'Location']);
  });
});
