/** The guards: data that was fetched without an error and still is not believed. */

import type { Counts, EncodedRecord, EncodedRecords } from './contract/data-set.ts';
import { type Kind, kindNames, mapKinds } from './contract/kinds.ts';
import { DataError } from './errors.ts';

/** What the last build, or the last snapshot, said of its data. */
export interface Previous {
  readonly counts: Counts;
  readonly digest: string;
  /** `YYYY-MM-DD` */
  readonly captured: string;
  /** The slugs of its records of a kind. */
  slugs(kind: Kind): Iterable<string>;
  /** Every record; undefined where they cannot be read as they were written. */
  records(): EncodedRecords | undefined;
}

export interface ShrinkOptions {
  /** Of the records. */
  readonly digest: string;
  readonly previous: Previous | undefined;
  /** The share in percent that may be gone without being named. */
  readonly maxShrink: number;
  /** Records that may be gone, as `<kind>/<slug>`: they do not count. */
  readonly allowMissing: readonly string[];
  /** Why local data was read instead of the upstream's, if it was. */
  readonly fallback: string | undefined;
}

/** Kind → the slugs of records that the last data had and this one has not, be it under another slug. */
export type Missing = Readonly<Record<Kind, readonly string[]>>;

/** How many of the missing records an error names. */
const NAMED = 10;

/**
 * Refuses data without more than a share of a kind's last records, whatever has come in their place; a kind without any
 * record counts as shrunk to nothing.
 *
 * @returns which records are gone
 * @throws DataError that says how many there were and are, and which are gone
 */
export function refuseShrinking(records: EncodedRecords, options: ShrinkOptions): Missing {
  const missing = findMissing(records, options);
  for (const kind of kindNames) {
    const before = options.previous?.counts[kind] ?? 0;
    const now = records[kind].length;
    const lost = missing[kind].filter((slug) => !options.allowMissing.includes(`${kind}/${slug}`)).length;
    const isEmpty = now === 0 && options.maxShrink < 100;
    if (!isEmpty && lost <= (before * options.maxShrink) / 100) continue;
    const expected =
      before > 0
        ? `, the last build had ${before}: expected at most ${options.maxShrink} % gone`
        : ': expected some';
    const gone = missing[kind].length > 0 ? `; gone: ${list(missing[kind])}` : '';
    throw new DataError(
      `got ${now} records${expected}${gone}`,
      { kind },
      { hint: hintFor(options.fallback) },
    );
  }
  return missing;
}

function findMissing(records: EncodedRecords, { digest, previous }: ShrinkOptions): Missing {
  return mapKinds((kind) => {
    if (previous?.digest === digest) return [];
    const slugs = new Set(records[kind].map(({ slug }) => slug));
    const missing = [...(previous?.slugs(kind) ?? [])].filter((slug) => !slugs.has(slug));
    return missing.length > 0 ? missing.filter(isGone(previous?.records()?.[kind], records[kind])) : missing;
  });
}

/** Whether the record that had a slug is gone, and not only renamed. */
function isGone(
  before: readonly EncodedRecord[] | undefined,
  now: readonly EncodedRecord[],
): (slug: string) => boolean {
  const ids = new Map(before?.map(({ id, slug }) => [slug, id]));
  const left = new Set<number | undefined>(now.map(({ id }) => id));
  return (slug) => !left.has(ids.get(slug));
}

function list(slugs: readonly string[]): string {
  const more = slugs.length > NAMED ? ` and ${slugs.length - NAMED} more` : '';
  return slugs.slice(0, NAMED).join(', ') + more;
}

function hintFor(fallback: string | undefined): string {
  return fallback === undefined
    ? 'If that is right, name the records with --allow-missing, or raise --max-shrink.'
    : `${fallback}, and the bundled data is older than what is published, which stays as it is.`;
}
