import type { History } from '../contract/changes.ts';
import { noOldSlugs } from './old-slugs.ts';
import type { OldSlugs } from './redirects.ts';

/** A data set's past: its earlier changes, and the old slugs of its records. */
export interface Past {
  /** The changes that led to the data set, with the newest step first. */
  readonly history: History;
  readonly oldSlugs: OldSlugs;
}

export const emptyPast: Past = { history: { steps: [] }, oldSlugs: noOldSlugs };
