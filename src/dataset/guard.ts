import { type Kind, kindNames } from '../contract/kinds.ts';
import { API_PREFIX } from '../contract/paths.ts';
import { listFirst } from '../contract/words.ts';
import { GuardError } from '../errors.ts';
import { countRecords, type Warning } from './data-set.ts';
import type { Addressed, OldSlugs } from './old-slugs.ts';
import { getDays, type Update } from './update.ts';

export interface GuardOptions {
  /** The percentage of a kind's records, and of a language's names, that may disappear; five times as many may be renamed. */
  readonly maxShrink: number;
  /** Records (`<kind>/<slug>`) and languages (`names/<language>`) that may disappear in addition to `maxShrink`. */
  readonly allowMissing: readonly string[];
  readonly maxAge?: number | undefined;
  readonly today: string;
  readonly forgetHistory?: boolean | undefined;
  /** Whether the user named an archive to restore, which permits every loss except the loss of a whole kind. */
  readonly isRestored?: boolean | undefined;
}

interface Row {
  readonly subject?: string;
  readonly unit: string;
  readonly affected: number;
  readonly total: number;
  readonly percent: number;
  /** The number that is accepted regardless of the percentage. */
  readonly few?: number;
  readonly examples?: readonly string[];
  readonly hint: string;
}

/** Fewer than ten changes in a small kind are not a sign of a systematic fault. */
const FEW = 9;

/** @throws GuardError if a data set is implausible or too old, or would remove too much */
export function checkUpdate(update: Update, options: GuardOptions): void {
  if (!options.isRestored) checkAge(update, options);
  checkFallback(update);
  const emptyKind = kindNames.find((kind) => update.dataSet.counts[kind] === 0);
  if (emptyKind && options.maxShrink < 100)
    throw new GuardError(
      'got 0 records, expected at least one',
      { kind: emptyKind },
      { hint: hintAtMissing(update) },
    );
  if (!options.isRestored) for (const row of listRows(update, options)) checkRow(row);
}

/** @throws GuardError if too many icons are missing that the published site has */
export function checkIcons(
  update: Update,
  warnings: readonly Warning[],
  options: GuardOptions,
): void {
  const { previous } = update;
  if (options.isRestored || previous?.sprites?.mode !== 'mirror') return;
  for (const kind of kindNames)
    checkRow(
      createWarningRow(update, warnings, { kind, code: 'icon-not-found' }, options.maxShrink),
    );
}

function checkRow({
  subject,
  unit,
  affected,
  total,
  percent,
  few = 0,
  examples = [],
  hint,
}: Row): void {
  if (affected <= Math.max(few, (total * percent) / 100)) return;
  const named = examples.length > 0 ? `: ${listFirst(examples)}` : '';
  const problem = `got ${affected} of ${total} ${unit}, expected at most ${percent} %${named}`;
  throw new GuardError(problem, subject === undefined ? {} : { kind: subject }, { hint });
}

function* listRows(update: Update, options: GuardOptions): Generator<Row> {
  const { dataSet, previous, losses, bundledCounts, oldSlugs, nameChanges, isCopy } = update;
  const { maxShrink: percent, allowMissing } = options;
  const isSameUpstream = previous?.upstream === dataSet.provenance.upstream;
  for (const kind of kindNames) {
    // A copy was checked when it was captured.
    const codes = isCopy
      ? []
      : ['unusable-icon', 'unusable-name', ...(isSameUpstream ? ['no-icon'] : [])];
    for (const code of codes)
      yield createWarningRow(update, dataSet.warnings, { kind, code }, percent);
    const isForbidden = (record: Addressed) => !isAllowed(record, kind, oldSlugs, allowMissing);
    const missing = losses?.missing[kind].filter(isForbidden) ?? [];
    const total = losses?.counts[kind] ?? bundledCounts?.[kind] ?? 0;
    yield {
      ...{ subject: kind, unit: 'records missing', total, percent, hint: hintAtMissing(update) },
      affected: losses ? missing.length : total - dataSet.counts[kind],
      examples: missing.map(({ slug }) => slug),
    };
    const changed = losses?.changed[kind].filter(isForbidden) ?? [];
    yield {
      ...{
        subject: kind,
        unit: 'records renamed or renumbered',
        total,
        percent: 5 * percent,
        few: FEW,
      },
      affected: changed.length,
      examples: changed.map(({ id, slug }) => `${slug} (${id})`),
      hint: 'If the upstream is right, list them with --allow-missing, or raise --max-shrink, a fifth of this limit.',
    };
  }
  for (const { language, before: total, lost } of nameChanges) {
    const subject = `names/${language}`;
    const affected = allowMissing.includes(subject) ? 0 : lost;
    const hint = `If they are really gone, add --allow-missing ${subject}, or raise --max-shrink.`;
    yield { subject, unit: 'names missing', affected, total, percent, hint };
  }
  const lost = losses && !options.forgetHistory ? losses.lostRedirects : [];
  yield {
    ...{ unit: 'redirects lost', affected: lost.length, total: lost.length, percent: 0 },
    examples: lost.map((path) => path.slice(API_PREFIX.length, -1)),
    hint: 'To drop them, start a new history with --forget-history.',
  };
}

/** Limits warnings that the previous data set did not have, for example because the upstream changed a field. A new record may lack an icon. */
function createWarningRow(
  { dataSet, previous }: Update,
  warnings: readonly Warning[],
  { kind, code }: { kind: Kind; code: string },
  percent: number,
): Row {
  const total = dataSet.counts[kind];
  const isSame = (one: { kind: string; code: string }) => one.kind === kind && one.code === code;
  const found = warnings.filter(isSame);
  const { warnings: known = [], counts } = previous ?? {};
  const before = 'filter' in known ? countRecords(known.filter(isSame)) : (known[kind][code] ?? 0);
  const mayLackIcons = code === 'no-icon' || code === 'icon-not-found';
  const added = mayLackIcons && counts ? Math.max(0, total - counts[kind]) : 0;
  return {
    ...{ subject: kind, unit: `records with a new ${code}`, total, percent, few: FEW },
    affected: countRecords(found) - before - added,
    examples: found.slice(0, 1).map(({ message }) => message),
    hint: 'If the upstream is right, raise --max-shrink.',
  };
}

function isAllowed(
  { id, slug }: Addressed,
  kind: Kind,
  oldSlugs: OldSlugs,
  listed: readonly string[],
) {
  if (listed.length === 0) return false;
  const own = [...oldSlugs[kind]].filter(([, owner]) => owner === id).map(([name]) => name);
  return [slug, ...own].some((name) => listed.includes(`${kind}/${name}`));
}

/** Unchanged data in a new edition is not old, so the edition that was read applies. */
function checkAge({ dataSet, asRead }: Update, { today, maxAge }: GuardOptions): void {
  const { edition } = asRead;
  const day = edition?.deployed.slice(0, 10) ?? dataSet.provenance.captured;
  const days = (Date.parse(today) - Date.parse(day)) / 86_400_000;
  if (maxAge === undefined || days <= maxAge) return;
  const found = `got data ${edition ? 'deployed' : 'captured'} on ${day}, ${days} days ago`;
  throw new GuardError(`${found}, expected at most ${maxAge}, as set by --max-age`, {});
}

/** A fallback replaces only data of an earlier day. */
function checkFallback({ fallback, previous, dataSet: { digest, provenance } }: Update): void {
  if (fallback === null || !previous || previous.digest === digest) return;
  const [published, local] = getDays(previous, { digest, ...provenance });
  if (!published || !local || published < local) return;
  throw new GuardError(
    `got local data from ${local}, expected data newer than the published data from ${published}`,
    {},
    { hint: `${fallback}. The next build that reaches the upstream will update the site.` },
  );
}

function hintAtMissing({ fallback, bundledCounts, losses }: Update): string {
  if (fallback !== null)
    return `${fallback}. It has less than the published data, which is unchanged.`;
  if (!losses && bundledCounts)
    return 'The bundled data set has more, and nothing is published. If the upstream is right, build with --max-shrink 100.';
  return 'If they are really gone, list them with --allow-missing, or raise --max-shrink.';
}
