import * as z from 'zod';
import {
  type Comparison,
  type History,
  historySchema,
} from '../contract/changes.ts';
import { parse } from '../contract/parse.ts';
import { GamedataError } from '../errors.ts';
import { countChanges } from './compare.ts';

export const emptyHistory: History = { steps: [] };

const MAX_STEPS = 100;
/**
 * The maximum number of changes in all steps together. The newest step is always
 * kept, even if it has more.
 */
const MAX_CHANGES = 10_000;

/**
 * Adds a step to the start of the history, where the newest step is. If the step
 * contains no changes, makes the newest existing step lead to the new digest instead.
 * The digest can differ even without changes, for example if the records have a new
 * field that is null.
 */
export function extendHistory(history: History, step: Comparison): History {
  const hasChanges = countChanges(step) > 0;
  if (hasChanges) return dropExcessSteps([step, ...history.steps]);
  const [newestStep, ...olderSteps] = history.steps;
  if (!newestStep) return history;
  return { steps: [{ ...newestStep, to: step.to }, ...olderSteps] };
}

/** Drops old steps until the history is within the limits. */
function dropExcessSteps(steps: readonly Comparison[]): History {
  const kept: Comparison[] = [];
  let changes = 0;
  for (const step of steps.slice(0, MAX_STEPS)) {
    changes += countChanges(step);
    // The newest step is kept even if it exceeds the limit by itself.
    const isNewest = kept.length === 0;
    if (changes > MAX_CHANGES && !isNewest) break;
    kept.push(step);
  }
  return { steps: kept };
}

const anySteps = z.looseObject({ steps: z.array(z.unknown()) });

/**
 * Parses the newest steps in `changes.json`. Steps beyond `MAX_STEPS` are dropped without
 * being validated.
 */
function parseHistory(json: unknown, record: string): History {
  const allSteps = parse(anySteps, json, { record }).steps;
  const newestSteps = allSteps.slice(0, MAX_STEPS);
  const history = parse(historySchema, { steps: newestSteps }, { record });
  return dropExcessSteps(history.steps);
}

/**
 * Decodes `changes.json`.
 *
 * @param digest the digest of the data set at which the history must end
 * @param record the name of the file, for error messages
 * @throws GamedataError if the history is invalid or does not end at that data set
 */
export function decodeHistory(
  json: unknown,
  digest: string,
  record: string,
): History {
  const history = parseHistory(json, record);
  const [newestStep] = history.steps;
  // An empty history is valid for any data set.
  if (newestStep === undefined) return history;
  const endDigest = newestStep.to.digest;
  if (endDigest === digest) return history;
  throw new GamedataError(
    'data',
    `${record} › steps[0].to.digest: got ${endDigest}, expected ${digest}, the digest of the records`,
  );
}

/**
 * Returns the steps that come after the given data set. Returns no steps if the history
 * ends at that data set or does not contain it.
 */
export function stepsSince(
  history: History,
  digest: string | undefined,
): readonly Comparison[] {
  const { steps } = history;
  const isAtEnd = steps[0]?.to.digest === digest;
  if (isAtEnd) return [];
  // Steps are sorted from newest to oldest.
  const firstNewStep = steps.findIndex(({ from }) => from.digest === digest);
  if (firstNewStep < 0) return [];
  return steps.slice(0, firstNewStep + 1);
}

/**
 * Encodes the history with one step per line, which keeps diffs in a repository
 * small.
 */
export function encodeHistory({ steps }: History): string {
  const lines = steps.map((step) => `\n${JSON.stringify(step)}`);
  return `{"steps":[${lines.join(',')}\n]}\n`;
}

/** A history, and the digest of the data set at its end. */
export interface HistoryUpTo {
  readonly history: History;
  readonly digest: string;
}

/**
 * Returns whether a history continues the previous one, which means that it consists of
 * the steps since the previous data set, followed by the previous steps. The oldest
 * previous steps may be missing, but only if the history would otherwise exceed its
 * limits.
 *
 * The previous data set may occur several times in the history, because a change may
 * have been reverted. In A→B→A, either no steps or two steps follow A. Therefore we try
 * each occurrence.
 */
export function continuesHistory(next: HistoryUpTo, previous: HistoryUpTo): boolean {
  const { steps } = next.history;
  // The digests of all data sets in the history, from newest to oldest. Therefore the
  // index of a digest is the number of steps since that data set.
  const digests = [next.digest, ...steps.map(({ from }) => from.digest)];
  for (const [newerCount, digest] of digests.entries()) {
    if (digest !== previous.digest) continue;
    const newerSteps = steps.slice(0, newerCount);
    const allSteps = [...newerSteps, ...previous.history.steps];
    const expectedHistory = dropExcessSteps(allSteps);
    if (startsWithSteps(steps, expectedHistory.steps)) return true;
  }
  return false;
}

/** Returns whether a history's newest steps are the expected ones. */
function startsWithSteps(
  steps: readonly Comparison[],
  expectedSteps: readonly Comparison[],
): boolean {
  return expectedSteps.every((step, index) => isSameStep(step, steps[index]));
}

function isSameStep(step: Comparison, other: Comparison | undefined): boolean {
  if (other === undefined) return false;
  return (
    step.from.digest === other.from.digest && step.to.digest === other.to.digest
  );
}
