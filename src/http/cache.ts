/**
 * The disk cache: one journal per upstream. Decoded responses are appended as they arrive, so that an interrupted fetch can
 * resume. One journal takes a tenth of the time of two small files per response. Each line has a checksum, so a damaged line is
 * a cache miss.
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

/** Identifies the journal of a cache. */
export interface CacheKey {
  readonly upstream: string;
  /** The version of the cached values. */
  readonly version: string;
}

export interface CacheEntry extends Revalidation {
  readonly url: string;
  /** In milliseconds since 1970. */
  readonly storedAt: number;
  /** In milliseconds since 1970. */
  readonly freshUntil: number;
  readonly edition?: Edition | undefined;
  readonly value: unknown;
}

/** The last line of a journal after a complete run of one edition. Later runs of the same edition use only this line. */
const completionSchema = z.object({ edition: editionSchema, value: z.unknown(), urls: z.int() });
type Completion = z.infer<typeof completionSchema>;

/** An upstream's responses, in memory and in a journal. */
export interface DiskCache {
  /** The last run if it was complete and from one edition. */
  readonly lastRun: Completion | null;
  /** Returns an entry of any age, and marks it as used. */
  get(url: string): CacheEntry | undefined;
  put(entry: CacheEntry): void;
  /** Sets the value of this run, which `close` stores. */
  finishRun(run: Omit<Completion, 'urls'>): void;
  /** Closes the journal. After a complete run, keeps only the entries that the run used. */
  close(options: { readonly complete: boolean }): void;
}

interface JournalContents {
  readonly entries: Map<string, CacheEntry>;
  readonly lastRun: Completion | null;
}

export interface CacheOptions {
  /** Called when the cache has responses that the same run would not request again. */
  readonly onStored?: (() => void) | undefined;
  /** Called if the journal is ignored because of its size. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  readonly maxBytes?: number | undefined;
}

/** Reading a journal takes several times its size in memory, and JavaScript has no strings above 512 MB. */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

/** Whether a run may use an entry without a request. An entry from the future was written before the clock was set back. */
export function isFresh({ storedAt, freshUntil }: CacheEntry): boolean {
  const now = Date.now();
  return storedAt <= now && now < freshUntil;
}

/**
 * Opens an upstream's journal, reads it, and appends each new entry. Discards its contents if they are from another upstream
 * or version, or too large. Never writes more than the next run would read; the entries that do not fit are requested again.
 *
 * @throws OutputError
 */
export function openCache(folder: string, key: CacheKey, options: CacheOptions = {}): DiskCache {
  const { onStored, onNotice, maxBytes = MAX_JOURNAL_BYTES } = options;
  const file = path.join(folder, journalName(key.upstream));
  const header = encodeLine({ cache: 1, version: key.version, upstream: key.upstream });

  function explain<T>(work: () => T): T {
    const hint = 'Choose another folder with --cache, or disable the cache with --no-cache.';
    return explainFailure('cannot be used as a cache', folder, work, hint);
  }

  const journal = explain(() => {
    fsExtra.ensureDirSync(folder);
    // A journal replaces the upstream's responses, so only a trusted user may write to it.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    return openTrusted(folder, file, flags);
  });
  const writer = createWriter(journal, maxBytes);
  const { entries, lastRun } = explain(() => readJournal());
  const hasFreshEntries = [...entries.values()].some(isFresh);
  if (hasFreshEntries) onStored?.();
  const usedUrls = new Set<string>();
  let finishedRun: Completion | null = null;
  let hasNewEntries = false;
  let isClosed = false;

  /** Reads the journal. If its contents cannot be used, an empty journal replaces them. */
  function readJournal(): JournalContents {
    const excess = describeExcess(fstatSync(journal).size, maxBytes);
    if (excess === undefined) {
      const lines = readFileSync(journal, 'utf8').split('\n');
      if (lines[0] === header) return decodeLines(lines);
    } else {
      onNotice?.(`${file}: ${excess}; ignored, requesting everything again`);
    }
    writer.rewrite([header]);
    return { entries: new Map(), lastRun: null };
  }

  /** Yields the lines that an interrupted run leaves: every entry, for the run that resumes it. */
  function* encodeInterruptedRun(): Generator<string> {
    yield header;
    for (const entry of entries.values()) yield encodeLine(entry);
  }

  /**
   * Yields the lines that a complete run leaves. Entries that it did not use are obsolete. The others
   * are stale, because the next run must ask whether they are still valid.
   */
  function* encodeCompleteRun(): Generator<string> {
    yield header;
    for (const entry of entries.values()) {
      const isUsed = usedUrls.has(entry.url);
      if (isUsed) yield encodeLine({ ...entry, freshUntil: 0 });
    }
    yield encodeLine({ complete: finishedRun });
  }

  return {
    lastRun,
    get(url) {
      usedUrls.add(url);
      return entries.get(url);
    },
    put(entry) {
      if (isClosed) return;
      if (!hasNewEntries) onStored?.();
      hasNewEntries = true;
      usedUrls.add(entry.url);
      entries.set(entry.url, entry);
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

/** Returns a file name that is valid on every system. Upstreams with the same name overwrite each other's journal. */
export function journalName(upstream: string): string {
  const address = upstream.replace(/^https:\/\//, '');
  return `${address.replace(/[^\w.-]+/g, '-')}.ndjson`;
}

/** Writes the lines of a journal, as long as they fit. */
interface JournalWriter {
  append(line: string): void;
  rewrite(lines: Iterable<string>): void;
}

function createWriter(journal: number, maxBytes: number): JournalWriter {
  let bytes = fstatSync(journal).size;

  /** The line break comes first, so that a line truncated by a crash does not damage the next line. */
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

/** Encodes a line: a checksum, a space and JSON. */
function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

/** Returns undefined for a damaged line. */
function decodeLine(line: string): unknown {
  const json = line.slice(CHECKSUM_LENGTH + 1);
  const isIntact = line.startsWith(checksum(json));
  return isIntact ? JSON.parse(json) : undefined;
}

/** Any of a journal's lines. */
type JournalValue = Partial<CacheEntry & { complete: unknown }> | undefined;

/** Decodes the last entry for each URL, and the complete run if it is the last line. */
function decodeLines(lines: readonly string[]): JournalContents {
  const entries = new Map<string, CacheEntry>();
  let lastRun: Completion | null = null;
  for (const line of lines) {
    const value = decodeLine(line) as JournalValue;
    // A later line means that another run has begun.
    lastRun = null;
    if (typeof value?.url === 'string') entries.set(value.url, value as CacheEntry);
    if (value?.complete !== undefined) {
      lastRun = completionSchema.safeParse(value.complete).data ?? null;
    }
  }
  return { entries, lastRun };
}
