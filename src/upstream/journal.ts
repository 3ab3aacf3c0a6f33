/**
 * Journals keep the decoded responses of a run in files, so that an interrupted run can
 * resume. If the edition has not changed since the last run, the next run requests only
 * the edition. Each response is one line that is appended when it arrives.
 */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import {
  type CountTowardLimit,
  describeExcess,
  MAX_MEMORY_BYTES,
} from '../contract/limits.ts';
import { parseJson } from '../contract/parse.ts';
import { DAY_MS } from '../contract/words.ts';
import { errorCode, GamedataError } from '../errors.ts';
import { attempt, openTrusted } from '../files.ts';

export interface JournalOptions {
  /** The folder of the disk cache. If undefined, nothing is stored. */
  readonly cacheFolder: string | undefined;
  readonly upstream: string;
  /** The version of the format of decoded values. */
  readonly version: string;
  /** The hash of the edition, or undefined if the upstream has no editions. */
  readonly edition: string | undefined;
  /**
   * Counts the size of the stored values, which stay in memory. Throws if it exceeds
   * the limit.
   */
  readonly countTowardLimit: CountTowardLimit;
  /** Called with a notice if the journal cannot be used. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  readonly maxBytes?: number | undefined;
}

export interface Journal {
  /**
   * Returns the value for a URL, or undefined. Removes the value from the journal, to
   * save memory.
   */
  take(url: string): unknown;
  /** Appends a value, given as JSON. */
  add(url: string, json: string): void;
  /** Removes the journal after a complete run if the upstream has no editions. */
  finish(): void;
  close(): void;
}

/** The first line of a journal. */
const startSchema = z.object({
  /** In milliseconds since 1970. */
  started: z.number(),
});

/**
 * Each line after the first. We do not validate it with a schema, because that would
 * take longer than parsing the JSON.
 */
interface Entry {
  readonly url: string;
  readonly value: unknown;
}

function isEntry(json: unknown): json is Entry {
  if (typeof json !== 'object' || json === null) return false;
  return 'url' in json && typeof json.url === 'string' && 'value' in json;
}

const FOLDER = 'journals';
const HOUR_MS = 3_600_000;

/**
 * A run uses its journal all the time, so a journal that has not been used for a week
 * does not belong to a running build.
 */
const UNUSED_MS = 7 * DAY_MS;

const noJournal: Journal = {
  take: () => undefined,
  add() {},
  finish() {},
  close() {},
};

/**
 * Opens a journal: a file with the responses of earlier runs, so that an interrupted
 * run can resume without requesting them again.
 *
 * Each edition, which is one deployment of the upstream, has its own journal, so its
 * values are up to date. If the upstream does not state its edition, the values may be
 * outdated. Therefore such a journal is emptied after an hour, and `finish` removes it
 * after a complete run.
 *
 * If the cache folder cannot be used, a notice says so, and the returned journal stores
 * nothing.
 *
 * @throws GamedataError if the stored values need too much memory
 */
export function openJournal(options: JournalOptions): Journal {
  const { cacheFolder, onNotice } = options;
  if (cacheFolder === undefined) return noJournal;
  const folder = path.join(cacheFolder, FOLDER);
  try {
    fsExtra.ensureDirSync(folder);
    removeUnusedJournals(folder);
    return openJournalFile(folder, options);
  } catch (error) {
    // A `GamedataError` means that the stored values are too large.
    const isOurs = error instanceof GamedataError;
    // File system errors have a code, so an error without one is a bug.
    const isBug = errorCode(error) === '';
    if (isOurs || isBug) throw error;
    onNotice?.(describeFailure(cacheFolder, error));
    return noJournal;
  }
}

const describeFailure = (cacheFolder: string, error: unknown): string =>
  `${cacheFolder}: cannot be used as a cache (${errorCode(error)}), so responses are not kept`;

function removeUnusedJournals(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.ndjson')) continue;
    const file = path.join(folder, name);
    const usedAt = attempt(() => lstatSync(file).mtimeMs) ?? Date.now();
    if (Date.now() - usedAt > UNUSED_MS) rmSync(file, { force: true });
  }
}

/** Returns a file name that is valid on every system. */
function nameJournal({ upstream, version, edition }: JournalOptions): string {
  const address = upstream.replace(/^https?:\/\//, '').slice(0, 100);
  const safeAddress = address.replace(/[^\w.-]+/g, '-');
  return `${safeAddress}-${version}-${edition ?? 'without-edition'}.ndjson`;
}

/**
 * Opens a journal's file, and reads its values. If the journal is outdated or too
 * large, empties it. New values are appended.
 *
 * @throws GamedataError if the stored values need too much memory
 */
function openJournalFile(folder: string, options: JournalOptions): Journal {
  const { cacheFolder = folder, countTowardLimit, onNotice } = options;
  const { maxBytes = MAX_MEMORY_BYTES } = options;
  const file = path.join(folder, nameJournal(options));
  // Stored values are used in place of the upstream's responses, so only a trusted
  // user may have written them.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  const descriptor = openTrusted(folder, file, flags);
  let isOpen = true;
  let bytes = fstatSync(descriptor).size;

  function close(): void {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  }

  /**
   * Appends a line. Writes the line break first, so that a truncated line does not
   * damage the line after it.
   */
  function append(line: string): void {
    const text = Buffer.from(`\n${line}`);
    // A journal that is full, or could not be written, stays as it is. The next run then
    // requests the other values again.
    if (!isOpen || bytes + text.length > maxBytes) return;
    try {
      writeFileSync(descriptor, text);
      bytes += text.length;
    } catch (error) {
      close();
      onNotice?.(describeFailure(cacheFolder, error));
    }
  }

  /** Empties the journal, and writes its first line. */
  function start(): void {
    ftruncateSync(descriptor);
    bytes = 0;
    append(JSON.stringify({ started: Date.now() }));
  }

  /**
   * Reads the values of an earlier run. If the journal is too large or outdated, empties
   * it and returns no values.
   */
  function readValues(): Map<string, unknown> {
    const excess = describeExcess(bytes, maxBytes);
    if (excess !== undefined) {
      onNotice?.(`${file}: ${excess}; emptied`);
      start();
      return new Map();
    }
    const [startLine = '', ...valueLines] = readLines(descriptor);
    if (isOutdated(startLine, options)) {
      start();
      return new Map();
    }
    // The file's modification time shows other runs that the journal is still in use.
    const now = new Date();
    futimesSync(descriptor, now, now);
    return parseValues(valueLines, countTowardLimit);
  }

  try {
    const values = readValues();
    return {
      take(url) {
        const value = values.get(url);
        values.delete(url);
        return value;
      },
      add(url, json) {
        append(`{"url":${JSON.stringify(url)},"value":${json}}`);
      },
      finish() {
        if (options.edition === undefined) rmSync(file, { force: true });
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Reads the lines of a journal. Each one starts with its line break, so the text before
 * the first line break is empty.
 */
function readLines(descriptor: number): string[] {
  const text = readFileSync(descriptor, 'utf8');
  return text.split('\n').slice(1);
}

function isOutdated(startLine: string, { edition }: JournalOptions): boolean {
  const { data } = startSchema.safeParse(parseJson(startLine));
  if (!data) return true;
  if (edition !== undefined) return false;
  const ageMs = Date.now() - data.started;
  // A negative age means that the clock has been set back.
  return ageMs < 0 || ageMs > HOUR_MS;
}

/**
 * Parses the lines, and skips truncated lines.
 *
 * @throws GamedataError if the values need too much memory
 */
function parseValues(
  lines: readonly string[],
  countTowardLimit: CountTowardLimit,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const line of lines) {
    const entry = parseJson(line);
    if (!isEntry(entry)) continue;
    countTowardLimit(line.length);
    values.set(entry.url, entry.value);
  }
  return values;
}
