import { describe, expect, it } from 'vitest';
import {
  createMeta,
  describeEdition,
  encodeBody,
  FORMAT,
  findNewestEdition,
  isSitePath,
  type ManifestEntry,
  manifestReader,
  metaSchema,
  parseEdition,
  rejectOtherFormat,
} from '../../src/contract/meta.ts';
import { getNativeName } from '../../src/contract/names.ts';
import { OutputError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { siteOf } from '../support/sites.ts';

const hash = '0d8fe2bf'.padEnd(40, 'a');
const now = Date.UTC(2026, 10, 22);

describe('parseEdition', () => {
  it.each([['1786004122'], [1_786_004_122]])('parses a commit with the time %o', (time) => {
    const edition = parseEdition(hash, time, now);
    expect(edition).toEqual({ hash, deployed: '2026-08-06T08:15:22Z' });
    expect(edition && describeEdition(edition)).toBe('edition 0d8fe2bf from 2026-08-06');
  });

  it.each<[string, unknown, unknown]>([
    ['no commit', undefined, '1786004122'],
    ['a short commit', hash.slice(1), '1786004122'],
    ['an upper-case commit', hash.toUpperCase(), '1786004122'],
    ['two commits', [hash, hash], '1786004122'],
    ['no date', hash, undefined],
    ['a date in a different format', hash, '2026-08-06'],
    ['two dates', hash, ['1786004122', '1786004122']],
    ['a negative date', hash, '-1786004122'],
    ['an empty date', hash, ''],
    ['a date before the upstream', hash, String(Date.UTC(2014, 0) / 1000 - 1)],
    ['a date in the future', hash, String(now / 1000 + 86_401)],
    ['a date in milliseconds', hash, '1786004122000'],
  ])('rejects %s', (_, commit, deployed) => {
    expect(parseEdition(commit, deployed, now)).toBeNull();
  });

  it.each([Date.UTC(2014, 0) / 1000, now / 1000 + 86_400])('accepts a deployment at second %i', (seconds) => {
    expect(parseEdition(hash, String(seconds), now)).not.toBeNull();
  });
});

describe('findNewestEdition', () => {
  const [first, second] = [namedEdition(1), namedEdition(2)];
  it.each([
    [[], null],
    [[null, null], null],
    [[first, null, second, null], second],
    [[second, first], second],
    [[first, { ...second, deployed: first.deployed }], first],
  ])('finds the newest of %j', (editions, newest) => {
    expect(findNewestEdition(editions)).toEqual(newest);
  });
});

describe('rejectOtherFormat', () => {
  const check = (json: unknown) => () =>
    rejectOtherFormat(json, (problem, options) => new OutputError(problem, 'meta.json', options));

  it.each([{ format: FORMAT }, { format: '9' }, null])('accepts %j', (json) => {
    expect(check(json)).not.toThrow();
  });

  it.each([
    [{ format: FORMAT + 1 }, `format ${FORMAT + 1}`, 'A newer version of gamedata wrote this file'],
    [{ format: FORMAT - 1 }, `format ${FORMAT - 1}`, 'Read the data again from the upstream'],
    [{}, 'no format', 'Read the data again from the upstream'],
  ])('rejects %j with a hint', (json, found, hint) => {
    const message = `meta.json: has ${found}, but this version of gamedata reads format ${FORMAT}`;
    expect(check(json)).toThrow(expect.objectContaining({ message, hint: expect.stringContaining(hint) }));
  });
});

const entry: ManifestEntry = { path: 'a/b.json', bytes: 0, sha256: '0'.repeat(64) };
const manifestOf = (...files: unknown[]) => ({ format: 1, generator: 'gamedata/0.1.0', files });

const findProblem = (...files: unknown[]) => {
  const [issue] = manifestReader.safeParse(manifestOf(...files)).error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
};

describe('manifestReader', () => {
  it('keeps entries and ignores unknown keys', () => {
    const later = { ...entry, path: 'c', bytes: 7 };
    const read = manifestReader.parse(manifestOf(entry, { ...later, of: 'another version' }));
    expect(read).toEqual(manifestOf(entry, later));
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'files.1: Invalid input: expected object, received null'],
    ['a number instead of a path', { ...entry, path: 7 }, 'files.1.path: Invalid input: expected string'],
    ['a path outside the site', { ...entry, path: '../a' }, 'files.1.path: expected a relative path inside'],
    ['text instead of a size', { ...entry, bytes: '7' }, 'files.1.bytes: Invalid input: expected number'],
    ['a fractional size', { ...entry, bytes: 0.5 }, 'files.1.bytes: Invalid input: expected int'],
    ['a size above every limit', { ...entry, bytes: 2 ** 28 + 1 }, 'files.1.bytes: Too big'],
    ['a negative size', { ...entry, bytes: -1 }, 'files.1.bytes: Too small'],
    ['a number instead of a hash', { ...entry, sha256: 7 }, 'files.1.sha256: Invalid input: expected string'],
    ['a short hash', { ...entry, sha256: '0' }, 'files.1.sha256: Invalid string'],
  ])('locates %s', (_, damaged, problem) => {
    expect(findProblem(entry, damaged, entry)).toContain(problem);
    expect(findProblem(damaged)).toContain(problem.replace('files.1', 'files.0'));
  });
});

describe('isSitePath', () => {
  const folders = ['f'.repeat(200), 'g'.repeat(110), 'n'.repeat(200)].join('/');
  it.each(['index.html', 'a/b/c.json', '_redirects', 'a..b', '.nojekyll', '.well-known/x', folders])(
    'accepts %j',
    (path) => {
      expect(isSitePath(path)).toBe(true);
    },
  );

  it.each([
    ...['', '/', '/a', '.', '..', '../x', 'a/../b', 'a/..', './a', 'a//b', 'a/', 'a\\b', 'a\0b'],
    ...['a\n/../../b', 'a\u001b', 'a'.repeat(221), `${'a/'.repeat(16)}b`, `${folders}n`],
  ])('rejects %j', (path) => {
    expect(isSitePath(path)).toBe(false);
  });
});

it('createMeta validates the keys and sorts them in schema order', () => {
  const { format: _, ...options } = siteOf({}).meta;
  const reversed = Object.fromEntries(Object.entries(options).reverse()) as typeof options;
  const made = createMeta(reversed);
  expect(Object.keys(made)).toEqual(
    Object.keys(metaSchema.shape).filter((key) => !['skipped', 'archive', 'names'].includes(key)),
  );
  expect(made).toEqual({ ...options, format: 1 });
  expect(() => createMeta({ ...options, captured: 'today' })).toThrow('Invalid ISO date');
});

it('encodeBody encodes text and calls functions that create bodies', () => {
  const entry = { path: 'a', bytes: 2, sha256: '' };
  for (const file of [
    { path: 'a', body: 'é' },
    { ...entry, make: () => 'é' },
  ])
    expect(encodeBody(file)).toEqual(Uint8Array.of(0xc3, 0xa9));
});

it("getNativeName returns a language's own name, or its tag", () => {
  expect(['fr', 'zh-hant', 'tlh'].map(getNativeName)).toEqual(['Français', '繁體中文', 'tlh']);
});
