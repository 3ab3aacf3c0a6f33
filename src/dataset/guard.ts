import { type Kind, kindNames } from '../contract/kinds.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import { countRecords, type Warning } from './data-set.ts';
import type { Addressed } from './old-slugs.ts';
import { getDays, type Update } from './update.ts';

export interface GuardOptions {
  /** The percentage of a kind's records, and of a language's names, that may disappear. */
  readonly maxShrink: number;
  /** Records (`<kind>/<slug>`) and languages (`names/<language>`) that may disappear in addition to `maxShrink`. */
  readonly allowMissing: readonly string[];
  readonly maxAge?: number | undefined;
  /** `YYYY-MM-DD` */
  readonly today: string;
  readonly forgetHistory?: boolean | undefined;
  /** Whether the user named an archive to restore, which permits every loss except the loss of a whole kind. */
  readonly isRestored?: boolean | undefined;
}

/** A renamed record still redirects, so five times as many records may be renamed as may disappear. */
const RENAMED_FACTOR = 5;

/** Fewer than ten changes in a small kind are not a sign of a systematic fault. */
const ALWAYS_ALLOWED = 9;

type Check = (update: Update, options: GuardOptions) => void;

/** The limits on what an update may remove or change. */
const limits: readonly Check[] = [
  checkUnusableValues,
  checkMissingRecords,
  checkRenamedRecords,
  checkMissingNames,
  checkLostRedirects,
];

/**
 * Stops an update that is implausible or too old, or that would remove too much.
 *
 * The user who restores an archive has named the data, so only the loss of a whole kind stops it.
 *
 * @throws GuardError
 */
export function checkUpdate(update: Update, options: GuardOptions): void {
  if (!options.isRestored) checkAge(update, options);
  checkFallback(update);
  checkEmptyKinds(update, options);
  if (options.isRestored) return;
  for (const check of limits) check(update, options);
}

/** @throws GuardError if too many icons are missing that the published site has */
export function checkIcons(
  update: Update,
  warnings: readonly Warning[],
  options: GuardOptions,
): void {
  const hasPublishedIcons = update.previous?.sprites?.mode === 'mirror';
  if (options.isRestored || !hasPublishedIcons) return;
  for (const kind of kindNames) {
    checkNewWarnings(update, warnings, { kind, code: 'icon-not-found' }, options);
  }
}

const DAY_MS = 86_400_000;

/**
 * Rejects data that is too old. The day of the edition that was read counts, because data that has
 * not changed for years is not old if the upstream still publishes it. Without an edition, only the
 * day of the capture is known.
 */
function checkAge({ dataSet, asRead }: Update, { today, maxAge }: GuardOptions): void {
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
 * A fallback is local data that was read because the upstream could not be reached. It may replace
 * only data of an earlier day.
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
    { hint: `${fallback}. The next build that reaches the upstream will update the site.` },
  );
}

function checkEmptyKinds(update: Update, { maxShrink }: GuardOptions): void {
  if (maxShrink >= 100) return;
  const emptyKind = kindNames.find((kind) => update.dataSet.counts[kind] === 0);
  if (emptyKind === undefined) return;
  const hint = hintAtMissing(update);
  throw new GuardError('got 0 records, expected at least one', { kind: emptyKind }, { hint });
}

/** A number of records or names, and how many of them may be affected by an update. */
interface Measurement {
  /** A kind, or `names/<language>`. */
  readonly subject: string;
  /** How they are affected, such as `records missing`. */
  readonly effect: string;
  readonly affected: number;
  readonly total: number;
  /** The percentage of the total that may be affected. */
  readonly maxPercent: number;
  /** The number that may be affected regardless of the percentage. */
  readonly maxCount?: number;
  readonly examples?: readonly string[];
  readonly hint: string;
}

/** @throws GuardError if more records or names are affected than both limits permit */
function assertWithinLimit(measurement: Measurement): void {
  const { affected, total, maxPercent, maxCount = 0 } = measurement;
  const maxAffected = Math.max(maxCount, (total * maxPercent) / 100);
  if (affected <= maxAffected) return;
  const { subject, effect, examples = [], hint } = measurement;
  const listedExamples = examples.length > 0 ? `: ${listFirst(examples)}` : '';
  throw new GuardError(
    `got ${affected} of ${total} ${effect}, expected at most ${maxPercent} %${listedExamples}`,
    { kind: subject },
    { hint },
  );
}

/** Too many records may not have an unusable value at once. A copy was checked when it was captured. */
function checkUnusableValues(update: Update, options: GuardOptions): void {
  const { dataSet, previous, isCopy } = update;
  if (isCopy) return;
  const codes = ['unusable-icon', 'unusable-name'];
  // Another upstream may have fewer icons.
  if (previous?.upstream === dataSet.provenance.upstream) codes.push('no-icon');
  for (const kind of kindNames) {
    for (const code of codes) checkNewWarnings(update, dataSet.warnings, { kind, code }, options);
  }
}

interface WarningType {
  readonly kind: Kind;
  readonly code: string;
}

/** Limits warnings that the previous data set did not have, for example because the upstream changed a field. */
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
  // A new record may lack an icon.
  const isAboutIcon = code === 'no-icon' || code === 'icon-not-found';
  if (isAboutIcon) expectedCount += addedRecords;

  const matchingWarnings = selectWarnings(warnings, type);
  const firstMessages = matchingWarnings.slice(0, 1).map(({ message }) => message);
  assertWithinLimit({
    subject: kind,
    effect: `records with a new ${code}`,
    affected: countRecords(matchingWarnings) - expectedCount,
    total,
    maxPercent: maxShrink,
    maxCount: ALWAYS_ALLOWED,
    examples: firstMessages,
    hint: 'If the upstream is right, raise --max-shrink.',
  });
}

function selectWarnings(warnings: readonly Warning[], { kind, code }: WarningType): Warning[] {
  return warnings.filter((warning) => warning.kind === kind && warning.code === code);
}

/** A snapshot lists its warnings, and a site only counts them. */
function countPreviousWarnings({ previous }: Update, type: WarningType): number {
  const warnings = previous?.warnings ?? [];
  const isList = 'length' in warnings;
  if (isList) return countRecords(selectWarnings(warnings, type));
  return warnings[type.kind][type.code] ?? 0;
}

/** Records may not disappear. At first contact with an upstream, only the numbers can be compared. */
function checkMissingRecords(update: Update, options: GuardOptions): void {
  const { dataSet, losses, foreignCounts } = update;
  for (const kind of kindNames) {
    const limit = {
      subject: kind,
      effect: 'records missing',
      maxPercent: options.maxShrink,
      hint: hintAtMissing(update),
    };
    if (losses) {
      const missingRecords = removeAllowed(losses.missing[kind], kind, update, options);
      const examples = missingRecords.map(({ slug }) => slug);
      const total = losses.previousCounts[kind];
      assertWithinLimit({ ...limit, affected: missingRecords.length, total, examples });
    } else if (foreignCounts) {
      const total = foreignCounts[kind];
      const affected = total - dataSet.counts[kind];
      assertWithinLimit({ ...limit, affected, total });
    }
  }
}

/** Many records with another slug or id are a sign that the upstream numbers its records differently. */
function checkRenamedRecords(update: Update, options: GuardOptions): void {
  const { losses } = update;
  if (!losses) return;
  for (const kind of kindNames) {
    const changedRecords = removeAllowed(losses.changed[kind], kind, update, options);
    const examples = changedRecords.map(({ id, slug }) => `${slug} (${id})`);
    assertWithinLimit({
      subject: kind,
      effect: 'records renamed or renumbered',
      affected: changedRecords.length,
      total: losses.previousCounts[kind],
      maxPercent: RENAMED_FACTOR * options.maxShrink,
      maxCount: ALWAYS_ALLOWED,
      examples,
      hint: 'If the upstream is right, list them with --allow-missing, or raise --max-shrink, a fifth of this limit.',
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
      maxPercent: options.maxShrink,
      hint: `If they are really gone, add --allow-missing ${subject}, or raise --max-shrink.`,
    });
  }
}

/** URLs are permanent, so every redirect to a record that still exists must stay. */
function checkLostRedirects({ losses }: Update, { forgetHistory }: GuardOptions): void {
  if (!losses || forgetHistory) return;
  const { lostRedirects } = losses;
  if (lostRedirects.length === 0) return;
  const records = lostRedirects.map((path) => path.slice(API_PREFIX.length, -1));
  throw new GuardError(
    `got ${lostRedirects.length} lost redirects, expected none: ${listFirst(records)}`,
    {},
    { hint: 'To drop them, start a new history with --forget-history.' },
  );
}

/**
 * Removes the records that the user allows to disappear. The user may name a record by its current
 * slug or by an old one, which is first looked up to find the record's id.
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
  // Neither an old slug that is not known nor a record whose id is not known must match.
  allowedIds.delete(undefined);
  return records.filter(({ id, slug }) => !allowedSlugs.has(slug) && !allowedIds.has(id));
}

function hintAtMissing({ fallback, foreignCounts, losses }: Update): string {
  if (fallback !== null) {
    return `${fallback}. It has less than the published data, which is unchanged.`;
  }
  if (!losses && foreignCounts) {
    return 'The bundled data set has more, and nothing is published. If the upstream is right, build with --max-shrink 100.';
  }
  return 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';
}
