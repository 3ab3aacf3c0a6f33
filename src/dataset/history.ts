import * as z from 'zod';
import {
  type Comparison,
  type DataSetSummary,
  type History,
  historySchema,
} from '../contract/changes.ts';
import { parse } from '../contract/parse.ts';
import { CHANGES_FILE } from '../contract/paths.ts';
import { compare, countChanges, type SummarizedRecords } from './compare.ts';
import type { AnyRecords } from './data-set.ts';

export const emptyHistory: History = { steps: [] };

const MAX_STEPS = 100;
/** The newest step is kept even if it has more changes. */
const MAX_CHANGES = 10_000;

export function extendHistory({ steps }: History, step: Comparison): History {
  return countChanges(step) === 0 ? { steps } : cutHistory([step, ...steps]);
}

function cutHistory(steps: readonly Comparison[]): History {
  const kept: Comparison[] = [];
  let changes = 0;
  for (const step of steps.slice(0, MAX_STEPS)) {
    changes += countChanges(step);
    if (kept.length > 0 && changes > MAX_CHANGES) break;
    kept.push(step);
  }
  return { steps: kept };
}

const anySteps = z.looseObject({ steps: z.array(z.unknown()) });

/** Parses `changes.json` up to the limits of a history, without validating older steps. @throws DataError */
export function decodeHistory(json: unknown, record = CHANGES_FILE): History {
  const { steps } = parse(anySteps, json, { record });
  return cutHistory(parse(historySchema, { steps: steps.slice(0, MAX_STEPS) }, { record }).steps);
}

export function stepsSince({ steps }: History, digest: string | undefined): readonly Comparison[] {
  const since = steps.findIndex(({ from }) => from.digest === digest);
  return steps[0]?.to.digest === digest || since < 0 ? [] : steps.slice(0, since + 1);
}

/** Writes one step per line, which keeps repository diffs small. */
export const encodeHistory = ({ steps }: History): string =>
  `{"steps":[${steps.map((step) => `\n${JSON.stringify(step)}`).join(',')}\n]}\n`;

const RESTART =
  'the feed of changes starts again, because the published history cannot be continued';

/** The previous data set. Its damaged parts are undefined. */
interface PreviousState extends DataSetSummary {
  readonly records: AnyRecords | undefined;
  readonly history: History | undefined;
}

interface ContinuedHistory {
  readonly history: History;
  readonly notices: readonly string[];
}

/**
 * Chooses the history of the next data set.
 *
 * The history that comes with the next data set is used if it includes the published history, so
 * that the same snapshot always gives the same site. Otherwise, for example if an older archive is
 * restored, the published history is kept, and one step from the previous data set to the next one
 * is added. If the published history is damaged, a new one starts.
 */
export function continueHistory(
  next: SummarizedRecords & { readonly history: History | undefined },
  previous: PreviousState | undefined,
): ContinuedHistory {
  const nextHistory = next.history;
  if (!previous) return { history: nextHistory ?? emptyHistory, notices: [] };

  const publishedHistory = findValidHistory(previous);
  const keptHistory = publishedHistory ?? emptyHistory;
  if (nextHistory && includesHistory(nextHistory, next.digest, keptHistory, previous.digest))
    return { history: nextHistory, notices: [] };

  const notices = publishedHistory ? [] : [RESTART];
  if (previous.digest === next.digest) return { history: keptHistory, notices };
  const { records } = previous;
  if (!records) return { history: emptyHistory, notices: [RESTART] };
  const step = compare({ ...previous, records }, next);
  return { history: extendHistory(keptHistory, step), notices };
}

/** Returns undefined for a history that ends at another data set, because it belongs to that data set. */
function findValidHistory({ history, digest }: PreviousState): History | undefined {
  if (!history) return undefined;
  const lastDigest = history.steps[0]?.to.digest ?? digest;
  return lastDigest === digest ? history : undefined;
}

/**
 * Returns whether a history passes through the previous data set, and contains every published
 * step before that. Steps are compared by their digests. Published steps may be missing if they
 * exceed the limits of a history together with the newer steps.
 */
function includesHistory(
  { steps }: History,
  lastDigest: string,
  published: History,
  previousDigest: string,
): boolean {
  for (let newSteps = 0; newSteps <= steps.length; newSteps++) {
    const digestBefore = newSteps === 0 ? lastDigest : steps[newSteps - 1]?.from.digest;
    if (digestBefore !== previousDigest) continue;
    const expected = cutHistory([...steps.slice(0, newSteps), ...published.steps]).steps;
    const isIncluded = expected.every((step, at) => isSameStep(step, steps[at]));
    if (isIncluded) return true;
  }
  return false;
}

const isSameStep = (step: Comparison, other: Comparison | undefined): boolean =>
  step.from.digest === other?.from.digest && step.to.digest === other.to.digest;
