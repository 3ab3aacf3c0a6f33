/** The history of a data set: consecutive steps, newest first, up to a limit. */

import type { Comparison, History, KindChanges, NamedRecord } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import { recordPath } from '../contract/paths.ts';
import type { MovedRoute } from '../contract/routes.ts';
import { countChanges } from './compare.ts';
import type { EncodedRecords } from './data-set.ts';

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

/** The records that lost their slug in a step, be it that they have another one or are gone. */
const lastOwners = ({ renamed, removed }: KindChanges): Pick<NamedRecord, 'id' | 'slug'>[] => [
  ...renamed.map(({ id, from }) => ({ id, slug: from })),
  ...removed,
];

/**
 * Redirects from former slugs of present records to their present ones, sorted by kind and former slug. A path that a
 * present record uses is not redirected, nor is that of a removed record.
 */
export function movedRoutes({ steps }: History, records: EncodedRecords): MovedRoute[] {
  return kindNames.flatMap((kind) => {
    /** Former slug → the record that had it last. */
    const owners = new Map<string, number>();
    for (const { changes } of steps)
      for (const { id, slug } of lastOwners(changes[kind])) if (!owners.has(slug)) owners.set(slug, id);
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
