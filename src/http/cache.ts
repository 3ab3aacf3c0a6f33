/**
 * Implements the disk cache, which has one journal file per upstream. Decoded
 * responses are appended as they arrive, so that an interrupted fetch can resume.
 * Writing one journal takes a tenth of the time that writing two small files per
 * response would take. Each line has a checksum, so a damaged line is only a cache
 * miss.
 */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { describeExcess } from '../contract/limits.ts';
import { type Edition, editionSchema } from '../contract/meta.ts';
import { explainFailure, openTrusted } from '../files.ts';
import { sha256 } from '../sha256.ts';
import type { Revalidation } from './client.ts';

/** Identifies an upstream's journal. */
export interface CacheKey {
  readonly upstream: string;
  /** The version of the cached values' format. */
  readonly version: string;
}

export interface CacheEntry extends Revalidation {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  /** Milliseconds since 1970. */
  readonly freshUntil: number;
  readonly edition?: Edition | undefined;
  readonly value: unknown;
}

/**
 * The last line of a journal after a complete run, if all responses were from one
 * edition. Later runs with the same edition need only this line.
 */
const completionSchema = z.object({
  edition: editionSchema,
  value: z.unknown(),
  urls: z.int(),
});
type Completion = z.infer<typeof completionSchema>;

/** An upstream's responses, both in memory and in a journal. */
export interface DiskCache {
  /**
   * The last run's result, or null if it was incomplete or mixed several editions.
   */
  readonly lastRun: Completion | null;
  /** Returns an entry of any age and marks it as used. */
  get(url: string): CacheEntry | undefined;
  put(entry: CacheEntry): void;
  /** Sets the result of this run, which `close` then stores. */
  finishRun(run: Omit<Completion, 'urls'>): void;
  /**
   * Closes the journal. After a complete run, only the entries that the run has used
   * are kept.
   */
  close(options: { readonly complete: boolean }): void;
}

export interface CacheOptions {
  /**
   * Called when the cache contains responses that a repeated run would not request
   * again.
   */
  readonly onStored?: (() => void) | undefined;
  /** Called with a notice if the journal is ignored because it is too large. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Reading a journal needs several times its size in memory, and strings in
 * JavaScript cannot exceed 512 MB.
 */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

/**
 * Returns whether an entry may be used without a request. An entry from the future
 * is not fresh, because the clock has been set back since it was written.
 */
export function isFresh({ storedAt, freshUntil }: CacheEntry): boolean {
  const now = Date.now();
  return storedAt <= now && now < freshUntil;
}

/**
 * Opens and reads an upstream's journal. Its contents are discarded if they are too
 * large or belong to another upstream or version. New entries are appended to the
 * journal as long as the next run would still read it. Entries beyond that size are
 * requested again by the next run.
 *
 * @throws OutputError if the cache folder cannot be used
 */
export function openCache(
  folder: string,
  key: CacheKey,
  options: CacheOptions = {},
): DiskCache {
  const { onStored, onNotice, maxBytes = MAX_JOURNAL_BYTES } = options;
  const file = path.join(folder, journalName(key.upstream));
  const header = encodeLine({
    cache: 1,
    version: key.version,
    upstream: key.upstream,
  });

  function explain<T>(work: () => T): T {
    const hint =
      'Choose another folder with --cache, or disable the cache with --no-cache.';
    return explainFailure('cannot be used as a cache', folder, work, hint);
  }

  const journal = explain(() => {
    fsExtra.ensureDirSync(folder);
    // Cached responses are used in place of the upstream's responses, so only a
    // trusted user may have written them.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    return openTrusted(folder, file, flags);
  });
  const writer = createWriter(journal, maxBytes);
  // After a complete run, the next run may only need its result. So we decode the
  // entries when the first of them is needed.
  let undecodedJournal = explain(() => readJournal());
  let entries = new Map<string, CacheEntry>();
  const lastRun = decodeLastRun(undecodedJournal);
  if (lastRun === null && hasFreshEntry(readEntries())) onStored?.();
  const usedUrls = new Set<string>();
  let finishedRun: Completion | null = null;
  let hasNewEntries = false;
  let isClosed = false;

  /**
   * Reads the journal. If its contents cannot be used, replaces it with an empty
   * journal.
   */
  function readJournal(): Buffer {
    const excess = describeExcess(fstatSync(journal).size, maxBytes);
    if (excess === undefined) {
      const contents = readFileSync(journal);
      if (readFirstLine(contents) === header) return contents;
    } else {
      onNotice?.(`${file}: ${excess}; ignored, requesting everything again`);
    }
    writer.rewrite([header]);
    return Buffer.alloc(0);
  }

  function readEntries(): Map<string, CacheEntry> {
    if (undecodedJournal.length > 0) {
      entries = decodeEntries(undecodedJournal);
      // A journal may be large, so it is not kept in memory.
      undecodedJournal = Buffer.alloc(0);
    }
    return entries;
  }

  /**
   * Yields the journal lines to keep after an interrupted run. Every entry is kept,
   * because the next run resumes from the journal.
   */
  function* encodeInterruptedRun(): Generator<string> {
    yield header;
    for (const entry of readEntries().values()) yield encodeLine(entry);
  }

  /**
   * Yields the journal lines to keep after a complete run. Entries that the run did
   * not use are dropped as obsolete. The other entries become stale, because the
   * next run must ask whether they are still valid.
   */
  function* encodeCompleteRun(): Generator<string> {
    yield header;
    for (const entry of readEntries().values()) {
      const isUsed = usedUrls.has(entry.url);
      if (isUsed) yield encodeLine({ ...entry, freshUntil: 0 });
    }
    yield encodeLine({ complete: finishedRun });
  }

  return {
    lastRun,
    get(url) {
      usedUrls.add(url);
      return readEntries().get(url);
    },
    put(entry) {
      if (isClosed) return;
      if (!hasNewEntries) onStored?.();
      hasNewEntries = true;
      usedUrls.add(entry.url);
      readEntries().set(entry.url, entry);
      explain(() => writer.append(encodeLine(entry)));
    },
    finishRun(run) {
      finishedRun = { ...run, urls: usedUrls.size };
    },
    close({ complete }) {
      isClosed = true;
      explain(() => {
        if (complete && usedUrls.size > 0) writer.rewrite(encodeCompleteRun());
        if (!complete && hasNewEntries) writer.rewrite(encodeInterruptedRun());
        closeSync(journal);
      });
    },
  };
}

export const noCache: DiskCache = {
  lastRun: null,
  get: () => undefined,
  put() {},
  finishRun() {},
  close() {},
};

/**
 * Returns a file name that is valid on every system. Two upstreams with the same
 * file name would overwrite each other's journal.
 */
export function journalName(upstream: string): string {
  const address = upstream.replace(/^https:\/\//, '');
  return `${address.replace(/[^\w.-]+/g, '-')}.ndjson`;
}

/** Writes lines to a journal as long as they fit into its maximum size. */
interface JournalWriter {
  append(line: string): void;
  rewrite(lines: Iterable<string>): void;
}

function createWriter(journal: number, maxBytes: number): JournalWriter {
  let bytes = fstatSync(journal).size;

  /**
   * Appends a line. The line break is written before the line, so that a line
   * truncated by a crash does not damage the next one.
   */
  function append(line: string): void {
    const text = Buffer.from(bytes === 0 ? line : `\n${line}`);
    if (bytes + text.length > maxBytes) return;
    writeFileSync(journal, text);
    bytes += text.length;
  }

  return {
    append,
    rewrite(lines) {
      ftruncateSync(journal);
      bytes = 0;
      for (const line of lines) append(line);
    },
  };
}

const CHECKSUM_LENGTH = 16;

const checksum = (text: string): string => sha256(text).slice(0, CHECKSUM_LENGTH);

/** Encodes a value as a line with a checksum, a space and JSON. */
function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

/** Decodes a line. Returns undefined if the line is damaged. */
function decodeLine(line: string): unknown {
  const json = line.slice(CHECKSUM_LENGTH + 1);
  const isIntact = line.startsWith(checksum(json));
  return isIntact ? JSON.parse(json) : undefined;
}

function readFirstLine(journal: Buffer): string {
  const end = journal.indexOf('\n');
  return journal.toString('utf8', 0, end === -1 ? journal.length : end);
}

/**
 * Decodes the result of the last run. Returns null unless it is on the last line,
 * because any line after it shows that another run has started since.
 */
function decodeLastRun(journal: Buffer): Completion | null {
  const lastLine = journal.toString('utf8', journal.lastIndexOf('\n') + 1);
  const value = decodeLine(lastLine) as { complete?: unknown } | undefined;
  return completionSchema.safeParse(value?.complete).data ?? null;
}

/** Decodes the newest entry for each URL. */
function decodeEntries(journal: Buffer): Map<string, CacheEntry> {
  const entries = new Map<string, CacheEntry>();
  for (const line of journal.toString('utf8').split('\n')) {
    const value = decodeLine(line) as Partial<CacheEntry> | undefined;
    if (typeof value?.url === 'string') entries.set(value.url, value as CacheEntry);
  }
  return entries;
}

function hasFreshEntry(entries: Map<string, CacheEntry>): boolean {
  for (const entry of entries.values()) {
    if (isFresh(entry)) return true;
  }
  return false;
}
