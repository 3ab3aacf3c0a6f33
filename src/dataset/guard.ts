import { type Kind, kindNames } from '../contract/kinds.ts';
import { DAY_MS, listFirst } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import { countRecords, type Warning } from './data-set.ts';
import type { Addressed } from './old-slugs.ts';
import { getDays, type Update } from './update.ts';

export interface GuardOptions {
  /**
   * The percentage of a kind's records, or of a language's names, that may disappear
   * in one update.
   */
  readonly maxShrink: number;
  /**
   * Records (`<kind>/<slug>`) and languages (`names/<language>`) that may disappear
   * regardless of `maxShrink`.
   */
  readonly allowMissing: readonly string[];
  readonly maxAge?: number | undefined;
  /** The current date in the form `YYYY-MM-DD`. */
  readonly today: string;
  /**
   * Whether the user asked to restore an archive. This permits every loss except the
   * loss of a whole kind.
   */
  readonly isRestored?: boolean | undefined;
}

/**
 * Five times as many records may be renamed as may disappear, because renamed
 * records still redirect.
 */
const RENAMED_FACTOR = 5;

/** Up to nine changes in a small kind do not indicate a systematic error. */
const ALWAYS_ALLOWED = 9;

type Check = (update: Update, options: GuardOptions) => void;

/** The checks that limit how much an update may remove or change. */
const limits: readonly Check[] = [
  checkUnusableValues,
  checkMissingRecords,
  checkRenamedRecords,
  checkMissingNames,
];

/**
 * Stops an update that is implausible or too old, or that would remove too much.
 *
 * If the user restores an archive, only the loss of a whole kind stops the update,
 * because the user chose this data on purpose.
 *
 * @throws GuardError if a check fails
 */
export function checkUpdate(update: Update, options: GuardOptions): void {
  if (!options.isRestored) checkAge(update, options);
  checkFallback(update);
  checkEmptyKinds(update, options);
  if (options.isRestored) return;
  for (const check of limits) check(update, options);
}

/**
 * Rejects data that is too old. The date of the upstream's edition decides, because
 * data that has not changed for years is still current if the upstream continues to
 * publish it. Without an edition, the capture date decides.
 */
function checkAge(
  { dataSet, asRead }: Update,
  { today, maxAge }: GuardOptions,
): void {
  if (maxAge === undefined) return;
  const { edition } = asRead;
  const day = edition?.deployed.slice(0, 10) ?? dataSet.provenance.captured;
  const ageMs = Date.parse(today) - Date.parse(day);
  const days = ageMs / DAY_MS;
  if (days <= maxAge) return;
  const event = edition ? 'deployed' : 'captured';
  throw new GuardError(
    `got data ${event} on ${day}, ${days} days ago, expected at most ${maxAge}, as set by --max-age`,
    {},
  );
}

/**
 * Rejects outdated fallback data. A fallback is local data that is used because the
 * upstream could not be reached. It may only replace published data that is older.
 */
function checkFallback({ fallback, previous, dataSet }: Update): void {
  const { digest, provenance } = dataSet;
  if (fallback === null || !previous || previous.digest === digest) return;
  const { previousDay, nextDay } = getDays(previous, { digest, ...provenance });
  if (!previousDay || !nextDay) return;
  if (previousDay < nextDay) return;
  throw new GuardError(
    `got local data from ${nextDay}, expected data newer than the published data from ${previousDay}`,
    {},
    {
      hint: `${fallback}. The next build that reaches the upstream will update the site.`,
    },
  );
}

function checkEmptyKinds(update: Update, { maxShrink }: GuardOptions): void {
  if (maxShrink >= 100) return;
  const emptyKind = kindNames.find((kind) => update.dataSet.counts[kind] === 0);
  if (emptyKind === undefined) return;
  const hint =
    update.fallback === null
      ? 'If the upstream really has none, build with --max-shrink 100.'
      : hintAtMissing(update, 100);
  throw new GuardError(
    'got 0 records, expected at least one',
    { kind: emptyKind },
    { hint },
  );
}

/** A number of affected records or names, and the limits for that number. */
interface Measurement {
  /** Either a kind or `names/<language>`. */
  readonly subject: string;
  /** The effect on the records or names, such as `records missing`. */
  readonly effect: string;
  readonly affected: number;
  readonly total: number;
  readonly maxShrink: number;
  /**
   * The factor by which the percentage of the total that may be affected is larger
   * than `maxShrink`. The default is 1.
   */
  readonly factor?: number;
  /**
   * A number that is always tolerated, even if it is more than the percentage
   * permits.
   */
  readonly maxCount?: number;
  readonly examples?: readonly string[];
  /**
   * Creates the hint.
   *
   * @param sufficient the smallest whole `maxShrink` that would allow this number
   */
  readonly createHint: (sufficient: number) => string;
}

/**
 * Checks that no more records or names are affected than the limits allow. The hint
 * names the percentage that would be sufficient, so that the user need not guess.
 *
 * @throws GuardError if the number exceeds both the percentage and the fixed limit
 */
function assertWithinLimit(measurement: Measurement): void {
  const { affected, total, maxShrink, factor = 1, maxCount = 0 } = measurement;
  const maxPercent = factor * maxShrink;
  const maxAffected = Math.max(maxCount, (total * maxPercent) / 100);
  if (affected <= maxAffected) return;
  const { subject, effect, examples = [], createHint } = measurement;
  const listedExamples = examples.length > 0 ? `: ${listFirst(examples)}` : '';
  const sufficient = Math.ceil((100 * affected) / (total * factor));
  const hint = createHint(sufficient);
  throw new GuardError(
    `got ${affected} of ${total} ${effect}, expected at most ${maxPercent} %${listedExamples}`,
    { kind: subject },
    { hint },
  );
}

/**
 * Rejects an update in which too many records get an unusable value at once. Copied
 * data is skipped, because it was checked when it was captured.
 */
function checkUnusableValues(update: Update, options: GuardOptions): void {
  const { dataSet, previous, isCopy } = update;
  if (isCopy) return;
  const codes = ['unusable-icon', 'unusable-name'];
  // Icons from different upstreams are not comparable, because another upstream may
  // have fewer of them.
  if (previous?.upstream === dataSet.provenance.upstream) codes.push('no-icon');
  for (const kind of kindNames) {
    for (const code of codes) {
      checkNewWarnings(update, dataSet.warnings, { kind, code }, options);
    }
  }
}

interface WarningType {
  readonly kind: Kind;
  readonly code: string;
}

/**
 * Limits the number of new warnings. Many new warnings may mean, for example, that
 * the upstream changed a field.
 */
function checkNewWarnings(
  update: Update,
  warnings: readonly Warning[],
  type: WarningType,
  { maxShrink }: GuardOptions,
): void {
  const { kind, code } = type;
  const total = update.dataSet.counts[kind];
  const previousTotal = update.previous?.counts[kind] ?? total;
  const addedRecords = Math.max(0, total - previousTotal);
  let expectedCount = countPreviousWarnings(update, type);
  // Newly added records may not have an icon yet.
  if (code === 'no-icon') expectedCount += addedRecords;

  const matchingWarnings = selectWarnings(warnings, type);
  const firstMessages = matchingWarnings.slice(0, 1).map(({ message }) => message);
  assertWithinLimit({
    subject: kind,
    effect: `records with a new ${code}`,
    affected: countRecords(matchingWarnings) - expectedCount,
    total,
    maxShrink,
    maxCount: ALWAYS_ALLOWED,
    examples: firstMessages,
    createHint: (sufficient) =>
      `If the upstream is right, allow this once with --max-shrink ${sufficient}.`,
  });
}

function selectWarnings(
  warnings: readonly Warning[],
  { kind, code }: WarningType,
): Warning[] {
  return warnings.filter(
    (warning) => warning.kind === kind && warning.code === code,
  );
}

/**
 * Counts the records that had a warning in the previous data set. A snapshot lists
 * all warnings, but a site only has their numbers.
 */
function countPreviousWarnings({ previous }: Update, type: WarningType): number {
  const warnings = previous?.warnings ?? [];
  const isList = 'length' in warnings;
  if (isList) return countRecords(selectWarnings(warnings, type));
  return warnings[type.kind][type.code] ?? 0;
}

/**
 * Rejects an update in which too many records disappear. When an upstream is used
 * for the first time, only the numbers of records can be compared.
 */
function checkMissingRecords(update: Update, options: GuardOptions): void {
  const { dataSet, losses, foreignCounts } = update;
  for (const kind of kindNames) {
    const limit = {
      subject: kind,
      effect: 'records missing',
      maxShrink: options.maxShrink,
      createHint: (sufficient: number) => hintAtMissing(update, sufficient),
    };
    if (losses) {
      const missingRecords = removeAllowed(
        losses.missing[kind],
        kind,
        update,
        options,
      );
      const examples = missingRecords.map(({ slug }) => slug);
      const total = losses.previousCounts[kind];
      assertWithinLimit({
        ...limit,
        affected: missingRecords.length,
        total,
        examples,
      });
    } else if (foreignCounts) {
      const total = foreignCounts[kind];
      const affected = total - dataSet.counts[kind];
      assertWithinLimit({ ...limit, affected, total });
    }
  }
}

/**
 * Rejects an update in which too many records change their slug or id, because this
 * suggests that the upstream numbers its records differently.
 */
function checkRenamedRecords(update: Update, options: GuardOptions): void {
  const { losses } = update;
  if (!losses) return;
  for (const kind of kindNames) {
    const changedRecords = removeAllowed(
      losses.changed[kind],
      kind,
      update,
      options,
    );
    const examples = changedRecords.map(({ id, slug }) => `${slug} (${id})`);
    assertWithinLimit({
      subject: kind,
      effect: 'records renamed or renumbered',
      affected: changedRecords.length,
      total: losses.previousCounts[kind],
      maxShrink: options.maxShrink,
      factor: RENAMED_FACTOR,
      maxCount: ALWAYS_ALLOWED,
      examples,
      createHint: (sufficient) =>
        `If the upstream is right, list them with --allow-missing, or allow this once with --max-shrink ${sufficient}, a fifth of the percentage of renamed records.`,
    });
  }
}

function checkMissingNames({ nameChanges }: Update, options: GuardOptions): void {
  for (const { language, before, lost } of nameChanges) {
    const subject = `names/${language}`;
    if (options.allowMissing.includes(subject)) continue;
    assertWithinLimit({
      subject,
      effect: 'names missing',
      affected: lost,
      total: before,
      maxShrink: options.maxShrink,
      createHint: (sufficient) =>
        `If they are really gone, add --allow-missing ${subject}, or allow this loss once with --max-shrink ${sufficient}.`,
    });
  }
}

/**
 * Removes the records that the user allows to disappear. The user may refer to a
 * record by its current slug or by an old slug, so old slugs are resolved to ids.
 */
function removeAllowed(
  records: readonly Addressed[],
  kind: Kind,
  { past }: Update,
  { allowMissing }: GuardOptions,
): readonly Addressed[] {
  if (allowMissing.length === 0) return records;
  const prefix = `${kind}/`;
  const allowedSlugs = new Set<string>();
  const allowedIds = new Set<number | undefined>();
  for (const allowedRecord of allowMissing) {
    if (!allowedRecord.startsWith(prefix)) continue;
    const slug = allowedRecord.slice(prefix.length);
    allowedSlugs.add(slug);
    allowedIds.add(past.oldSlugs[kind].get(slug));
  }
  // Unknown old slugs and records without an id are both undefined, and must not
  // match each other.
  allowedIds.delete(undefined);
  return records.filter(
    ({ id, slug }) => !allowedSlugs.has(slug) && !allowedIds.has(id),
  );
}

function hintAtMissing(
  { fallback, foreignCounts, losses }: Update,
  sufficient: number,
): string {
  if (fallback !== null) {
    return `${fallback}. It has less than the published data, which is unchanged.`;
  }
  if (!losses && foreignCounts) {
    return 'The bundled data set has more, and nothing is published. If the upstream is right, build with --max-shrink 100.';
  }
  return `If they are really gone, list them with --allow-missing, or allow this loss once with --max-shrink ${sufficient}.`;
}
