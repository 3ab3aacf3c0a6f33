import {
  chownSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  type CacheEntry,
  type DiskCache,
  journalName,
  openCache,
} from '../../src/http/cache.ts';
import { irregular } from '../support/irregular-files.ts';
import { journalLine } from '../support/journal.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { isWindowsName } from '../support/windows.ts';

const UPSTREAM = 'https://example.test/api/v2';
/** The upstream and the version that a journal's entries belong to. */
const KEY = { upstream: UPSTREAM, version: '1' };

function journal(folder: string): string {
  return path.join(folder, 'example.test-api-v2.ndjson');
}

function readJournal(folder: string): string {
  return readFileSync(journal(folder), 'utf8');
}

function open(folder: string): DiskCache {
  return openCache(folder, KEY);
}

function url(id: number): string {
  return `${UPSTREAM}/move/${id}/`;
}

function entry(id: number): CacheEntry {
  return {
    url: url(id),
    etag: `W/"${id}"`,
    storedAt: 1000,
    freshUntil: 2000,
    value: { id },
  };
}

function putEntries(cache: DiskCache, ids: readonly number[]): void {
  for (const id of ids) cache.put(entry(id));
}

/** Fills a journal with the entries of a failed run. */
function fillJournal(): string {
  const folder = temporaryFolder();
  const cache = open(folder);
  putEntries(cache, [1, 2, 3]);
  cache.close({ complete: false });
  return folder;
}

/** Returns which of entries 1 to 3 the journal contains. */
function readIds(folder: string): number[] {
  const cache = open(folder);
  const ids = [1, 2, 3].filter((id) => cache.get(url(id)));
  cache.close({ complete: false });
  return ids;
}

type ChangeLines = (lines: string[]) => string[];

function editJournal(folder: string, change: ChangeLines): void {
  const lines = readJournal(folder).split('\n');
  writeFileSync(journal(folder), change(lines).join('\n'));
}

it.each(['http://127.0.0.1:4000/api/v2', 'http://[::1]:80/ü?*<>|"'])(
  'names the cache of %s in a way that Windows allows',
  (upstream) => {
    expect(journalName(upstream)).toSatisfy(isWindowsName);
  },
);

describe('the cache', () => {
  it('returns the newest entry for each URL even if the process was killed', () => {
    const folder = fillJournal();
    const killed = open(folder);
    expect(killed.get(url(2))).toEqual(entry(2));
    expect(killed.get(url(9))).toBeUndefined();
    killed.put({ ...entry(2), freshUntil: 9000 });
    expect(open(folder).get(url(2))).toEqual({ ...entry(2), freshUntil: 9000 });
  });

  it.each<[damage: string, change: ChangeLines, left: number[]]>([
    [
      'a cut line',
      (lines) => [...lines.slice(0, -1), '0123456789abcdef {"u'],
      [1, 2],
    ],
    [
      'a line cut in two',
      ([header = '', firstLine = '', ...otherLines]) => [
        header,
        firstLine.slice(0, 40),
        ...otherLines,
      ],
      [2, 3],
    ],
    ['garbage', (lines) => lines.toSpliced(2, 1, '\0\0\0\uFFFD'), [1, 3]],
    [
      'a changed value',
      (lines) => lines.map((line) => line.replace('{"id":2}', '{"id":7}')),
      [1, 3],
    ],
    [
      'invalid values',
      (lines) => [...lines, journalLine('text'), journalLine({ url: 1 })],
      [1, 2, 3],
    ],
    ['a missing header', (lines) => lines.slice(1), []],
    ['no lines', () => [], []],
  ])('drops only the entries that are damaged by %s', (_, change, left) => {
    const folder = fillJournal();
    editJournal(folder, change);
    expect(readIds(folder)).toEqual(left);
    const cache = open(folder);
    putEntries(cache, [1, 2, 3]);
    cache.close({ complete: false });
    expect(readIds(folder)).toEqual([1, 2, 3]);
  });

  it.each([
    ['another version', { ...KEY, version: '2' }],
    ['another protocol', { ...KEY, upstream: UPSTREAM.replace('https', 'http') }],
    [
      'another upstream with the same journal',
      { ...KEY, upstream: 'https://example.test/api-v2' },
    ],
  ])('discards the entries and the last run of %s', (_, otherKey) => {
    const run = {
      edition: { hash: 'a'.repeat(40), deployed: '2026-04-01T00:00:00Z' },
      value: 'all',
    };
    const folder = fillJournal();
    const cache = open(folder);
    cache.get(url(1));
    cache.finishRun(run);
    cache.close({ complete: true });
    expect(open(folder).lastRun).toEqual({ ...run, urls: 1 });
    const otherCache = openCache(folder, otherKey);
    expect(otherCache.lastRun).toBeNull();
    expect(otherCache.get(url(1))).toBeUndefined();
  });

  it.each([
    { run: 'failed', complete: false, left: [1, 2, 3] },
    { run: 'complete', complete: true, left: [1, 3] },
  ])(
    'keeps the entries $left if a $run run uses the entries 1 and 3',
    ({ complete, left }) => {
      const folder = fillJournal();
      const cache = open(folder);
      cache.get(url(1));
      cache.get(url(3));
      cache.close({ complete });
      expect(readIds(folder)).toEqual(left);
      expect(readdirSync(folder)).toEqual([path.basename(journal(folder))]);
    },
  );

  it.each([true, false])(
    'does not grow if the same entries are stored again (complete run: %s)',
    (complete) => {
      const folder = fillJournal();
      const sizes = new Set<number>();
      for (let run = 1; run <= 4; run += 1) {
        const cache = open(folder);
        putEntries(cache, [1, 2, 3]);
        cache.close({ complete });
        sizes.add(statSync(journal(folder)).size);
      }
      expect(sizes.size).toBe(1);
    },
  );

  /** Stores an entry, and returns how often opening the cache reports it. */
  function countReports(freshUntil: number): number {
    const folder = temporaryFolder();
    const cache = open(folder);
    cache.put({ ...entry(1), freshUntil });
    cache.close({ complete: false });
    const onStored = vi.fn();
    openCache(folder, KEY, { onStored });
    return onStored.mock.calls.length;
  }

  it('reports stored entries if they are still fresh', () => {
    expect(countReports(Date.now() + 60_000)).toBe(1);
  });

  it('does not report stale entries', () => {
    expect(countReports(Date.now() - 1)).toBe(0);
  });

  it('ignores a journal that exceeds the size limit, and reports a notice', () => {
    const folder = fillJournal();
    const { size } = statSync(journal(folder));
    const onNotice = vi.fn();
    const allowed = openCache(folder, KEY, { maxBytes: size, onNotice });
    expect(allowed.get(url(1))).toEqual(entry(1));
    allowed.close({ complete: false });
    expect(onNotice).not.toHaveBeenCalled();

    const ignored = openCache(folder, KEY, { maxBytes: size - 1, onNotice });
    expect(ignored.get(url(1))).toBeUndefined();
    ignored.put(entry(2));
    ignored.close({ complete: false });
    const problem = `has ${size} bytes, expected at most ${size - 1}`;
    expect(onNotice.mock.calls).toEqual([
      [`${journal(folder)}: ${problem}; ignored, requesting everything again`],
    ]);
    expect(readIds(folder)).toEqual([2]);
  });

  it.each([true, false])(
    'never writes a journal that the next run would ignore (complete run: %s)',
    (complete) => {
      const { size } = statSync(journal(fillJournal()));
      const folder = temporaryFolder();
      const cache = openCache(folder, KEY, { maxBytes: size });
      putEntries(cache, [1, 2, 3, 4, 5, 6, 7, 8]);
      expect(cache.get(url(8))).toEqual(entry(8));
      cache.close({ complete });
      expect(statSync(journal(folder)).size).toBeLessThanOrEqual(size);
      expect(readIds(folder).slice(0, 2)).toEqual([1, 2]);
    },
  );

  it('makes the entries stale at the end of a complete run', () => {
    const folder = temporaryFolder();
    const cache = open(folder);
    for (const id of [1, 2]) cache.put({ ...entry(id), freshUntil: 5000 });
    cache.close({ complete: false });
    expect(open(folder).get(url(1))?.freshUntil).toBe(5000);
    const completed = open(folder);
    completed.get(url(1));
    completed.close({ complete: true });
    expect(open(folder).get(url(1))?.freshUntil).toBe(0);
  });

  it('reports the first new entry and no later ones', () => {
    const onStored = vi.fn();
    const cache = openCache(temporaryFolder(), KEY, { onStored });
    expect(onStored).not.toHaveBeenCalled();
    putEntries(cache, [1, 2]);
    expect(onStored).toHaveBeenCalledTimes(1);
  });

  it('leaves the journal unchanged after a failed run without new entries', () => {
    const folder = fillJournal();
    editJournal(folder, (lines) => [...lines, 'torn']);
    const oldJournal = readJournal(folder);
    open(folder).close({ complete: false });
    expect(readJournal(folder)).toBe(oldJournal);
  });

  it('ignores entries that are added after the journal was closed', () => {
    const folder = fillJournal();
    const oldJournal = readJournal(folder);
    const cache = open(folder);
    cache.close({ complete: false });
    putEntries(cache, [4, 5]);
    expect(readJournal(folder)).toBe(oldJournal);
  });

  it('keeps the entries of the build that finishes last if builds run concurrently', () => {
    const folder = fillJournal();
    const first = open(folder);
    const last = open(folder);
    first.get(url(1));
    first.get(url(2));
    last.get(url(1));
    last.get(url(3));
    first.close({ complete: true });
    last.close({ complete: true });
    expect(readIds(folder)).toEqual([1, 3]);
  });

  it("derives the journal's name from the upstream", () => {
    const publicName = journalName('https://pokeapi.co/api/v2');
    expect(publicName).toBe('pokeapi.co-api-v2.ndjson');
    const localName = journalName('http://[::1]:80//api/v2');
    expect(localName).toBe('http-1-80-api-v2.ndjson');
  });

  it('reports a folder that cannot be created', () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const folder = path.join(file, 'cache');
    const message = `${folder}: cannot be used as a cache (ENOTDIR)`;
    const hint =
      'Choose another folder with --cache, or disable the cache with --no-cache.';
    expect(() => open(folder)).toThrow(expect.objectContaining({ message, hint }));
  });

  it.each(Object.entries(irregular))('rejects a journal that is %s', (_, create) => {
    const folder = temporaryFolder();
    const outside = path.join(temporaryFolder(), 'outside');
    writeFileSync(outside, 'mine');
    create(journal(folder), outside);
    expect(() => open(folder)).toThrow(`${folder}: cannot be used as a cache (`);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  const isRoot = process.geteuid?.() === 0;
  /** The id of another user. */
  const USER = 12_345;

  it.runIf(isRoot)('rejects a journal that belongs to another user', () => {
    const folder = fillJournal();
    const oldJournal = readJournal(folder);
    chownSync(journal(folder), USER, USER);
    expect(() => open(folder)).toThrow(
      `${folder}: cannot be used as a cache (a file of another user)`,
    );
    expect(readJournal(folder)).toBe(oldJournal);
  });

  it.runIf(isRoot)(
    "accepts another user's journal if the folder belongs to the same user",
    () => {
      // A build machine may restore both the folder and the journal.
      const folder = fillJournal();
      chownSync(journal(folder), USER, USER);
      chownSync(folder, USER, USER);
      expect(readIds(folder)).toEqual([1, 2, 3]);
    },
  );
});
