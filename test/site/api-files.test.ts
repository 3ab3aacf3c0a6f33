import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouteTable } from '../../src/contract/routes.ts';
import { hostFiles } from '../../src/hosts/index.ts';
import { hostNames } from '../../src/hosts/names.ts';
import { dataSetOf, hostContext, rawItem, rawMove, rawRecords, siteOf } from '../support/sites.ts';

const tiny = {
  move: [
    rawMove(1, { slug: 'pound', englishName: 'Pound' }),
    rawMove(10_001, { slug: 'breakneck-blitz--physical', englishName: null, generation: 7 }),
  ],
  item: [
    rawItem(4, {
      slug: 'poke-ball',
      englishName: 'Poké Ball <&"/\\> 攻',
      gameIndices: [{ generation: 2, index: 65 }],
      sprite: 'https://upstream.test/sprites/items/poke-ball.png',
    }),
  ],
};

const pound =
  '{"url":"https://example.test/api/gamedata/move/pound/?format=api","id":1,"slug":"pound","name":"Pound","generation":1}';
const blitz =
  '{"url":"https://example.test/api/gamedata/move/breakneck-blitz--physical/?format=api","id":10001,' +
  '"slug":"breakneck-blitz--physical","name":"Breakneck Blitz Physical","generation":7}';
const ball =
  '{"url":"https://example.test/api/gamedata/item/poke-ball/?format=api","id":4,"id1":null,"id2":65,"id3":null,' +
  '"id4":null,"id5":null,"id6":null,"id7":null,"id8":null,"id9":null,"slug":"poke-ball",' +
  '"name":"Poké Ball <&\\"/\\\\> 攻","icon":"sprites/items/poke-ball.png"}';
const digest = 'sha256:DIGEST';

/** Every file of the tiny site. */
const golden: [path: string, body: string][] = [
  [
    'api/gamedata/index.json',
    '{"move":"https://example.test/api/gamedata/move/?format=api","item":"https://example.test/api/gamedata/item/?format=api"}',
  ],
  [
    'meta.json',
    '{"format":1,"generator":"gamedata/0.0.0","source":"rest","upstream":"https://upstream.test/api/v2","captured":"2026-01-02","edition":null,' +
      '"fallback":null,"counts":{"move":2,"item":1},"warnings":{"move":{},"item":{}},' +
      `"digest":"${digest}","base_url":"https://example.test","links":"query","hosts":[],"downloads":false,` +
      '"sprites":{"mode":"link","upstream":"https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items"}}',
  ],
  ['api/gamedata/move/index.json', `{"count":2,"next":null,"previous":null,"results":[${pound},${blitz}]}`],
  ['api/gamedata/move/pound/index.json', pound],
  ['api/gamedata/move/breakneck-blitz--physical/index.json', blitz],
  ['api/gamedata/item/index.json', `{"count":1,"next":null,"previous":null,"results":[${ball}]}`],
  ['api/gamedata/item/poke-ball/index.json', ball],
  [
    '400.json',
    '{"detail":"This host serves pages of 100: omit limit or set it to 100, and set offset to a multiple of 100 below count."}',
  ],
  ['404.json', '{"detail":"Not found."}'],
  ['405.json', '{"detail":"Method not allowed."}'],
  ['sprites/items/unknown.png', '\uFFFDPNG'],
  ['changes.json', '{"steps":[\n]}\n'],
  [
    'changes.atom',
    `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>https://example.test/changes.atom</id>
<title>gamedata: what changed</title>
<author><name>gamedata</name></author>
<updated>2026-01-02T00:00:00Z</updated>
<link rel="self" type="application/atom+xml" href="https://example.test/changes.atom"/>
<link rel="alternate" type="text/html" href="https://example.test/"/>
<link rel="via" type="application/json" href="https://example.test/changes.json"/>
</feed>
`,
  ],
  ['former.json', '{\n "move": {},\n "item": {}\n}\n'],
  ['moved.json', '{}'],
];

const text = (body: string | Uint8Array): string => Buffer.from(body).toString('utf8');
const tree = (files: Iterable<{ path: string; body: string | Uint8Array }>): [string, string][] =>
  [...files].map(({ path, body }) => [path, text(body)]);

describe('a site', () => {
  it('is these files, byte for byte', () => {
    const { meta, files } = siteOf(tiny);
    expect(meta.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(new Map(tree(files()).map(([path, body]) => [path, body.replace(meta.digest, digest)]))).toEqual(
      new Map(golden),
    );
  });

  it('links its pages, in both styles', () => {
    const ends = (links: 'query' | 'file') =>
      tree(siteOf(rawRecords(250, 0), { links }).files())
        .filter(([path]) => /^api\/gamedata\/move\/(?:offset\/\d+\/)?index\.json$/.test(path))
        .map(([path, body]) => {
          const { count, next, previous, results } = JSON.parse(body);
          return [
            path.slice('api/gamedata/move/'.length),
            count,
            results.length,
            next,
            previous,
            results[0].id,
          ];
        });
    const page = (query: string) => `https://example.test/api/gamedata/move/${query}`;
    expect(ends('query')).toEqual([
      ['index.json', 250, 100, page('?format=api&limit=100&offset=100'), null, 1],
      [
        'offset/100/index.json',
        ...[250, 100, page('?format=api&limit=100&offset=200'), page('?format=api&limit=100&offset=0'), 101],
      ],
      ['offset/200/index.json', 250, 50, null, page('?format=api&limit=100&offset=100'), 201],
    ]);
    expect(ends('file').map(([, , , next, previous]) => [next, previous])).toEqual([
      [page('offset/100/index.json?format=api&limit=100&offset=100'), null],
      [
        page('offset/200/index.json?format=api&limit=100&offset=200'),
        page('index.json?format=api&limit=100&offset=0'),
      ],
      [null, page('offset/100/index.json?format=api&limit=100&offset=100')],
    ]);
  });

  it('has distinct paths', () => {
    const paths = tree(siteOf(rawRecords(230, 120)).files()).map(([path]) => path.toLowerCase());
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toHaveLength(1 + 230 + 3 + 120 + 2 + 3 + 1 + 1 + 4);
  });
});

/** The files of every host. */
const configuration = (routes: RouteTable) =>
  hostFiles(hostNames, { ...hostContext(routes), handlerModule: () => 'handler' }).map(({ path, body }) => [
    path,
    body,
  ]);

describe('the same records', () => {
  const quirky = {
    move: [...rawRecords(105, 0).move, rawMove(500, { slug: 'move-3', englishName: null })],
    item: [...rawRecords(0, 20).item, rawItem(70, { slug: 'item-2' }), rawItem(71, { slug: 'item-2' })],
  };
  const expected = tree(siteOf(quirky).files());
  const shuffled = <T>(values: readonly T[]) =>
    fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length });

  it('give the same files and warnings, in whatever order they come', () => {
    const { routes } = siteOf(quirky);
    const { warnings } = dataSetOf(quirky);
    fc.assert(
      fc.property(shuffled(quirky.move), shuffled(quirky.item), (move, item) => {
        const site = siteOf({ move, item });
        expect(tree(site.files())).toEqual(expected);
        expect(configuration(site.routes)).toEqual(configuration(routes));
        expect(dataSetOf({ move, item }).warnings).toEqual(warnings);
      }),
      { numRuns: 20 },
    );
    expect(warnings.map(({ code, id }) => [code, id])).toEqual([
      ['duplicate-slug', 500],
      ['missing-name', 500],
      ['duplicate-slug', 70],
      ['duplicate-slug', 71],
    ]);
  });
});
