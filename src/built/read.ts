import { hash } from 'node:crypto';
import * as z from 'zod';
import { type History, movedReader } from '../contract/changes.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { estimateBytes, type KeepBytes, limitMemory } from '../contract/limits.ts';
import {
  type Entries,
  type Manifest,
  type ManifestEntry,
  type Meta,
  manifestReader,
  metaReader,
  rejectOtherFormat,
} from '../contract/meta.ts';
import { type Names, type NamesSummary, namesReader } from '../contract/names.ts';
import { pageOffsets } from '../contract/page-range.ts';
import { parse, parseJson, parseJsonRecord } from '../contract/parse.ts';
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
} from '../contract/paths.ts';
import {
  type AnyRecord,
  type AnyRecords,
  anyRecordSchema,
  digestRecords,
  removeUrl,
} from '../dataset/data-set.ts';
import { decodeHistory, decodeHistoryUpTo, emptyHistory } from '../dataset/history.ts';
import { selectNames } from '../dataset/names.ts';
import {
  type AddressedRecords,
  convertMoved,
  decodeOldSlugs,
  mergeOldSlugs,
  noOldSlugs,
  type OldSlugs,
} from '../dataset/old-slugs.ts';
import { type PastWithNotices, RESTART } from '../dataset/past.ts';
import type { Previous } from '../dataset/update.ts';
import { DataError, type ErrorOptions, errorCode, GamedataError, OutputError } from '../errors.ts';
import { readOrThrow, type SiteStorage } from './storage.ts';
import { rejectDamagedText, TextDamageError } from './text-damage.ts';

const servedSchema = anyRecordSchema.refine(
  ({ url }) => typeof url === 'string',
  'expected a record',
);
const pageSchema = z.looseObject({ results: z.array(servedSchema) });

export type Site = ReturnType<typeof openSite>;

/**
 * @param maxMemoryBytes the limit of all records, and of all names
 * @throws OutputError if the manifest or `meta.json` is missing or invalid
 */
export function openSite(storage: SiteStorage, maxMemoryBytes?: number) {
  const manifest = readManifest(storage);
  const meta = parseFile(storage, META_FILE, metaReader);
  const entries = entriesByPath(manifest);
  const readers = createReaders(storage, entries, meta, maxMemoryBytes);
  return { storage, manifest, entries, meta, ...readers };
}

export const readManifest = (storage: SiteStorage): Manifest =>
  parseFile(storage, MANIFEST_FILE, manifestReader);

/** Returns undefined if `meta.json` is missing, invalid or differs from the manifest. */
export const readMeta = (storage: SiteStorage, entries: Entries): Meta | undefined =>
  ignoreDamage(() => {
    readVerified(storage, entries, META_FILE);
    return parseFile(storage, META_FILE, metaReader);
  });

export const entriesByPath = ({ files }: Pick<Manifest, 'files'>): Entries =>
  new Map(files.map((entry) => [entry.path, entry]));

const ownSchema = z.object({ generator: z.string().startsWith('gamedata/') });

function parseFile<S extends z.ZodType>(storage: SiteStorage, file: string, schema: S): z.infer<S> {
  const fail = (problem: string, options: ErrorOptions) =>
    new OutputError(problem, storage.name, options);
  try {
    const json: unknown = JSON.parse(`${storage.read(file)}`);
    // Web apps also have a `manifest.json`.
    if (ownSchema.safeParse(json).success)
      rejectOtherFormat(json, (problem, options) => fail(`${file} ${problem}`, options));
    return parse(schema, json, {});
  } catch (cause) {
    if (cause instanceof OutputError) throw cause;
    const problem = cause instanceof DataError ? cause.message : errorCode(cause) || 'invalid JSON';
    throw fail(`has no valid ${file}: ${problem}`, { cause });
  }
}

/**
 * Reads a file and compares its hash with the manifest.
 *
 * @throws OutputError
 */
export function readVerified(storage: SiteStorage, entries: Entries, file: string): Buffer {
  const entry = entries.get(file);
  if (!entry) throw new OutputError('is not in the manifest', storage.at(file));
  const body = readOrThrow(storage, file);
  const problem = findMismatch(entry, body);
  if (problem === undefined) return body;
  rejectDamagedText(storage.at(file), body);
  throw new OutputError(problem, storage.at(file), {
    hint: 'gamedata verify <dir> lists every problem.',
  });
}

export function findMismatch(
  { bytes, sha256 }: ManifestEntry,
  body: Uint8Array,
  verb = 'has',
): string | undefined {
  if (body.length !== bytes)
    return `${verb} ${body.length} bytes, expected ${bytes}, as in the manifest`;
  const found = hash('sha256', body);
  return found === sha256
    ? undefined
    : `${verb} SHA-256 ${found}, expected ${sha256}, as in the manifest`;
}

/** Returns functions that read data and compare it with the manifest. Each throws `OutputError` or `DataError`. */
function createReaders(
  storage: SiteStorage,
  entries: Entries,
  meta: Meta | undefined,
  maxMemoryBytes?: number,
) {
  const parseBody = (file: string, body: Buffer): unknown =>
    parseJsonRecord(`${body}`, storage.at(file));
  const json = (file: string): unknown => parseBody(file, readVerified(storage, entries, file));
  const unverifiedJson = (file: string): unknown => parseBody(file, readOrThrow(storage, file));

  /**
   * Reads the records of one kind from its list pages. Each page is parsed, validated and released
   * before the next one is read, because a hostile page takes twenty times its size.
   */
  function readListPages(kind: Kind, count: number, keep: KeepBytes): AnyRecord[] {
    const records: AnyRecord[] = [];
    if (count === 0) return records;
    for (const offset of pageOffsets(count)) {
      const file = listPageFile(kind, offset);
      const { results } = parse(pageSchema, json(file), { record: storage.at(file) });
      // The validated records are about as large as the file.
      keep(entries.get(file)?.bytes ?? 0);
      for (const record of results) records.push(removeUrl(record));
    }
    return records;
  }

  return {
    records(): AnyRecords {
      if (!meta) throw new OutputError(`has no valid ${META_FILE}`, storage.name);
      const keep = limitMemory(storage.name, maxMemoryBytes);
      const records = mapKinds((kind) => readListPages(kind, meta.counts[kind], keep));
      const digest = digestRecords(records);
      if (digest === meta.digest) return records;
      const location = { record: storage.name, field: 'digest' };
      throw new DataError(`got ${digest}, expected ${meta.digest}, as in ${META_FILE}`, location);
    },
    /** @throws DataError if the history is damaged or ends at another data set */
    history(): History {
      if (!entries.has(CHANGES_FILE)) return emptyHistory;
      return decodeHistory(json(CHANGES_FILE), meta?.digest ?? '', {
        record: storage.at(CHANGES_FILE),
      });
    },
    /** Reads the names of the given records in every language. */
    names(records: AddressedRecords): Names[] {
      const keep = limitMemory(storage.name, maxMemoryBytes);
      return readNames({ summary: meta?.names, readJson: json, at: storage.at, records, keep });
    },
    oldSlugs: (): OldSlugs => decodeOldSlugs(json(FORMER_FILE)),
    /** Reads the history up to this site's data from a file that differs from the manifest. */
    unverifiedHistory(): History {
      const file = storage.at(CHANGES_FILE);
      return decodeHistoryUpTo(unverifiedJson(CHANGES_FILE), meta?.digest ?? '', file);
    },
    /** Reads old slugs from a file that differs from the manifest. */
    unverifiedOldSlugs: (): OldSlugs => decodeOldSlugs(unverifiedJson(FORMER_FILE)),
    /** Reads the old slugs that redirect, for a site whose `former.json` is damaged. */
    redirecting: (records: AddressedRecords): OldSlugs =>
      convertMoved(
        parse(movedReader, json(MOVED_FILE), { record: storage.at(MOVED_FILE) }),
        records,
      ),
    /** Lists records from their own files, for a site whose list pages are damaged. Records in damaged files have no ids. */
    listed: (): AddressedRecords =>
      mapKinds((kind) =>
        findSlugs(kind, [...entries.keys()]).map((slug) => {
          const text =
            ignoreDamage(() => `${readVerified(storage, entries, recordFile(kind, slug))}`) ?? '';
          const { data } = z.object({ id: z.int() }).safeParse(parseJson(text));
          return { slug, ...data };
        }),
      ),
  };
}

interface NamesOrigin {
  readonly summary: NamesSummary | undefined;
  readJson(file: string): unknown;
  /** Names a file in an error. */
  at(file: string): string;
  readonly records: AddressedRecords;
  readonly keep: KeepBytes;
}

/**
 * Reads the names of the given records. Each file is parsed, validated and reduced to these names
 * before the next one is read, because a hostile file has millions of other names.
 */
export function readNames({ summary, readJson, at, records, keep }: NamesOrigin): Names[] {
  const all: Names[] = [];
  for (const language of Object.keys(summary?.languages ?? {})) {
    const file = namesFile(language);
    const written = parse(namesReader, readJson(file), { record: at(file) });
    const names = selectNames(written, records);
    keep(estimateBytes(names));
    all.push(names);
  }
  return all;
}

export type PreviousSite = Previous & Pick<Site, 'storage' | 'entries'>;

/** Reads the published site as the previous data set. Without `meta.json`, only the site's files are known. */
export function readPreviousSite(
  storage: SiteStorage,
  { meta, entries }: { meta?: Meta | undefined; entries: Entries },
): PreviousSite | undefined {
  if (entries.size === 0) return undefined;
  const site = createReaders(storage, entries, meta);
  const counts = mapKinds((kind) => findSlugs(kind, [...entries.keys()]).length);
  const records = () => ignoreDamage(site.records);
  return {
    ...(meta ?? { digest: '', captured: null, counts }),
    storage,
    entries,
    records,
    listed: site.listed,
    readNames: (known) => ignoreDamage(() => site.names(known)),
    readPast: (mayBeLost) => readPublishedPast(storage.name, site, mayBeLost),
  };
}

type SiteReaders = ReturnType<typeof createReaders>;

/**
 * Reads the past of a published site in the user's own folder.
 *
 * Both of its files usually match the manifest. If a build was interrupted and its staging folder is lost, they may already be
 * those of the next site. They are then used as far as they are well-formed: steps after the published data are dropped, and old
 * slugs are added to the published redirects, so that no redirect is lost.
 *
 * @throws OutputError if old slugs cannot be read and must not be lost
 */
function readPublishedPast(name: string, site: SiteReaders, mayBeLost: boolean): PastWithNotices {
  const past = readHistory(site);
  const slugs = readOldSlugs(name, site, mayBeLost);
  return {
    history: past.history,
    oldSlugs: slugs.oldSlugs,
    notices: [...past.notices, ...slugs.notices],
  };
}

function readHistory(site: SiteReaders): Pick<PastWithNotices, 'history' | 'notices'> {
  const history = ignoreDamage(site.history);
  if (history) return { history, notices: [] };
  const unverified = ignoreDamage(site.unverifiedHistory);
  if (!unverified) return { history: emptyHistory, notices: [RESTART] };
  const notice = `${CHANGES_FILE} ${INTERRUPTED}: its steps up to the published data are kept`;
  return { history: unverified, notices: [notice] };
}

export const INTERRUPTED = 'differs from the manifest, as after an interrupted build';

function readOldSlugs(
  name: string,
  site: SiteReaders,
  mayBeLost: boolean,
): Pick<PastWithNotices, 'oldSlugs' | 'notices'> {
  const oldSlugs = ignoreDamage(site.oldSlugs);
  if (oldSlugs) return { oldSlugs, notices: [] };
  const redirects = ignoreDamage(() => readRedirects(site)) ?? noOldSlugs;
  const unverified = ignoreDamage(site.unverifiedOldSlugs);
  if (unverified) {
    const notice = `${FORMER_FILE} ${INTERRUPTED}: its old slugs are added to the published redirects`;
    return { oldSlugs: mergeOldSlugs(unverified, redirects), notices: [notice] };
  }
  if (mayBeLost) return { oldSlugs: redirects, notices: [] };
  const wayOut = 'Restore an archive of the site with gamedata mirror <archive>';
  // Reading it again throws an error with a way out.
  return { oldSlugs: withRestoreHint({ name, wayOut }, site.oldSlugs), notices: [] };
}

/** Reads the published redirects as old slugs. */
function readRedirects(site: SiteReaders): OldSlugs {
  const records = ignoreDamage(site.records) ?? site.listed();
  return site.redirecting(records);
}

/** Rejects damaged old slugs, because published URLs would become 404. */
export function withRestoreHint(
  site: { name: string; wayOut: string },
  read: () => OldSlugs,
  mayBeLost = false,
): OldSlugs {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    if (mayBeLost) return noOldSlugs;
    if (cause instanceof TextDamageError) throw cause;
    const hint = `${site.wayOut}, or drop every redirect with --forget-history.`;
    throw new OutputError(`has old slugs that cannot be read: ${cause.message}`, site.name, {
      cause,
      hint,
    });
  }
}

/** Returns undefined for damaged data, which the next build replaces. */
export function ignoreDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
}
