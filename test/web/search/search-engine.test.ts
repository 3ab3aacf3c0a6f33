import { describe, expect, it } from 'vitest';
import { createSearchIndex } from '../../../src/site/record-files.ts';
import { createSearchEngine } from '../../../src/web/search/search-engine.ts';
import { namesIn } from '../../support/kinds.ts';
import { knownRecords } from '../../support/known-records.ts';
import { dataSetOf } from '../../support/sites.ts';

const { records } = dataSetOf(knownRecords);
const { match, suggest } = createSearchEngine(createSearchIndex(records));
const find = (...query: Parameters<typeof match>) =>
  match(...query).map(({ name }) => name);

describe('match', () => {
  it.each([
    ['pound', ['Pound']],
    ['poke ball', ['Poké Ball']],
    ['pokeball', ['Poké Ball']],
    ['ball master', ['Master Ball']],
    ['thundrbolt', ['Thunderbolt']],
    ['potoin', ['Potion']],
    ['master bll', ['Master Ball']],
    ['ｐｏｕｎｄ', ['Pound']],
    ['ＴＭ０１', ['TM01']],
    ['u turn', ['U-turn']],
    [' 85 ', ['Thunderbolt']],
    ['4', ['Comet Punch', 'Poké Ball']],
    ['thunder', ['Thunder', 'Thunder Punch', 'Thunder Stone', 'Thunder Shock']],
    ['ball', ['Master Ball', 'Ultra Ball', 'Great Ball', 'Poké Ball']],
    ['fire', ['Fire Punch', 'Fire Stone', 'Fire Spin']],
  ])('returns the best matches for %j first: %j', (text, names) => {
    expect(find(text).slice(0, names.length)).toEqual(names);
  });

  it.each([
    ['berry', 'Cheri Berry', 'Berry Juice'],
    ['fire', 'Fire Blast', 'Sacred Fire'],
    ['ball', 'Friend Ball', 'Gyro Ball'],
  ])('ranks the matches for %j: %j before %j', (text, better, worse) => {
    const found = find(text).filter((name) => [better, worse].includes(name));
    expect(found).toEqual([better, worse]);
  });

  it('returns all records in order for an empty query', () => {
    expect(find('')).toHaveLength(Object.values(records).flat().length);
    expect(find('  ', { kind: 'move' })).toHaveLength(records.move.length);
    expect(find('', { kind: 'item' })).toHaveLength(records.item.length);
    expect(find('')[0]).toBe('Pound');
    expect(find('85', { kind: 'item' })[0]).toBe('Leaf Stone');
  });

  it('ignores the end of a query that is longer than any name', () => {
    expect(find(`pound${' '.repeat(95)}zzzz`)).toEqual(['Pound']);
    expect(find('a'.repeat(100_000))).toEqual([]);
  });

  it('finds only records of the selected generation', () => {
    expect(find('pound', { generation: '1' })).toEqual(['Pound']);
    expect(find('pound', { generation: '2' })).toEqual([]);
    expect(find('', { generation: 'none' })).toContain('Master Ball');
  });

  it.each(['zzzz', '.*', '<zzz>', '(', '攻'])('finds no record for %j', (text) => {
    const names = namesIn('xx', { move: { pound: 'Pfund (1)' } });
    expect(find(text)).toEqual([]);
    expect(find(text, {}, names)).toEqual([]);
  });

  it.each([
    ['oeuf', 'soft-boiled: E-Cœuf'],
    ['e coeuf', 'soft-boiled: E-Cœuf'],
    ['E-CŒUF', 'soft-boiled: E-Cœuf'],
    ['ecoeuf', 'soft-boiled: E-Cœuf'],
    ['fusskick', 'low-kick: Fußkick'],
    ['FUẞKICK', 'low-kick: Fußkick'],
    ['traenke', 'potion: Tränk’e'],
    ['trank e', 'potion: Tränk’e'],
    ['ボール モンスター', 'poke-ball: モンスターボール'],
    ['PFUND', 'pound: Pfund'],
    ["trank'e", 'potion: Tränk’e'],
    ['pound', 'pound: Pfund'],
    ['thunder', 'growl: Thunder, thunder: English only'],
    ['', 'pound: Pfund'],
    ['10まんボルト', 'thunderbolt: １０まんボルト'],
    ['ﾓﾝｽﾀｰﾎﾞｰﾙ', 'poke-ball: モンスターボール'],
    ['もんすたー', 'poke-ball: モンスターボール'],
  ])('finds records by their names in the selected language: %j', (text, first) => {
    const names = namesIn('xx', {
      move: {
        pound: 'Pfund',
        growl: 'Thunder',
        thunderbolt: '１０まんボルト',
        'soft-boiled': 'E-Cœuf',
        'low-kick': 'Fußkick',
      },
      item: { potion: 'Tränk’e', 'poke-ball': 'モンスターボール' },
    });
    const found = match(text, {}, names).map(
      ({ slug, local = 'English only' }) => `${slug}: ${local}`,
    );
    expect(found.join(', ').slice(0, first.length)).toBe(first);
  });
});

it.each([
  ['mastre-ball', 'item', 'Master Ball'],
  ['Thunder-Bolt', 'move', 'Thunderbolt'],
  ['master-ball', 'move', 'Master Ball'],
  ['1', 'move', 'Pound'],
  ['999999', 'item', undefined],
  ['zzzzzzzzzz', 'item', undefined],
])(
  'suggests at most five records for the slug or id %s of kind %s: %s first',
  (slug, kind, name) => {
    const suggested = suggest(slug, kind);
    expect(suggested[0]?.name).toBe(name);
    expect(suggested.length).toBeLessThanOrEqual(slug === '1' ? 1 : 5);
  },
);
