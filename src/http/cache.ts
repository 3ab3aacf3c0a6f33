/**
 * The disk cache: for each upstream, a journal of reduced responses, appended to as they arrive, so that an interrupted
 * fetch resumes. One file of a few hundred kilobytes takes a tenth of the time of two files per response, as in a
 * content-addressed cache. Each line has a checksum; a damaged line is a cache miss.
 */

import { hash, randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { type Edition, editionSchema } from '../contract/edition.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readFile } from '../files.ts';

/** A line with the right checksum is one, as this version wrote it. */
export interface CacheEntry {
  readonly url: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly storedAt: number;
  /** Until then, a run that goes on with the interrupted one need not revalidate the response. */
  freshUntil: number;
  /** The edition that the response named. */
  readonly edition?: Edition | undefined;
  /** What the response was reduced to; validated by the reader. */
  readonly value: unknown;
}

/** What a complete run has made of all that it has read, which was of one edition. */
export interface CompleteRun {
  readonly edition: Edition;
  readonly value: unknown;
}

/** The last line of a journal after a complete run. Later runs of the same edition read nothing else. */
const completionSchema = z.strictObject({
  complete: z.object({ edition: editionSchema, value: z.unknown(), urls: z.int() }).nullable(),
});

export interface Cache {
  /** The last run, if it was complete and of one edition, and the number of its URLs; otherwise null. */
  readonly lastRun: (CompleteRun & { readonly urls: number }) | null;
  get(url: string): CacheEntry | undefined;
  put(entry: CacheEntry): void;
  /** Notes what this run has read, for the next one. */
  noteRun(run: CompleteRun): void;
  /** Writes pending entries. After a complete run, only the entries that it used are kept. */
  close(outcome: { complete: boolean }): void;
}

/** Entries are appended in groups, one system call each: a crash loses at most one group. */
const GROUP_SIZE = 16;

/**
 * Opens the journal for one upstream.
 *
 * @param folder created if it does not exist
 * @param name the upstream, as part of the file name
 * @param version of the reduced values: a journal of another version is discarded
 * @throws OutputError if the folder cannot be written
 */
export function openCache(folder: string, { name, version }: { name: string; version: string }): Cache {
  const file = path.join(folder, journalName(name));
  const header = encodeLine({ cache: 1, version });
  let descriptor: number;
  let journal: Buffer;
  try {
    fsExtra.ensureDirSync(folder);
    journal = readJournal(folder, journalName(name), header);
    if (journal.length === 0) writeFileSync(file, header);
    descriptor = openSync(file, 'a');
  } catch (cause) {
    throw unusable(folder, cause);
  }
  const last = journal.toString('utf8', journal.lastIndexOf('\n') + 1);
  const completion = completionSchema.safeParse(decodeLine(last)).data;
  const used = new Set<string>();
  let known: Map<string, CacheEntry> | undefined;
  let pending: CacheEntry[] = [];
  /** True if the journal has superseded lines. */
  let outdated = false;
  let run: CompleteRun | undefined;
  let closed = false;

  /** Decoded on demand, as after a complete run the last line may be enough. */
  function entries(): Map<string, CacheEntry> {
    known ??= decodeEntries(`${journal}`.split('\n'));
    return known;
  }

  // Each line starts with a line break: if a crash left half a line, only that one is lost.
  function flush(): void {
    if (pending.length === 0) return;
    const lines = pending.map((entry) => `\n${encodeLine(entry)}`).join('');
    pending = [];
    try {
      writeSync(descriptor, lines);
    } catch (cause) {
      throw unusable(folder, cause);
    }
  }

  return {
    lastRun: completion?.complete ?? null,
    get: (url) => {
      used.add(url);
      return entries().get(url);
    },
    put(entry) {
      // Responses that arrive after a failure are dropped.
      if (closed) return;
      const former = entries().get(entry.url);
      entries().set(entry.url, entry);
      if (former || completion) outdated = true;
      // A revalidated response is on disk already: its new dates are written by the rewrite at the end.
      if (former?.value !== entry.value && pending.push(entry) >= GROUP_SIZE) flush();
    },
    noteRun(noted) {
      run = noted;
    },
    close({ complete }) {
      closed = true;
      flush();
      try {
        closeSync(descriptor);
        if (!known) return;
        const kept = [...known.values()].filter(({ url }) => !complete || used.has(url));
        const end = complete ? [encodeLine({ complete: run ? { ...run, urls: used.size } : null })] : [];
        if (outdated || kept.length < known.size)
          replaceFile(file, [header, ...kept.map(encodeLine), ...end].join('\n'));
        else if (!completion) for (const line of end) appendFileSync(file, `\n${line}`);
      } catch (cause) {
        throw unusable(folder, cause);
      }
    },
  };
}

/** A cache that is always empty. */
export const noCache: Cache = { lastRun: null, get: () => undefined, put() {}, noteRun() {}, close() {} };

/** A file name that is valid on every system. */
export const journalName = (upstream: string): string => `${upstream.replace(/[^\w.-]+/g, '-')}.ndjson`;

function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

/** Undefined if the line is damaged. */
function decodeLine(line: string): unknown {
  const json = line.slice(17);
  return line.startsWith(checksum(json)) ? JSON.parse(json) : undefined;
}

const checksum = (text: string): string => hash('sha256', text).slice(0, 16);

/** Nothing if the journal has another header. */
function readJournal(folder: string, file: string, header: string): Buffer {
  const nothing = Buffer.alloc(0);
  const journal = fsExtra.pathExistsSync(path.join(folder, file)) ? readFile(folder, file) : nothing;
  return journal.toString('utf8', 0, header.length) === header ? journal : nothing;
}

/** The entries of every intact line; the last one for a URL counts. What a complete run has stored is not fresh for the next one. */
function decodeEntries(lines: readonly string[]): Map<string, CacheEntry> {
  const entries = new Map<string, CacheEntry>();
  for (const line of lines) {
    const value = decodeLine(line) as Partial<CacheEntry & { complete: unknown }> | undefined;
    if (typeof value?.url === 'string') entries.set(value.url, value as CacheEntry);
    if (value?.complete !== undefined) for (const stored of entries.values()) stored.freshUntil = 0;
  }
  return entries;
}

/** Other builds may use the same folder: each writes into a file of its own. */
function replaceFile(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    fsExtra.removeSync(draft);
    throw error;
  }
}

function unusable(folder: string, cause: unknown): OutputError {
  return new OutputError(`cannot be used as a cache (${errorCode(cause)})`, folder, {
    cause,
    hint: 'Choose another folder with --cache, or disable the cache with --no-cache.',
  });
}
