/**
 * The disk cache: for each upstream, a journal of reduced responses, appended to as they arrive, so that an interrupted
 * fetch resumes. One file of a few hundred kilobytes takes a tenth of the time of two files per response, as in a
 * content-addressed cache. Each line has a checksum; a damaged line is a cache miss.
 */

import { hash } from 'node:crypto';
import { closeSync, constants, ftruncateSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { type Edition, editionSchema } from '../contract/meta.ts';
import { explainFailure, openTrusted } from '../files.ts';
import type { Revalidation } from './client.ts';

/** A line with the right checksum is one, as this version wrote it. */
export interface CacheEntry extends Revalidation {
  readonly url: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly storedAt: number;
  /** Until then, a run that goes on with the interrupted one need not revalidate the response. */
  freshUntil: number;
  readonly edition?: Edition | undefined;
  /** What the response was reduced to; validated by the reader. */
  readonly value: unknown;
}

/** In the last line of a journal after a complete run of one edition. Later runs of the same edition use nothing else. */
const completionSchema = z.object({ edition: editionSchema, value: z.unknown(), urls: z.int() });
type Completion = z.infer<typeof completionSchema>;

type CompleteRun = Omit<Completion, 'urls'>;

export type Cache = ReturnType<typeof openCache>;

/** A journal of another version of its values, or of another upstream, is discarded. Throws `OutputError` if it cannot be written. */
export function openCache(folder: string, { upstream, version }: { upstream: string; version: string }) {
  const file = path.join(folder, journalName(upstream));
  const header = encodeLine({ cache: 1, version, upstream });
  const hint = 'Choose another folder with --cache, or disable the cache with --no-cache.';
  const writing = <T>(write: () => T): T => explainFailure('cannot be used as a cache', folder, write, hint);
  // Whoever wrote it decides what the upstream has said.
  const open = (): number =>
    openTrusted(folder, file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  const journal = writing(() => {
    fsExtra.ensureDirSync(folder);
    return open();
  });
  const rewrite = (descriptor: number, text: string): void => {
    ftruncateSync(descriptor);
    writeFileSync(descriptor, text);
  };
  const { entries, lastRun } = writing(() => {
    const lines = readFileSync(journal, 'utf8').split('\n');
    if (lines[0] === header) return decodeLines(lines);
    rewrite(journal, header);
    return decodeLines([]);
  });
  const used = new Set<string>();
  let run: CompleteRun | undefined;
  let changed = false;
  let closed = false;

  return {
    /** The last run, if it was complete and of one edition, and the number of its URLs; otherwise null. */
    lastRun,
    get(url: string): CacheEntry | undefined {
      used.add(url);
      return entries.get(url);
    },
    put(entry: CacheEntry): void {
      // Responses that arrive after a failure are dropped.
      if (closed) return;
      changed = true;
      used.add(entry.url);
      entries.set(entry.url, entry);
      // Each line starts with a line break: if a crash left half a line, only that one is lost.
      writing(() => writeSync(journal, `\n${encodeLine(entry)}`));
    },
    noteRun(noted: CompleteRun): void {
      run = noted;
    },
    /**
     * Removes superseded lines, and after a complete run the entries that it did not use. The journal stays as it is after a
     * failed run that stored nothing, and a complete one that needed no entry.
     */
    close({ complete }: { complete: boolean }): void {
      closed = true;
      closeSync(journal);
      if (complete ? used.size === 0 : !changed) return;
      const kept = [...entries.values()].filter(({ url }) => !complete || used.has(url));
      const end = complete ? [{ complete: run ? { ...run, urls: used.size } : null }] : [];
      writing(() => {
        // Not the descriptor of before: the folder may be gone.
        const descriptor = open();
        rewrite(descriptor, [header, ...[...kept, ...end].map(encodeLine)].join('\n'));
        closeSync(descriptor);
      });
    },
  };
}

export const noCache: Cache = { lastRun: null, get: () => undefined, put() {}, noteRun() {}, close() {} };

/** A file name that is valid on every system. Addresses that share one take it from each other. */
export const journalName = (upstream: string): string =>
  `${upstream.replace(/^https:\/\//, '').replace(/[^\w.-]+/g, '-')}.ndjson`;

function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

function decodeLine(line: string): unknown {
  const json = line.slice(17);
  return line.startsWith(checksum(json)) ? JSON.parse(json) : undefined;
}

const checksum = (text: string): string => hash('sha256', text).slice(0, 16);

/** The last entry of each URL, and the run that the last line completes: what it has stored is not fresh for the next one. */
function decodeLines(lines: readonly string[]) {
  const entries = new Map<string, CacheEntry>();
  let lastRun: Completion | null = null;
  for (const line of lines) {
    const value = decodeLine(line) as Partial<CacheEntry & { complete: unknown }> | undefined;
    if (typeof value?.url === 'string') entries.set(value.url, value as CacheEntry);
    const isEnd = value?.complete !== undefined;
    lastRun = isEnd ? (completionSchema.safeParse(value.complete).data ?? null) : null;
    if (isEnd) for (const stored of entries.values()) stored.freshUntil = 0;
  }
  return { entries, lastRun };
}
