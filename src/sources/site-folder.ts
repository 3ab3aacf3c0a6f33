/** A built site as a source of its own data: the records, read back from the list pages, and the history. */

import * as z from 'zod';
import { type History, historySchema } from '../contract/changes.ts';
import { mapKinds } from '../contract/kinds.ts';
import {
  type Entries,
  type Manifest,
  type Meta,
  manifestReader,
  metaReader,
  refuseNewerFormat,
} from '../contract/meta.ts';
import { type Names, type NamesSummary, namesReader } from '../contract/names.ts';
import { parse } from '../contract/parse.ts';
import { CHANGES_FILE, listPageFile, MANIFEST_FILE, META_FILE, namesFile } from '../contract/paths.ts';
import { pageOffsets } from '../contract/windows.ts';
import type { EncodedRecord, EncodedRecords } from '../dataset/data-set.ts';
import { digestRecords } from '../dataset/digest.ts';
import { encodeRecord } from '../dataset/encode.ts';
import { recordsOfPaths } from '../dataset/guards.ts';
import type { Previous } from '../dataset/history.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../errors.ts';
import { readJson, readText } from '../files.ts';

/** A record with its keys in their order, as the digest depends on it: whether it is the one that was built, that tells. */
const servedSchema = z.custom<{ url: string; id: number; slug: string }>(isServed, 'expected a record');
const pageSchema = z.looseObject({ results: z.array(servedSchema) });

function isServed(value: unknown): boolean {
  const { url, id, slug } = (value ?? {}) as Partial<Record<'url' | 'id' | 'slug', unknown>>;
  return typeof url === 'string' && Number.isInteger(id) && typeof slug === 'string';
}

/** The published data as the previous data set; undefined if nothing is published. */
export function previousOfSite(
  folder: string,
  { meta, entries }: { meta?: Meta | undefined; entries: Entries },
): Previous | undefined {
  if (entries.size === 0) return undefined;
  const listed = recordsOfPaths(entries.keys());
  const history = (): History | undefined =>
    entries.has(CHANGES_FILE) ? readSiteHistory(folder) : undefined;
  if (meta) {
    const records = () => undamaged(() => readSiteRecords(folder, meta));
    const ownNames = () => undamaged(() => readNames(folder, meta.names));
    return { ...meta, records, readNames: ownNames, listed, history };
  }
  // A site that does not describe itself has the data at which its history ends.
  const counts = mapKinds((kind) => listed[kind].length);
  const last = undamaged(history)?.steps[0]?.to ?? { digest: '', captured: null, counts };
  return { ...last, records: () => undefined, listed, history };
}

/** What somebody damaged is replaced by the next build: it is no reason to stop it. */
function undamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
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
  const records = mapKinds((kind) =>
    pageOffsets(counts[kind]).flatMap((offset) => readPage(folder, listPageFile(kind, offset))),
  );
  const found = digestRecords(records);
  if (found === digest) return records;
  const location = { record: folder, field: 'digest' };
  throw new DataError(`got ${found}: expected ${digest}, as in meta.json`, location);
}

/** Reads the names in every language of a site, or of a snapshot. Throws `OutputError` or `DataError`. */
export const readNames = (folder: string, summary: NamesSummary | undefined): Names[] =>
  Object.keys(summary?.languages ?? {}).map((language) => {
    const file = namesFile(language);
    return parse(namesReader, readJson(folder, file), { record: file });
  });

const readPage = (folder: string, file: string): EncodedRecord[] =>
  parse(pageSchema, readJson(folder, file), { record: file }).results.map(({ url: _, ...record }) =>
    encodeRecord(record),
  );

/**
 * Reads a site's files about itself.
 *
 * @throws OutputError if they are missing or invalid
 */
export const readDescriptions = (folder: string): { meta: Meta; manifest: Manifest } => ({
  meta: readDescription(folder, META_FILE, metaReader),
  manifest: readDescription(folder, MANIFEST_FILE, manifestReader),
});

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
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw fail(`${issue?.path.join('.')}: ${issue?.message}`);
}
