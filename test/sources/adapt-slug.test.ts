import { describe, expect, it } from 'vitest';
import { adaptSlug, normalize } from '../../src/sources/normalize.ts';
import { decodeDataSet } from '../support/decode.ts';
import { allRaw, rawRecords } from '../support/sites.ts';

const provenance = { source: 'rest', upstream: 'u', captured: '2024-01-20', edition: null } as const;

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
  ])('%j is adapted to %j', (slug, adapted) => {
    expect(adaptSlug(slug)).toBe(adapted);
  });

  it.each(['pound', 'breakneck-blitz--physical', 'tm01', '0'])('%j is safe, and stays', (slug) => {
    expect(adaptSlug(slug)).toBe(slug);
  });
});

describe('an adapted slug', () => {
  const withSlugs = (...slugs: string[]) => {
    const { item } = rawRecords(0, slugs.length);
    const raw = { item: item.map((record, at) => ({ ...record, slug: slugs[at] ?? '' })) };
    return decodeDataSet(normalize(allRaw(raw), provenance));
  };

  it('is a warning', () => {
    const { records, warnings } = withSlugs('jalapeño');
    expect(records.item.map(({ slug }) => slug)).toEqual(['jalapeno']);
    expect(warnings).toContainEqual({
      code: 'adapted-slug',
      kind: 'item',
      id: records.item[0]?.id,
      message: 'jalapeño: not a safe slug, becomes jalapeno',
    });
  });

  it('that collides is decided like any repeated slug', () => {
    const { records, warnings } = withSlugs('jalapeño', 'jalapeno', 'Jalapeno');
    const [first, second, third] = records.item;
    expect([first?.slug, second?.slug, third?.slug]).toEqual([
      'jalapeno',
      `jalapeno-${second?.id}`,
      `jalapeno-${third?.id}`,
    ]);
    const codes = warnings.map(({ code, id }) => [code, id]);
    expect(codes.filter(([code]) => code === 'adapted-slug')).toHaveLength(2);
    expect(codes.filter(([code]) => code === 'duplicate-slug')).toHaveLength(2);
  });

  it('gives the record that it becomes when the upstream adopts the spelling, name included', () => {
    const nameless = (slug: string) => {
      const { item } = rawRecords(0, 1);
      const raw = { item: item.map((record) => ({ ...record, slug, englishName: null })) };
      return normalize(allRaw(raw), provenance).records;
    };
    expect(nameless('poké-ball')).toEqual(nameless('poke-ball'));
  });
});
