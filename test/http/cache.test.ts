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
const journal = (folder: string): string =>
  path.join(folder, 'example.test-api-v2.ndjson');
const open = (folder: string, version = '1', upstream = UPSTREAM): DiskCache =>
  openCache(folder, { upstream, version });

const url = (id: number): string => `${UPSTREAM}/move/${id}/`;
const entry = (id: number, value: unknown = { id }): CacheEntry => ({
  url: url(id),
  etag: `W/"${id}"`,
  storedAt: 1000,
  freshUntil: 2000,
  value,
});

/** Fills a journal with the entries of a failed run. */
function fillJournal(): string {
  const folder = temporaryFolder();
  const cache = open(folder);
  for (const id of [1, 2, 3]) cache.put(entry(id));
  cache.close({ complete: false });
  return folder;
}

function readIds(folder: string): number[] {
  const cache = open(folder);
  const ids = [1, 2, 3].filter((id) => cache.get(url(id)));
  cache.close({ complete: false });
  return ids;
}

const edit = (folder: string, change: (lines: string[]) => string[]): void =>
  writeFileSync(
    journal(folder),
    change(readFileSync(journal(folder), 'utf8').split('\n')).join('\n'),
  );

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

  it.each<[damage: string, change: (lines: string[]) => string[], left: number[]]>([
    [
      'a cut line',
      (lines) => [...lines.slice(0, -1), '0123456789abcdef {"u'],
      [1, 2],
    ],
    [
      'a line cut in two',
      ([a = '', b = '', ...rest]) => [a, b.slice(0, 40), ...rest],
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
    edit(folder, change);
    expect(readIds(folder)).toEqual(left);
    const cache = open(folder);
    for (const id of [1, 2, 3]) cache.put(entry(id));
    cache.close({ complete: false });
    expect(readIds(folder)).toEqual([1, 2, 3]);
  });

  it('discards entries from another version or upstream', () => {
    const run = {
      edition: { hash: 'a'.repeat(40), deployed: '2026-04-01T00:00:00Z' },
      value: 'all',
    };
    for (const [version, upstream] of [
      ['2', UPSTREAM],
      ['1', UPSTREAM.replace('https', 'http')],
      ['1', 'https://example.test/api-v2'],
    ]) {
      const folder = fillJournal();
      const first = open(folder);
      first.get(url(1));
      first.finishRun(run);
      first.close({ complete: true });
      expect(open(folder).lastRun).toEqual({ ...run, urls: 1 });
      const other = open(folder, version, upstream);
      expect([other.lastRun, other.get(url(1))], upstream).toEqual([
        null,
        undefined,
      ]);
    }
  });

  it('drops unused entries only after a complete run', () => {
    const folder = fillJournal();
    for (const [complete, left] of [
      [false, [1, 2, 3]],
      [true, [1, 3]],
    ] as const) {
      const cache = open(folder);
      for (const id of [1, 3]) cache.get(url(id));
      cache.close({ complete });
      expect(readIds(folder)).toEqual(left);
    }
    expect(readdirSync(folder)).toEqual([path.basename(journal(folder))]);
  });

  it.each([true, false])(
    'does not grow if the same entries are stored again (complete run: %s)',
    (complete) => {
      const folder = fillJournal();
      const sizes = [1, 2, 3, 4].map(() => {
        const cache = open(folder);
        for (const id of [1, 2, 3]) cache.put(entry(id));
        cache.close({ complete });
        return statSync(journal(folder)).size;
      });
      expect(new Set(sizes).size).toBe(1);
    },
  );

  it.each<[string, freshUntil: number, calls: number]>([
    [
      'reports stored entries if a run may use them without a request',
      Date.now() + 60_000,
      1,
    ],
    ['does not report stale entries', Date.now() - 1, 0],
  ])('%s', (_, freshUntil, calls) => {
    const folder = temporaryFolder();
    const cache = open(folder);
    cache.put({ ...entry(1), freshUntil });
    cache.close({ complete: false });
    const onStored = vi.fn();
    openCache(folder, { upstream: UPSTREAM, version: '1' }, { onStored });
    expect(onStored).toHaveBeenCalledTimes(calls);
  });

  it('ignores a journal that exceeds the size limit, and reports a notice', () => {
    const folder = fillJournal();
    const { size } = statSync(journal(folder));
    const onNotice = vi.fn();
    const key = { upstream: UPSTREAM, version: '1' };
    const allowed = openCache(folder, key, { maxBytes: size, onNotice });
    expect(allowed.get(url(1))).toEqual(entry(1));
    allowed.close({ complete: false });
    expect(onNotice).not.toHaveBeenCalled();

    const ignored = openCache(folder, key, { maxBytes: size - 1, onNotice });
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
      const key = { upstream: UPSTREAM, version: '1' };
      const cache = openCache(folder, key, { maxBytes: size });
      for (let id = 1; id < 9; id++) cache.put(entry(id));
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
    const cache = openCache(
      temporaryFolder(),
      { upstream: UPSTREAM, version: '1' },
      { onStored },
    );
    expect(onStored).not.toHaveBeenCalled();
    for (const id of [1, 2]) cache.put(entry(id));
    expect(onStored).toHaveBeenCalledTimes(1);
  });

  it('leaves the journal unchanged after a failed run without new entries', () => {
    const folder = fillJournal();
    edit(folder, (lines) => [...lines, 'torn']);
    const before = readFileSync(journal(folder), 'utf8');
    open(folder).close({ complete: false });
    expect(readFileSync(journal(folder), 'utf8')).toBe(before);
  });

  it('ignores entries that are added after the journal was closed', () => {
    const folder = fillJournal();
    const before = readFileSync(journal(folder), 'utf8');
    const cache = open(folder);
    cache.close({ complete: false });
    for (let id = 50; id < 90; id++) cache.put(entry(id));
    expect(readFileSync(journal(folder), 'utf8')).toBe(before);
  });

  it('keeps the entries of the build that finishes last if builds run concurrently', () => {
    const folder = fillJournal();
    const caches = [open(folder), open(folder)];
    caches.forEach((cache, at) => {
      for (const id of [1, at + 2]) cache.get(url(id));
    });
    for (const cache of caches) cache.close({ complete: true });
    expect(readIds(folder)).toEqual([1, 3]);
  });

  it('derives the name of the journal from the upstream', () => {
    expect(journalName('https://pokeapi.co/api/v2')).toBe(
      'pokeapi.co-api-v2.ndjson',
    );
    expect(journalName('http://[::1]:80//api/v2')).toBe('http-1-80-api-v2.ndjson');
  });

  it('reports a folder that cannot be created', () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const message = `${path.join(file, 'cache')}: cannot be used as a cache (ENOTDIR)`;
    const hint =
      'Choose another folder with --cache, or disable the cache with --no-cache.';
    expect(() => open(path.join(file, 'cache'))).toThrow(
      expect.objectContaining({ message, hint }),
    );
  });

  it.each(Object.entries(irregular))('rejects a journal that is %s', (_, create) => {
    const [folder, outside] = [
      temporaryFolder(),
      path.join(temporaryFolder(), 'outside'),
    ];
    writeFileSync(outside, 'mine');
    create(journal(folder), outside);
    expect(() => open(folder)).toThrow(`${folder}: cannot be used as a cache (`);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  it.runIf(process.geteuid?.() === 0)(
    'rejects a journal owned by another user unless that user also owns the folder',
    () => {
      const folder = fillJournal();
      const before = readFileSync(journal(folder), 'utf8');
      chownSync(journal(folder), 12_345, 12_345);
      expect(() => open(folder)).toThrow(
        `${folder}: cannot be used as a cache (a file of another user)`,
      );
      expect(readFileSync(journal(folder), 'utf8')).toBe(before);
      // A build machine may restore both the folder and the journal.
      chownSync(folder, 12_345, 12_345);
      expect(readIds(folder)).toEqual([1, 2, 3]);
    },
  );
});
