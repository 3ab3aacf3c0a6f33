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

/**
 * Continues the history of the previous data set, or starts a new one if that history is damaged. A history that comes with the next data
 * set and includes the previous one takes precedence, so that the same snapshot always gives the same site.
 *
 * @param previous the previous data set, without damaged parts
 */
export function continueHistory(
  next: SummarizedRecords & { readonly history: History | undefined },
  previous:
    | (DataSetSummary & { records: AnyRecords | undefined; history: History | undefined })
    | undefined,
): { history: History; notices: string[] } {
  const own = next.history;
  const included = own?.steps.flatMap(({ from, to }) => [from.digest, to.digest]);
  if (own && (!previous || included?.includes(previous.digest)))
    return { history: own, notices: [] };
  if (!previous) return { history: emptyHistory, notices: [] };
  const { records, history: published } = previous;
  // A history that ends at another data set belongs to that data set.
  const isContinued =
    published && (published.steps[0]?.to.digest ?? previous.digest) === previous.digest;
  const history = isContinued ? published : emptyHistory;
  const notices = isContinued ? [] : [RESTART];
  if (previous.digest === next.digest) return { history, notices };
  if (!records) return { history: emptyHistory, notices: [RESTART] };
  return { history: extendHistory(history, compare({ ...previous, records }, next)), notices };
}
