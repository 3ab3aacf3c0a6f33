/** Guards: reject what was read without an error, and is implausible all the same, or would take something away. */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Edition } from '../contract/meta.ts';
import { API_PREFIX, recordPath, slugsOf } from '../contract/paths.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import { counted, firstOf } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import { type DataSet, unusableCodes } from './data-set.ts';
import { type Addressed, type AddressedRecords, type Former, movedRoutes, noFormer } from './former.ts';
import type { Previous } from './history.ts';
import type { NameChanges } from './names.ts';

/** The records that a site's files are of. */
export function recordsOfPaths(files: Iterable<string>): AddressedRecords {
  const paths = [...files];
  return mapKinds((kind) => slugsOf(kind, paths).map((slug) => ({ slug })));
}

/** As much of a data set as the guards compare. */
export interface Guarded {
  readonly digest: string;
  readonly captured: string | null;
  readonly edition?: Edition | null | undefined;
  readonly records: AddressedRecords;
  readonly former: Former;
}

export interface GuardOptions {
  /** The percentage of a kind's records, and of a language's names, that may disappear; five times as many may be renamed. */
  readonly maxShrink: number;
  /** Records that may disappear in addition, as `<kind>/<slug>`, and languages, as `names/<language>`. */
  readonly allowMissing: readonly string[];
  readonly skip?: Skipped | undefined;
  /** What is compared with where nothing is published: how many records another data set has. */
  readonly floor?: Counts | undefined;
  /** Why local data was read instead of the upstream, if it was. */
  readonly fallback?: string | undefined;
  /** Whether redirects may be lost, because a new history starts. */
  readonly mayLoseRedirects?: boolean | undefined;
  /** Whether the user named an archive to restore, which permits every loss but that of a whole kind. */
  readonly isRestored?: boolean | undefined;
}

/** Kind → the slugs of records that have disappeared, renamed ones not counted. */
export type Missing = Readonly<Record<Kind, readonly string[]>>;

/**
 * The guard of whatever replaces published data. Fails if too many records or names disappeared, an address would become a 404
 * although its record is there, a fallback is older than what is published, or too many records were renamed.
 *
 * @param before what is published; undefined if nothing is
 * @returns what is gone all the same, as it was allowed to: records, and redirects to present ones, as `<kind>/<slug>`
 * @throws GuardError that names what would be lost
 */
export function guard(
  before: (Guarded & { readonly names: readonly NameChanges[] }) | undefined,
  next: Guarded,
  options: GuardOptions,
): { missing: Missing; redirects: readonly string[] } {
  const missing = refuseShrinking(before, next, options);
  if (!before) return { missing, redirects: [] };
  if (!options.isRestored) refuseLostNames(before.names, options);
  const redirects = lostAddresses(before, next, true).map(([path]) => path.slice(API_PREFIX.length, -1));
  if (redirects.length > 0 && !options.mayLoseRedirects)
    throw new GuardError(
      `${counted(redirects.length, 'redirect')} of renamed records would be lost: ${firstOf(redirects)}`,
      {},
      { hint: 'To let them go, start a new history with --forget-history.' },
    );
  refuseOlderFallback(before, next, options);
  if (!options.isRestored) refuseRenaming(before, next, options);
  return { missing, redirects };
}

/** Fails if more than a percentage of a kind's records disappeared, whatever was added instead, or if a kind has no records at all. */
function refuseShrinking(before: Guarded | undefined, next: Guarded, options: GuardOptions): Missing {
  const { floor, maxShrink, isRestored } = options;
  const gone = findGone(before, next, options);
  return mapKinds((kind) => {
    const slugs = gone[kind].map(({ slug }) => slug);
    const had = before?.records[kind].length ?? floor?.[kind] ?? 0;
    const now = next.records[kind].length;
    const lost = before ? gone[kind].filter(({ isAllowed }) => !isAllowed).length : had - now;
    const isEmpty = now === 0 && maxShrink < 100;
    if (!isEmpty && (isRestored || lost <= (had * maxShrink) / 100)) return slugs;
    const limit = before
      ? `, the last build had ${had}: expected at most ${maxShrink} % to disappear`
      : `, the bundled data set has ${had}: expected at most ${maxShrink} % less`;
    const expected = had > 0 ? limit : ': expected at least one';
    const named = slugs.length > 0 ? `; missing: ${firstOf(slugs)}` : '';
    const hint = hintFor(options, !before);
    throw new GuardError(`got ${now} records${expected}${named}`, { kind }, { hint });
  });
}

/**
 * The records of before whose id is not there any more, nor their slug, or not every other address of theirs; and whether that was
 * asked for.
 */
function findGone(before: Guarded | undefined, next: Guarded, { skip, allowMissing }: GuardOptions) {
  const unanswered = new Set(before && lostAddresses(before, next, false).map(([, record]) => record));
  return mapKinds((kind) => {
    const slugs = new Set(next.records[kind].map(({ slug }) => slug));
    const ids = new Set([...next.records[kind].map(({ id }) => id), ...(skip?.[kind] ?? [])]);
    const gone = (before?.records[kind] ?? []).filter(({ id, slug }) =>
      id === undefined
        ? !slugs.has(slug)
        : !ids.has(id) && (!slugs.has(slug) || unanswered.has(`${kind} ${id}`)),
    );
    const isAllowed = allowed(before?.former ?? noFormer, kind, allowMissing);
    return gone.map((record) => ({ slug: record.slug, isAllowed: isAllowed(record) }));
  });
}

/** Whether a record is listed, by its slug or a former one. */
const allowed =
  (former: Former, kind: Kind, listed: readonly string[]) =>
  ({ id, slug }: Addressed): boolean => {
    const had = [...former[kind]].flatMap(([name, of]) => (of === id ? [name] : []));
    return [slug, ...had].some((name) => listed.includes(`${kind}/${name}`));
  };

/** Ten are too many if their percentage is. Fewer are no sign of a fault in all of a kind, however small that is. */
const FEW = 9;

/** Fails if more than five times the percentage of a kind's records have another slug or id than before, as where ids were shifted. */
function refuseRenaming(before: Guarded, next: Guarded, options: GuardOptions): void {
  const most = 5 * options.maxShrink;
  for (const kind of kindNames) {
    const slugs = new Map(next.records[kind].map(({ id, slug }) => [id, slug]));
    const ids = new Map(next.records[kind].map(({ id, slug }) => [slug, id]));
    const isAllowed = allowed(before.former, kind, options.allowMissing);
    const known = before.records[kind].filter(({ id }) => id !== undefined);
    const moved = known.filter((record) => {
      const { id, slug } = record;
      const isSame = (slugs.get(id) ?? slug) === slug && (ids.get(slug) ?? id) === id;
      return !isSame && !isAllowed(record);
    });
    if (moved.length <= Math.max(FEW, (known.length * most) / 100)) continue;
    const names = firstOf(moved.map(({ id, slug }) => `${slug} (${id})`));
    const problem = `got ${moved.length} of ${known.length} records renamed or renumbered`;
    const hint = 'If the upstream is right, list them with --allow-missing, or raise --max-shrink.';
    const expected = `expected at most ${most} %, five times --max-shrink`;
    throw new GuardError(`${problem}: ${expected}; ${names}`, { kind }, { hint });
  }
}

/** Fails if a value became unusable in more than a percentage of a kind's records at once, as where a field was changed. */
export function refuseUnusable(
  { warnings, counts }: Pick<DataSet, 'warnings' | 'counts'>,
  { warnings: former = [] }: Pick<Previous, 'warnings'>,
  { maxShrink }: Pick<GuardOptions, 'maxShrink'>,
): void {
  for (const kind of kindNames)
    for (const code of unusableCodes) {
      const isOne = (one: { kind: string; code: string }): boolean => one.kind === kind && one.code === code;
      const found = warnings.filter(isOne);
      const now = new Set(found.map(({ id }) => id)).size;
      const before = 'filter' in former ? former.filter(isOne).length : (former[kind][code] ?? 0);
      if (now - before <= Math.max(FEW, (counts[kind] * maxShrink) / 100)) continue;
      const problem = `got ${code} in ${now} of ${counts[kind]} records, the last build had ${before}`;
      const expected = `expected at most ${maxShrink} % more`;
      const hint = 'If the upstream is right, raise --max-shrink.';
      throw new GuardError(`${problem}: ${expected}; ${found[0]?.message}`, { kind }, { hint });
    }
}

/** Fails if more than a percentage of a language's names disappeared. `names/fr` among the missing lets all of French go. */
function refuseLostNames(changes: readonly NameChanges[], options: GuardOptions): void {
  const { maxShrink, allowMissing } = options;
  for (const { language, before, lost } of changes) {
    const kind = `names/${language}`;
    if (lost <= (before * maxShrink) / 100 || allowMissing.includes(kind)) continue;
    const problem = `got ${before - lost} of ${before} names that the last build had: expected at most ${maxShrink} % to disappear`;
    const hint = `If they are really gone, add --allow-missing ${kind}, or raise --max-shrink.`;
    throw new GuardError(problem, { kind }, { hint });
  }
}

/** The paths of before that would become a 404, and their records, as far as these are still there or are not. */
function lostAddresses(before: Guarded, next: Guarded, isThere: boolean): [path: string, record: string][] {
  const still = addressesOf(next);
  const present = new Set(still.values());
  return [...addressesOf(before)].filter(
    ([path, record]) => !still.has(path) && present.has(record) === isThere,
  );
}

/** Path → the record that answers there, itself or by a redirect. */
function addressesOf({ records, former }: Guarded): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const kind of kindNames)
    for (const { id, slug } of records[kind]) addresses.set(recordPath(kind, slug), `${kind} ${id ?? slug}`);
  for (const { path, to } of movedRoutes(former, records)) addresses.set(path, addresses.get(to) ?? '');
  return addresses;
}

type Dated = Pick<Guarded, 'captured' | 'edition'>;

/** The days of two data sets that can be compared: those of their editions, or else those of their captures. */
export const datesOf = (before: Dated, next: Dated): readonly (string | null)[] =>
  before.edition && next.edition
    ? [before.edition.deployed, next.edition.deployed].map((time) => time.slice(0, 10))
    : [before.captured, next.captured];

/** A fallback replaces only data of an earlier day, or the same. */
function refuseOlderFallback(before: Guarded, next: Guarded, { fallback }: GuardOptions): void {
  if (fallback === undefined || before.digest === next.digest) return;
  const [published, local] = datesOf(before, next);
  if (!published || !local || published < local) return;
  throw new GuardError(
    `the published data is newer and unchanged: it is of ${published}, the local data of ${local}`,
    {},
    { hint: `${fallback}. The next build with an upstream brings it up to date.` },
  );
}

/**
 * Throws if data is too old. Its age is that of the edition that it was read from, or else, of an upstream that names none, that
 * of its last change or capture. `maxAge` is a number of days; undefined for any.
 */
export function refuseOldData(
  { captured, edition }: { captured: string; edition: Edition | null },
  { today, maxAge }: { today: string; maxAge?: number | undefined },
): void {
  const day = edition?.deployed.slice(0, 10) ?? captured;
  const days = (Date.parse(today) - Date.parse(day)) / 86_400_000;
  if (maxAge === undefined || days <= maxAge) return;
  throw new GuardError(
    `got data ${edition ? 'deployed' : 'captured'} on ${day}, ${days} days ago: expected at most ${maxAge}, as set by --max-age`,
    {},
  );
}

function hintFor({ fallback, floor }: GuardOptions, isFirst: boolean): string {
  if (fallback !== undefined) return `${fallback}. It has less than the published data, which is unchanged.`;
  if (isFirst && floor)
    return 'Nothing is published here that could be compared with. If the upstream is right, build with --max-shrink 100.';
  return 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';
}
