import { describe, expect, it } from 'vitest';
import { BUNDLED_DATA } from '../../src/cli/package-files.ts';
import { readSnapshot } from '../../src/sources/snapshot.ts';
import { createEngine } from '../../src/web/search/engine.ts';
import { createSearchIndex } from '../../src/web/search/search-index.ts';

const { records } = readSnapshot(BUNDLED_DATA);
const { match, near } = createEngine(createSearchIndex(records));
const find = (q: string, kind = '', generation = '') =>
  match({ q, kind, generation }).map(({ name }) => name);

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
    expect(match({ q: ' 85 ', kind: '', generation: '' })[0]).toMatchObject({ id: 85, name: 'Thunderbolt' });
    expect(find('85', 'item')[0]).toBe('Leaf Stone');
    expect(find('12')).toEqual(expect.arrayContaining(['TM12', 'Data Card 12']));
  });

  it.each(['', '   '])('for %j finds everything, in order', (text) => {
    expect(find(text)).toHaveLength(746 + 954);
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
