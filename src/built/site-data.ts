import * as z from 'zod';
import { movedReader } from '../contract/changes.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { estimateBytes, type KeepBytes, limitMemory } from '../contract/limits.ts';
import type { Entries, Meta } from '../contract/meta.ts';
import { type Names, type NamesSummary, namesReader } from '../contract/names.ts';
import { pageOffsets } from '../contract/page-range.ts';
import { parse, parseJson, parseJsonRecord } from '../contract/parse.ts';
import {
  CHANGES_FILE,
  FORMER_FILE,
  findSlugs,
  listPageFile,
  META_FILE,
  MOVED_FILE,
  namesFile,
  recordFile,
} from '../contract/paths.ts';
import {
  type AnyRecord,
  type AnyRecords,
  anyRecordSchema,
  digestRecords,
  removeUrl,
} from '../dataset/data-set.ts';
import {
  decodeHistory,
  decodeHistoryUpTo,
  emptyHistory,
} from '../dataset/history.ts';
import { selectNames } from '../dataset/names.ts';
import {
  type AddressedRecords,
  convertMoved,
  decodeOldSlugs,
  type OldSlugs,
} from '../dataset/old-slugs.ts';
import { DataError, OutputError } from '../errors.ts';
import { ignoreDamage } from './damage.ts';
import type { PastReader } from './past.ts';
import { readOrThrow, type SiteStorage } from './storage.ts';
import { readVerified } from './verified-files.ts';

/**
 * The files that contain a built site's data. Each reader below reads one part of
 * the data from these files, and throws `OutputError` or `DataError` if that part is
 * damaged.
 */
export interface SiteFiles {
  readonly storage: SiteStorage;
  readonly entries: Entries;
  /** Undefined if `meta.json` is damaged. */
  readonly meta: Meta | undefined;
  /**
   * The memory limit for all records together, and for all names together. Default:
   * `MAX_MEMORY_BYTES`.
   */
  readonly maxMemoryBytes?: number | undefined;
}

const listedRecordSchema = anyRecordSchema.refine(
  ({ url }) => typeof url === 'string',
  'expected a record',
);
const listPageSchema = z.looseObject({ results: z.array(listedRecordSchema) });

/** Parses a JSON file after verifying its hash against the manifest. */
function readJson({ storage, entries }: SiteFiles, file: string): unknown {
  const body = readVerified(storage, entries, file);
  return parseJsonRecord(`${body}`, storage.at(file));
}

/** Parses a JSON file that does not match the manifest. */
function readUnverifiedJson({ storage }: SiteFiles, file: string): unknown {
  const body = readOrThrow(storage, file);
  return parseJsonRecord(`${body}`, storage.at(file));
}

/**
 * Reads all records from the list pages, and checks them against the digest in
 * `meta.json`.
 */
export function readRecords(files: SiteFiles): AnyRecords {
  const { storage, meta, maxMemoryBytes } = files;
  if (!meta) throw new OutputError(`has no valid ${META_FILE}`, storage.name);
  const keep = limitMemory(storage.name, maxMemoryBytes);
  const records = mapKinds((kind) =>
    readListPages(files, kind, meta.counts[kind], keep),
  );
  const digest = digestRecords(records);
  if (digest === meta.digest) return records;
  const location = { record: storage.name, field: 'digest' };
  throw new DataError(
    `got ${digest}, expected ${meta.digest}, as in ${META_FILE}`,
    location,
  );
}

/**
 * Reads one kind's records from its list pages. Each page is parsed, validated and
 * released before the next one is read, because a parsed hostile page can need
 * twenty times its size.
 */
function readListPages(
  files: SiteFiles,
  kind: Kind,
  count: number,
  keep: KeepBytes,
): AnyRecord[] {
  const { storage, entries } = files;
  const records: AnyRecord[] = [];
  if (count === 0) return records;
  for (const offset of pageOffsets(count)) {
    const file = listPageFile(kind, offset);
    const page = parse(listPageSchema, readJson(files, file), {
      record: storage.at(file),
    });
    // The validated records need about as much memory as the size of the file.
    keep(entries.get(file)?.bytes ?? 0);
    for (const record of page.results) records.push(removeUrl(record));
  }
  return records;
}

/**
 * Lists the slugs and ids of records by reading each record's file. This works even
 * if the site's list pages are damaged. If a record's file is damaged as well, its
 * id is omitted.
 */
export function readAddresses({ storage, entries }: SiteFiles): AddressedRecords {
  const idSchema = z.object({ id: z.int() });
  const paths = [...entries.keys()];

  function readAddress(kind: Kind, slug: string): { slug: string; id?: number } {
    const body = ignoreDamage(() =>
      readVerified(storage, entries, recordFile(kind, slug)),
    );
    const json = parseJson(`${body ?? ''}`);
    const { data } = idSchema.safeParse(json);
    return { slug, ...data };
  }

  return mapKinds((kind) =>
    findSlugs(kind, paths).map((slug) => readAddress(kind, slug)),
  );
}

/** Reads the names of the given records in every language. */
export function readSiteNames(files: SiteFiles, records: AddressedRecords): Names[] {
  const { storage, meta, maxMemoryBytes } = files;
  return readNames({
    summary: meta?.names,
    readJson: (file) => readJson(files, file),
    at: storage.at,
    records,
    keep: limitMemory(storage.name, maxMemoryBytes),
  });
}

interface NamesOrigin {
  /** The summary in `meta.json`, which lists the languages. */
  readonly summary: NamesSummary | undefined;
  readJson(file: string): unknown;
  /** Returns the name of a file for use in error messages. */
  at(file: string): string;
  /** The records whose names are kept. The names of other records are dropped. */
  readonly records: AddressedRecords;
  readonly keep: KeepBytes;
}

/**
 * Reads the names of the given records in every language. Each language's file is
 * parsed, validated and reduced to these names before the next file is read, because
 * a hostile file may contain millions of other names.
 */
export function readNames(origin: NamesOrigin): Names[] {
  const allNames: Names[] = [];
  for (const language of Object.keys(origin.summary?.languages ?? {})) {
    const file = namesFile(language);
    const json = origin.readJson(file);
    const written = parse(namesReader, json, { record: origin.at(file) });
    const names = selectNames(written, origin.records);
    origin.keep(estimateBytes(names));
    allNames.push(names);
  }
  return allNames;
}

/** Creates a reader for the history and the old slugs of a site. */
export function createPastReader(files: SiteFiles): PastReader {
  const { storage, entries, meta } = files;
  const digest = meta?.digest ?? '';
  const record = storage.at(CHANGES_FILE);
  return {
    name: storage.name,
    history() {
      if (!entries.has(CHANGES_FILE)) return emptyHistory;
      const json = readJson(files, CHANGES_FILE);
      return decodeHistory(json, digest, { record });
    },
    historyUpToData() {
      const json = readUnverifiedJson(files, CHANGES_FILE);
      return decodeHistoryUpTo(json, digest, record);
    },
    oldSlugs: () => decodeOldSlugs(readJson(files, FORMER_FILE)),
    unverifiedOldSlugs: () => decodeOldSlugs(readUnverifiedJson(files, FORMER_FILE)),
    redirects: () => readRedirects(files),
  };
}

/**
 * Reads the published redirects as old slugs. They are used if the complete list of
 * old slugs is damaged.
 */
function readRedirects(files: SiteFiles): OldSlugs {
  const json = readJson(files, MOVED_FILE);
  const moved = parse(movedReader, json, { record: files.storage.at(MOVED_FILE) });
  // Redirects point to current slugs, but old slugs are stored by record id.
  const records = ignoreDamage(() => readRecords(files)) ?? readAddresses(files);
  return convertMoved(moved, records);
}
