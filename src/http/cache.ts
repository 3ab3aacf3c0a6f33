/**
 * The disk cache: one journal of reduced answers for each upstream, appended to as answers arrive, so that a killed fetch
 * resumes where it was. One file of some hundred kilobytes takes a tenth of the time of two small files for each answer,
 * which is what a content-addressed cache keeps; every line carries its checksum, and a damaged line is simply not there.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import * as z from 'zod';
import { errorCode, OutputError } from '../errors.ts';

const entrySchema = z.strictObject({
  url: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Milliseconds since the epoch, by this machine's clock. */
  storedAt: z.number(),
  /** Until then the answer need not be asked for again. */
  freshUntil: z.number(),
  /** What the answer was reduced to. Whoever reads it checks it. */
  value: z.unknown(),
});
export type CacheEntry = z.infer<typeof entrySchema>;

export interface Cache {
  get(url: string): CacheEntry | undefined;
  put(entry: CacheEntry): void;
  /** Writes what is left. Of a complete run, only the entries it used are kept. */
  close(outcome: { complete: boolean }): void;
}

/** Entries are appended in groups: a crash costs at most one group, and a group costs one system call. */
const GROUP_SIZE = 16;

/**
 * Opens the journal for one upstream.
 *
 * @param folder created where it does not exist
 * @param name what the journal is for: the upstream's address
 * @param version the fingerprint of what makes the kept values: a journal of another version is not read
 * @throws OutputError where the folder cannot be written
 */
export function openCache(folder: string, { name, version }: { name: string; version: string }): Cache {
  const file = path.join(folder, `${name.replace(/[^\w.-]+/g, '-')}.ndjson`);
  const header = encodeLine({ cache: 1, version });
  let descriptor: number;
  let entries: Map<string, CacheEntry>;
  try {
    fsExtra.ensureDirSync(folder);
    entries = readJournal(file, header);
    if (entries.size === 0) writeFileSync(file, header);
    descriptor = openSync(file, 'a');
  } catch (cause) {
    throw unusable(folder, cause);
  }
  const used = new Set<string>();
  let pending: CacheEntry[] = [];
  /** True where the journal has lines that no longer count. */
  let outdated = false;
  let closed = false;

  // A line break comes before each line: where a crash left half a line, only that one is lost.
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
    get: (url) => {
      used.add(url);
      return entries.get(url);
    },
    put(entry) {
      // What arrives while a failed run ends has nowhere to go.
      if (closed) return;
      const known = entries.get(entry.url);
      entries.set(entry.url, entry);
      if (known) outdated = true;
      // An answer that was only confirmed is on disk already: its new dates wait for the rewrite at the end.
      if (known?.value !== entry.value && pending.push(entry) >= GROUP_SIZE) flush();
    },
    close({ complete }) {
      closed = true;
      flush();
      try {
        closeSync(descriptor);
        const kept = complete
          ? [...entries.values()].filter(({ url }) => used.has(url))
          : [...entries.values()];
        if (outdated || kept.length < entries.size) {
          writeFileSync(`${file}.new`, [header, ...kept.map(encodeLine)].join('\n'));
          renameSync(`${file}.new`, file);
        }
      } catch (cause) {
        throw unusable(folder, cause);
      }
    },
  };
}

/** A cache that keeps nothing. */
export const noCache: Cache = { get: () => undefined, put() {}, close() {} };

function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}`;
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Reads every whole line; of several for one address the last counts. */
function readJournal(file: string, header: string): Map<string, CacheEntry> {
  const entries = new Map<string, CacheEntry>();
  const [first, ...lines] = fsExtra.pathExistsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  if (first !== header) return entries;
  for (const line of lines) {
    const json = line.slice(17);
    if (line.slice(0, 16) !== checksum(json)) continue;
    const entry = entrySchema.safeParse(JSON.parse(json));
    if (entry.success) entries.set(entry.data.url, entry.data);
  }
  return entries;
}

function unusable(folder: string, cause: unknown): OutputError {
  return new OutputError(`the cache cannot be written (${errorCode(cause)})`, folder, {
    cause,
    hint: 'Name another folder with --cache, or do without one with --no-cache.',
  });
}
