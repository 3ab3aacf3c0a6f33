import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Names } from '../contract/names.ts';
import { formatValue } from '../contract/parse.ts';
import { findName } from './find-name.ts';
import { type AddressedRecords, mapSlugs } from './redirects.ts';

/** Selects the names of the given records in one language. */
export const selectNames = (language: Names, records: AddressedRecords): Names => ({
  ...language,
  ...mapKinds((kind) => selectNamesOfKind(language, kind, records)),
});

/** Selects the names of the given records of one kind. */
function selectNamesOfKind(
  language: Names,
  kind: Kind,
  records: AddressedRecords,
): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const { slug } of records[kind]) {
    const name = findName(language, kind, slug);
    if (name !== undefined) selected[slug] = name;
  }
  return selected;
}

/**
 * The differences between two data sets' names in one language. Only records that
 * exist in both data sets are compared.
 */
export interface NameChanges {
  readonly language: string;
  /** The number of names that the common records had before. */
  readonly before: number;
  readonly lost: number;
  /** The number of names that differ from the previous name of the same record. */
  readonly replaced: number;
  /** The number of names that were added, lost or replaced. */
  readonly changed: number;
  /** The first few lost or replaced names, such as `pound: "Pound" → null`. */
  readonly examples: readonly string[];
}

const MAX_EXAMPLES = 3;

interface NamedRecords {
  readonly records: AddressedRecords;
  readonly names: readonly Names[];
}

/** A record that exists in both data sets, possibly with different slugs. */
interface CommonRecord {
  readonly kind: Kind;
  readonly previousSlug: string;
  readonly nextSlug: string;
}

/**
 * Compares the names of the records that exist in both data sets.
 *
 * @returns the languages whose names differ, sorted by language tag
 */
export function compareNames(
  previous: NamedRecords,
  next: NamedRecords,
): NameChanges[] {
  const commonRecords = listCommonRecords(previous.records, next.records);
  const allNames = [...previous.names, ...next.names];
  const languages = new Set(allNames.map(({ language }) => language));
  const changes: NameChanges[] = [];
  for (const language of [...languages].sort()) {
    const previousNames = previous.names.find(
      (names) => names.language === language,
    );
    const nextNames = next.names.find((names) => names.language === language);
    const counts = countNameChanges(commonRecords, previousNames, nextNames);
    if (counts.changed > 0) changes.push({ language, ...counts });
  }
  return changes;
}

/** Lists the records whose id exists in both data sets. */
function listCommonRecords(
  previous: AddressedRecords,
  next: AddressedRecords,
): CommonRecord[] {
  const commonRecords: CommonRecord[] = [];
  for (const kind of kindNames) {
    const nextSlugs = mapSlugs(next[kind]);
    for (const { id, slug } of previous[kind]) {
      const nextSlug = nextSlugs.get(id);
      if (nextSlug !== undefined) {
        commonRecords.push({ kind, previousSlug: slug, nextSlug });
      }
    }
  }
  return commonRecords;
}

/**
 * Counts the names that were added, lost or replaced in one language. Also counts the
 * previous names, because the guard limits the percentage of them that may be lost.
 */
function countNameChanges(
  records: readonly CommonRecord[],
  previousNames: Names | undefined,
  nextNames: Names | undefined,
): Omit<NameChanges, 'language'> {
  let before = 0;
  let lost = 0;
  let replaced = 0;
  let added = 0;
  const examples: string[] = [];
  for (const { kind, previousSlug, nextSlug } of records) {
    const previousName = findName(previousNames, kind, previousSlug) ?? null;
    const nextName = findName(nextNames, kind, nextSlug) ?? null;
    if (previousName === null) {
      if (nextName !== null) added++;
      continue;
    }
    before++;
    if (nextName === previousName) continue;
    if (nextName === null) lost++;
    else replaced++;
    const names = `${formatValue(previousName)} → ${formatValue(nextName)}`;
    examples.push(`${previousSlug}: ${names}`);
  }
  return {
    before,
    lost,
    replaced,
    changed: added + lost + replaced,
    examples: examples.slice(0, MAX_EXAMPLES),
  };
}
