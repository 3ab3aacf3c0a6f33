/** Reads a built site: its manifest, its description and its data. */

import { hash } from 'node:crypto';
import * as z from 'zod';
import { type History, movedReader } from '../../contract/changes.ts';
import { mapKinds } from '../../contract/kinds.ts';
import {
  type Entries,
  type Manifest,
  type Meta,
  manifestReader,
  metaReader,
  rejectOtherFormat,
} from '../../contract/meta.ts';
import { type Names, type NamesSummary, namesReader } from '../../contract/names.ts';
import { pageOffsets } from '../../contract/page-range.ts';
import { parse, parseJson } from '../../contract/parse.ts';
import {
  CHANGES_FILE,
  FORMER_FILE,
  findSlugs,
  listPageFile,
  MANIFEST_FILE,
  META_FILE,
  MOVED_FILE,
  namesFile,
  recordFile,
} from '../../contract/paths.ts';
import {
  type AnyRecord,
  type AnyRecords,
  anyRecordSchema,
  digestRecords,
  removeUrl,
} from '../../dataset/data-set.ts';
import {
  type AddressedRecords,
  decodeFormer,
  type Former,
  noFormer,
  readRedirects,
} from '../../dataset/former.ts';
import { decodeHistory, emptyHistory } from '../../dataset/history.ts';
import type { Previous } from '../../dataset/replacement.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../../errors.ts';
import { parseText } from '../../files.ts';
import { readOrThrow, type SiteStorage } from './storage.ts';

/** More than a hundred times the live upstream's records with every icon. */
const MAX_SITE_BYTES = 8 * 1024 ** 3;

const servedSchema = anyRecordSchema.refine(({ url }) => typeof url === 'string', 'expected a record');
const pageSchema = z.looseObject({ results: z.array(servedSchema) });

export type Site = ReturnType<typeof openSite>;

/** Opens a site. Throws `OutputError` if its manifest or description is missing or invalid. */
export function openSite(storage: SiteStorage) {
  const manifest = readManifest(storage);
  const meta = describe(storage, META_FILE, metaReader);
  const entries = entriesByPath(manifest);
  return { storage, manifest, entries, meta, ...siteData(storage, entries, meta) };
}

/** Throws `OutputError` if it is not the manifest of a gamedata build, or lists more than any site has. */
export function readManifest(storage: SiteStorage): Manifest {
  const manifest = describe(storage, MANIFEST_FILE, manifestReader);
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_SITE_BYTES) return manifest;
  throw new OutputError(
    `got files of ${bytes} bytes in all, expected at most ${MAX_SITE_BYTES}`,
    storage.name,
  );
}

/** Undefined if it is missing, invalid or differs from the manifest. */
export const readMeta = (storage: SiteStorage, entries?: Entries): Meta | undefined =>
  ignoreDamage(() => {
    if (entries) readVerified(storage, entries, META_FILE);
    return describe(storage, META_FILE, metaReader);
  });

export const entriesByPath = ({ files }: Pick<Manifest, 'files'>): Entries =>
  new Map(files.map((entry) => [entry.path, entry]));

const ownSchema = z.object({ generator: z.string().startsWith('gamedata/') });

function describe<S extends z.ZodType>(storage: SiteStorage, file: string, schema: S): z.infer<S> {
  const fail = (problem: string, cause?: unknown): OutputError =>
    new OutputError(`has no valid ${file}: ${problem}`, storage.name, { cause });
  let json: unknown;
  try {
    json = JSON.parse(`${storage.read(file)}`);
  } catch (cause) {
    throw fail(errorCode(cause) || 'invalid JSON', cause);
  }
  // Web applications have a manifest.json, too.
  if (ownSchema.safeParse(json).success)
    rejectOtherFormat(
      json,
      (problem, options) => new OutputError(`${file} ${problem}`, storage.name, options),
    );
  try {
    return parse(schema, json, {});
  } catch (cause) {
    throw cause instanceof DataError ? fail(cause.message, cause) : cause;
  }
}

/** Reads a file and checks its hash in the manifest. Throws `OutputError`. */
export function readVerified(storage: SiteStorage, entries: Entries, file: string): Buffer {
  const entry = entries.get(file);
  if (!entry) throw new OutputError('is not in the manifest', storage.at(file));
  const body = readOrThrow(storage, file);
  const sha256 = hash('sha256', body);
  if (sha256 === entry.sha256) return body;
  const problem = `has SHA-256 ${sha256}, expected ${entry.sha256}, as in the manifest`;
  throw new OutputError(problem, storage.at(file), { hint: 'gamedata verify <dir> lists every problem.' });
}

/** The data of a site, checked against its manifest. Each function throws `OutputError` or `DataError`. */
function siteData(storage: SiteStorage, entries: Entries, meta: Meta | undefined) {
  const json = (file: string): unknown =>
    parseText(`${readVerified(storage, entries, file)}`, storage.at(file));
  const readPage = (file: string): AnyRecord[] =>
    parse(pageSchema, json(file), { record: storage.at(file) }).results.map(removeUrl);
  function records(): AnyRecords {
    if (!meta) throw new OutputError(`has no valid ${META_FILE}`, storage.name);
    const { counts, digest } = meta;
    const read = mapKinds((kind) =>
      counts[kind] === 0
        ? []
        : pageOffsets(counts[kind]).flatMap((offset) => readPage(listPageFile(kind, offset))),
    );
    const found = digestRecords(read);
    if (found === digest) return read;
    const location = { record: storage.name, field: 'digest' };
    throw new DataError(`got ${found}: expected ${digest}, as in ${META_FILE}`, location);
  }
  const history = (): History =>
    entries.has(CHANGES_FILE) ? decodeHistory(json(CHANGES_FILE), storage.at(CHANGES_FILE)) : emptyHistory;
  const moved = (): z.infer<typeof movedReader> =>
    parse(movedReader, json(MOVED_FILE), { record: storage.at(MOVED_FILE) });
  return {
    records,
    history,
    names: (): Names[] => readNames(meta?.names, json, storage.at),
    former: (): Former => decodeFormer(json(FORMER_FILE)),
    /** The old slugs that redirect, for a site whose `former.json` is damaged. */
    redirecting: (own: AddressedRecords): Former => readRedirects(moved(), own),
    /** The records by their own files, for a site whose list pages are damaged. Damaged files have no ids. */
    listed: (): AddressedRecords =>
      mapKinds((kind) =>
        findSlugs(kind, [...entries.keys()]).map((slug) => {
          const text = ignoreDamage(() => `${readVerified(storage, entries, recordFile(kind, slug))}`) ?? '';
          const { data } = z.object({ id: z.int() }).safeParse(parseJson(text));
          return { slug, ...data };
        }),
      ),
  };
}

export const readNames = (
  summary: NamesSummary | undefined,
  read: (file: string) => unknown,
  at = (file: string): string => file,
): Names[] =>
  Object.keys(summary?.languages ?? {}).map((language) => {
    const file = namesFile(language);
    return parse(namesReader, read(file), { record: at(file) });
  });

/** The published data as the previous data set; undefined if nothing is published. */
export function readPreviousSite(
  storage: SiteStorage,
  { meta, entries }: { meta?: Meta | undefined; entries: Entries },
): Previous | undefined {
  if (entries.size === 0) return undefined;
  const data = siteData(storage, entries, meta);
  const counts = mapKinds((kind) => findSlugs(kind, [...entries.keys()]).length);
  const records = () => ignoreDamage(data.records);
  return {
    ...(meta ?? { digest: '', captured: null, counts }),
    records,
    listed: data.listed,
    history: () => ignoreDamage(data.history),
    readNames: () => ignoreDamage(data.names),
    former: () => withRestoreHint({ name: storage.name, wayOut: RESTORE }, data.former),
    readableFormer: () =>
      ignoreDamage(data.former) ?? ignoreDamage(() => data.redirecting(records() ?? data.listed())),
  };
}

const RESTORE = 'Restore an archive of the site with gamedata mirror <archive>';

/** Explains that damaged old slugs are an error, because published addresses would become 404. */
export function withRestoreHint(of: { name: string; wayOut: string }, read: () => Former): Former {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    const hint = `${of.wayOut}, or let every redirect go with --forget-history.`;
    throw new OutputError(`has old slugs that cannot be read: ${cause.message}`, of.name, { cause, hint });
  }
}

/** Reads the old slugs of a source, or none if they are damaged and may be lost. */
export const readFormer = (read: () => Former, mayBeLost = false): Former =>
  mayBeLost ? (ignoreDamage(read) ?? noFormer) : read();

/** Returns undefined for damaged data, which the next build replaces. */
export function ignoreDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
}
