import { describe, expect, it } from 'vitest';
import { describeEdition, newestEdition, parseEdition } from '../../src/contract/meta.ts';
import { namedEdition } from '../support/editions.ts';

const hash = '0d8fe2bf'.padEnd(40, 'a');
const now = Date.UTC(2026, 10, 22);

describe('an edition', () => {
  it('is a commit and the time of its deploy', () => {
    expect(parseEdition(hash, '1786004122', now)).toEqual({ hash, deployed: '2026-08-06T08:15:22Z' });
    expect(parseEdition(hash, 1_786_004_122, now)).toEqual({ hash, deployed: '2026-08-06T08:15:22Z' });
  });

  it.each<[string, unknown, unknown]>([
    ['no commit', undefined, '1786004122'],
    ['a short commit', hash.slice(1), '1786004122'],
    ['a commit in capitals', hash.toUpperCase(), '1786004122'],
    ['two headers', `${hash}, ${hash}`, '1786004122'],
    ['two headers in a list', [hash, hash], '1786004122'],
    ['no date', hash, undefined],
    ['a date of another form', hash, '2026-08-06'],
    ['two dates', hash, ['1786004122', '1786004122']],
    ['a negative date', hash, '-1786004122'],
    ['an empty date', hash, ''],
    ['a date before the upstream', hash, String(Date.UTC(2013, 11, 31) / 1000)],
    ['a date in the future', hash, String(now / 1000 + 86_401)],
    ['a date in milliseconds', hash, '1786004122000'],
  ])('is none with %s', (_, commit, deployed) => {
    expect(parseEdition(commit, deployed, now)).toBeNull();
  });

  it.each([Date.UTC(2014, 0) / 1000, now / 1000 + 86_400])('may be of second %i', (seconds) => {
    expect(parseEdition(hash, String(seconds), now)).not.toBeNull();
  });
});

it('is described by the start of its commit and its day', () => {
  expect(describeEdition({ hash, deployed: '2026-08-06T08:15:22Z' })).toBe('edition 0d8fe2bf of 2026-08-06');
});

describe('the newest edition', () => {
  const [first, second] = [namedEdition(1), namedEdition(2)];
  it.each([
    [[], null],
    [[null, null], null],
    [[null, first], first],
    [[first, null, second, null], second],
    [[second, first], second],
    [[first, { ...second, deployed: first.deployed }], first],
  ])('of %j is %j', (editions, newest) => {
    expect(newestEdition(editions)).toEqual(newest);
  });
});
