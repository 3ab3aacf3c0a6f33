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

export interface CacheEntry extends Revalidation {
  readonly url: string;
  readonly storedAt: number;
  freshUntil: number;
  readonly edition?: Edition | undefined;
  readonly value: unknown;
}

/** The last line of a journal after a complete run of one edition. Later runs of the same edition use only this line. */
const completionSchema = z.object({ edition: editionSchema, value: z.unknown(), urls: z.int() });
type Completion = z.infer<typeof completionSchema>;

export type Cache = ReturnType<typeof openCache>;

/** Opens an upstream's journal. Discards its contents if they are from another upstream or version. @throws OutputError */
export function openCache(
  folder: string,
  { upstream, version }: { upstream: string; version: string },
) {
  const file = path.join(folder, journalName(upstream));
  const header = encodeLine({ cache: 1, version, upstream });
  const hint = 'Choose another folder with --cache, or disable the cache with --no-cache.';
  const writing = <T>(write: () => T): T =>
    explainFailure('cannot be used as a cache', folder, write, hint);
  const { journal, entries, lastRun } = writing(() => {
    fsExtra.ensureDirSync(folder);
    // A journal replaces the upstream's responses, so only a trusted user may write to it.
    const journal = openTrusted(
      folder,
      file,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
    );
    const lines = readFileSync(journal, 'utf8').split('\n');
    if (lines[0] === header) return { journal, ...decodeLines(lines) };
    rewrite(journal, [header]);
    return { journal, ...decodeLines([]) };
  });
  const used = new Set<string>();
  let run: Completion | null = null;
  let changed = false;
  let closed = false;

  return {
    lastRun,
    get(url: string): CacheEntry | undefined {
      used.add(url);
      return entries.get(url);
    },
    put(entry: CacheEntry): void {
      if (closed) return;
      changed = true;
      used.add(entry.url);
      entries.set(entry.url, entry);
      // The line break comes first, so that a line truncated by a crash does not damage the next line.
      writing(() => writeSync(journal, `\n${encodeLine(entry)}`));
    },
    finishRun(finished: Omit<Completion, 'urls'>): void {
      run = { ...finished, urls: used.size };
    },
    close({ complete }: { complete: boolean }): void {
      closed = true;
      const kept = [...entries.values()].filter(({ url }) => !complete || used.has(url));
      const end = complete ? [{ complete: run }] : [];
      writing(() => {
        if (complete ? used.size > 0 : changed)
          rewrite(journal, [header, ...[...kept, ...end].map(encodeLine)]);
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
export const journalName = (upstream: string): string =>
  `${upstream.replace(/^https:\/\//, '').replace(/[^\w.-]+/g, '-')}.ndjson`;

function rewrite(descriptor: number, lines: readonly string[]): void {
  ftruncateSync(descriptor);
  writeFileSync(descriptor, lines.join('\n'));
}

function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

function decodeLine(line: string): unknown {
  const json = line.slice(17);
  return line.startsWith(checksum(json)) ? JSON.parse(json) : undefined;
}

const checksum = (text: string): string => hash('sha256', text).slice(0, 16);

/** Decodes the last entry for each URL, and the complete run if it is the last line. Entries before a complete run become stale. */
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
