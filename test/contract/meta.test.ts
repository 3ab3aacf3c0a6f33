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
  const time = 1_786_004_122;
  const [first, last] = [Date.UTC(2014, 0) / 1000, now / 1000 + 86_400];

  it.each([time, `${time}`])(
    'parses a commit with the deployment time %o',
    (deployed) => {
      const edition = parseEdition(hash, deployed, now);
      expect(edition).toEqual({ hash, deployed: '2026-08-06T08:15:22Z' });
      expect(edition && describeEdition(edition)).toBe(
        'edition 0d8fe2bf from 2026-08-06',
      );
    },
  );

  it.each([undefined, hash.slice(1), hash.toUpperCase(), [hash, hash]])(
    'rejects the commit %j',
    (commit) => {
      expect(parseEdition(commit, time, now)).toBeNull();
    },
  );

  it('accepts deployment times from 2014 until one day in the future', () => {
    expect(
      [first, last].filter((seconds) => !parseEdition(hash, seconds, now)),
    ).toEqual([]);
    const others = [
      undefined,
      '2026-08-06',
      [time, time],
      -time,
      '',
      first - 1,
      last + 1,
      time * 1000,
    ];
    expect(others.filter((seconds) => parseEdition(hash, seconds, now))).toEqual([]);
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
  ])('finds the newest edition in %j', (editions, newest) => {
    expect(findNewestEdition(editions)).toEqual(newest);
  });
});

describe('rejectOtherFormat', () => {
  const check = (json: unknown) => () =>
    rejectOtherFormat(
      json,
      (problem, options) => new OutputError(problem, 'meta.json', options),
    );

  it.each([{ format: FORMAT }, { format: '9' }, null])(
    'accepts the format of %j',
    (json) => {
      expect(check(json)).not.toThrow();
    },
  );

  it.each([
    [
      { format: FORMAT + 1 },
      `format ${FORMAT + 1}`,
      'A newer version of gamedata wrote this file',
    ],
    [
      { format: FORMAT - 1 },
      `format ${FORMAT - 1}`,
      'Read the data again from the upstream',
    ],
    [{}, 'no format', 'Read the data again from the upstream'],
  ])('rejects the format of %j with a hint', (json, found, hint) => {
    const message = `meta.json: has ${found}, but this version of gamedata reads format ${FORMAT}`;
    expect(check(json)).toThrow(
      expect.objectContaining({ message, hint: expect.stringContaining(hint) }),
    );
  });
});

const entry: ManifestEntry = { path: 'a/b.json', bytes: 0, sha256: '0'.repeat(64) };

describe('manifestReader', () => {
  const createManifest = (...files: unknown[]) => ({
    format: 1,
    generator: 'gamedata/0.1.0',
    files,
  });

  it('keeps all entries and ignores unknown keys', () => {
    const read = manifestReader.parse(
      createManifest(entry, { ...entry, of: 'another version' }),
    );
    expect(read).toEqual(createManifest(entry, entry));
  });

  it.each<[string, object, string]>([
    [
      'a path outside the site',
      { path: '../a' },
      'path: expected a relative path inside the site',
    ],
    ['a fractional size', { bytes: 0.5 }, 'bytes: Invalid input: expected int'],
    ['a size above every limit', { bytes: 2 ** 28 + 1 }, 'bytes: Too big'],
    ['a negative size', { bytes: -1 }, 'bytes: Too small'],
    ['a short hash', { sha256: '0' }, 'sha256: Invalid string'],
  ])('rejects an entry with %s', (_, damage, problem) => {
    const { error } = manifestReader.safeParse(
      createManifest(entry, { ...entry, ...damage }, entry),
    );
    expect(
      error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    ).toEqual([expect.stringContaining(`files.1.${problem}`)]);
  });
});

describe('isSitePath', () => {
  const folders = ['f'.repeat(200), 'g'.repeat(110), 'n'.repeat(200)].join('/');
  it('accepts only paths inside the site that every file system supports', () => {
    const inside = [
      'index.html',
      'a/b/c.json',
      '_redirects',
      'a..b',
      '.nojekyll',
      '.well-known/x',
      folders,
    ];
    const outside = [
      ...[
        '',
        '/',
        '/a',
        '.',
        '..',
        '../x',
        'a/../b',
        'a/..',
        './a',
        'a//b',
        'a/',
        'a\\b',
        'a\0b',
      ],
      ...[
        'a\n/../../b',
        'a\u001b',
        'a'.repeat(221),
        `${'a/'.repeat(16)}b`,
        `${folders}n`,
      ],
    ];
    expect([...inside, ...outside].filter(isSitePath)).toEqual(inside);
  });
});

it('createMeta validates the values and sorts the keys in schema order', () => {
  const { format: _, ...options } = siteOf({}).meta;
  const reversed = Object.fromEntries(
    Object.entries(options).reverse(),
  ) as typeof options;
  const made = createMeta(reversed);
  expect(Object.keys(made)).toEqual(
    Object.keys(metaSchema.shape).filter(
      (key) => !['skipped', 'archive', 'names'].includes(key),
    ),
  );
  expect(made).toEqual({ ...options, format: 1 });
  expect(() => createMeta({ ...options, captured: 'today' })).toThrow(
    'Invalid ISO date',
  );
});

it('encodeBody encodes text as UTF-8 and returns bytes unchanged', () => {
  const bytes = Uint8Array.of(0xc3, 0xa9);
  expect(encodeBody({ path: 'a', body: 'é' })).toEqual(bytes);
  expect(encodeBody({ path: 'a', body: bytes })).toBe(bytes);
});

it('getNativeName returns the name of a language in that language, or else its tag', () => {
  expect(['fr', 'zh-hant', 'tlh'].map(getNativeName)).toEqual([
    'Français',
    '繁體中文',
    'tlh',
  ]);
});
