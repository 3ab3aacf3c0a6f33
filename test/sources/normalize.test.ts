import { describe, expect, it } from 'vitest';
import { DataError } from '../../src/errors.ts';
import { normalize, type RawRecord } from '../../src/sources/normalize.ts';
import { decodeDataSet } from '../support/decode.ts';
import { namesIn } from '../support/kinds.ts';
import {
  onlyRaw,
  PROVENANCE,
  rawItem,
  rawMove,
  type SomeRecords,
} from '../support/sites.ts';

function createDataSet(raw: SomeRecords) {
  const dataSet = decodeDataSet(normalize(onlyRaw(raw), PROVENANCE));
  const warnings = dataSet.warnings.map(
    ({ code, message }) => `${code}: ${message}`,
  );
  return { ...dataSet, warnings };
}

function normalizeItems(...item: RawRecord<'item'>[]) {
  const { records, warnings } = createDataSet({ item });
  return { records: records.item, warnings };
}

function normalizeItem(fields: Partial<RawRecord<'item'>>) {
  const { records, warnings } = normalizeItems(rawItem(1, fields));
  return { ...records[0], warnings };
}

describe('normalize', () => {
  it('appends the id to a slug that a record with a lower id already has', () => {
    const items = [2279, 9, 723].map((id) => rawItem(id, { slug: 'roseli-berry' }));
    const { records, warnings } = normalizeItems(...items);
    expect(records.map(({ id, slug }) => [id, slug])).toEqual([
      [9, 'roseli-berry'],
      [723, 'roseli-berry-723'],
      [2279, 'roseli-berry-2279'],
    ]);
    const warn = (id: number): string =>
      `duplicate-slug: roseli-berry: already the slug of 9, ${id} becomes roseli-berry-${id}`;
    expect(warnings).toEqual([warn(723), warn(2279)]);
  });

  it('accepts the same slug for a move and an item', () => {
    const raw = {
      move: [rawMove(1, { slug: 'a' })],
      item: [rawItem(1, { slug: 'a' })],
    };
    expect(createDataSet(raw).warnings).toEqual([]);
  });

  it.each([3, 9])(
    'rejects a slug that record %i already has even after the id is appended',
    (holder) => {
      const raw = [
        rawItem(1, { slug: 'a' }),
        rawItem(5, { slug: 'a' }),
        rawItem(holder, { slug: 'a-5' }),
      ];
      const problem = `got slug "a-5" for ids ${holder} and 5, expected unique slugs`;
      expect(() => normalizeItems(...raw)).toThrow(
        new DataError(problem, { kind: 'item', field: 'slug' }),
      );
    },
  );

  it.each([
    // PokéAPI has used the converted slugs of these four items since January 2024.
    ['koraidon’s-poké-ball', 'koraidons-poke-ball'],
    ['jalapeño', 'jalapeno'],
    ['steel-bottle-(r)', 'steel-bottle-r'],
    ['b&w-grass-tablecloth', 'bw-grass-tablecloth'],
    ['Potion', 'potion'],
    ['full  -  stop', 'full-stop'],
    ['ﬁne', 'fine'],
    ['é', 'e'],
    ['-_x_-', 'x'],
    ...['pound', 'breakneck-blitz--physical', 'tm01', '0'].map((slug) => [
      slug,
      slug,
    ]),
  ])('converts the slug %j to %j', (slug, safe) => {
    const warnings =
      slug === safe
        ? []
        : [`adapted-slug: ${slug}: not a safe slug, becomes ${safe}`];
    expect(normalizeItem({ slug })).toMatchObject({ slug: safe, warnings });
  });

  it('appends the id if a converted slug is already in use', () => {
    const slugs = ['jalapeño', 'jalapeno', 'Jalapeno'];
    const items = slugs.map((slug, at) => rawItem(at + 1, { slug }));
    const { records, warnings } = normalizeItems(...items);
    expect(records.map(({ slug }) => slug)).toEqual([
      'jalapeno',
      'jalapeno-2',
      'jalapeno-3',
    ]);
    const codes = warnings.map((warning) => warning.split(':')[0]).sort();
    expect(codes).toEqual([
      'adapted-slug',
      'adapted-slug',
      'duplicate-slug',
      'duplicate-slug',
    ]);
  });

  it('derives the same name from an unsafe slug and from its converted form', () => {
    const original = normalizeItem({ slug: 'poké-ball', englishName: null });
    const converted = normalizeItem({ slug: 'poke-ball', englishName: null });
    expect({ ...original, warnings: [] }).toEqual({ ...converted, warnings: [] });
  });
});

describe('normalizing names in other languages', () => {
  it('sorts the names by language and slug', () => {
    const raw = {
      move: [
        rawMove(2, { names: { ja: 'に', fr: 'Deux' } }),
        rawMove(1, { slug: 'É', names: { fr: 'Un' } }),
      ],
      item: [rawItem(1, { englishName: null, names: { de: 'Eins' } })],
    };
    expect(createDataSet(raw).names).toEqual([
      namesIn('de', { item: { 'item-1': 'Eins' } }),
      namesIn('en', { move: { e: 'Move 1', 'move-2': 'Move 2' } }),
      namesIn('fr', { move: { e: 'Un', 'move-2': 'Deux' } }),
      namesIn('ja', { move: { 'move-2': 'に' } }),
    ]);
  });

  it('returns no names if they are not wanted', () => {
    const raw = onlyRaw({ move: [rawMove(1, { names: { fr: 'Un' } })] });
    expect(normalize(raw, PROVENANCE, false).readNames()).toEqual([]);
  });

  it('keeps the first name if two language codes differ only in case', () => {
    const names = { 'zh-Hant': '一', 'ZH-HANT': '二' };
    expect(
      createDataSet({ move: [rawMove(1, { englishName: null, names })] }).names,
    ).toEqual([namesIn('zh-hant', { move: { 'move-1': '一' } })]);
  });

  const TAG = 'expected a language tag in lower case';
  it.each([
    [
      'con',
      'x',
      `unusable-name: move-7: omitted the name in "con": got "con", ${TAG}`,
    ],
    [
      '../x',
      'x',
      `unusable-name: move-7: omitted the name in "../x": got "../x", ${TAG}`,
    ],
    [
      'pt_BR',
      'x',
      `unusable-name: move-7: omitted the name in "pt_br": got "pt_br", ${TAG}`,
    ],
    ['', 'x', `unusable-name: move-7: omitted the name in "": got "", ${TAG}`],
    [
      'fr',
      'a\nb',
      'unusable-name: move-7: omitted the name in "fr": got "a\\nb", expected text without',
    ],
    [
      'fr',
      '\u202e',
      'unusable-name: move-7: omitted the name in "fr": got "\u202e", expected text',
    ],
    ['fr', ' ', 'missing-name: move-7: omitted the empty name in fr'],
  ])(
    'omits an invalid name and adds a warning: %j, %j',
    (language, name, warning) => {
      const raw = [rawMove(7, { names: { it: 'Sette', [language]: name } })];
      const { names, warnings } = createDataSet({ move: raw });
      expect(names.map((own) => [own.language, own.move])).toEqual([
        ['en', { 'move-7': 'Move 7' }],
        ['it', { 'move-7': 'Sette' }],
      ]);
      expect(warnings).toEqual([expect.stringContaining(warning)]);
    },
  );
});

describe('normalizing a name', () => {
  it.each<[slug: string, englishName: string | null, name: string]>([
    ['gold-leaf', null, 'Gold Leaf'],
    ['tm-case--old', '', 'Tm Case Old'],
    ['x', ' ', 'X'],
    ['10-000-000-volt', null, '10 000 000 Volt'],
  ])(
    'derives the name from the slug %s if the English name is %j',
    (slug, englishName, name) => {
      const warnings = [
        `missing-name: ${slug}: no English name, called ${JSON.stringify(name)}`,
      ];
      expect(normalizeItem({ slug, englishName })).toMatchObject({ name, warnings });
    },
  );

  const spaces = [
    ' ',
    '\n',
    '\u00a0',
    '\u00ad',
    '\u180e',
    '\u2060',
    '\u3000',
    '\ufeff',
  ];
  const zeroWidth = ['\u200b', '\u200c', '\u200d', '\u200e', '\u200f'];
  it.each([...spaces, ...zeroWidth])(
    'removes invisible characters around a name: %j',
    (char) => {
      const inner = char === '\n' || /\p{Bidi_Control}/u.test(char) ? '' : char;
      const spelled = `${char}A${inner}b${char}${char}`;
      const named = (text: string): Partial<RawRecord<'move'>> => ({
        englishName: text,
        names: { fr: text },
      });
      const raw = [rawMove(1, named(spelled)), rawMove(2, named(char))];
      const { records, names, warnings } = createDataSet({ move: raw });
      expect(records.move.map(({ name }) => name)).toEqual([`A${inner}b`, 'Move 2']);
      expect(names.map((own) => [own.language, own.move])).toEqual(
        ['en', 'fr'].map((tag) => [tag, { 'move-1': `A${inner}b` }]),
      );
      const shown = JSON.stringify(spelled);
      expect(warnings).toEqual([
        ...['en', 'fr'].map(
          (tag) =>
            `trimmed-name: move-1: removed invisible characters around the name in ${tag}, ${shown}`,
        ),
        'missing-name: move-2: no English name, called "Move 2"',
        'missing-name: move-2: omitted the empty name in fr',
      ]);
    },
  );
});

describe('game indices', () => {
  const none = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`id${at + 1}`, null]),
  );
  const noField = (generation: number) =>
    `unknown-generation: item-1: index in generation ${generation}, which has no field`;

  it.each<[what: string, indices: string, ids: object, warnings: string[]]>([
    ['are null by default', '', {}, []],
    ['are sorted by generation', '9:90 1:0 4:40', { id1: 0, id4: 40, id9: 90 }, []],
    [
      'use the first index of a generation',
      '2:65 2:21 3:21 3:65',
      { id2: 65, id3: 21 },
      [
        'conflicting-index: item-1: indices 65 and 21 for generation 2, using 65',
        'conflicting-index: item-1: indices 21 and 65 for generation 3, using 21',
      ],
    ],
    [
      'ignore a repeated index',
      '7:844 7:844',
      { id7: 844 },
      ['repeated-index: item-1: index 844 of generation 7 is listed twice'],
    ],
    [
      'omit an index that has no field',
      '9:1 10:2 0:3 10:2',
      { id9: 1 },
      [
        noField(10),
        noField(0),
        'repeated-index: item-1: index 2 of generation 10 is listed twice',
      ],
    ],
  ])('%s', (_, indices, ids, warnings) => {
    const pairs = [...indices.matchAll(/(\d+):(\d+)/g)];
    const gameIndices = pairs.map(([, generation, index]) => ({
      generation: Number(generation),
      index: Number(index),
    }));
    expect(normalizeItem({ gameIndices })).toMatchObject({
      ...none,
      ...ids,
      warnings,
    });
  });
});

describe('normalizing an icon', () => {
  const HOST = 'https://raw.githubusercontent.com/PokeAPI/sprites/master';
  it.each(['master-ball.png', 'tm-normal.png', 'gen5/ball.png'])(
    'uses the path of the sprite as the icon: %s',
    (file) => {
      const icon = `sprites/items/${file}`;
      expect(normalizeItem({ sprite: `${HOST}/${icon}` })).toMatchObject({
        icon,
        warnings: [],
      });
    },
  );

  it.each<[sprite: string, got: string]>([
    ['', ''],
    ['https://x.test/a.png', 'https://x.test/a.png'],
    ['https://x.test/sprites/items/', 'sprites/items/'],
    ['https://x.test/sprites/items/../../a.png', 'sprites/items/../../a.png'],
    ...['a.svg', 'a.PNG', 'é.png', '%C3%A9.png', 'a.png?raw=true'].map(
      (file): [string, string] => [
        `https://x.test/sprites/items/${file}`,
        `sprites/items/${file}`,
      ],
    ),
  ])('uses the placeholder for the sprite %j', (sprite, got) => {
    const problem = `got "${got}", expected an image under sprites/items`;
    const warning = `unusable-icon: item-1: using the placeholder: ${problem}`;
    const icon = 'sprites/items/unknown.png';
    expect(normalizeItem({ sprite })).toMatchObject({ icon, warnings: [warning] });
  });

  it('uses the placeholder for an item without a sprite', () => {
    expect(normalizeItem({ sprite: null })).toMatchObject({
      icon: 'sprites/items/unknown.png',
      warnings: ['no-icon: item-1: no icon, using the placeholder'],
    });
  });
});
