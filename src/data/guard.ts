/**
 * Refuses an update that looks like an upstream mistake. The guard measures how many
 * records are gone, how many names are gone, and how many values and names have
 * changed. In nine years of real data, at most 1.3% of the values of a field and 4.4%
 * of the names in a language have changed.
 */

import type { FieldValue } from '../contract/changes.ts';
import { type Kind, kindNames } from '../contract/kinds.ts';
import { formatValue } from '../contract/parse.ts';
import { PLACEHOLDER_ICON } from '../contract/paths.ts';
import { recordSchemas, type Skipped } from '../contract/records.ts';
import { GamedataError } from '../errors.ts';
import type { AnyRecord, DataSet, PreviousDataSet } from './data-set.ts';
import { compareNames, type NameChanges } from './names.ts';

export interface GuardOptions {
  /**
   * The percentage of a kind's records, or of a language's names, that may disappear
   * in one update. Five times this percentage of a field's values may change.
   */
  readonly maxShrink: number;
  /**
   * Records (`<kind>/<slug>`) and languages (`names/<language>`) that are not
   * checked.
   */
  readonly allowMissing: readonly string[];
  /** The records that the user excludes. They do not count as missing. */
  readonly skip?: Skipped | undefined;
}

/**
 * Multiplies the limit for changed values, because values change more often than
 * records disappear.
 */
const VALUES_FACTOR = 5;

/**
 * Up to nine changed values do not indicate a systematic mistake, even if the field has
 * only a few values.
 */
const ALWAYS_ALLOWED = 9;

/** The percentage of a language's names that may be replaced in one update. */
const MAX_REPLACED_NAMES = 20;

const MAX_EXAMPLES = 3;

/**
 * A part of the data that changes too much, and the option that would permit the change.
 */
interface Violation {
  /** Says what changes and how much, and gives examples. */
  readonly problem: string;
  /** The smallest whole percentage for `--max-shrink` that permits the change. */
  readonly sufficientShrink?: number;
  /** The value for `--allow-missing` that permits the change. */
  readonly allowMissingValue?: string;
}

/**
 * Compares the next data set with the previous one.
 *
 * @throws GamedataError that lists everything that changes too much, and names the
 * options that permit it
 */
export function checkUpdate(
  previous: PreviousDataSet,
  next: DataSet,
  options: GuardOptions,
): void {
  const violations: Violation[] = [];
  if (previous.digest !== next.digest) {
    for (const kind of kindNames) {
      violations.push(...checkRecords(kind, previous, next, options));
    }
  }
  if (previous.namesSummary?.digest !== next.namesSummary?.digest) {
    violations.push(...checkNames(previous, next, options));
  }
  if (violations.length === 0) return;
  const problems = violations.map(({ problem }) => problem);
  throw new GamedataError('guard', problems.join('; '), {
    hint: hintAtOptions(violations),
  });
}

/**
 * Suggests the options that permit all violations: `--max-shrink` with a percentage
 * that is high enough for every violation that has one, and `--allow-missing` with the
 * values for all others.
 */
function hintAtOptions(violations: readonly Violation[]): string {
  let maxShrink = 0;
  const missingNames: string[] = [];
  for (const { sufficientShrink = 0, allowMissingValue } of violations) {
    maxShrink = Math.max(maxShrink, sufficientShrink);
    if (allowMissingValue) missingNames.push(allowMissingValue);
  }
  const options: string[] = [];
  if (maxShrink > 0) options.push(`--max-shrink ${maxShrink}`);
  if (missingNames.length > 0) {
    options.push(`--allow-missing ${missingNames.join(' ')}`);
  }
  return `If the new data is right, allow this once with ${options.join(' ')}.`;
}

/** A record in both data sets. */
interface RecordPair {
  readonly previous: AnyRecord;
  readonly next: AnyRecord;
}

/**
 * Checks how many records of a kind are gone, and how many values of each field have
 * changed in the records that are still there. Each violation contains the value of
 * `--max-shrink` that would permit it.
 */
function checkRecords(
  kind: Kind,
  previous: PreviousDataSet,
  next: DataSet,
  options: GuardOptions,
): Violation[] {
  const checkedRecords = listCheckedRecords(kind, previous, options);
  const { pairs, goneSlugs } = pairById(checkedRecords, next.readRecords()[kind]);
  const goneRecords: AffectedShare = {
    subject: kind,
    effect: 'records are gone',
    affected: goneSlugs.length,
    // `--max-shrink` is a percentage of all records, including those that are not
    // checked.
    total: previous.counts[kind],
    examples: goneSlugs,
  };
  const { maxShrink } = options;
  const violations: Violation[] = [];
  if (exceedsPercent(goneRecords, maxShrink)) {
    violations.push({
      problem: describeTooMany(goneRecords, maxShrink),
      sufficientShrink: calculatePercent(goneRecords),
    });
  }
  for (const field of Object.keys(recordSchemas[kind].shape)) {
    const changedValues = compareField(kind, field, pairs);
    const violation = checkChangedValues(changedValues, maxShrink);
    if (violation) violations.push(violation);
  }
  return violations;
}

interface PairedRecords {
  readonly pairs: readonly RecordPair[];
  /** The slugs of the previous records that are missing from the next data set. */
  readonly goneSlugs: readonly string[];
}

/** Pairs each previous record with the record of the same id in the next data set. */
function pairById(
  previousRecords: readonly AnyRecord[],
  nextRecords: readonly AnyRecord[],
): PairedRecords {
  const nextById = new Map<number, AnyRecord>();
  for (const record of nextRecords) nextById.set(record.id, record);
  const pairs: RecordPair[] = [];
  const goneSlugs: string[] = [];
  for (const previous of previousRecords) {
    const next = nextById.get(previous.id);
    if (next) pairs.push({ previous, next });
    else goneSlugs.push(previous.slug);
  }
  return { pairs, goneSlugs };
}

/**
 * Returns a violation if too many values of a field have changed. Values change more often
 * than records disappear, so their limit is a multiple of `--max-shrink`.
 */
function checkChangedValues(
  changedValues: AffectedShare,
  maxShrink: number,
): Violation | undefined {
  const maxPercent = VALUES_FACTOR * maxShrink;
  if (changedValues.affected <= ALWAYS_ALLOWED) return undefined;
  if (!exceedsPercent(changedValues, maxPercent)) return undefined;
  const changedPercent = calculatePercent(changedValues);
  return {
    problem: describeTooMany(changedValues, maxPercent),
    sufficientShrink: Math.ceil(changedPercent / VALUES_FACTOR),
  };
}

/**
 * Lists the previous records that must not disappear: all records of a kind, except for
 * those that the user skips, or allows to be missing.
 */
function listCheckedRecords(
  kind: Kind,
  previous: PreviousDataSet,
  { skip, allowMissing }: GuardOptions,
): AnyRecord[] {
  const ignoredIds = new Set<number>(skip?.[kind]);
  for (const id of findAllowedIds(kind, previous, allowMissing)) ignoredIds.add(id);
  const records = previous.readRecords()[kind];
  return records.filter(({ id }) => !ignoredIds.has(id));
}

/**
 * Finds the ids of the records of a kind that may be missing.
 *
 * @param allowMissing records such as `move/pound`, and languages such as `names/fr`,
 * which are ignored here
 */
function findAllowedIds(
  kind: Kind,
  previous: PreviousDataSet,
  allowMissing: readonly string[],
): number[] {
  const idsByCurrentSlug = new Map<string, number>();
  for (const { id, slug } of previous.readRecords()[kind]) {
    idsByCurrentSlug.set(slug, id);
  }
  const idsByOldSlug = previous.readPast().oldSlugs[kind];
  const allowedIds: number[] = [];
  for (const entry of allowMissing) {
    const [entryKind, slug = ''] = entry.split('/');
    if (entryKind !== kind) continue;
    // A slug that one record has now and another one had before means the first.
    const id = idsByCurrentSlug.get(slug) ?? idsByOldSlug.get(slug);
    if (id !== undefined) allowedIds.push(id);
  }
  return allowedIds;
}

/**
 * Counts the changed values of a field. Records that had no value before are not
 * counted at all, because filling in a missing value is not a mistake.
 */
function compareField(
  kind: Kind,
  field: string,
  pairs: readonly RecordPair[],
): AffectedShare {
  let total = 0;
  const examples: string[] = [];
  for (const { previous, next } of pairs) {
    const previousValue = readValue(previous, field);
    if (previousValue === null) continue;
    total++;
    const nextValue = readValue(next, field);
    if (nextValue === previousValue) continue;
    const values = `${formatValue(previousValue)} → ${formatValue(nextValue)}`;
    examples.push(`${previous.slug} ${values}`);
  }
  return {
    subject: `${kind} › ${field}`,
    effect: 'values changed or are gone',
    affected: examples.length,
    total,
    examples,
  };
}

/**
 * Returns null if the field is missing or contains the placeholder icon, which stands
 * for no icon.
 */
function readValue(record: AnyRecord, field: string): FieldValue {
  const value = record[field] ?? null;
  return value === PLACEHOLDER_ICON ? null : value;
}

/**
 * Checks how many names in each language are gone, and how many have changed. Returns
 * at most one violation for a language, because `--allow-missing names/<language>`
 * permits both.
 */
function checkNames(
  previous: PreviousDataSet,
  next: DataSet,
  { maxShrink, allowMissing }: GuardOptions,
): Violation[] {
  const changes = compareNames(
    { records: previous.readRecords(), names: previous.readNames() },
    { records: next.readRecords(), names: next.readNames() },
  );
  const violations: Violation[] = [];
  for (const languageChanges of changes) {
    const subject = `names/${languageChanges.language}`;
    const isPermitted = allowMissing.includes(subject);
    if (isPermitted) continue;
    const problem = findNamesProblem(subject, languageChanges, maxShrink);
    if (problem === undefined) continue;
    violations.push({ problem, allowMissingValue: subject });
  }
  return violations;
}

/**
 * Describes the problem if too many names are gone or have changed. Otherwise, returns
 * undefined.
 */
function findNamesProblem(
  subject: string,
  { before: total, lost, replaced, examples }: NameChanges,
  maxShrink: number,
): string | undefined {
  const goneNames: AffectedShare = {
    subject,
    effect: 'names are gone',
    affected: lost,
    total,
    examples,
  };
  if (exceedsPercent(goneNames, maxShrink)) {
    return describeTooMany(goneNames, maxShrink);
  }
  const changedNames: AffectedShare = {
    subject,
    effect: 'names changed',
    affected: replaced,
    total,
    examples,
  };
  if (replaced <= ALWAYS_ALLOWED) return undefined;
  if (!exceedsPercent(changedNames, MAX_REPLACED_NAMES)) return undefined;
  return describeTooMany(changedNames, MAX_REPLACED_NAMES);
}

/** Says how many of the records, values or names an update affects, and which ones. */
interface AffectedShare {
  /** A kind, a field of a kind, or `names/<language>`. */
  readonly subject: string;
  readonly effect: string;
  readonly affected: number;
  readonly total: number;
  readonly examples: readonly string[];
}

const exceedsPercent = (
  { affected, total }: AffectedShare,
  maxPercent: number,
): boolean => affected > (total * maxPercent) / 100;

/** Returns the percentage that is affected, rounded up. */
const calculatePercent = ({ affected, total }: AffectedShare): number =>
  Math.ceil((100 * affected) / total);

function describeTooMany(share: AffectedShare, maxPercent: number): string {
  const { subject, effect, affected, total, examples } = share;
  const listed = examples.slice(0, MAX_EXAMPLES).join(', ');
  return `${subject}: ${affected} of ${total} ${effect}, expected at most ${maxPercent}%: ${listed}`;
}
