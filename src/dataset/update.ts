import type { DataSetSummary, History } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import { recordPath } from '../contract/paths.ts';
import type { Skipped } from '../contract/records.ts';
import type { AnyRecords, DataSet, Provenance, Warning } from './data-set.ts';
import { continueHistory, emptyHistory, stepsSince } from './history.ts';
import { compareNames } from './names.ts';
import {
  type Addressed,
  type AddressedRecords,
  createRedirects,
  findOldSlugs,
  mapSlugs,
  mergeOldSlugs,
  noOldSlugs,
  type OldSlugs,
  selectSharedSlugs,
} from './old-slugs.ts';

/** The published data set of a site or a snapshot, read only as far as necessary. Damaged parts of a site are undefined. */
export interface Previous extends DataSetSummary {
  records(): AnyRecords | undefined;
  listed?(): AddressedRecords;
  /** @throws OutputError if old slugs are damaged and must not be lost */
  oldSlugs(mayBeLost?: boolean): OldSlugs;
  history(): History | undefined;
  readonly names?: NamesSummary | undefined;
  readNames?(): readonly Names[] | undefined;
  /** A site has only the number of warnings of each kind and code. */
  readonly warnings?: readonly Warning[] | Meta['warnings'];
  readonly upstream?: string;
  readonly sprites?: Meta['sprites'];
}

export interface Past {
  /** Undefined if none is known, or if it describes other records. */
  readonly history: History | undefined;
  readonly oldSlugs: OldSlugs;
}

const noPast: Past = { history: undefined, oldSlugs: noOldSlugs };

export interface Next {
  readonly dataSet: DataSet;
  /**
   * Reads what the source knows about earlier states of the data. It may be damaged, so it is not
   * read if the user starts a new history.
   *
   * @throws OutputError or DataError
   */
  readPast?(): Past;
  /** Whether it comes from a snapshot or a site, which was checked and dated when it was captured. */
  readonly isCopy: boolean;
  readonly fallback?: string | undefined;
}

export interface UpdateOptions {
  readonly today: string;
  readBundled(): (Previous & Provenance) | undefined;
  readonly skip?: Skipped | undefined;
  readonly hasNames?: boolean | undefined;
  readonly forgetHistory?: boolean | undefined;
  readonly isRestored?: boolean | undefined;
}

export type Update = ReturnType<typeof planUpdate>;

const UNGUARDED = 'neither published nor bundled data exists, so --max-shrink has no effect';

/**
 * Compares the next data set with the published one, or with the bundled one if nothing is published. If the bundled data set
 * came from another upstream, uses only its record counts and the old slugs of records with the same id and slug.
 */
export function planUpdate(
  { dataSet, isCopy, fallback, readPast }: Next,
  published: Previous | undefined,
  { readBundled, ...options }: UpdateOptions,
) {
  const { records, digest, provenance: asRead } = dataSet;
  const past = options.forgetHistory ? noPast : (readPast?.() ?? noPast);
  const bundled = published || isCopy ? undefined : readBundled();
  const isSameUpstream = bundled?.source === asRead.source && bundled.upstream === asRead.upstream;
  const previous = published ?? (isSameUpstream ? bundled : undefined);
  const foreignBundle = previous ? undefined : bundled;
  const foreignRecords = foreignBundle?.records();
  const isSameData = previous?.digest === digest;
  const before = isSameData ? records : previous?.records();

  // The date of bundled data applies only to the same data.
  const dates = isCopy
    ? asRead
    : continueDates(isSameData ? previous : published, asRead, isSameData);
  const provenance = { ...asRead, ...dates };
  const summary = { ...dataSet, ...dates };

  // Without readable records, nothing can be reported as lost.
  const oldRecords = previous && (before ?? previous.listed?.() ?? records);
  const previousSlugs =
    previous && !options.forgetHistory ? previous.oldSlugs(options.isRestored) : noOldSlugs;
  const oldSlugs = mergeOldSlugs(
    foreignBundle && foreignRecords
      ? selectSharedSlugs(foreignBundle.oldSlugs(), foreignRecords, records)
      : noOldSlugs,
    past.oldSlugs,
    previousSlugs,
    oldRecords ? findOldSlugs(oldRecords, records) : noOldSlugs,
  );
  const losses =
    oldRecords &&
    findLosses(
      { records: oldRecords, oldSlugs: previousSlugs },
      { records, oldSlugs },
      options.skip,
    );

  const isSameNames = previous?.names?.digest === dataSet.namesSummary?.digest;
  const oldNames = isSameNames || options.hasNames === false ? undefined : previous?.readNames?.();
  const { history, notices } = continueHistory(
    { ...summary, history: past.history },
    previous && {
      ...previous,
      records: before,
      history: options.forgetHistory ? emptyHistory : previous.history(),
    },
  );
  return {
    dataSet: { ...dataSet, provenance },
    history,
    oldSlugs,
    fallback: fallback ?? null,
    steps: stepsSince(history, previous?.digest),
    missing: mapKinds(
      (kind): readonly string[] => losses?.missing[kind].map(({ slug }) => slug) ?? [],
    ),
    nameChanges:
      before && oldNames ? compareNames({ records: before, names: oldNames }, dataSet) : [],
    previous,
    losses,
    isCopy,
    asRead,
    bundledCounts: foreignBundle?.counts,
    notices: [
      ...(previous || isCopy || foreignBundle ? [] : [UNGUARDED]),
      ...(isCopy ? [] : describeEarlyClock(published, options.today)),
      ...(isCopy && fallback === undefined ? describeOlder(previous, summary) : []),
      ...notices,
    ],
  };
}

/** Unchanged data keeps its dates, and changed data is never dated before the previous data, even if the clock is wrong. */
function continueDates(
  previous: Previous | undefined,
  { captured, edition }: Provenance,
  isSameData: boolean,
): Pick<Provenance, 'captured' | 'edition'> {
  const { captured: before, edition: oldEdition } = previous ?? {};
  if (isSameData) return { captured: before ?? captured, edition: oldEdition ?? edition };
  return { captured: before && before > captured ? before : captured, edition };
}

function describeEarlyClock(previous: Previous | undefined, today: string): string[] {
  if (!previous?.captured || previous.captured <= today) return [];
  return [
    `the clock or SOURCE_DATE_EPOCH is at ${today}, before the published data of ${previous.captured}, so published dates stay and the build is reproducible only into an empty folder`,
  ];
}

interface Addresses {
  readonly records: AddressedRecords;
  readonly oldSlugs: OldSlugs;
}

function findLosses(before: Addresses, next: Addresses, skip: Skipped | undefined) {
  const paths = listPaths(next);
  const reachable = new Set(paths.values());
  const lostPaths = [...listPaths(before)].filter(([path]) => !paths.has(path));
  const lostKeys = new Set(lostPaths.map(([, key]) => key));
  const slugs = mapKinds((kind) => mapSlugs(next.records[kind]));
  const ids = mapKinds((kind) => new Map(next.records[kind].map(({ id, slug }) => [slug, id])));
  /** A removed id is not a loss if another record has its slug, and all its paths still exist. */
  const isMissing = (kind: Kind, record: Addressed): boolean => {
    const { id, slug } = record;
    if (id === undefined) return !ids[kind].has(slug);
    const exists = slugs[kind].has(id) || skip?.[kind].includes(id);
    return !exists && lostKeys.has(recordKey(kind, record));
  };
  /** The id belongs to another slug now, or the slug to another id. */
  const isChanged = (kind: Kind, { id, slug }: Addressed): boolean =>
    id !== undefined &&
    ((slugs[kind].get(id) ?? slug) !== slug || (ids[kind].get(slug) ?? id) !== id);
  return {
    counts: mapKinds((kind) => before.records[kind].length),
    missing: mapKinds((kind) => before.records[kind].filter((record) => isMissing(kind, record))),
    changed: mapKinds((kind) => before.records[kind].filter((record) => isChanged(kind, record))),
    lostRedirects: lostPaths.flatMap(([path, key]) => (reachable.has(key) ? [path] : [])),
  };
}

const recordKey = (kind: Kind, { id, slug }: Addressed): string => `${kind} ${id ?? slug}`;

/** Maps the paths of records and redirects to the keys of records. */
function listPaths({ records, oldSlugs }: Addresses): Map<string, string> {
  const paths = new Map<string, string>();
  for (const kind of kindNames)
    for (const record of records[kind])
      paths.set(recordPath(kind, record.slug), recordKey(kind, record));
  for (const { path, to } of createRedirects(oldSlugs, records))
    paths.set(path, paths.get(to) ?? '');
  return paths;
}

type Dated = Pick<DataSetSummary, 'digest' | 'captured' | 'edition'>;

/** Returns the days of both editions if both data sets have one, otherwise both capture dates. */
export const getDays = (before: Dated, next: Dated): readonly (string | null)[] =>
  before.edition && next.edition
    ? [before.edition.deployed, next.edition.deployed].map((time) => time.slice(0, 10))
    : [before.captured, next.captured];

function describeOlder(previous: Dated | undefined, next: Dated): string[] {
  if (!previous || previous.digest === next.digest) return [];
  const [before, now] = getDays(previous, next);
  if (!before || !now || now >= before) return [];
  return [`the source of ${now} is older than the published data of ${before}`];
}
