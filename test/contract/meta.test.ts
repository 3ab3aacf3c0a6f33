import { describe, expect, it } from 'vitest';
import {
  createMeta,
  describeEdition,
  encodeBody,
  FORMAT,
  isSitePath,
  type ManifestEntry,
  manifestReader,
  metaSchema,
  parseEdition,
  rejectOtherFormat,
} from '../../src/contract/meta.ts';
import { getNativeName } from '../../src/contract/names.ts';
import { siteOf } from '../support/sites.ts';

const hash = '0d8fe2bf'.padEnd(40, 'a');
const now = Date.UTC(2026, 10, 22);

describe('parseEdition', () => {
  /** In seconds since 1970, like all deployment times. */
  const time = 1_786_004_122;
  const first = Date.UTC(2014, 0) / 1000;
  const last = now / 1000 + 86_400;

  it.each([time, `${time}`])(
    'parses an edition with the deployment time %o',
    (deployed) => {
      const edition = parseEdition(hash, deployed, now);
      expect(edition).toEqual({ hash, deployed: '2026-08-06T08:15:22Z' });
    },
  );

  it('describeEdition shortens the commit and the deployment time', () => {
    const edition = { hash, deployed: '2026-08-06T08:15:22Z' };
    const description = describeEdition(edition);
    expect(description).toBe('edition 0d8fe2bf from 2026-08-06');
  });

  it.each([undefined, hash.slice(1), hash.toUpperCase(), [hash, hash]])(
    'rejects an edition with the commit %j',
    (commit) => {
      expect(parseEdition(commit, time, now)).toBeNull();
    },
  );

  it.each([first, last])(
    'accepts the deployment time %i, which is between 2014 and tomorrow',
    (deployed) => {
      expect(parseEdition(hash, deployed, now)).not.toBeNull();
    },
  );

  it.each([undefined, '2026-08-06', first - 1, last + 1])(
    'rejects the deployment time %j',
    (deployed) => {
      expect(parseEdition(hash, deployed, now)).toBeNull();
    },
  );
});

describe('rejectOtherFormat', () => {
  const check = (json: unknown): void => rejectOtherFormat(json, 'meta.json');

  it.each([{ format: FORMAT }, { format: '9' }, null])(
    'accepts the format of %j',
    (json) => {
      expect(() => check(json)).not.toThrow();
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
      'read the data again from the upstream',
    ],
    [{}, 'no format', 'read the data again from the upstream'],
  ])('rejects the format of %j with a hint', (json, found, hint) => {
    const message = `meta.json: has ${found}, but this version of gamedata reads format ${FORMAT}`;
    expect(() => check(json)).toThrow(
      expect.objectContaining({ message, hint: expect.stringContaining(hint) }),
    );
  });
});

const entry: ManifestEntry = { path: 'a/b.json', bytes: 0, sha256: '0'.repeat(64) };

describe('manifestReader', () => {
  function createManifest(...files: unknown[]) {
    return { format: 1, generator: 'gamedata/0.1.0', files };
  }

  it('reads all entries of a manifest and ignores unknown keys', () => {
    const entryWithUnknownKey = { ...entry, of: 'another version' };
    const manifest = manifestReader.parse(
      createManifest(entry, entryWithUnknownKey),
    );
    expect(manifest).toEqual(createManifest(entry, entry));
  });

  it.each<[damage: string, fields: object, problem: string]>([
    [
      'a path outside the site',
      { path: '../a' },
      'path: expected a relative path inside the site',
    ],
    ['a fractional size', { bytes: 0.5 }, 'bytes: Invalid input: expected int'],
    ['a short hash', { sha256: '0' }, 'sha256: Invalid string'],
  ])('rejects a manifest entry with %s', (_, fields, problem) => {
    const damagedEntry = { ...entry, ...fields };
    const manifest = createManifest(entry, damagedEntry, entry);
    const { error } = manifestReader.safeParse(manifest);
    const problems: string[] = [];
    for (const { path, message } of error?.issues ?? []) {
      problems.push(`${path.join('.')}: ${message}`);
    }
    expect(problems).toEqual([expect.stringContaining(`files.1.${problem}`)]);
  });
});

describe('isSitePath', () => {
  /** A path of the maximum length. */
  const longPath = ['f'.repeat(200), 'g'.repeat(110), 'n'.repeat(200)].join('/');

  it.each(['index.html', 'a/b/c.json', '.well-known/x', longPath])(
    'accepts the path %j inside the site',
    (path) => {
      expect(isSitePath(path)).toBe(true);
    },
  );

  it.each(['', '/a', '../x', 'a/../b', './a', 'a//b', 'a/', 'a\\b', 'a\0b'])(
    'rejects the path %j, which may lead out of the site',
    (path) => {
      expect(isSitePath(path)).toBe(false);
    },
  );

  it.each([
    ['a name of 221 characters', 'a'.repeat(221)],
    ['17 levels of folders', `${'a/'.repeat(16)}b`],
    ['too many characters in total', `${longPath}n`],
  ])('rejects a path with %s, which some file systems do not support', (_, path) => {
    expect(isSitePath(path)).toBe(false);
  });
});

describe('createMeta', () => {
  const { format: _, ...options } = siteOf({}).meta;

  it('writes the keys of meta.json in the order of the schema', () => {
    const reversedEntries = Object.entries(options).reverse();
    const reversed = Object.fromEntries(reversedEntries) as typeof options;
    const meta = createMeta(reversed);
    expect(meta).toStrictEqual({ ...options, format: 1 });
    const schemaKeys = Object.keys(metaSchema.shape);
    const expectedKeys = schemaKeys.filter((key) => key in meta);
    expect(Object.keys(meta)).toEqual(expectedKeys);
  });

  it('rejects an invalid value in meta.json', () => {
    expect(() => createMeta({ ...options, captured: 'today' })).toThrow(
      'Invalid ISO date',
    );
  });
});

describe('encodeBody', () => {
  const bytes = Uint8Array.of(0xc3, 0xa9);

  it('encodes text as UTF-8', () => {
    expect(encodeBody({ path: 'a', body: 'é' })).toEqual(bytes);
  });

  it('returns bytes unchanged', () => {
    expect(encodeBody({ path: 'a', body: bytes })).toBe(bytes);
  });
});

it.each([
  ['fr', 'Français'],
  ['zh-hant', '繁體中文'],
])(
  'getNativeName returns the name of the language %s in that language',
  (tag, name) => {
    expect(getNativeName(tag)).toBe(name);
  },
);

it('getNativeName returns the language tag if it has no name for the language', () => {
  expect(getNativeName('tlh')).toBe('tlh');
});
