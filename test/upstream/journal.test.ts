import {
  appendFileSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type JournalOptions, openJournal } from '../../src/upstream/journal.ts';
import { irregular } from '../support/irregular-files.ts';
import { temporaryFolder } from '../support/temporary.ts';

const EDITION = 'a'.repeat(40);
const HOUR_MS = 3_600_000;

/** Starts with an empty cache folder. `open` opens the journal of an edition. */
function createScene(defaults: Partial<JournalOptions> = {}) {
  const cacheFolder = temporaryFolder();
  const folder = path.join(cacheFolder, 'journals');
  const options: JournalOptions = {
    cacheFolder,
    upstream: 'https://example.test/api/v2',
    version: 'rest-1',
    edition: EDITION,
    countTowardLimit() {},
    ...defaults,
  };
  const open = (more: Partial<JournalOptions> = {}) =>
    openJournal({ ...options, ...more });

  /** Adds values for the given URLs to the journal of an interrupted run. */
  function addValues(...urls: string[]): void {
    const journal = open();
    for (const url of urls) journal.add(url, JSON.stringify({ of: url }));
    journal.close();
  }

  /** Returns which of the URLs `a`, `b` and `c` the journal contains. */
  function readUrls(more: Partial<JournalOptions> = {}): string {
    const journal = open(more);
    const urls = ['a', 'b', 'c'].filter((url) => journal.take(url) !== undefined);
    journal.close();
    return urls.join('');
  }

  const listNames = (): string[] => readdirSync(folder);
  function findFile(): string {
    const [name = ''] = listNames();
    return path.join(folder, name);
  }
  return { cacheFolder, folder, open, addValues, readUrls, listNames, findFile };
}

describe('the journal', () => {
  it('returns each value from an interrupted run only once', () => {
    const { addValues, open } = createScene();
    addValues('a', 'b');
    const journal = open();
    expect(journal.take('a')).toEqual({ of: 'a' });
    expect(journal.take('a')).toBeUndefined();
    expect(journal.take('x')).toBeUndefined();
  });

  it.each<[what: string, other: Partial<JournalOptions>]>([
    ['edition', { edition: 'b'.repeat(40) }],
    ['version', { version: 'rest-2' }],
    ['upstream', { upstream: 'https://other.test' }],
  ])('does not return values from another %s', (_, other) => {
    const { addValues, readUrls } = createScene();
    addValues('a');
    expect(readUrls(other)).toBe('');
    expect(readUrls()).toBe('a');
  });

  it('ignores a truncated line, and reads all others', () => {
    const { addValues, readUrls, findFile } = createScene();
    addValues('a');
    appendFileSync(findFile(), '\n{"url":"b","val');
    addValues('c');
    expect(readUrls()).toBe('ac');
  });

  it('starts with an empty journal if the first line is damaged', () => {
    const { addValues, readUrls, findFile } = createScene();
    addValues('a');
    const text = readFileSync(findFile(), 'utf8');
    writeFileSync(findFile(), text.slice(5));
    expect(readUrls()).toBe('');
  });

  it('keeps the journal after a complete run only if the upstream has editions', () => {
    for (const edition of [EDITION, undefined]) {
      const { addValues, open, listNames } = createScene({ edition });
      addValues('a');
      const journal = open();
      journal.finish();
      journal.close();
      expect(listNames()).toHaveLength(edition === undefined ? 0 : 1);
    }
  });

  it.each([
    { edition: undefined, ageMs: HOUR_MS - 1000, left: 'a' },
    { edition: undefined, ageMs: HOUR_MS + 1000, left: '' },
    { edition: undefined, ageMs: -1000, left: '' },
    { edition: EDITION, ageMs: 5 * 24 * HOUR_MS, left: 'a' },
  ])('contains "$left" after $ageMs ms if the edition is $edition', (row) => {
    const { addValues, readUrls } = createScene({ edition: row.edition });
    addValues('a');
    vi.useFakeTimers({ now: Date.now() + row.ageMs, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(readUrls()).toBe(row.left);
  });

  it('removes only journals that have not been used for a week', () => {
    const { addValues, folder, cacheFolder, open, listNames } = createScene();
    addValues('a');
    const old = Date.now() / 1000 - 8 * 24 * 3600;
    const recent = Date.now() / 1000 - 6 * 24 * 3600;
    const files = { 'old.ndjson': old, 'recent.ndjson': recent, 'old.txt': old };
    for (const [name, time] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), '');
      utimesSync(path.join(folder, name), time, time);
    }
    const outside = path.join(cacheFolder, 'old.ndjson');
    writeFileSync(outside, '');
    utimesSync(outside, old, old);
    // Opening a journal marks it as used.
    const own = path.join(
      folder,
      listNames().find((name) => /a{40}/.test(name)) ?? '',
    );
    utimesSync(own, recent, recent);
    open().close();
    expect(listNames().sort()).toEqual(
      [path.basename(own), 'old.txt', 'recent.ndjson'].sort(),
    );
    expect(statSync(own).mtimeMs / 1000).toBeGreaterThan(recent + 3600);
    expect(readdirSync(cacheFolder)).toContain('old.ndjson');
  });

  it('stops adding values at the size limit, and empties a journal that is already larger', () => {
    const { addValues, open, readUrls, findFile } = createScene();
    addValues('a', 'b');
    const { size: maxBytes } = statSync(findFile());
    const full = open({ maxBytes });
    full.add('c', '{}');
    full.close();
    expect(readUrls({ maxBytes })).toBe('ab');
    const onNotice = vi.fn();
    expect(readUrls({ maxBytes: maxBytes - 1, onNotice })).toBe('');
    expect(onNotice.mock.calls).toEqual([
      [
        `${findFile()}: has ${maxBytes} bytes, expected at most ${maxBytes - 1}; emptied`,
      ],
    ]);
  });

  it('ignores values that are added after the journal was closed', () => {
    const { open, readUrls } = createScene();
    const journal = open();
    journal.close();
    journal.add('a', '1');
    expect(readUrls()).toBe('');
  });
});

describe('a cache that cannot be used', () => {
  /** Opens a journal, and expects one notice and a journal that keeps nothing. */
  function expectNotice(
    { open, readUrls }: Pick<ReturnType<typeof createScene>, 'open' | 'readUrls'>,
    cacheFolder: string,
    why: string,
  ): void {
    const onNotice = vi.fn();
    const journal = open({ cacheFolder, onNotice });
    journal.add('a', '1');
    journal.finish();
    journal.close();
    expect(onNotice.mock.calls).toEqual([
      [
        `${cacheFolder}: cannot be used as a cache (${why}), so responses are not kept`,
      ],
    ]);
    expect(readUrls({ cacheFolder })).toBe('');
  }

  it('reports a notice if the cache folder cannot be created', () => {
    const scene = createScene();
    const file = path.join(scene.cacheFolder, 'file');
    writeFileSync(file, '');
    expectNotice(scene, path.join(file, 'cache'), 'ENOTDIR');
  });

  it.each(Object.entries(irregular))(
    'reports a notice if the journal is %s',
    (_, create) => {
      const scene = createScene();
      scene.addValues('a');
      const file = scene.findFile();
      const outside = path.join(temporaryFolder(), 'outside');
      writeFileSync(outside, 'mine');
      const other = createScene();
      mkdirSync(other.folder);
      create(path.join(other.folder, path.basename(file)), outside);
      const onNotice = vi.fn();
      const journal = other.open({ onNotice });
      journal.add('a', '1');
      journal.close();
      expect(onNotice).toHaveBeenCalledOnce();
      expect(readFileSync(outside, 'utf8')).toBe('mine');
    },
  );

  const isRoot = process.geteuid?.() === 0;
  /** The id of another user. */
  const USER = 12_345;

  it.runIf(isRoot)('reports a notice if the journal belongs to another user', () => {
    const scene = createScene();
    scene.addValues('a');
    chownSync(scene.findFile(), USER, USER);
    const onNotice = vi.fn();
    expect(scene.readUrls({ onNotice })).toBe('');
    expect(onNotice.mock.calls).toEqual([
      [expect.stringContaining('(a file of another user)')],
    ]);
  });

  it.runIf(isRoot)(
    "reads another user's journal if the cache folder belongs to the same user",
    () => {
      const scene = createScene();
      scene.addValues('a');
      chownSync(scene.findFile(), USER, USER);
      chownSync(scene.folder, USER, USER);
      expect(scene.readUrls()).toBe('a');
    },
  );
});
