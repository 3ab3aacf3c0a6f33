import { execFileSync } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Cache, type CacheEntry, journalName, openCache } from '../../src/http/cache.ts';
import { journalLine } from '../support/journal.ts';
import { temporaryFolder } from '../support/temporary.ts';

const UPSTREAM = 'https://example.test/api/v2';
const journal = (folder: string): string => path.join(folder, 'example.test-api-v2.ndjson');
const open = (folder: string, version = '1', upstream = UPSTREAM): Cache =>
  openCache(folder, { upstream, version });

const url = (id: number): string => `${UPSTREAM}/move/${id}/`;
const entry = (id: number, value: unknown = { id }): CacheEntry => ({
  url: url(id),
  etag: `W/"${id}"`,
  storedAt: 1000,
  freshUntil: 2000,
  value,
});

/** A journal of entries 1 … count, closed as a failed run closes it. */
function filled(count = 3): string {
  const folder = temporaryFolder();
  const cache = open(folder);
  for (let id = 1; id <= count; id++) cache.put(entry(id));
  cache.close({ complete: false });
  return folder;
}

/** The ids, of the first hundred, that the journal still has. */
function kept(folder: string, version?: string): number[] {
  const cache = open(folder, version);
  const ids = Array.from({ length: 100 }, (_, at) => at + 1).filter((id) => cache.get(url(id)));
  cache.close({ complete: false });
  return ids;
}

const edit = (folder: string, change: (lines: string[]) => string[]): void =>
  writeFileSync(journal(folder), change(readFileSync(journal(folder), 'utf8').split('\n')).join('\n'));

describe('the cache', () => {
  it('gives back what was put into it', () => {
    const cache = open(filled());
    expect(cache.get(url(2))).toEqual(entry(2));
    expect(cache.get(url(9))).toBeUndefined();
  });

  it('has the last of several answers of one address, if only its dates are new', () => {
    const folder = filled();
    const first = open(folder);
    first.put({ ...entry(2), freshUntil: 9000 });
    first.close({ complete: false });
    expect(open(folder).get(url(2))).toEqual({ ...entry(2), freshUntil: 9000 });
  });

  it('loses nothing if the process is killed', () => {
    const folder = temporaryFolder();
    const killed = open(folder);
    for (let id = 1; id <= 40; id++) killed.put(entry(id));
    expect(kept(folder)).toHaveLength(40);
  });

  it.each<[string, change: (lines: string[]) => string[], left: number[]]>([
    ['a torn last line', (lines) => [...lines.slice(0, -1), '0123456789abcdef {"u'], [1, 2]],
    ['a line cut in two', ([a = '', b = '', ...rest]) => [a, b.slice(0, 40), ...rest], [2, 3]],
    ['garbage in the middle', (lines) => lines.toSpliced(2, 1, '\0\0\0\uFFFD'), [1, 3]],
    ['a changed value', (lines) => lines.map((line) => line.replace('{"id":2}', '{"id":7}')), [1, 3]],
    [
      'another checksum',
      ([a = '', b = '', c = '', d = '']) => [a, c.slice(0, 16) + b.slice(16), c, d],
      [2, 3],
    ],
    ['no entries', (lines) => [...lines, journalLine('text'), journalLine({ url: 1 })], [1, 2, 3]],
    ['no header', (lines) => lines.slice(1), []],
    ['nothing in it', () => [], []],
  ])('does without what %s has spoilt, and is whole again after', (_, change, left) => {
    const folder = filled();
    edit(folder, change);
    expect(kept(folder)).toEqual(left);

    const cache = open(folder);
    for (const id of [1, 2, 3]) cache.put(entry(id));
    cache.close({ complete: false });

    expect(kept(folder)).toEqual([1, 2, 3]);
  });

  it('starts anew if what makes its values has changed', () => {
    const folder = filled();
    expect(kept(folder, '2')).toEqual([]);
    expect(kept(folder, '1')).toEqual([]);
  });

  const run = { edition: { hash: 'a'.repeat(40), deployed: '2026-04-01T00:00:00Z' }, value: 'all' };

  it('is of one upstream, also where others have the same file', () => {
    const folder = filled();
    const first = open(folder);
    first.get(url(1));
    first.finishRun(run);
    first.close({ complete: true });
    expect(open(folder).lastRun).toEqual({ ...run, urls: 1 });
    for (const other of [UPSTREAM.replace('https', 'http'), 'https://example.test/api-v2']) {
      const cache = open(folder, '1', other);
      expect([cache.lastRun, cache.get(url(1))], other).toEqual([null, undefined]);
    }
    expect([open(folder).lastRun, kept(folder)]).toEqual([null, []]);
  });

  it('keeps only what a complete run used, and everything after any other', () => {
    const folder = filled();
    const failed = open(folder);
    failed.get(url(1));
    failed.close({ complete: false });
    expect(kept(folder)).toEqual([1, 2, 3]);

    const complete = open(folder);
    for (const id of [1, 3]) complete.get(url(id));
    complete.close({ complete: true });

    expect(kept(folder)).toEqual([1, 3]);
    expect(readdirSync(folder)).toEqual([path.basename(journal(folder))]);
  });

  it.each([true, false])(
    'does not grow if the same answers are stored again and again: complete %s',
    (complete) => {
      const folder = filled();
      const sizes = [1, 2, 3, 4].map(() => {
        const cache = open(folder);
        for (const id of [1, 2, 3]) cache.put(entry(id));
        cache.close({ complete });
        return statSync(journal(folder)).size;
      });
      expect(new Set(sizes).size).toBe(1);
    },
  );

  it('is not written anew by a run that fails before it has stored anything', () => {
    const folder = filled();
    edit(folder, (lines) => [...lines, 'torn']);
    const before = readFileSync(journal(folder), 'utf8');
    kept(folder);
    expect(readFileSync(journal(folder), 'utf8')).toBe(before);
  });

  it('may be shared by builds, the last of which to end counts', () => {
    const folder = filled();
    const caches = [open(folder), open(folder)];
    caches.forEach((cache, at) => {
      for (const id of [1, at + 2]) cache.get(url(id));
    });
    for (const cache of caches) cache.close({ complete: true });
    expect(kept(folder)).toEqual([1, 3]);
    expect(readdirSync(folder)).toEqual([path.basename(journal(folder))]);
  });

  it('is named after the upstream', () => {
    expect(journalName('https://pokeapi.co/api/v2')).toBe('pokeapi.co-api-v2.ndjson');
    expect(journalName('http://pokeapi.co/api/v2')).toBe('http-pokeapi.co-api-v2.ndjson');
    expect(journalName('http://[::1]:80//api/v2')).toBe('http-1-80-api-v2.ndjson');
  });

  it('takes nothing more once it is closed', () => {
    const folder = filled();
    const cache = open(folder);
    cache.close({ complete: false });
    for (let id = 50; id < 90; id++) cache.put(entry(id));
    expect(kept(folder)).toEqual([1, 2, 3]);
  });

  it('says so if its folder cannot be made', () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const message = `${path.join(file, 'cache')}: cannot be used as a cache (ENOTDIR)`;
    const hint = 'Choose another folder with --cache, or disable the cache with --no-cache.';
    expect(() => open(path.join(file, 'cache'))).toThrow(expect.objectContaining({ message, hint }));
  });
});

it.each<[string, (file: string) => void]>([
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['a folder', (file) => mkdirSync(file)],
  ['a link to what never ends', (file) => symlinkSync('/dev/zero', file)],
])('a journal that is %s is not waited for', (_, make) => {
  const folder = temporaryFolder();
  make(journal(folder));
  expect(() => open(folder)).toThrow(`${folder}: cannot be used as a cache (`);
});

it('a journal that is a link is neither read nor written', () => {
  const folder = temporaryFolder();
  for (const target of ['victim', 'nothing']) {
    if (target === 'victim') writeFileSync(path.join(folder, target), 'mine');
    symlinkSync(path.join(folder, target), journal(folder));
    expect(() => open(folder)).toThrow(`${folder}: cannot be used as a cache (`);
    rmSync(journal(folder));
  }
  expect(readdirSync(folder)).toEqual(['victim']);
  expect(readFileSync(path.join(folder, 'victim'), 'utf8')).toBe('mine');
});

it.runIf(process.geteuid?.() === 0)('a journal of another user counts only in a folder of theirs', () => {
  const folder = filled();
  const before = readFileSync(journal(folder), 'utf8');
  chownSync(journal(folder), 12_345, 12_345);
  expect(() => open(folder)).toThrow(`${folder}: cannot be used as a cache (a file of another user)`);
  expect(readFileSync(journal(folder), 'utf8')).toBe(before);
  // As where a build machine has restored both.
  chownSync(folder, 12_345, 12_345);
  expect(kept(folder)).toEqual([1, 2, 3]);
});
