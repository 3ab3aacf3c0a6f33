/** Guards: reject data that was read without an error and is implausible all the same. */

import type { Edition } from '../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { slugsOf } from '../contract/paths.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import { firstOf } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import type { NameChanges } from './names.ts';

/** As much of a data set as the guards compare. Of published files that are damaged, only the paths are known. */
export type NamedRecords = Readonly<
  Record<Kind, readonly { readonly id?: number | undefined; readonly slug: string }[]>
>;

/** The records that a site's files are of. */
export function recordsOfPaths(files: Iterable<string>): NamedRecords {
  const paths = [...files];
  return mapKinds((kind) => slugsOf(kind, paths).map((slug) => ({ slug })));
}

export interface ShrinkOptions {
  readonly previous: NamedRecords | undefined;
  /** What is compared with where there is no previous data set: how many records another one has. */
  readonly floor?: Counts | undefined;
  /** The percentage of records that may disappear. */
  readonly maxShrink: number;
  /** Records that may disappear in addition, as `<kind>/<slug>`. */
  readonly allowMissing: readonly string[];
  /** Records that were left out on purpose, and are not missing. */
  readonly skip?: Skipped | undefined;
  /** Why local data was read instead of the upstream, if it was. */
  readonly fallback: string | undefined;
}

/** Kind → the slugs of records that have disappeared, renamed ones not counted. */
export type Missing = Readonly<Record<Kind, readonly string[]>>;

/**
 * Fails if more than a percentage of a kind's records disappeared, whatever was added instead, or if a kind has no
 * records at all.
 *
 * @returns the records that have disappeared
 * @throws GuardError that says how many there were and are, and which are missing
 */
export function refuseShrinking(records: NamedRecords, options: ShrinkOptions): Missing {
  const { previous, floor, allowMissing, maxShrink } = options;
  const missing = findMissing(records, options);
  for (const kind of kindNames) {
    const before = previous?.[kind].length ?? floor?.[kind] ?? 0;
    const now = records[kind].length;
    const lost = previous
      ? missing[kind].filter((slug) => !allowMissing.includes(`${kind}/${slug}`)).length
      : before - now;
    const isEmpty = now === 0 && maxShrink < 100;
    if (!isEmpty && lost <= (before * maxShrink) / 100) continue;
    const former = previous ? 'the last build had' : 'the bundled data set has';
    const difference = previous ? 'to disappear' : 'less';
    const expected =
      before > 0
        ? `, ${former} ${before}: expected at most ${maxShrink} % ${difference}`
        : ': expected at least one';
    const gone = missing[kind].length > 0 ? `; missing: ${firstOf(missing[kind])}` : '';
    throw new GuardError(`got ${now} records${expected}${gone}`, { kind }, { hint: hintFor(options) });
  }
  return missing;
}

/** Fails if more than a percentage of a language's names disappeared. `names/fr` among the missing lets all of French go. */
export function refuseLostNames(
  changes: readonly Omit<NameChanges, 'changed'>[],
  { maxShrink, allowMissing }: Pick<ShrinkOptions, 'maxShrink' | 'allowMissing'>,
): void {
  for (const { language, before, lost } of changes) {
    const kind = `names/${language}`;
    if (lost <= (before * maxShrink) / 100 || allowMissing.includes(kind)) continue;
    const problem = `got ${before - lost} of ${before} names that the last build had: expected at most ${maxShrink} % to disappear`;
    const hint = `If they are really gone, add --allow-missing ${kind}, or raise --max-shrink.`;
    throw new GuardError(problem, { kind }, { hint });
  }
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

function findMissing(records: NamedRecords, { previous, skip }: ShrinkOptions): Missing {
  return mapKinds((kind) => {
    const slugs = new Set(records[kind].map(({ slug }) => slug));
    const ids = new Set([...records[kind].map(({ id }) => id), ...(skip?.[kind] ?? [])]);
    const gone = previous?.[kind].filter(
      ({ id, slug }) => !slugs.has(slug) && (id === undefined || !ids.has(id)),
    );
    return gone?.map(({ slug }) => slug) ?? [];
  });
}

function hintFor({ fallback, previous, floor }: ShrinkOptions): string {
  if (fallback !== undefined) return `${fallback}. It has less than the published data, which is unchanged.`;
  return previous || !floor
    ? 'If they are really gone, list them with --allow-missing, or raise --max-shrink.'
    : 'Nothing is published here that could be compared with. If the upstream is right, build with --max-shrink 100.';
}
