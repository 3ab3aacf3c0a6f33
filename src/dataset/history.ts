/** The history of a data set: consecutive steps, newest first, up to a limit; and how it continues from the previous data set. */

import * as z from 'zod';
import { type Comparison, type DataSetSummary, type History, historySchema } from '../contract/changes.ts';
import { isAhead } from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import { CHANGES_FILE } from '../contract/paths.ts';
import { compare, countChanges, type SummarizedRecords } from './compare.ts';
import type { AnyRecords } from './data-set.ts';

export const emptyHistory: History = { steps: [] };

/** Limits of a history. The newest step is always kept, however large. */
const MAX_STEPS = 100;
const MAX_CHANGES = 10_000;

/** Adds a step to the history that it continues; a step without changes is not added. */
export function extendHistory({ steps }: History, step: Comparison): History {
  return countChanges(step) === 0 ? { steps } : cutHistory([step, ...steps]);
}

function cutHistory(steps: readonly Comparison[]): History {
  let changes = 0;
  const isKept = (step: Comparison, at: number): boolean => {
    changes += countChanges(step);
    return at === 0 || changes <= MAX_CHANGES;
  };
  return { steps: steps.slice(0, MAX_STEPS).filter(isKept) };
}

const anySteps = z.looseObject({ steps: z.array(z.unknown()) });

/** Parses `changes.json` up to the limits of a history. Older steps are not even validated. @throws DataError */
export function decodeHistory(json: unknown, record = CHANGES_FILE): History {
  const { steps } = parse(anySteps, json, { record });
  return cutHistory(parse(historySchema, { steps: steps.slice(0, MAX_STEPS) }, { record }).steps);
}

/** The steps since the data set with this digest, newest first; none if the history does not include it. */
export function stepsSince({ steps }: History, digest: string | undefined): readonly Comparison[] {
  if (steps[0]?.to.digest === digest) return [];
  return steps.slice(0, steps.findIndex(({ from }) => from.digest === digest) + 1);
}

/** The text of `changes.json`, one step per line, which keeps diffs of a repository small. */
export const encodeHistory = ({ steps }: History): string =>
  `{"steps":[${steps.map((step) => `\n${JSON.stringify(step)}`).join(',')}\n]}\n`;

type Dated = Pick<DataSetSummary, 'captured' | 'edition'>;

/** Replaces a capture date in the future by today and drops an edition in the future, because a clock was wrong or a copy lies. */
export function correctDates<T extends Dated>(summary: T, today: string): T {
  const { captured, edition } = summary;
  return {
    ...summary,
    ...(captured !== null && captured > today && { captured: today }),
    ...(edition && isAhead(edition, Date.now()) && { edition: null }),
  };
}

/** Corrects the dates of every step. */
export const correctHistory = ({ steps }: History, today: string): History => ({
  steps: steps.map((step) => ({
    ...step,
    from: correctDates(step.from, today),
    to: correctDates(step.to, today),
  })),
});

interface PreviousHistory extends DataSetSummary {
  /** Undefined if it is damaged. */
  history(): History | undefined;
}

const ANEW = 'the feed of changes starts anew, as that of the published data cannot be continued';

/**
 * Continues the history of the previous data set, or starts a new one if it is damaged. A history that the next data set brings along and
 * that includes the previous one takes precedence, so that the same snapshot always gives the same site.
 *
 * @param before the records of the previous data set; undefined if they cannot be read
 */
export function continueHistory(
  data: SummarizedRecords & { readonly history: History | undefined },
  previous: PreviousHistory | undefined,
  before: AnyRecords | undefined,
): { history: History; notices: string[] } {
  const { history } = data;
  const included = history?.steps.flatMap(({ from, to }) => [from.digest, to.digest]);
  if (history && (!previous || included?.includes(previous.digest))) return { history, notices: [] };
  if (!previous) return { history: emptyHistory, notices: [] };
  const published = previous.history();
  // A history that does not end at its data set belongs to another one.
  const isOwn = published && (published.steps[0]?.to.digest ?? previous.digest) === previous.digest;
  const own = isOwn ? published : emptyHistory;
  const notices = isOwn ? [] : [ANEW];
  if (previous.digest === data.digest) return { history: own, notices };
  if (!before) return { history: emptyHistory, notices: [ANEW] };
  return { history: extendHistory(own, compare({ ...previous, records: before }, data)), notices };
}
