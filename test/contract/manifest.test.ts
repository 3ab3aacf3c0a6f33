import { describe, expect, it } from 'vitest';
import { mapKinds } from '../../src/contract/kinds.ts';
import {
  createMeta,
  isSitePath,
  type ManifestEntry,
  manifestReader,
  metaSchema,
} from '../../src/contract/meta.ts';

const entry: ManifestEntry = { path: 'a/b.json', bytes: 0, sha256: '0'.repeat(64) };
const manifestOf = (...files: unknown[]) => ({ format: 1, generator: 'gamedata/0.1.0', files });

/** The problem and its place. */
const problemOf = (...files: unknown[]) => {
  const [issue] = manifestReader.safeParse(manifestOf(...files)).error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
};

describe('the reader of manifests', () => {
  it('returns its entries as they are', () => {
    const files = [entry, { ...entry, path: 'c', bytes: 7, of: 'another version' }];
    expect(manifestReader.parse(manifestOf(...files))).toEqual(manifestOf(...files));
    expect(manifestReader.parse(manifestOf()).files).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no object', 7, 'files.1: Invalid input: expected object, received number'],
    ['null', null, 'files.1: Invalid input: expected object, received null'],
    ['a path that is no text', { ...entry, path: 7 }, 'files.1.path: Invalid input: expected string'],
    [
      'a path that leads out',
      { ...entry, path: '../a' },
      'files.1.path: expected a relative path inside the site',
    ],
    ['a size that is no number', { ...entry, bytes: '7' }, 'files.1.bytes: Invalid input: expected number'],
    ['a size that is no integer', { ...entry, bytes: 0.5 }, 'files.1.bytes: Invalid input: expected int'],
    ['a size beyond every file', { ...entry, bytes: 2 ** 28 + 1 }, 'files.1.bytes: Too big'],
    ['a negative size', { ...entry, bytes: -1 }, 'files.1.bytes: Too small'],
    ['a hash that is no text', { ...entry, sha256: 7 }, 'files.1.sha256: Invalid input: expected string'],
    ['a hash that is too short', { ...entry, sha256: '0' }, 'files.1.sha256: Invalid string'],
  ])('names an entry that has %s', (_, damaged, problem) => {
    expect(problemOf(entry, damaged, entry)).toContain(problem);
    expect(problemOf(damaged)).toContain(problem.replace('files.1', 'files.0'));
  });

  it('names a list that is none', () => {
    expect(manifestReader.safeParse({ ...manifestOf(), files: {} }).error?.issues).toMatchObject([
      { path: ['files'], message: 'expected a list' },
    ]);
  });
});

describe('a path of a site', () => {
  it('has 512 characters at most', () => {
    const [name, folders] = ['n'.repeat(200), ['f'.repeat(200), 'g'.repeat(110)]];
    expect(isSitePath([...folders, name].join('/'))).toBe(true);
    expect(isSitePath([...folders, `${name}n`].join('/'))).toBe(false);
  });

  it.each(['index.html', 'a/b/c.json', '_redirects', 'a..b', '.nojekyll', '.well-known/x'])(
    'may be %j',
    (path) => {
      expect(isSitePath(path)).toBe(true);
    },
  );

  it.each([
    ...['', '/', '/a', '.', '..', '../x', 'a/../b', 'a/..', './a', 'a//b', 'a/', 'a\\b', 'a\0b'],
    ...['a\n/../../b', 'a\u001b', 'a'.repeat(221), `${'a/'.repeat(16)}b`, `${'a'.repeat(200)}/`.repeat(3)],
  ])('is never %j', (path) => {
    expect(isSitePath(path)).toBe(false);
  });
});

it('a description has its keys in the order of the schema, and no others', () => {
  const options = {
    sprites: { mode: 'none', upstream: null },
    downloads: false,
    hosts: [],
    links: 'query',
    base_url: 'https://example.test',
    digest: 'sha256:0',
    warnings: mapKinds(() => ({})),
    counts: mapKinds(() => 1),
    fallback: null,
    edition: null,
    captured: '2026-01-02',
    upstream: 'https://upstream.test',
    source: 'rest',
    generator: 'gamedata/0.1.0',
  } as const;
  const meta = createMeta({ ...options, hosts: [] });
  expect(Object.keys(meta)).toEqual(
    Object.keys(metaSchema.shape).filter((key) => !['skipped', 'archive', 'names'].includes(key)),
  );
  expect(meta).toEqual({ ...options, format: 1 });
  expect(() => createMeta({ ...options, hosts: [], captured: 'today' })).toThrow('Invalid ISO date');
});
