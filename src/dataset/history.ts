import * as z from 'zod';
import { type Comparison, type History, historySchema } from '../contract/changes.ts';
import { parse } from '../contract/parse.ts';
import { DataError } from '../errors.ts';
import { countChanges } from './compare.ts';

export const emptyHistory: History = { steps: [] };

const MAX_STEPS = 100;
/** The newest step is kept even if it has more changes. */
const MAX_CHANGES = 10_000;

/** Adds the newest step, unless it changes nothing. */
export function extendHistory(history: History, step: Comparison): History {
  if (countChanges(step) === 0) return history;
  return cutHistory([step, ...history.steps]);
}

/** Drops the oldest steps beyond the limits. */
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
  const allSteps = parse(anySteps, json, { record }).steps;
  const newestSteps = allSteps.slice(0, MAX_STEPS);
  const history = parse(historySchema, { steps: newestSteps }, { record });
  return cutHistory(history.steps);
}

interface HistorySource {
  /** The name of the file, for messages. */
  readonly record: string;
  readonly hint?: string;
}

/**
 * Decodes `changes.json`.
 *
 * @param digest of the data set that the history must lead to
 * @throws DataError if the history is invalid, or if it does not end at the data set
 */
export function decodeHistory(json: unknown, digest: string, source: HistorySource): History {
  const { record, hint } = source;
  const history = parseHistory(json, record);
  const [newestStep] = history.steps;
  // A history without steps fits any data set.
  if (newestStep === undefined) return history;
  const endDigest = newestStep.to.digest;
  if (endDigest === digest) return history;
  throw new DataError(
    `got ${endDigest}, expected ${digest}, the digest of the records`,
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

/**
 * Returns the steps that were added since the history ended at a data set. Returns none if it still
 * ends there, or if it never passed through that data set.
 */
export function stepsSince(history: History, digest: string | undefined): readonly Comparison[] {
  const { steps } = history;
  const isAtEnd = steps[0]?.to.digest === digest;
  if (isAtEnd) return [];
  const firstNewStep = steps.findIndex(({ from }) => from.digest === digest);
  return steps.slice(0, firstNewStep + 1);
}

/** Writes one step per line, which keeps repository diffs small. */
export function encodeHistory({ steps }: History): string {
  const lines = steps.map((step) => `\n${JSON.stringify(step)}`);
  return `{"steps":[${lines.join(',')}\n]}\n`;
}

/** A history and the digest of the data set that it leads to. */
export interface HistoryUpTo {
  readonly history: History;
  readonly digest: string;
}

/**
 * Returns whether a history passes through the previous data set and contains every step before it.
 * Steps are compared by their digests. A history may pass through the same data set several times,
 * if a change was reverted, so every place is tried, the newest first. Old steps may be missing if
 * they exceed the limits of a history together with the newer steps.
 */
export function includesHistory(next: HistoryUpTo, previous: HistoryUpTo): boolean {
  const { steps } = next.history;
  let digestHere = next.digest;
  for (let newSteps = 0; newSteps <= steps.length; newSteps++) {
    if (digestHere === previous.digest) {
      const continued = [...steps.slice(0, newSteps), ...previous.history.steps];
      const expectedSteps = cutHistory(continued).steps;
      const isIncluded = expectedSteps.every((step, index) => isSameStep(step, steps[index]));
      if (isIncluded) return true;
    }
    const olderStep = steps[newSteps];
    if (olderStep) digestHere = olderStep.from.digest;
  }
  return false;
}

function isSameStep(step: Comparison, other: Comparison | undefined): boolean {
  if (other === undefined) return false;
  return step.from.digest === other.from.digest && step.to.digest === other.to.digest;
}
