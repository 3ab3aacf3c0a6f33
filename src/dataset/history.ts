/** The history of a data set: consecutive steps, newest first, up to a limit; and how it continues from the previous data set. */

import type { Comparison, DataSetSummary, History } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import { recordPath } from '../contract/paths.ts';
import type { MovedRoute } from '../contract/routes.ts';
import { DataError } from '../errors.ts';
import { compare, countChanges, type SummarizedRecords } from './compare.ts';
import type { EncodedRecords } from './data-set.ts';
import type { NamedRecords } from './guards.ts';

export const emptyHistory: History = { steps: [] };

/** Limits of a history. The newest step is always kept, however large. */
const MAX_STEPS = 100;
const MAX_CHANGES = 10_000;

/** Adds a step to the history that it continues; a step without changes is not added. */
export function extendHistory({ steps }: History, step: Comparison): History {
  if (countChanges(step) === 0) return { steps };
  const kept: Comparison[] = [step];
  let changes = countChanges(step);
  for (const older of steps.slice(0, MAX_STEPS - 1)) {
    changes += countChanges(older);
    if (changes > MAX_CHANGES) break;
    kept.push(older);
  }
  return { steps: kept };
}

/** The steps since the data set with this digest, newest first; none if the history does not include it. */
export function stepsSince({ steps }: History, digest: string | undefined): readonly Comparison[] {
  if (steps[0]?.to.digest === digest) return [];
  return steps.slice(0, steps.findIndex(({ from }) => from.digest === digest) + 1);
}

/** Whether a history includes the data set with this digest. */
export const mentions = ({ steps }: History, digest: string): boolean =>
  steps.some(({ from, to }) => from.digest === digest || to.digest === digest);

/** The text of `changes.json`, one step per line, which keeps diffs of a repository small. */
export const encodeHistory = ({ steps }: History): string =>
  `{"steps":[${steps.map((step) => `\n${JSON.stringify(step)}`).join(',')}\n]}\n`;

/**
 * Redirects from former slugs of present records to their present ones, sorted by kind and former slug. A path that a
 * present record uses is not redirected, nor is that of a removed record.
 */
export function movedRoutes({ steps }: History, records: EncodedRecords): MovedRoute[] {
  return kindNames.flatMap((kind) => {
    /** Former slug → the record that had it last. */
    const owners = new Map<string, number>();
    for (const { changes } of steps) {
      const { renamed, removed } = changes[kind];
      for (const { id, slug } of [...renamed.map(({ id, from }) => ({ id, slug: from })), ...removed])
        if (!owners.has(slug)) owners.set(slug, id);
    }
    if (owners.size === 0) return [];
    const slugs = new Map(records[kind].map(({ id, slug }) => [id, slug]));
    const taken = new Set(slugs.values());
    return [...owners]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([from, id]) => {
        const to = slugs.get(id);
        if (to === undefined || taken.has(from)) return [];
        return [{ path: recordPath(kind, from), to: recordPath(kind, to) }];
      });
  });
}

/** The last published data set, of a site or a snapshot. */
export interface Previous extends DataSetSummary {
  /** Undefined if they cannot be read as they were published: the next build replaces them. */
  records(): EncodedRecords | undefined;
  /** What is said about its names in every language, and these; undefined if there are none, or they cannot be read. */
  readonly names?: NamesSummary | undefined;
  readNames?(): readonly Names[] | undefined;
  /** What it had all the same, if its records cannot be read. */
  readonly listed?: NamedRecords;
  /** Its history; undefined if it has none. Throws if it has one that cannot be read. */
  history(): History | undefined;
}

const FORGET_HINT =
  'Restore them from a copy of the site, or start a new history with --forget-history: redirects of renamed records are then lost.';

/**
 * The history of a new data set. If it came with one that includes the previous data set, that one counts, so that the
 * same snapshot always gives the same site. Otherwise the previous data set's history continues.
 *
 * @param before the records of the previous data set; undefined if they cannot be read
 * @throws DataError if it cannot be continued, since every redirect would go with it
 */
export function continueHistory(
  data: SummarizedRecords & { readonly history: History | undefined },
  previous: Previous | undefined,
  before: EncodedRecords | undefined,
): History {
  const { history } = data;
  if (history && (!previous || mentions(history, previous.digest))) return history;
  if (!previous) return emptyHistory;
  const published = previous.history() ?? emptyHistory;
  // A history that does not end at its data set belongs to another one.
  const own = published.steps[0]?.to.digest === previous.digest ? published : emptyHistory;
  if (previous.digest === data.digest) return own;
  if (before) return extendHistory(own, compare({ ...previous, records: before }, data));
  if (own.steps.length === 0) return emptyHistory;
  const problem =
    'list pages of the published site are not as they were published: its history cannot be continued';
  throw new DataError(problem, {}, { hint: FORGET_HINT });
}
