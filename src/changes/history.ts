/** The history of a data set: steps that follow on each other, the newest first, as many as are worth keeping. */

import { recordPath } from '../contract/addresses.ts';
import type { Comparison, History } from '../contract/changes.ts';
import type { EncodedRecords } from '../contract/data-set.ts';
import { kindNames } from '../contract/kinds.ts';
import type { MovedRoute } from '../contract/routes.ts';
import { countChanges } from './compare.ts';

export const emptyHistory: History = { steps: [] };

/** How far back a history goes: so many steps, and so many changes in all of them. The newest step is always there. */
const MAX_STEPS = 100;
const MAX_CHANGES = 10_000;

/** Puts a step on top of a history that it follows on; without a change there is no step. */
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

/** Whether a data set of this digest is in a history. */
export const mentions = ({ steps }: History, digest: string): boolean =>
  steps.some(({ from, to }) => from.digest === digest || to.digest === digest);

/** The text of `changes.json`, with a step a line: a repository keeps what has not changed. */
export const encodeHistory = ({ steps }: History): string =>
  `{"steps":[${steps.map((step) => `\n${JSON.stringify(step)}`).join(',')}\n]}\n`;

/**
 * The old addresses that records of today had under another slug, with where they are now, by kind and old slug. An
 * address that a record of today has is not among them, and neither is that of a record which is gone.
 */
export function movedRoutes({ steps }: History, records: EncodedRecords): MovedRoute[] {
  return kindNames.flatMap((kind) => {
    const slugs = new Map(records[kind].map(({ id, slug }) => [id, slug]));
    const taken = new Set(slugs.values());
    /** Old slug → the record that had it last. */
    const owners = new Map<string, number>();
    for (const { changes } of steps)
      for (const { from, id } of changes[kind].renamed) if (!owners.has(from)) owners.set(from, id);
    return [...owners]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([from, id]) => {
        const to = slugs.get(id);
        if (to === undefined || taken.has(from)) return [];
        return [{ path: recordPath(kind, from), to: recordPath(kind, to) }];
      });
  });
}
