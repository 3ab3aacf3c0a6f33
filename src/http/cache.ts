/**
 * The disk cache: for each upstream, a journal of reduced responses, appended to as they arrive, so that an interrupted
 * fetch resumes. One file of a few hundred kilobytes takes a tenth of the time of two files per response, as in a
 * content-addressed cache. Each line has a checksum; a damaged line is a cache miss.
 */

import { hash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { type Edition, editionSchema } from '../contract/edition.ts';
import { errorCode, OutputError } from '../errors.ts';

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

/** The last line of a journal after a complete run: the edition of every response, if all named the same. */
const completionSchema = z.strictObject({ complete: editionSchema.nullable() });

export interface Cache {
  /** The edition of a complete run that nothing has followed; null if there is none. */
  readonly edition: Edition | null;
  get(url: string): CacheEntry | undefined;
  put(entry: CacheEntry): void;
  /** The edition of every value that a complete run has used; null if they have none in common. */
  noteEdition(edition: Edition | null): void;
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
  let journal: Journal;
  try {
    fsExtra.ensureDirSync(folder);
    journal = readJournal(file, header);
    if (journal.entries.size === 0) writeFileSync(file, header);
    descriptor = openSync(file, 'a');
  } catch (cause) {
    throw unusable(folder, cause);
  }
  const { entries, completion } = journal;
  const used = new Set<string>();
  let pending: CacheEntry[] = [];
  /** True if the journal has superseded lines. */
  let outdated = false;
  let edition: Edition | null = null;
  let closed = false;

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
    edition: completion?.complete ?? null,
    get: (url) => {
      used.add(url);
      return entries.get(url);
    },
    put(entry) {
      // Responses that arrive after a failure are dropped.
      if (closed) return;
      const known = entries.get(entry.url);
      entries.set(entry.url, entry);
      if (known || completion) outdated = true;
      // A revalidated response is on disk already: its new dates are written by the rewrite at the end.
      if (known?.value !== entry.value && pending.push(entry) >= GROUP_SIZE) flush();
    },
    noteEdition(noted) {
      edition = noted;
    },
    close({ complete }) {
      closed = true;
      flush();
      try {
        closeSync(descriptor);
        const kept = complete
          ? [...entries.values()].filter(({ url }) => used.has(url))
          : [...entries.values()];
        const last = complete ? encodeLine({ complete: edition }) : undefined;
        if (outdated || kept.length < entries.size) {
          const lines = [header, ...kept.map(encodeLine), ...(last ? [last] : [])];
          writeFileSync(`${file}.new`, lines.join('\n'));
          renameSync(`${file}.new`, file);
        } else if (last && last !== (completion && encodeLine(completion))) appendFileSync(file, `\n${last}`);
      } catch (cause) {
        throw unusable(folder, cause);
      }
    },
  };
}

/** A cache that is always empty. */
export const noCache: Cache = { edition: null, get: () => undefined, put() {}, noteEdition() {}, close() {} };

/** A file name that is valid on every system. */
export const journalName = (upstream: string): string => `${upstream.replace(/[^\w.-]+/g, '-')}.ndjson`;

function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

const checksum = (text: string): string => hash('sha256', text).slice(0, 16);

interface Journal {
  readonly entries: Map<string, CacheEntry>;
  /** Undefined unless it is the last line. */
  readonly completion: z.infer<typeof completionSchema> | undefined;
}

/** Reads every intact line; the last one for a URL counts. What a complete run has stored is not fresh for the next one. */
function readJournal(file: string, header: string): Journal {
  const entries = new Map<string, CacheEntry>();
  let completion: Journal['completion'];
  const [first, ...lines] = fsExtra.pathExistsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const line of first === header ? lines : []) {
    const json = line.slice(17);
    if (!line.startsWith(checksum(json))) continue;
    const value = JSON.parse(json) as CacheEntry;
    if (typeof value.url === 'string') entries.set(value.url, value);
    completion = value.url === undefined ? completionSchema.safeParse(value).data : undefined;
    if (completion) for (const stored of entries.values()) stored.freshUntil = 0;
  }
  return { entries, completion };
}

function unusable(folder: string, cause: unknown): OutputError {
  return new OutputError(`cannot be used as a cache (${errorCode(cause)})`, folder, {
    cause,
    hint: 'Choose another folder with --cache, or disable the cache with --no-cache.',
  });
}
