/**
 * The disk cache: one journal per upstream. Decoded responses are appended as they arrive, so that an interrupted fetch can
 * resume. One journal takes a tenth of the time of two small files per response. Each line has a checksum, so a damaged line is
 * a cache miss.
 */

import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  ftruncateSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { type Edition, editionSchema } from '../contract/meta.ts';
import { explainFailure, openTrusted } from '../files.ts';
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
  freshUntil: number;
  readonly edition?: Edition | undefined;
  readonly value: unknown;
}

/** The last line of a journal after a complete run of one edition. Later runs of the same edition use only this line. */
const completionSchema = z.object({ edition: editionSchema, value: z.unknown(), urls: z.int() });
type Completion = z.infer<typeof completionSchema>;

/** An upstream's responses, in memory and in a journal. */
export interface Cache {
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
}

/** Whether a run may use an entry without a request. An entry from the future was written before the clock was set back. */
export function isFresh({ storedAt, freshUntil }: CacheEntry): boolean {
  const now = Date.now();
  return storedAt <= now && now < freshUntil;
}

/** Opens an upstream's journal. Discards its contents if they are from another upstream or version. @throws OutputError */
export function openCache(
  folder: string,
  { upstream, version }: CacheKey,
  { onStored }: CacheOptions = {},
): Cache {
  const file = path.join(folder, journalName(upstream));
  const header = encodeLine({ cache: 1, version, upstream });

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
  const { entries, lastRun } = explain(() => readJournal(journal, header));
  if ([...entries.values()].some(isFresh)) onStored?.();
  const usedUrls = new Set<string>();
  let finishedRun: Completion | null = null;
  let hasNewEntries = false;
  let isClosed = false;

  /** After a complete run, entries that it did not use are obsolete, and the run's own value comes last. */
  function compact(complete: boolean): void {
    const lines = [header];
    for (const entry of entries.values()) {
      if (complete && !usedUrls.has(entry.url)) continue;
      lines.push(encodeLine(entry));
    }
    if (complete) lines.push(encodeLine({ complete: finishedRun }));
    rewrite(journal, lines);
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
      // The line break comes first, so that a line truncated by a crash does not damage the next line.
      explain(() => writeSync(journal, `\n${encodeLine(entry)}`));
    },
    finishRun(run) {
      finishedRun = { ...run, urls: usedUrls.size };
    },
    close({ complete }) {
      isClosed = true;
      const isOutdated = complete ? usedUrls.size > 0 : hasNewEntries;
      explain(() => {
        if (isOutdated) compact(complete);
        closeSync(journal);
      });
    },
  };
}

export const noCache: Cache = {
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

function readJournal(journal: number, header: string): JournalContents {
  const lines = readFileSync(journal, 'utf8').split('\n');
  if (lines[0] === header) return decodeLines(lines);
  rewrite(journal, [header]);
  return decodeLines([]);
}

function rewrite(journal: number, lines: readonly string[]): void {
  ftruncateSync(journal);
  writeFileSync(journal, lines.join('\n'));
}

function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

/** Returns undefined for a damaged line. */
function decodeLine(line: string): unknown {
  const json = line.slice(17);
  return line.startsWith(checksum(json)) ? JSON.parse(json) : undefined;
}

const checksum = (text: string): string => hash('sha256', text).slice(0, 16);

/** Any of a journal's lines. */
type JournalValue = Partial<CacheEntry & { complete: unknown }> | undefined;

/** Decodes the last entry for each URL, and the complete run if it is the last line. Entries before a complete run become stale. */
function decodeLines(lines: readonly string[]): JournalContents {
  const entries = new Map<string, CacheEntry>();
  let lastRun: Completion | null = null;
  for (const line of lines) {
    const value = decodeLine(line) as JournalValue;
    lastRun = null;
    if (typeof value?.url === 'string') entries.set(value.url, value as CacheEntry);
    if (value?.complete === undefined) continue;
    lastRun = completionSchema.safeParse(value.complete).data ?? null;
    for (const entry of entries.values()) entry.freshUntil = 0;
  }
  return { entries, lastRun };
}
