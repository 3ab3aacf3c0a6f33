import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { bulkFiles, plainBulkRows } from '../../src/contract/files.ts';
import { kindNames, mapKinds } from '../../src/contract/kinds.ts';
import {
  type Cell,
  createBulkFiles,
  createBulkText,
  createSearchIndex,
  formatCsvRow,
  gzip,
} from '../../src/site/record-files.ts';
import { forOthers, otherKinds } from '../support/kinds.ts';
import {
  dataSetOf,
  onlyRaw,
  rawItem,
  rawMove,
  rawRecords,
  type SomeRecords,
  siteOf,
} from '../support/sites.ts';

const tiny = onlyRaw({
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
});

/** The fields of each are compared with the upstream's answers by test/cli/commands/build.test.ts. */
const [pound, blitz] = dataSetOf(tiny).records.move.map((record) =>
  JSON.stringify({ url: `https://example.test/api/gamedata/move/${record.slug}/?format=api`, ...record }),
);
const ball =
  '{"url":"https://example.test/api/gamedata/item/poke-ball/?format=api","id":4,"id1":null,"id2":65,"id3":null,' +
  '"id4":null,"id5":null,"id6":null,"id7":null,"id8":null,"id9":null,"slug":"poke-ball",' +
  '"name":"Poké Ball <&\\"/\\\\> 攻","icon":"sprites/items/poke-ball.png"}';
const digest = 'sha256:DIGEST';

/** Every file of the tiny site. */
const golden: [path: string, body: string | undefined][] = [
  [
    'api/gamedata/index.json',
    `{"move":"https://example.test/api/gamedata/move/?format=api","item":"https://example.test/api/gamedata/item/?format=api"${forOthers((kind) => `,"${kind}":"https://example.test/api/gamedata/${kind}/?format=api"`)}}`,
  ],
  [
    'meta.json',
    '{"format":1,"generator":"gamedata/0.0.0","source":"rest","upstream":"https://upstream.test/api/v2","captured":"2026-01-02","edition":null,' +
      `"fallback":null,"counts":{"move":2,"item":1${forOthers((kind) => `,"${kind}":0`)}},` +
      `"warnings":${JSON.stringify(mapKinds(() => ({})))},` +
      `"digest":"${digest}","base_url":"https://example.test","links":"query","hosts":[],"downloads":false,` +
      '"sprites":{"mode":"link","upstream":"https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items"}}',
  ],
  ['api/gamedata/move/index.json', `{"count":2,"next":null,"previous":null,"results":[${pound},${blitz}]}`],
  ['api/gamedata/move/pound/index.json', pound],
  ['api/gamedata/move/breakneck-blitz--physical/index.json', blitz],
  ['api/gamedata/item/index.json', `{"count":1,"next":null,"previous":null,"results":[${ball}]}`],
  ['api/gamedata/item/poke-ball/index.json', ball],
  ...otherKinds.map((kind): [string, string] => [
    `api/gamedata/${kind}/index.json`,
    '{"count":0,"next":null,"previous":null,"results":[]}',
  ]),
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
  ['former.json', `{\n "move": {},\n "item": {}${forOthers((kind) => `,\n "${kind}": {}`)}\n}\n`],
  ['moved.json', '{}'],
];

const text = (body: string | Uint8Array): string => Buffer.from(body).toString('utf8');
const tree = (files: Iterable<{ path: string; body: string | Uint8Array }>): [string, string][] =>
  [...files].map(({ path, body }) => [path, text(body)]);

describe('the files of a site', () => {
  it('are these', () => {
    const { meta, files } = siteOf(tiny);
    expect(meta.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(new Map(tree(files()).map(([path, body]) => [path, body.replace(meta.digest, digest)]))).toEqual(
      new Map(golden),
    );
  });

  it.each(['query', 'file'] as const)('link their pages with %s links', (links) => {
    const files = new Map(tree(siteOf(rawRecords(250, 0), { links }).files()));
    const fileOf = (offset: number) => `api/gamedata/move/${offset > 0 ? `offset/${offset}/` : ''}index.json`;
    const link = (offset: number) => {
      const path = links === 'file' ? fileOf(offset) : 'api/gamedata/move/';
      return `https://example.test/${path}?format=api&limit=100&offset=${offset}`;
    };
    for (const [offset, size, next, previous] of [
      [0, 100, link(100), null],
      [100, 100, link(200), link(0)],
      [200, 50, null, link(100)],
    ] as const) {
      const { results, ...page } = JSON.parse(files.get(fileOf(offset)) ?? '');
      expect(page).toEqual({ count: 250, next, previous });
      expect([results.length, results[0].id]).toEqual([size, offset + 1]);
    }
  });

  it('have distinct paths regardless of case', () => {
    const paths = tree(siteOf(rawRecords(230, 120)).files()).map(([path]) => path.toLowerCase());
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toHaveLength(1 + 230 + 3 + 120 + 2 + 2 * otherKinds.length + 3 + 1 + 1 + 4);
  });
});

it('the order of records from the upstream does not matter', () => {
  const quirky = {
    move: [...rawRecords(105, 0).move, rawMove(500, { slug: 'move-3', englishName: null })],
    item: [...rawRecords(0, 20).item, rawItem(70, { slug: 'item-2' }), rawItem(71, { slug: 'item-2' })],
  };
  const [expected, { warnings }] = [tree(siteOf(quirky).files()), dataSetOf(quirky)];
  const shuffle = <T>(values: readonly T[]) =>
    fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length });
  fc.assert(
    fc.property(shuffle(quirky.move), shuffle(quirky.item), (move, item) => {
      expect(tree(siteOf({ move, item }).files())).toEqual(expected);
      expect(dataSetOf({ move, item }).warnings).toEqual(warnings);
    }),
    { numRuns: 20 },
  );
  expect(warnings.map(({ code, id }) => `${code} ${id}`)).toEqual([
    ...['duplicate-slug 500', 'missing-name 500', 'duplicate-slug 70', 'duplicate-slug 71'],
  ]);
});

const textOf = (path: string, raw: SomeRecords = rawRecords(3, 2)): string => {
  const row = plainBulkRows.find((one) => one.path === path) ?? expect.unreachable();
  return createBulkText(row, siteOf(raw).plan.served);
};

describe('bulk files', () => {
  it.each([0, 1, 501])('contain the texts of %i records', (count) => {
    const raw = rawRecords(count, 2);
    const served = [...siteOf(raw).files()]
      .filter(({ path }) => /^api\/gamedata\/move\/move-/.test(path))
      .map(({ body }) => String(body));
    expect(textOf('download/move.ndjson', raw)).toBe(served.map((text) => `${text}\n`).join(''));
    const everything = textOf('download/gamedata.json', raw);
    expect(everything.startsWith(`{"move":[${served.join(',')}],"item":[{"url"`)).toBe(true);
    expect(JSON.parse(everything).item).toHaveLength(2);
  });

  it('have tables with every value', () => {
    const raw = {
      move: [rawMove(1, { englishName: '=SUM(A1), "quoted"' })],
      item: [rawItem(1, { gameIndices: [{ generation: 3, index: 0 }], sprite: null })],
    };
    const rows = (kind: 'move' | 'item'): unknown[] =>
      Papa.parse(textOf(`download/${kind}.csv`, raw), { header: true, newline: '\r\n', skipEmptyLines: true })
        .data;
    const { move, item } = siteOf(raw).plan.served;
    const asText = (record = {}) =>
      Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value ?? '')]));
    expect(rows('move')).toEqual([{ ...asText(move[0]), name: `'=SUM(A1), "quoted"` }]);
    expect(rows('item')).toEqual([
      { ...asText(item[0]), id3: '0', id9: '', icon: 'sprites/items/unknown.png' },
    ]);
    expect(textOf('download/item.csv', raw).split('\r\n')[0]).toBe(Object.keys(item[0] ?? {}).join());
  });
});

describe('compressed copies', () => {
  it('unpack to the bulk file', () => {
    const files = createBulkFiles(siteOf(rawRecords(150, 2)).plan.served);
    expect(files.map(({ path }) => path)).toEqual(bulkFiles);
    expect(bulkFiles.filter((path) => !path.endsWith('.gz'))).toEqual([
      ...kindNames.flatMap((kind) => [`download/${kind}.ndjson`, `download/${kind}.csv`]),
      'download/gamedata.json',
    ]);
    const bodies = new Map(files.map(({ path, body }) => [path, body as Uint8Array]));
    for (const { path } of plainBulkRows) {
      const plain = bodies.get(path) ?? expect.unreachable();
      expect(gunzipSync(bodies.get(`${path}.gz`) ?? '').equals(plain)).toBe(true);
    }
  });

  it('have the same bytes on every machine and no time', () => {
    const line = (at: number) => `{"id":${at},"slug":"record-${(at * 7919) % 5000}"}\n`;
    const body = Buffer.from(Array.from({ length: 5000 }, (_, at) => line(at)).join(''));
    const gz = gzip(body);
    expect([gz.length, hash('sha256', gz).slice(0, 16)]).toEqual([27906, 'fd2b9f719f9a3548']);
    expect([...gz.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  });
});

describe('formatCsvRow', () => {
  it.each<[string, Cell[], string]>([
    ['numbers and texts', [1, 'pound', 'Pound'], '1,pound,Pound\r\n'],
    ['null as nothing', [null, 0, null], ',0,\r\n'],
    ['a comma', ['a,b'], '"a,b"\r\n'],
    ['a semicolon, which separates cells in some spreadsheets', ['a;b'], '"a;b"\r\n'],
    ['a quotation mark', ['a"b'], '"a""b"\r\n'],
    ['a line break', ['a\r\nb'], '"a\r\nb"\r\n'],
    ['blanks at an end', [' a', 'b '], '" a","b "\r\n'],
    ['letters of any script', ['Poké Ball', '★'], 'Poké Ball,★\r\n'],
    ['a formula', ['=1+1'], "'=1+1\r\n"],
    [
      'a formula with a comma',
      ['=HYPERLINK("https://x.test","y")'],
      `"'=HYPERLINK(""https://x.test"",""y"")"\r\n`,
    ],
    ['a second apostrophe', ["'tis"], "''tis\r\n"],
    ['a formula behind a semicolon', ['a; "=1'], `"a;' ""=1"\r\n`],
    ['a negative number, which is not text', [-1], '-1\r\n'],
  ])('writes %s', (_, cells, expected) => {
    expect(formatCsvRow(cells)).toBe(expected);
  });

  it('keeps the text and never starts a formula', () => {
    const cell = fc.string({ unit: fc.constantFrom(...`=+-@'",;\t\r\n aé＝`) }).filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const [read = []] = Papa.parse<string[]>(formatCsvRow(cells), {
          delimiter: ',',
          newline: '\r\n',
        }).data;
        expect(read.map((text) => text.replace(/(?<=^|[;\t\r\n])'/g, ''))).toEqual(cells);
        for (const delimiter of [',', ';', '\t']) {
          const { data } = Papa.parse<string[]>(formatCsvRow(cells), { delimiter });
          for (const text of data.flat()) expect(text).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/u);
        }
      }),
    );
  });
});

describe('the search index', () => {
  it('has the id, slug, name and icon of every record', () => {
    const raw = onlyRaw({
      move: [rawMove(7)],
      item: [rawItem(4, { sprite: 'x/sprites/items/dream/odd.png' })],
    });
    expect(createSearchIndex(siteOf(raw).records)).toEqual({
      ...mapKinds(() => []),
      move: [{ id: 7, slug: 'move-7', name: 'Move 7' }],
      item: [{ id: 4, slug: 'item-4', name: 'Item 4', icon: 'sprites/items/dream/odd.png' }],
    });
  });
});
