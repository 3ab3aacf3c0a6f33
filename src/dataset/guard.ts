/** Rejects data that was read without an error but is implausible, too old, or would take something away. */

import { type Kind, kindNames } from '../contract/kinds.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import { unusableCodes } from './data-set.ts';
import type { Addressed, Former } from './former.ts';
import { datesOf, type Replacement } from './replacement.ts';

export interface GuardOptions {
  /** The percentage of a kind's records, and of a language's names, that may disappear; five times as many may be renamed. */
  readonly maxShrink: number;
  /** Records that may disappear in addition, as `<kind>/<slug>`, and languages, as `names/<language>`. */
  readonly allowMissing: readonly string[];
  /** The age that data may have, in days. Default: any. */
  readonly maxAge?: number | undefined;
  readonly today: string;
  /** Whether redirects may be lost, because a new history starts. */
  readonly forgetHistory?: boolean | undefined;
  /** Whether the user named an archive to restore, which permits every loss but that of a whole kind. */
  readonly isRestored?: boolean | undefined;
}

/** A row is refused if too many of its things are affected. */
interface Row {
  /** A kind or a language; empty for all. */
  readonly of: string;
  readonly affected: number;
  readonly total: number;
  readonly what: string;
  readonly percent: number;
  /** The number that is accepted regardless of the percentage. */
  readonly few?: number;
  readonly examples?: readonly string[];
  readonly hint: string;
}

/** Below ten, even all records of a small kind are no sign of a fault. */
const FEW = 9;

/** @throws GuardError with the first problem */
export function checkReplacement(replacement: Replacement, options: GuardOptions): void {
  if (!options.isRestored) checkAge(replacement, options);
  checkFallback(replacement);
  for (const kind of kindNames)
    if (replacement.dataSet.counts[kind] === 0 && options.maxShrink < 100)
      throw new GuardError(
        'got 0 records, expected at least one',
        { kind },
        { hint: hintAtMissing(replacement) },
      );
  if (options.isRestored) return;
  for (const row of listRows(replacement, options)) {
    const { of, affected, total, what, percent, few = 0, examples = [], hint } = row;
    if (affected <= Math.max(few, (total * percent) / 100)) continue;
    const named = examples.length > 0 ? `: ${listFirst(examples)}` : '';
    const problem = `got ${affected} of ${total} ${what}, expected at most ${percent} %${named}`;
    throw new GuardError(problem, of === '' ? {} : { kind: of }, { hint });
  }
}

/** Every limit on what a new data set may lose or change. */
function* listRows(replacement: Replacement, options: GuardOptions): Generator<Row> {
  const { dataSet, losses, floor, oldSlugs, nameChanges, isCopy } = replacement;
  const { maxShrink: percent, allowMissing } = options;
  const { counts } = dataSet;
  for (const kind of kindNames) {
    // A copy was guarded when it was captured.
    if (!isCopy) yield* listUnusable(replacement, kind, percent);
    const isCounted = (record: Addressed): boolean => !isAllowed(record, kind, oldSlugs, allowMissing);
    const missing = losses?.missing[kind].filter(isCounted) ?? [];
    const total = losses?.had[kind] ?? floor?.[kind] ?? 0;
    yield {
      ...{ of: kind, total, what: 'records missing', percent, hint: hintAtMissing(replacement) },
      affected: losses ? missing.length : total - counts[kind],
      examples: missing.map(({ slug }) => slug),
    };
    const changed = losses?.changed[kind].filter(isCounted) ?? [];
    yield {
      ...{ of: kind, affected: changed.length, total, what: 'records renamed or renumbered' },
      ...{ percent: 5 * percent, few: FEW },
      examples: changed.map(({ id, slug }) => `${slug} (${id})`),
      hint: 'If the upstream is right, list them with --allow-missing, or raise --max-shrink, a fifth of this limit.',
    };
  }
  for (const { language, before: total, lost } of nameChanges) {
    const of = `names/${language}`;
    const affected = allowMissing.includes(of) ? 0 : lost;
    const hint = `If they are really gone, add --allow-missing ${of}, or raise --max-shrink.`;
    yield { of, affected, total, what: 'names missing', percent, hint };
  }
  if (!losses || options.forgetHistory) return;
  const examples = losses.addresses.map((path) => path.slice(API_PREFIX.length, -1));
  const hint = 'To let them go, start a new history with --forget-history.';
  yield {
    of: '',
    affected: examples.length,
    total: examples.length,
    what: 'redirects lost',
    percent: 0,
    examples,
    hint,
  };
}

/** Values that became unusable, as when the upstream changes a field. */
function* listUnusable({ dataSet, previous }: Replacement, kind: Kind, percent: number): Generator<Row> {
  const { warnings: known = [] } = previous ?? {};
  for (const code of unusableCodes) {
    const isOne = (one: { kind: string; code: string }): boolean => one.kind === kind && one.code === code;
    const found = dataSet.warnings.filter(isOne);
    const before = 'filter' in known ? known.filter(isOne).length : (known[kind][code] ?? 0);
    yield {
      ...{
        of: kind,
        affected: new Set(found.map(({ id }) => id)).size - before,
        total: dataSet.counts[kind],
      },
      ...{ what: `records with a new ${code}`, percent, few: FEW },
      examples: found.slice(0, 1).map(({ message }) => message),
      hint: 'If the upstream is right, raise --max-shrink.',
    };
  }
}

/** Whether a record is listed, by its slug or an old one. */
function isAllowed(
  { id, slug }: Addressed,
  kind: Kind,
  oldSlugs: Former,
  listed: readonly string[],
): boolean {
  if (listed.length === 0) return false;
  const old = [...oldSlugs[kind]].flatMap(([name, of]) => (of === id ? [name] : []));
  return [slug, ...old].some((name) => listed.includes(`${kind}/${name}`));
}

/** An upstream that is deployed again without a change is not old, so the edition that was read applies. */
function checkAge({ dataSet, read }: Replacement, { today, maxAge }: GuardOptions): void {
  const { edition } = read;
  const day = edition?.deployed.slice(0, 10) ?? dataSet.provenance.captured;
  const days = (Date.parse(today) - Date.parse(day)) / 86_400_000;
  if (maxAge === undefined || days <= maxAge) return;
  const found = `got data ${edition ? 'deployed' : 'captured'} on ${day}, ${days} days ago`;
  throw new GuardError(`${found}, expected at most ${maxAge}, as set by --max-age`, {});
}

/** A fallback replaces only data of an earlier day. */
function checkFallback({ fallback, previous, dataSet: { digest, provenance } }: Replacement): void {
  if (fallback === null || !previous || previous.digest === digest) return;
  const [published, local] = datesOf(previous, { digest, ...provenance });
  if (!published || !local || published < local) return;
  throw new GuardError(
    `the published data is newer and unchanged: it is of ${published}, the local data of ${local}`,
    {},
    { hint: `${fallback}. The next build with an upstream brings it up to date.` },
  );
}

function hintAtMissing({ fallback, floor, losses }: Replacement): string {
  if (fallback !== null) return `${fallback}. It has less than the published data, which is unchanged.`;
  if (!losses && floor)
    return 'The bundled data set has more, and nothing is published. If the upstream is right, build with --max-shrink 100.';
  return 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';
}
