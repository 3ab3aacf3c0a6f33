/** A built site as a source of its own data: the records, read back from the list pages, and the history. */

import path from 'node:path';
import * as z from 'zod';
import { type History, historySchema } from '../contract/changes.ts';
import { refuseNewerFormat } from '../contract/format.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import {
  type Entries,
  linkBaseOf,
  type Manifest,
  type ManifestEntry,
  type Meta,
  manifestReader,
  metaReader,
} from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import {
  CHANGES_FILE,
  listPageFile,
  MANIFEST_FILE,
  META_FILE,
  recordFile,
  slugsOf,
} from '../contract/paths.ts';
import { pageOffsets } from '../contract/windows.ts';
import type { EncodedRecord, EncodedRecords, FindPublished } from '../dataset/data-set.ts';
import { digestRecords, digestText } from '../dataset/digest.ts';
import { encodeRecord, servedText } from '../dataset/encode.ts';
import { previousOfPaths } from '../dataset/guards.ts';
import type { PreviousDataSet } from '../dataset/previous.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../errors.ts';
import { readText } from '../files.ts';

/** A record with its keys in their order, as the digest depends on it: whether it is the one that was built, that tells. */
const servedSchema = z.custom<{ url: string; id: number; slug: string }>(isServed, 'expected a record');
const pageSchema = z.looseObject({ results: z.array(servedSchema) });

function isServed(value: unknown): boolean {
  const { url, id, slug } = (value ?? {}) as Partial<Record<'url' | 'id' | 'slug', unknown>>;
  return typeof url === 'string' && Number.isInteger(id) && typeof slug === 'string';
}

/** The data of a published site as the previous data set. */
export function previousOfSite(folder: string, meta: Meta, entries: Entries): PreviousDataSet {
  const base = linkBaseOf(meta);
  /** Each is asked about several times. */
  const known = new Map<EncodedRecord, ManifestEntry | undefined>();
  const findPublished: FindPublished = (kind, record) => {
    if (known.has(record)) return known.get(record);
    const entry = entries.get(recordFile(kind, record.slug));
    const found = entry?.sha256 === digestText(servedText(base, kind, record)) ? entry : undefined;
    known.set(record, found);
    return found;
  };
  return {
    ...meta,
    slugs: (kind) => slugsOf(kind, entries.keys()),
    differences(now) {
      const after = mapKinds((kind) => now[kind].filter((record) => !findPublished(kind, record)));
      try {
        const before = mapKinds((kind) => {
          const differs = new Set(after[kind]);
          const same = new Set(now[kind].filter((record) => !differs.has(record)).map(({ slug }) => slug));
          const others = slugsOf(kind, entries.keys()).filter((slug) => !same.has(slug));
          return others.map((slug) => readRecord(folder, recordFile(kind, slug), entries));
        });
        return { before, after };
      } catch (error) {
        // Records that somebody damaged are replaced by the next build: they are no reason to stop it.
        if (error instanceof GamedataError) return { before: undefined, after: now };
        throw error;
      }
    },
    findPublished,
    history: () => (entries.has(CHANGES_FILE) ? readSiteHistory(folder) : undefined),
  };
}

/** A published record, which has to be as the manifest lists it. */
function readRecord(folder: string, file: string, entries: Entries): EncodedRecord {
  const text = readPublished(folder, file);
  const [got, expected] = [digestText(text), entries.get(file)?.sha256];
  if (got !== expected)
    throw new DataError(`got ${got}: expected ${expected}, as in ${MANIFEST_FILE}`, { record: file });
  const { url: _, ...record } = parse(servedSchema, parseText(text, file), { record: file });
  return encodeRecord(record);
}

/** As much as is known of a published site that does not describe itself: which records it had, and its history. */
export function previousWithoutMeta(folder: string, entries: Entries): PreviousDataSet {
  const history = entries.has(CHANGES_FILE) ? readSiteHistory(folder) : undefined;
  // Where the history ends.
  const digest = history?.steps[0]?.to.digest ?? '';
  return { ...previousOfPaths(entries.keys()), digest, history: () => history };
}

/** The history of a built site. One that cannot be read is not replaced in silence, as every redirect would go with it. */
function readSiteHistory(folder: string): History {
  try {
    return parse(historySchema, readJson(folder, CHANGES_FILE), { record: CHANGES_FILE });
  } catch (cause) {
    throw new OutputError(`has a history that cannot be read: ${(cause as Error).message}`, folder, {
      cause,
      hint: `Restore ${CHANGES_FILE} from a copy of the site, or start a new history with --forget-history: redirects of renamed records are then lost.`,
    });
  }
}

/**
 * Reads every record of a built site.
 *
 * @throws OutputError if a list page cannot be read
 * @throws DataError if one is invalid, or the records do not match the site's digest
 */
export function readSiteRecords(folder: string, { counts, digest }: Meta): EncodedRecords {
  const records = mapKinds((kind) => readPages(kind, counts[kind], (file) => readPublished(folder, file)));
  const found = digestRecords(records);
  if (found !== digest) {
    const location = { record: folder, field: 'digest' };
    throw new DataError(`got ${found}: expected ${digest}, as in meta.json`, location);
  }
  return records;
}

const readPages = (kind: Kind, count: number, read: (file: string) => string): EncodedRecord[] =>
  pageOffsets(count)
    .map((offset) => listPageFile(kind, offset))
    .flatMap((file) => recordsOf(read(file), file));

const recordsOf = (page: string, file: string): EncodedRecord[] =>
  parse(pageSchema, parseText(page, file), { record: file }).results.map(({ url: _, ...record }) =>
    encodeRecord(record),
  );

const readJson = (folder: string, file: string): unknown => parseText(readPublished(folder, file), file);

function parseText(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataError(`invalid JSON: ${(cause as SyntaxError).message}`, { record: file }, { cause });
  }
}

function readPublished(folder: string, file: string): string {
  try {
    return readText(folder, file);
  } catch (cause) {
    throw new OutputError(`cannot be read (${errorCode(cause)})`, path.join(folder, file), { cause });
  }
}

/**
 * Reads a site's files about itself.
 *
 * @throws OutputError if they are missing or invalid
 */
export function readDescriptions(folder: string): { meta: Meta; manifest: Manifest } {
  return {
    meta: readDescription(folder, META_FILE, metaReader),
    manifest: readDescription(folder, MANIFEST_FILE, manifestReader),
  };
}

export function readDescription<S extends z.ZodType>(folder: string, file: string, schema: S): z.infer<S> {
  const fail = (problem: string, cause?: unknown): OutputError =>
    new OutputError(`has no valid ${file}: ${problem}`, folder, { cause });
  let json: unknown;
  try {
    json = JSON.parse(readText(folder, file));
  } catch (cause) {
    throw fail(errorCode(cause) || 'invalid JSON', cause);
  }
  refuseNewerFormat(json, (problem, options) => new OutputError(`${file} ${problem}`, folder, options));
  const result = schema.safeParse(json);
  if (!result.success)
    throw fail(`${result.error.issues[0]?.path.join('.')}: ${result.error.issues[0]?.message}`);
  return result.data;
}
