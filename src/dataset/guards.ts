/** Guards: reject data that was read without an error and is implausible all the same. */

import type { Edition } from '../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { slugsOf } from '../contract/paths.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import { firstOf } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import type { DataSet, EncodedRecord, EncodedRecords } from './data-set.ts';

/** As much of the previous data set as the guards compare with. */
export interface Previous {
  readonly counts: Counts;
  readonly digest: string;
  /** `YYYY-MM-DD` */
  readonly captured: string;
  readonly edition: Edition | null;
  /** The slugs of its records of a kind. */
  slugs(kind: Kind): Iterable<string>;
  /** What may be different in new records. What both have in common may be left out. */
  differences(now: EncodedRecords): Differences;
}

export interface Differences {
  /** Undefined if the records cannot be read as they were written; `after` is then complete. */
  readonly before: EncodedRecords | undefined;
  readonly after: EncodedRecords;
}

/** As much of a data set as the guards need. */
type GuardedData = Pick<DataSet, 'counts' | 'digest' | 'records'>;

/** As much of a previous data set as the paths of its files tell. */
export function previousOfPaths(files: Iterable<string>): Previous {
  const paths = [...files];
  const slugs = mapKinds((kind) => slugsOf(kind, paths));
  return {
    counts: mapKinds((kind) => slugs[kind].length),
    digest: '',
    captured: '',
    edition: null,
    slugs: (kind) => slugs[kind],
    differences: (after) => ({ before: undefined, after }),
  };
}

export interface ShrinkOptions {
  readonly previous: Previous | undefined;
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
export function refuseShrinking(data: GuardedData, options: ShrinkOptions): Missing {
  const { previous, floor, allowMissing, maxShrink } = options;
  const missing = findMissing(data, options);
  for (const kind of kindNames) {
    const before = (previous?.counts ?? floor)?.[kind] ?? 0;
    const now = data.counts[kind];
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

/** Throws if data was captured too long ago. `maxAge` is a number of days; undefined for any. */
export function refuseOldData(
  { captured }: { captured: string },
  { today, maxAge }: { today: string; maxAge?: number | undefined },
): void {
  const days = (Date.parse(today) - Date.parse(captured)) / 86_400_000;
  if (maxAge === undefined || days <= maxAge) return;
  throw new GuardError(
    `got data captured on ${captured}, ${days} days ago: expected at most ${maxAge}, as set by --max-age`,
    {},
  );
}

function findMissing({ digest, records: all }: GuardedData, { previous, skip }: ShrinkOptions): Missing {
  if (!previous || previous.digest === digest) return mapKinds(() => []);
  const { before, after } = previous.differences(all());
  return mapKinds((kind) => {
    const slugs = new Set(after[kind].map(({ slug }) => slug));
    const former = before?.[kind].map(({ slug }) => slug) ?? [...previous.slugs(kind)];
    const present = new Set<number | undefined>([
      ...after[kind].map(({ id }) => id),
      ...(skip?.[kind] ?? []),
    ]);
    return former.filter((slug) => !slugs.has(slug)).filter(isGone(before?.[kind], present));
  });
}

/** Whether the record with a given slug disappeared, as opposed to being renamed. */
function isGone(
  before: readonly EncodedRecord[] | undefined,
  present: ReadonlySet<number | undefined>,
): (slug: string) => boolean {
  const ids = new Map(before?.map(({ id, slug }) => [slug, id]));
  return (slug) => !present.has(ids.get(slug));
}

function hintFor({ fallback, previous, floor }: ShrinkOptions): string {
  if (fallback !== undefined) return `${fallback}. It has less than the published data, which is unchanged.`;
  return previous || !floor
    ? 'If they are really gone, list them with --allow-missing, or raise --max-shrink.'
    : 'Nothing is published here that could be compared with. If the upstream is right, build with --max-shrink 100.';
}
