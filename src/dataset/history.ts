import * as z from 'zod';
import { type Comparison, type History, historySchema } from '../contract/changes.ts';
import { parse } from '../contract/parse.ts';
import { DataError } from '../errors.ts';
import { countChanges } from './compare.ts';

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

/** Parses `changes.json` up to the limits of a history, without validating older steps. */
function parseHistory(json: unknown, record: string): History {
  const { steps } = parse(anySteps, json, { record });
  const newestSteps = steps.slice(0, MAX_STEPS);
  return cutHistory(parse(historySchema, { steps: newestSteps }, { record }).steps);
}

/**
 * Decodes `changes.json`.
 *
 * @throws DataError if the history is invalid, or if it does not end at the data set
 */
export function decodeHistory(
  json: unknown,
  digest: string,
  { record, hint }: { readonly record: string; readonly hint?: string },
): History {
  const history = parseHistory(json, record);
  const lastDigest = history.steps[0]?.to.digest ?? digest;
  if (lastDigest === digest) return history;
  throw new DataError(
    `got ${lastDigest}, expected ${digest}, the digest of the records`,
    { record, field: 'steps[0].to.digest' },
    { hint },
  );
}

/**
 * Decodes a `changes.json` that may have steps after the data set, because a build was interrupted,
 * and drops these steps.
 *
 * @throws DataError if the history is invalid, or if it does not pass through the data set
 */
export function decodeHistoryUpTo(json: unknown, digest: string, record: string): History {
  const { steps } = parseHistory(json, record);
  const newest = steps.findIndex(({ to }) => to.digest === digest);
  if (newest >= 0) return { steps: steps.slice(newest) };
  // The oldest step begins at the data set, so nothing is known about the time before it.
  if (steps.at(-1)?.from.digest === digest) return emptyHistory;
  throw new DataError(`got no step to ${digest}, the digest of the records`, { record });
}

export function stepsSince({ steps }: History, digest: string | undefined): readonly Comparison[] {
  const since = steps.findIndex(({ from }) => from.digest === digest);
  return steps[0]?.to.digest === digest || since < 0 ? [] : steps.slice(0, since + 1);
}

/** Writes one step per line, which keeps repository diffs small. */
export const encodeHistory = ({ steps }: History): string =>
  `{"steps":[${steps.map((step) => `\n${JSON.stringify(step)}`).join(',')}\n]}\n`;

/** A history and the digest of the data set that it leads to. */
export interface HistoryUpTo {
  readonly history: History;
  readonly digest: string;
}

/**
 * Returns whether a history passes through the previous data set and contains every step before it.
 * Steps are compared by their digests. Old steps may be missing if they exceed the limits of a
 * history together with the newer steps.
 */
export function includesHistory(next: HistoryUpTo, previous: HistoryUpTo): boolean {
  const { steps } = next.history;
  for (let newSteps = 0; newSteps <= steps.length; newSteps++) {
    const digestBefore = newSteps === 0 ? next.digest : steps[newSteps - 1]?.from.digest;
    if (digestBefore !== previous.digest) continue;
    const expected = cutHistory([...steps.slice(0, newSteps), ...previous.history.steps]).steps;
    const isIncluded = expected.every((step, at) => isSameStep(step, steps[at]));
    if (isIncluded) return true;
  }
  return false;
}

const isSameStep = (step: Comparison, other: Comparison | undefined): boolean =>
  step.from.digest === other?.from.digest && step.to.digest === other.to.digest;
