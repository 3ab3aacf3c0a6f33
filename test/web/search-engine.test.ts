import { describe, expect, it } from 'vitest';
import { BUNDLED_DATA } from '../../src/package.ts';
import { createSearchIndex } from '../../src/site/record-files.ts';
import { readSnapshot } from '../../src/sources/snapshot.ts';
import { createSearchEngine } from '../../src/web/search/search-engine.ts';
import { namesIn } from '../support/kinds.ts';

const { records } = readSnapshot(BUNDLED_DATA);
const { match, suggest } = createSearchEngine(createSearchIndex(records));
const find = (...query: Parameters<typeof match>) => match(...query).map(({ name }) => name);

describe('a search', () => {
  it.each([
    ['pound', 'Pound'],
    ['poke ball', 'Poké Ball'],
    ['pokeball', 'Poké Ball'],
    ['ball master', 'Master Ball'],
    ['thundrbolt', 'Thunderbolt'],
    ['potoin', 'Potion'],
    ['master bll', 'Master Ball'],
    ['ｐｏｕｎｄ', 'Pound'],
    ['ＴＭ０１', 'TM01'],
    ['u turn', 'U-turn'],
    ['tm01', 'TM01'],
    [' 85 ', 'Thunderbolt'],
  ])('for %j finds %j first', (text, name) => {
    expect(find(text)[0]).toBe(name);
  });

  it.each([
    ['equal to the query', 'thunder', ['Thunder', 'Thunder Punch', 'Thunder Stone', 'Thunder Shock']],
    ['of items that end with the query', 'ball', ['Master Ball', 'Ultra Ball', 'Great Ball', 'Poké Ball']],
    ['that start with the query', 'fire', ['Fire Punch', 'Fire Stone', 'Fire Spin']],
    ['of records with the id', '4', ['Comet Punch', 'Poké Ball']],
  ])('puts names %s first', (_, text, first) => {
    expect(find(text).slice(0, first.length)).toEqual(first);
  });

  it.each([
    ['berry', 'Cheri Berry', 'Berry Juice'],
    ['fire', 'Fire Blast', 'Sacred Fire'],
    ['ball', 'Friend Ball', 'Gyro Ball'],
  ])('for %j puts %j before %j', (text, better, worse) => {
    const places = [better, worse].map((name) => find(text).indexOf(name));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[1]).toBeGreaterThan(places[0] ?? Infinity);
  });

  it.each(['', '   '])('for %j finds everything, in order', (text) => {
    expect(find(text)).toHaveLength(Object.values(records).flat().length);
    expect([find(text, 'move').length, find(text, 'item').length]).toEqual([746, 954]);
    expect(find(text)[0]).toBe('Pound');
  });

  it.each(['zzzz', '.*', '<zzz>', '(', '攻'])('for %j finds nothing', (text) => {
    expect(find(text)).toEqual([]);
  });

  it('finds only records of the given kind', () => {
    expect(find('85', 'item')[0]).toBe('Leaf Stone');
    expect(find('ball', 'move')).not.toContain('Master Ball');
  });
});

describe('a search with names in another language', () => {
  const german = namesIn('de', { move: { pound: 'Pfund', growl: 'Thunder' }, item: { potion: 'Tränk’e' } });
  const findLocal = (q: string) => match(q, '', german).map(({ slug, local }) => [slug, local]);

  it('finds and shows them, without accents and letter case', () => {
    expect(findLocal('PFUND')).toEqual([['pound', 'Pfund']]);
    expect(findLocal("trank'e")).toEqual([['potion', 'Tränk’e']]);
    expect(findLocal('')[0]).toEqual(['pound', 'Pfund']);
  });

  it.each([
    ['10まんボルト', 'thunderbolt'],
    ['１０まんボルト', 'thunderbolt'],
    ['ﾓﾝｽﾀｰﾎﾞｰﾙ', 'poke-ball'],
  ])('finds %s as typed on another keyboard', (text, slug) => {
    const japanese = namesIn('ja', {
      move: { thunderbolt: '１０まんボルト' },
      item: { 'poke-ball': 'モンスターボール' },
    });
    expect(match(text, '', japanese)[0]?.slug).toBe(slug);
  });

  it('finds English names, too, after the others', () => {
    expect(findLocal('pound')[0]).toEqual(['pound', 'Pfund']);
    expect(findLocal('thunder').slice(0, 2)).toEqual([
      ['growl', 'Thunder'],
      ['thunder', undefined],
    ]);
    expect(find('thunder')).not.toContain('Growl');
  });
});

describe('suggestions for a slug that does not exist', () => {
  it.each([
    ['mastre-ball', 'item', 'Master Ball'],
    ['Thunder-Bolt', 'move', 'Thunderbolt'],
    ['master-ball', 'move', 'Master Ball'],
  ])('for %s of kind %s start with %s', (slug, kind, name) => {
    const suggested = suggest(slug, kind);
    expect(suggested[0]?.name).toBe(name);
    expect(suggested.length).toBeLessThanOrEqual(5);
  });

  it('contain only the record with the requested id', () => {
    expect(suggest('1', 'move').map(({ slug }) => slug)).toEqual([records.move[0]?.slug]);
  });

  it.each(['999999', 'zzzzzzzzzz'])('are missing for %s', (slug) => {
    expect(suggest(slug, 'item')).toEqual([]);
  });
});
