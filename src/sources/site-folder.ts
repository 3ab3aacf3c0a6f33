/** A built site as a source of its own data: the records, read back from the list pages, and the history. */

import path from 'node:path';
import * as z from 'zod';
import { type History, historySchema } from '../contract/changes.ts';
import type { Entries } from '../contract/entries.ts';
import { refuseNewerFormat } from '../contract/format.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { linkBaseOf, type Manifest, type Meta, manifestReader, metaReader } from '../contract/meta.ts';
import { parse, UNCOMPILED } from '../contract/parse.ts';
import { CHANGES_FILE, listPageFile, MANIFEST_FILE, META_FILE, slugsOf } from '../contract/paths.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { EncodedRecord, EncodedRecords, FindKnown } from '../dataset/data-set.ts';
import { digestRecords, digestText } from '../dataset/digest.ts';
import { builtPage, encodeRecord } from '../dataset/encode.ts';
import { previousOfPaths } from '../dataset/guards.ts';
import type { PreviousDataSet } from '../dataset/previous.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../errors.ts';
import { readPieces, readText } from '../files/folder.ts';
import { parseLongJson } from '../text/long-json.ts';

/** As much of a list page as is needed: whether the records are those that were built, the digest tells. */
const pageSchema = z.looseObject({ results: z.array(z.custom<Served>(isServed, 'expected a record')) });

/** Used as it is, with its keys in their order. */
interface Served {
  readonly url: string;
  readonly id: number;
  readonly slug: string;
}

function isServed(value: unknown): boolean {
  const { url, id, slug } = (value ?? {}) as Partial<Record<keyof Served, unknown>>;
  return typeof url === 'string' && Number.isInteger(id) && typeof slug === 'string';
}

/** The data of a published site as the previous data set. */
export function previousOfSite(folder: string, meta: Meta, entries: Entries): PreviousDataSet {
  /** Found once: what is the same does not change when it is checked. */
  let isSame: ReturnType<FindKnown> | undefined;
  const findSame: FindKnown = (now) => {
    isSame ??= findSamePages(now, meta, entries);
    return isSame;
  };
  return {
    ...meta,
    slugs: (kind) => slugsOf(kind, entries.keys()),
    differences(now) {
      const isListedAlike = findSame(now);
      try {
        const read = (file: string): string => readListed(folder, file, entries);
        const before = mapKinds((kind) =>
          readPages(kind, meta.counts[kind], read, (offset) => !isListedAlike(kind, offset)),
        );
        return { before, after: mapKinds((kind) => now[kind].filter((_, at) => !isListedAlike(kind, at))) };
      } catch (error) {
        // List pages that somebody damaged are replaced by the next build: they are no reason to stop it.
        if (error instanceof GamedataError) return { before: undefined, after: now };
        throw error;
      }
    },
    findKnown: findSame,
    history: () => (entries.has(CHANGES_FILE) ? readSiteHistory(folder) : undefined),
  };
}

/** As much as is known of a published site that does not describe itself: which records it had, and its history. */
export function previousWithoutMeta(folder: string, entries: Entries): PreviousDataSet {
  const history = entries.has(CHANGES_FILE) ? readSiteHistory(folder) : undefined;
  // Where the history ends.
  const digest = history?.steps[0]?.to.digest ?? '';
  return { ...previousOfPaths(entries.keys()), digest, history: () => history };
}

/** Finds the records on pages that would be made as they are published. */
function findSamePages(now: EncodedRecords, meta: Meta, entries: Entries): ReturnType<FindKnown> {
  const base = linkBaseOf(meta);
  const pages = mapKinds((kind) =>
    pageOffsets(now[kind].length).map((offset) => {
      const { body } = builtPage(base, kind, now[kind], offset);
      return digestText(body) === entries.get(listPageFile(kind, offset))?.sha256;
    }),
  );
  return (kind, at) => pages[kind][Math.floor(at / PAGE_SIZE)] === true;
}

/** The history of a built site. One that cannot be read is not replaced in silence, as every redirect would go with it. */
function readSiteHistory(folder: string): History {
  try {
    return parse(historySchema, readJson(folder, CHANGES_FILE), { record: CHANGES_FILE }, UNCOMPILED);
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

/** A page's text, which has to be as the manifest lists it. */
export function readListed(folder: string, file: string, entries: Entries): string {
  const text = readPublished(folder, file);
  const [got, expected] = [digestText(text), entries.get(file)?.sha256];
  if (got === expected) return text;
  throw new DataError(`got ${got}: expected ${expected}, as in ${MANIFEST_FILE}`, { record: file });
}

/** The records of those pages of a kind that are wanted. */
const readPages = (
  kind: Kind,
  count: number,
  read: (file: string) => string,
  isWanted: (offset: number) => boolean = () => true,
): EncodedRecord[] =>
  pageOffsets(count)
    .filter(isWanted)
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
    json =
      file === MANIFEST_FILE
        ? parseLongJson(() => readPieces(folder, file), 'files')
        : JSON.parse(readText(folder, file));
  } catch (cause) {
    throw fail(errorCode(cause) || 'invalid JSON', cause);
  }
  refuseNewerFormat(json, (problem, options) => new OutputError(`${file} ${problem}`, folder, options));
  const result = schema.safeParse(json);
  if (!result.success)
    throw fail(`${result.error.issues[0]?.path.join('.')}: ${result.error.issues[0]?.message}`);
  return result.data;
}
