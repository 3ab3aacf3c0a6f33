/** What search needs once somebody uses it: the index, the matcher, and which records are close to a slug. */

import { distance } from 'fastest-levenshtein';
import { createMatcher, type Matcher } from './matcher.ts';
import { readSearchIndex, type SearchEntry, type SearchIndex } from './search-index.ts';

export interface Engine {
  readonly match: Matcher;
  /** The records that somebody may have meant by a slug that does not exist, closest first. */
  near(slug: string, kind: string): readonly SearchEntry[];
}

/** The number of records that are offered. */
const OFFERED = 5;
/** One letter in this many may be wrong. */
const LETTERS_PER_ERROR = 3;

export function createEngine(index: SearchIndex): Engine {
  const entries = readSearchIndex(index);
  const match = createMatcher(entries);
  return {
    match,
    near(asked, kind) {
      const slug = asked.toLowerCase();
      const bearable = Math.max(1, Math.floor(slug.length / LETTERS_PER_ERROR));
      const close = entries
        .map((entry) => ({ entry, distance: distance(entry.slug, slug) }))
        .filter((candidate) => candidate.distance <= bearable)
        .sort((a, b) => a.distance - b.distance || rank(a.entry, kind) - rank(b.entry, kind))
        .map(({ entry }) => entry);
      const found = match({ text: slug.replaceAll('-', ' '), kind: '', generation: '' });
      return [...new Set([...close, ...found])].slice(0, OFFERED);
    },
  };
}

/** Records of the same kind come first. */
const rank = (entry: SearchEntry, kind: string): number => (entry.kind === kind ? 0 : 1);
