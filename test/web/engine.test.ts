import { describe, expect, it } from 'vitest';
import { BUNDLED_DATA } from '../../src/cli/package-files.ts';
import { readSnapshot } from '../../src/sources/snapshot.ts';
import { createEngine } from '../../src/web/search/engine.ts';
import { createSearchIndex } from '../../src/web/search/search-index.ts';
import { namesIn } from '../support/kinds.ts';

const { records } = readSnapshot(BUNDLED_DATA);
const { match, near, languagesIn } = createEngine(createSearchIndex(records));
const filterOf = (q: string, kind = '', generation = '', language = '') => ({
  q,
  kind,
  generation,
  language,
});
const find = (...query: Parameters<typeof filterOf>) => match(filterOf(...query)).map(({ name }) => name);

describe('a search', () => {
  it.each([
    ['pound', 'Pound'],
    ['poke ball', 'Poké Ball'],
    ['pokeball', 'Poké Ball'],
    ['ball master', 'Master Ball'],
    ['thundrbolt', 'Thunderbolt'],
    ['potoin', 'Potion'],
    ['u turn', 'U-turn'],
    ['tm01', 'TM01'],
  ])('for %j finds %j first', (text, name) => {
    expect(find(text)[0]).toBe(name);
  });

  it.each([
    ['exactly', 'thunder', ['Thunder', 'Thunder Punch', 'Thunder Stone', 'Thunder Shock']],
    ['at the end of an item', 'ball', ['Master Ball', 'Ultra Ball', 'Great Ball', 'Poké Ball']],
    ['at the start', 'fire', ['Fire Punch', 'Fire Stone', 'Fire Spin']],
    ['with that id', '4', ['Comet Punch', 'Poké Ball']],
  ])('puts names %s first', (_, text, first) => {
    expect(find(text).slice(0, first.length)).toEqual(first);
  });

  it.each([
    ['berry', 'Cheri Berry', 'Berry Juice'],
    ['fire', 'Fire Blast', 'Sacred Fire'],
    ['ball', 'Poké Ball', 'Ice Ball'],
    ['ball', 'Friend Ball', 'Gyro Ball'],
  ])('for %j puts %j before %j', (text, better, worse) => {
    const places = [better, worse].map((name) => find(text).indexOf(name));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[1]).toBeGreaterThan(places[0] ?? Infinity);
  });

  it('finds a record by its id, and what has the number in its name', () => {
    expect(match(filterOf(' 85 '))[0]).toMatchObject({ id: 85, name: 'Thunderbolt' });
    expect(find('85', 'item')[0]).toBe('Leaf Stone');
    expect(find('12')).toEqual(expect.arrayContaining(['TM12', 'Data Card 12']));
  });

  it.each(['', '   '])('for %j finds everything, in order', (text) => {
    expect(find(text)).toHaveLength(Object.values(records).flat().length);
    expect([find(text, 'move').length, find(text, 'item').length]).toEqual([746, 954]);
    expect(find(text)[0]).toBe('Pound');
  });

  it.each(['zzzz', '.*', '<zzz>', '(', '攻'])('for %j finds nothing', (text) => {
    expect(find(text)).toEqual([]);
  });

  it('keeps to a kind and a generation', () => {
    expect(find('ball', 'move')).not.toContain('Master Ball');
    expect(find('', 'move', '2')).toHaveLength(86);
    expect(find('', '', 'none')).toEqual([]);
  });
});

describe('names in other languages', () => {
  const french = namesIn('fr', { move: { pound: 'Écras’Face', thunder: 'Fatal-Foudre' } });
  const german = namesIn('de', { move: { pound: 'Pfund', thunder: 'Donner' }, item: { potion: 'Trank' } });
  const named = (q: string, language = '', kind = '') =>
    match(filterOf(q, kind, '', language), [french, german]).map(({ slug, local }) => [slug, local?.name]);

  it('find a record in whatever language it is searched, and are shown if it was found by them', () => {
    expect(named('donner')).toEqual([['thunder', 'Donner']]);
    expect(named('donner', 'fr')).toEqual([['thunder', 'Donner']]);
    expect(named('ecras', 'fr')[0]).toEqual(['pound', 'Écras’Face']);
    expect(named('trank')).toContainEqual(['potion', 'Trank']);
  });

  it('are shown in the language that was chosen, if it was found otherwise', () => {
    expect(named('pound', '', 'move')).toEqual([['pound', undefined]]);
    expect(named('pound', 'de', 'move')).toEqual([['pound', 'Pfund']]);
    expect(named('', 'de')[0]).toEqual(['pound', 'Pfund']);
  });

  it('come before English ones only in the language that was chosen', () => {
    const other = { ...french, move: { growl: 'Thunder' } };
    const first = (language: string) => match(filterOf('thunder', '', '', language), [other])[0]?.slug;
    expect([first('fr'), first('')]).toEqual(['growl', 'thunder']);
    expect(find('thunder')).not.toContain('Growl');
  });

  it.each([
    ['モンスターボール', ['ja', 'ja-hrkt']],
    ['はたく', ['ja', 'ja-hrkt']],
    ['拍击', ['ja', 'ko', 'zh-hans', 'zh-hant']],
    ['막치기', ['ko']],
    ['écras', ['fr']],
    ['Покеболл', ['ru']],
    ['123 (', []],
  ])('are offered for %s in %j', (text, offered) => {
    const languages = ['fr', 'ja', 'ja-hrkt', 'ko', 'ru', 'zh-hans', 'zh-hant', 'xx', 'not a tag'];
    expect(languagesIn(text, languages)).toEqual(offered);
  });
});

describe('a slug that does not exist', () => {
  it.each([
    ['mastre-ball', 'item', 'Master Ball'],
    ['Thunder-Bolt', 'move', 'Thunderbolt'],
    ['master-ball', 'move', 'Master Ball'],
  ])('such as %s of kind %s probably means %s', (slug, kind, name) => {
    const offered = near(slug, kind);
    expect(offered[0]?.name).toBe(name);
    expect(offered.length).toBeLessThanOrEqual(5);
  });

  it('names the record with an id, where addresses are slugs', () => {
    const [first] = records.move;
    expect(near(String(first?.id), 'move').map(({ slug }) => slug)).toEqual([first?.slug]);
    expect(near('999999', 'move')).toEqual([]);
  });

  it('means nothing if no other is close', () => {
    expect(near('zzzzzzzzzz', 'item')).toEqual([]);
  });
});
