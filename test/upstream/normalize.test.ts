import { describe, expect, it } from 'vitest';
import {
  collectNames,
  normalize,
  type RawRecord,
} from '../../src/upstream/normalize.ts';
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
  const warnings: string[] = [];
  for (const { code, message } of dataSet.warnings) {
    warnings.push(`${code}: ${message}`);
  }
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
    const slug = 'roseli-berry';
    const { records, warnings } = normalizeItems(
      rawItem(2279, { slug }),
      rawItem(9, { slug }),
      rawItem(723, { slug }),
    );
    expect(records).toMatchObject([
      { id: 9, slug: 'roseli-berry' },
      { id: 723, slug: 'roseli-berry-723' },
      { id: 2279, slug: 'roseli-berry-2279' },
    ]);
    expect(warnings).toEqual([
      'duplicate-slug: roseli-berry: already the slug of 9, 723 becomes roseli-berry-723',
      'duplicate-slug: roseli-berry: already the slug of 9, 2279 becomes roseli-berry-2279',
    ]);
  });

  it('accepts the same slug for a move and an item', () => {
    const move = rawMove(1, { slug: 'a' });
    const item = rawItem(1, { slug: 'a' });
    const { warnings } = createDataSet({ move: [move], item: [item] });
    expect(warnings).toEqual([]);
  });

  it.each([3, 9])(
    'rejects a slug if record %i already has the slug with the appended id',
    (holder) => {
      const raw = [
        rawItem(1, { slug: 'a' }),
        rawItem(5, { slug: 'a' }),
        rawItem(holder, { slug: 'a-5' }),
      ];
      expect(() => normalizeItems(...raw)).toThrow(
        `item/5: item › slug: got slug "a-5" for ids ${holder} and 5, expected unique slugs`,
      );
    },
  );

  it.each([
    // PokéAPI has used the converted slugs of these four items since January 2024.
    ['koraidon’s-poké-ball', 'koraidons-poke-ball'],
    ['steel-bottle-(r)', 'steel-bottle-r'],
    ['Potion', 'potion'],
    ['ﬁne', 'fine'],
  ])('converts the slug %j to %j', (slug, safeSlug) => {
    const warning = `adapted-slug: ${slug}: not a safe slug, becomes ${safeSlug}`;
    expect(normalizeItem({ slug })).toMatchObject({
      slug: safeSlug,
      warnings: [warning],
    });
  });

  it.each(['breakneck-blitz--physical', 'tm01'])(
    'keeps the safe slug %s',
    (slug) => {
      expect(normalizeItem({ slug })).toMatchObject({ slug, warnings: [] });
    },
  );

  it('appends the id if a converted slug is already in use', () => {
    const { records, warnings } = normalizeItems(
      rawItem(1, { slug: 'jalapeño' }),
      rawItem(2, { slug: 'jalapeno' }),
      rawItem(3, { slug: 'Jalapeno' }),
    );
    const slugs = records.map(({ slug }) => slug);
    expect(slugs).toEqual(['jalapeno', 'jalapeno-2', 'jalapeno-3']);
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^adapted-slug: /),
      expect.stringMatching(/^adapted-slug: /),
      expect.stringMatching(/^duplicate-slug: /),
      expect.stringMatching(/^duplicate-slug: /),
    ]);
  });

  it('derives the same name from an unsafe slug and from its converted form', () => {
    const original = normalizeItem({ slug: 'poké-ball', englishName: null });
    const converted = normalizeItem({ slug: 'poke-ball', englishName: null });
    expect({ ...original, warnings: [] }).toEqual({ ...converted, warnings: [] });
  });
});

describe('the number of languages', () => {
  function createNames(count: number, prefix = 'x'): Record<string, string> {
    const names: Record<string, string> = {};
    for (let at = 0; at < count; at++) names[`en-${prefix}${at}`] = 'x';
    return names;
  }

  it('accepts names in 100 languages', () => {
    const { records } = normalizeItems(rawItem(1, { names: createNames(99) }));
    expect(records).toHaveLength(1);
  });

  it('rejects records with names in more than 100 different languages', () => {
    const items = [
      rawItem(1, { names: createNames(60, 'a') }),
      rawItem(2, { names: createNames(60, 'b') }),
    ];
    expect(() => normalizeItems(...items)).toThrow(
      'item/2: got names in another language, expected at most 100 languages',
    );
  });
});

describe('normalizing names in other languages', () => {
  it('keeps the first name if two language codes differ only in case', () => {
    const entries = [
      { language: 'zh-Hant', name: '一' },
      { language: 'ZH-HANT', name: '二' },
    ];
    expect(collectNames(entries)).toEqual({
      englishName: null,
      names: { 'zh-hant': '一' },
    });
  });

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

  /** Adds the name to a record's names, and returns the names and the warning. */
  function addName(language: string, name: string) {
    const move = rawMove(7, { names: { it: 'Sette', [language]: name } });
    const { names, warnings } = createDataSet({ move: [move] });
    const moveNames: Record<string, unknown> = {};
    for (const namesInLanguage of names) {
      moveNames[namesInLanguage.language] = namesInLanguage.move;
    }
    return { moveNames, warnings };
  }
  const otherNames = { en: { 'move-7': 'Move 7' }, it: { 'move-7': 'Sette' } };

  it.each(['../x', 'pt_br'])(
    'omits a name in the invalid language %s',
    (language) => {
      const { moveNames, warnings } = addName(language, 'x');
      expect(moveNames).toEqual(otherNames);
      const problem = `got "${language}", expected a language tag in lower case`;
      const warning = `unusable-name: move-7: omitted the name in "${language}": ${problem}`;
      expect(warnings).toEqual([expect.stringContaining(warning)]);
    },
  );

  it.each(['a\nb', '\u202e'])('omits the invalid name %j', (name) => {
    const { moveNames, warnings } = addName('fr', name);
    expect(moveNames).toEqual(otherNames);
    const shownName = name.replace('\n', '\\n');
    const problem = `got "${shownName}", expected text without`;
    const warning = `unusable-name: move-7: omitted the name in "fr": ${problem}`;
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  it('omits a name that consists of spaces', () => {
    const { moveNames, warnings } = addName('fr', ' ');
    expect(moveNames).toEqual(otherNames);
    expect(warnings).toEqual(['missing-name: move-7: omitted the empty name in fr']);
  });
});

describe('normalizing a name', () => {
  it('rejects an English name with control characters', () => {
    expect(() => normalizeItem({ englishName: 'a\u001b[31mb' })).toThrow(
      'name: got "a\\u001b[31mb", expected text without control',
    );
  });

  it.each<[slug: string, englishName: string | null, name: string]>([
    ['gold-leaf', null, 'Gold Leaf'],
    ['tm-case--old', '', 'Tm Case Old'],
    ['10-000-000-volt', null, '10 000 000 Volt'],
  ])(
    'derives the name from the slug %s if the English name is %j',
    (slug, englishName, name) => {
      const warning = `missing-name: ${slug}: no English name, called "${name}"`;
      expect(normalizeItem({ slug, englishName })).toMatchObject({
        name,
        warnings: [warning],
      });
    },
  );

  const invisible = [' ', '\n', '\u200b', '\u200f'];

  it.each(invisible)('removes the invisible character %j around a name', (char) => {
    // A name must not contain these characters, so they are only around it.
    const isForbidden = char === '\n' || /\p{Bidi_Control}/u.test(char);
    const trimmedName = isForbidden ? 'Ab' : `A${char}b`;
    const name = char + trimmedName + char + char;
    const move = rawMove(1, { englishName: name, names: { fr: name } });
    const { records, names, warnings } = createDataSet({ move: [move] });
    expect(records.move[0]?.name).toBe(trimmedName);
    const moveNames = { move: { 'move-1': trimmedName } };
    expect(names).toEqual([namesIn('en', moveNames), namesIn('fr', moveNames)]);
    const problem = 'removed invisible characters around the name in';
    const shownName = JSON.stringify(name);
    expect(warnings).toEqual([
      `trimmed-name: move-1: ${problem} en, ${shownName}`,
      `trimmed-name: move-1: ${problem} fr, ${shownName}`,
    ]);
  });

  it.each(invisible)('treats a name that consists only of %j as missing', (char) => {
    const move = rawMove(2, { englishName: char, names: { fr: char } });
    const { records, names, warnings } = createDataSet({ move: [move] });
    expect(records.move[0]?.name).toBe('Move 2');
    expect(names).toEqual([]);
    expect(warnings).toEqual([
      'missing-name: move-2: no English name, called "Move 2"',
      'missing-name: move-2: omitted the empty name in fr',
    ]);
  });
});

describe('game indices', () => {
  const noIndices: Record<string, null> = {};
  for (let generation = 1; generation <= 9; generation += 1) {
    noIndices[`id${generation}`] = null;
  }

  function explainUnknown(generation: number): string {
    return `unknown-generation: item-1: index in generation ${generation}, which has no field`;
  }

  // Each index is written as `<generation>:<index>`.
  it.each<[what: string, indices: string, ids: object, warnings: string[]]>([
    ['sets the game indices to null by default', '', {}, []],
    [
      'assigns each game index to the field of its generation',
      '9:90 1:0 4:40',
      { id1: 0, id4: 40, id9: 90 },
      [],
    ],
    [
      'uses the first game index of a generation',
      '2:65 2:21 3:21 3:65',
      { id2: 65, id3: 21 },
      [
        'conflicting-index: item-1: indices 65 and 21 for generation 2, using 65',
        'conflicting-index: item-1: indices 21 and 65 for generation 3, using 21',
      ],
    ],
    [
      'ignores a repeated game index',
      '7:844 7:844',
      { id7: 844 },
      ['repeated-index: item-1: index 844 of generation 7 is listed twice'],
    ],
    [
      'omits a game index of a generation that has no field',
      '9:1 10:2 0:3 10:2',
      { id9: 1 },
      [
        explainUnknown(10),
        explainUnknown(0),
        'repeated-index: item-1: index 2 of generation 10 is listed twice',
      ],
    ],
  ])('%s', (_, indices, ids, warnings) => {
    const gameIndices: RawRecord<'item'>['gameIndices'][number][] = [];
    for (const [, generation, index] of indices.matchAll(/(\d+):(\d+)/g)) {
      gameIndices.push({ generation: Number(generation), index: Number(index) });
    }
    const item = normalizeItem({ gameIndices });
    expect(item).toMatchObject({ ...noIndices, ...ids, warnings });
  });
});

describe('normalizing an icon', () => {
  const HOST = 'https://raw.githubusercontent.com/PokeAPI/sprites/master';
  it.each(['master-ball.png', 'tm-normal.png', 'gen5/ball.png'])(
    'uses the path of the sprite as the icon: %s',
    (file) => {
      const icon = `sprites/items/${file}`;
      const item = normalizeItem({ sprite: `${HOST}/${icon}` });
      expect(item).toMatchObject({ icon, warnings: [] });
    },
  );

  it.each([
    { sprite: '', shownSprite: '' },
    {
      sprite: 'https://x.test/sprites/items/../../a.png',
      shownSprite: 'sprites/items/../../a.png',
    },
    {
      sprite: 'https://x.test/sprites/items/a.svg',
      shownSprite: 'sprites/items/a.svg',
    },
    {
      sprite: 'https://x.test/sprites/items/a.png?raw=true',
      shownSprite: 'sprites/items/a.png?raw=true',
    },
  ])('uses the placeholder for the sprite "$sprite"', ({ sprite, shownSprite }) => {
    const problem = `got "${shownSprite}", expected an image under sprites/items`;
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
