import { describe, expect, it } from 'vitest';
import { DataError } from '../../src/errors.ts';
import { normalize, type RawItem, type RawMove } from '../../src/sources/normalize.ts';
import { decodeDataSet } from '../support/decode.ts';
import { namesIn } from '../support/kinds.ts';
import { onlyRaw, PROVENANCE, rawItem, rawMove, type SomeRecords } from '../support/sites.ts';

const dataSet = (raw: SomeRecords) => decodeDataSet(normalize(onlyRaw(raw), PROVENANCE));
const items = (...item: RawItem[]) => dataSet({ item });
const index = (generation: number, index: number) => ({ generation, index });

/** Every warning as `code: message`. */
const warnings = (item: RawItem): string[] =>
  items(item).warnings.map(({ code, message }) => `${code}: ${message}`);

describe('a repeated slug', () => {
  it('stays with the lowest id, and gets each later one’s id appended', () => {
    const { records, warnings } = items(
      rawItem(2279, { slug: 'roseli-berry' }),
      rawItem(9, { slug: 'roseli-berry' }),
      rawItem(723, { slug: 'roseli-berry' }),
    );
    expect(records.item.map(({ id, slug }) => [id, slug])).toEqual([
      [9, 'roseli-berry'],
      [723, 'roseli-berry-723'],
      [2279, 'roseli-berry-2279'],
    ]);
    const expected = [723, 2279].map((id) => ({
      code: 'duplicate-slug',
      kind: 'item',
      id,
      message: `roseli-berry: already the slug of 9, ${id} becomes roseli-berry-${id}`,
    }));
    expect(warnings).toEqual(expected);
  });

  it('may be one of a move and of an item', () => {
    expect(
      dataSet({ move: [rawMove(1, { slug: 'a' })], item: [rawItem(1, { slug: 'a' })] }).warnings,
    ).toEqual([]);
  });

  it.each([
    { order: 'before', holder: 3 },
    { order: 'after', holder: 9 },
  ])('is rejected if its new slug is that of a record $order it', ({ holder }) => {
    const raw = [rawItem(1, { slug: 'a' }), rawItem(5, { slug: 'a' }), rawItem(holder, { slug: 'a-5' })];
    expect(() => items(...raw)).toThrow(
      new DataError(`got slug "a-5" for ids ${holder} and 5, expected unique slugs`, {
        kind: 'item',
        field: 'slug',
      }),
    );
  });
});

describe('a slug of the upstream', () => {
  it.each([
    // As PokéAPI had them in January 2024, and as it spelled them from then on.
    ['koraidon’s-poké-ball', 'koraidons-poke-ball'],
    ['jalapeño', 'jalapeno'],
    ['steel-bottle-(r)', 'steel-bottle-r'],
    ['b&w-grass-tablecloth', 'bw-grass-tablecloth'],
    // Others.
    ['Potion', 'potion'],
    ['full  -  stop', 'full-stop'],
    ['ﬁne', 'fine'],
    ['é', 'e'],
    ['-_x_-', 'x'],
  ])('%j is adapted to %j, with a warning', (slug, adapted) => {
    expect(items(rawItem(1, { slug })).records.item[0]?.slug).toBe(adapted);
    expect(warnings(rawItem(1, { slug }))).toEqual([
      `adapted-slug: ${slug}: not a safe slug, becomes ${adapted}`,
    ]);
  });

  it.each(['pound', 'breakneck-blitz--physical', 'tm01', '0'])('%j is safe, and stays', (slug) => {
    expect(items(rawItem(1, { slug })).records.item[0]?.slug).toBe(slug);
    expect(warnings(rawItem(1, { slug }))).toEqual([]);
  });

  it('that is adapted and collides is decided like any repeated one', () => {
    const slugs = ['jalapeño', 'jalapeno', 'Jalapeno'];
    const { records, warnings } = items(...slugs.map((slug, at) => rawItem(at + 1, { slug })));
    expect(records.item.map(({ slug }) => slug)).toEqual(['jalapeno', 'jalapeno-2', 'jalapeno-3']);
    const codes = warnings.map(({ code }) => code).sort();
    expect(codes).toEqual(['adapted-slug', 'adapted-slug', 'duplicate-slug', 'duplicate-slug']);
  });

  it('gives the record that it becomes when the upstream adopts the spelling, name included', () => {
    const nameless = (slug: string) => items(rawItem(1, { slug, englishName: null })).records;
    expect(nameless('poké-ball')).toEqual(nameless('poke-ball'));
  });
});

describe('names in every language', () => {
  const namesOf = (...move: RawMove[]) => dataSet({ move }).names;

  it('are those of each record by its slug, in alphabetical order of languages', () => {
    const raw = {
      move: [rawMove(2, { names: { ja: 'に', fr: 'Deux' } }), rawMove(1, { slug: 'É', names: { fr: 'Un' } })],
      item: [rawItem(1, { englishName: null, names: { de: 'Eins' } })],
    };
    expect(normalize(onlyRaw(raw), PROVENANCE).names).toEqual([
      namesIn('de', { item: { 'item-1': 'Eins' } }),
      namesIn('en', { move: { e: 'Move 1', 'move-2': 'Move 2' } }),
      namesIn('fr', { move: { e: 'Un', 'move-2': 'Deux' } }),
      namesIn('ja', { move: { 'move-2': 'に' } }),
    ]);
    expect(normalize(onlyRaw(raw), PROVENANCE, false).names).toEqual([]);
  });

  it('have tags in lower case, of which the first counts', () => {
    expect(namesOf(rawMove(1, { englishName: null, names: { 'zh-Hant': '一', 'ZH-HANT': '二' } }))).toEqual([
      namesIn('zh-hant', { move: { 'move-1': '一' } }),
    ]);
  });

  it('are left out if they are empty, with one warning', () => {
    const { names, warnings } = dataSet({ move: [rawMove(1, { englishName: '', names: { it: ' ' } })] });
    expect(names).toEqual([]);
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'missing-name: move-1: no English name, called "Move 1"',
      'missing-name: move-1: the name in it is empty, left out',
    ]);
  });

  it.each([
    ['con', 'x', 'con', '"con": expected a language tag in lower case'],
    ['../x', 'x', '../x', '"../x": expected a language tag in lower case'],
    ['pt_BR', 'x', 'pt_br', '"pt_br": expected a language tag in lower case'],
    ['', 'x', '', '"": expected a language tag in lower case'],
    ['fr', 'a\nb', 'fr', '"a\\nb": expected text without control'],
    ['fr', '\u202e', 'fr', '"\u202e": expected text without control'],
  ])('are left out if %j is no language, or %j no text', (language, name, tag, problem) => {
    const { names, warnings } = dataSet({ move: [rawMove(7, { names: { it: 'Sette', [language]: name } })] });
    expect(names.map(({ language, move }) => [language, move])).toEqual([
      ['en', { 'move-7': 'Move 7' }],
      ['it', { 'move-7': 'Sette' }],
    ]);
    const message = expect.stringContaining(`move-7: the name in "${tag}" is left out: got ${problem}`);
    expect(warnings).toEqual([{ code: 'unusable-name', kind: 'move', id: 7, message }]);
  });
});

describe('what is invisible around a name', () => {
  const around = [' ', '\n', '\u00a0', '\u00ad', '\u180e', '\u2060', '\u3000', '\ufeff'];
  const widthless = ['\u200b', '\u200c', '\u200d', '\u200e', '\u200f'];
  it.each([...around, ...widthless])('is removed, with a warning, and none of it is a name: %j', (char) => {
    const name = `${char}A${char}b${char}${char}`;
    const inner = char === '\n' || /\p{Bidi_Control}/u.test(char) ? '' : char;
    const spelled = name.replaceAll(`A${char}b`, `A${inner}b`);
    const { records, names, warnings } = dataSet({
      move: [
        rawMove(1, { englishName: spelled, names: { fr: spelled } }),
        rawMove(2, { englishName: char, names: { fr: char } }),
      ],
    });
    expect(records.move.map(({ name }) => name)).toEqual([`A${inner}b`, 'Move 2']);
    const own = { 'move-1': `A${inner}b` };
    expect(names.map(({ language, move }) => [language, move])).toEqual([
      ['en', own],
      ['fr', own],
    ]);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ...['en', 'fr'].map((tag) => [
        'trimmed-name',
        `move-1: the name in ${tag}, ${JSON.stringify(spelled)}, has invisible characters around it, removed`,
      ]),
      ['missing-name', 'move-2: no English name, called "Move 2"'],
      ['missing-name', 'move-2: the name in fr is empty, left out'],
    ]);
  });
});

describe('in-game indices', () => {
  const none = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`id${at + 1}`, null]));

  const noField = (generation: number) =>
    `unknown-generation: item-1: index in generation ${generation}, for which there is no field`;

  it.each<[name: string, gameIndices: RawItem['gameIndices'], ids: object, warned: string[]]>([
    ['are null where there are none', [], {}, []],
    ['go by generation', [index(9, 90), index(1, 0), index(4, 40)], { id1: 0, id4: 40, id9: 90 }, []],
    [
      'that conflict: the first listed counts',
      [index(2, 65), index(2, 21), index(3, 21), index(3, 65)],
      { id2: 65, id3: 21 },
      [
        'conflicting-index: item-1: indices 65 and 21 for generation 2, using 65',
        'conflicting-index: item-1: indices 21 and 65 for generation 3, using 21',
      ],
    ],
    [
      'that are listed twice',
      [index(7, 844), index(7, 844)],
      { id7: 844 },
      ['repeated-index: item-1: index 844 of generation 7 is listed twice'],
    ],
    [
      'of generations past 9 have no field',
      [index(9, 1), index(10, 2), index(11, 3)],
      { id9: 1 },
      [noField(10), noField(11)],
    ],
    ...[0, 10].map((generation): [string, RawItem['gameIndices'], object, string[]] => [
      `of a generation without a field are told of once: ${generation}`,
      [index(generation, 5), index(generation, 5)],
      {},
      [noField(generation), `repeated-index: item-1: index 5 of generation ${generation} is listed twice`],
    ]),
  ])('%s', (_, gameIndices, ids, warned) => {
    expect(items(rawItem(1, { gameIndices })).records.item[0]).toMatchObject({ ...none, ...ids });
    expect(warnings(rawItem(1, { gameIndices }))).toEqual(warned);
  });
});

describe('a missing name', () => {
  it.each([
    ['gold-leaf', null, 'Gold Leaf'],
    ['tm-case--old', '', 'Tm Case Old'],
    ['x', ' ', 'X'],
    ['10-000-000-volt', null, '10 000 000 Volt'],
  ])('of %s becomes %j, %s', (slug, englishName, name) => {
    expect(items(rawItem(1, { slug, englishName })).records.item[0]?.name).toBe(name);
    expect(warnings(rawItem(1, { slug, englishName }))).toEqual([
      `missing-name: ${slug}: no English name, called ${JSON.stringify(name)}`,
    ]);
  });
});

describe('an icon', () => {
  const HOST = 'https://raw.githubusercontent.com/PokeAPI/sprites/master';
  it.each([
    { sprite: `${HOST}/sprites/items/master-ball.png`, icon: 'sprites/items/master-ball.png' },
    { sprite: `${HOST}/sprites/items/tm-normal.png`, icon: 'sprites/items/tm-normal.png' },
    { sprite: `${HOST}/sprites/items/gen5/ball.png`, icon: 'sprites/items/gen5/ball.png' },
    { sprite: null, icon: 'sprites/items/unknown.png' },
  ])('of the sprite $sprite is $icon', ({ sprite, icon }) => {
    expect(items(rawItem(1, { sprite })).records.item[0]?.icon).toBe(icon);
    expect(warnings(rawItem(1, { sprite }))).toEqual(
      sprite === null ? ['no-icon: item-1: no icon, using the placeholder'] : [],
    );
  });
});

describe('an icon that cannot be used', () => {
  it.each([
    ['', ''],
    ['https://x.test/a.png', 'https://x.test/a.png'],
    ['https://x.test/sprites/items/', 'sprites/items/'],
    ['https://x.test/sprites/items/../../a.png', 'sprites/items/../../a.png'],
    ...['a.svg', 'a.PNG', 'é.png', '%C3%A9.png', 'a.png?raw=true'].map((file) => [
      `https://x.test/sprites/items/${file}`,
      `sprites/items/${file}`,
    ]),
  ] as [string, string][])('is replaced by the placeholder, with a warning: %j', (sprite, got) => {
    expect(items(rawItem(1, { sprite })).records.item[0]?.icon).toBe('sprites/items/unknown.png');
    expect(warnings(rawItem(1, { sprite }))).toEqual([
      `unusable-icon: item-1: using the placeholder: got "${got}": expected an image under sprites/items`,
    ]);
  });
});

describe('ids', () => {
  it('keep gaps, and rise', () => {
    const { records } = dataSet({ move: [10_001, 919, 2, 1].map((id) => rawMove(id)) });
    expect(records.move.map(({ id }) => id)).toEqual([1, 2, 919, 10_001]);
  });
});
