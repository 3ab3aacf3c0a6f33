import { describe, expect, it } from 'vitest';
import {
  createMeta,
  describeEdition,
  FORMAT,
  findNewestEdition,
  isSitePath,
  type ManifestEntry,
  manifestReader,
  metaSchema,
  parseEdition,
  rejectOtherFormat,
} from '../../src/contract/meta.ts';
import { OutputError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { siteOf } from '../support/sites.ts';

const hash = '0d8fe2bf'.padEnd(40, 'a');
const now = Date.UTC(2026, 10, 22);

describe('parseEdition', () => {
  it.each([['1786004122'], [1_786_004_122]])('reads a commit and the time %o', (time) => {
    expect(parseEdition(hash, time, now)).toEqual({ hash, deployed: '2026-08-06T08:15:22Z' });
  });

  it.each<[string, unknown, unknown]>([
    ['no commit', undefined, '1786004122'],
    ['a short commit', hash.slice(1), '1786004122'],
    ['a commit in capitals', hash.toUpperCase(), '1786004122'],
    ['two commits', [hash, hash], '1786004122'],
    ['no date', hash, undefined],
    ['a date in another form', hash, '2026-08-06'],
    ['two dates', hash, ['1786004122', '1786004122']],
    ['a negative date', hash, '-1786004122'],
    ['an empty date', hash, ''],
    ['a date before the upstream', hash, String(Date.UTC(2014, 0) / 1000 - 1)],
    ['a date in the future', hash, String(now / 1000 + 86_401)],
    ['a date in milliseconds', hash, '1786004122000'],
  ])('rejects %s', (_, commit, deployed) => {
    expect(parseEdition(commit, deployed, now)).toBeNull();
  });

  it.each([Date.UTC(2014, 0) / 1000, now / 1000 + 86_400])('accepts second %i', (seconds) => {
    expect(parseEdition(hash, String(seconds), now)).not.toBeNull();
  });
});

it('describeEdition shows the start of the commit and the day', () => {
  const text = describeEdition({ hash, deployed: '2026-08-06T08:15:22Z' });
  expect(text).toBe('edition 0d8fe2bf of 2026-08-06');
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
    [{ format: FORMAT + 1 }, `format ${FORMAT + 1}`, 'A newer version of gamedata wrote it: upgrade'],
    [{ format: FORMAT - 1 }, `format ${FORMAT - 1}`, 'read its data again from the upstream'],
    [{}, 'no format', 'read its data again from the upstream'],
  ])('rejects %j with a hint', (json, found, hint) => {
    const message = `meta.json: has ${found}, this version of gamedata reads format ${FORMAT}`;
    expect(check(json)).toThrow(expect.objectContaining({ message, hint: expect.stringContaining(hint) }));
  });
});

const entry: ManifestEntry = { path: 'a/b.json', bytes: 0, sha256: '0'.repeat(64) };
const manifestOf = (...files: unknown[]) => ({ format: 1, generator: 'gamedata/0.1.0', files });

/** The problem and its place. */
const problemOf = (...files: unknown[]) => {
  const [issue] = manifestReader.safeParse(manifestOf(...files)).error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
};

describe('manifestReader', () => {
  it('keeps entries and ignores keys of another version', () => {
    const later = { ...entry, path: 'c', bytes: 7 };
    const read = manifestReader.parse(manifestOf(entry, { ...later, of: 'another version' }));
    expect(read).toEqual(manifestOf(entry, later));
  });

  it.each<[string, unknown, string]>([
    ['no object', 7, 'files.1: Invalid input: expected object, received number'],
    ['null', null, 'files.1: Invalid input: expected object, received null'],
    ['a path that is no text', { ...entry, path: 7 }, 'files.1.path: Invalid input: expected string'],
    ['a path that leads out', { ...entry, path: '../a' }, 'files.1.path: expected a relative path inside'],
    ['a size that is no number', { ...entry, bytes: '7' }, 'files.1.bytes: Invalid input: expected number'],
    ['a size that is no integer', { ...entry, bytes: 0.5 }, 'files.1.bytes: Invalid input: expected int'],
    ['a size beyond every file', { ...entry, bytes: 2 ** 28 + 1 }, 'files.1.bytes: Too big'],
    ['a negative size', { ...entry, bytes: -1 }, 'files.1.bytes: Too small'],
    ['a hash that is no text', { ...entry, sha256: 7 }, 'files.1.sha256: Invalid input: expected string'],
    ['a hash that is too short', { ...entry, sha256: '0' }, 'files.1.sha256: Invalid string'],
  ])('names an entry with %s', (_, damaged, problem) => {
    expect(problemOf(entry, damaged, entry)).toContain(problem);
    expect(problemOf(damaged)).toContain(problem.replace('files.1', 'files.0'));
  });
});

describe('isSitePath', () => {
  it('accepts at most 512 characters', () => {
    const [name, folders] = ['n'.repeat(200), ['f'.repeat(200), 'g'.repeat(110)]];
    expect(isSitePath([...folders, name].join('/'))).toBe(true);
    expect(isSitePath([...folders, `${name}n`].join('/'))).toBe(false);
  });

  it.each(['index.html', 'a/b/c.json', '_redirects', 'a..b', '.nojekyll', '.well-known/x'])(
    'accepts %j',
    (path) => {
      expect(isSitePath(path)).toBe(true);
    },
  );

  it.each([
    ...['', '/', '/a', '.', '..', '../x', 'a/../b', 'a/..', './a', 'a//b', 'a/', 'a\\b', 'a\0b'],
    ...['a\n/../../b', 'a\u001b', 'a'.repeat(221), `${'a/'.repeat(16)}b`, `${'a'.repeat(200)}/`.repeat(3)],
  ])('rejects %j', (path) => {
    expect(isSitePath(path)).toBe(false);
  });
});

it('createMeta orders the keys as in the schema', () => {
  const { format: _, ...options } = siteOf({}).meta;
  const reversed = Object.fromEntries(Object.entries(options).reverse()) as typeof options;
  const made = createMeta(reversed);
  expect(Object.keys(made)).toEqual(
    Object.keys(metaSchema.shape).filter((key) => !['skipped', 'archive', 'names'].includes(key)),
  );
  expect(made).toEqual({ ...options, format: 1 });
  expect(() => createMeta({ ...options, captured: 'today' })).toThrow('Invalid ISO date');
});
