/** Search: the records that match a query, best first. */

import Fuzzy from '@leeoniya/ufuzzy';
import type { SearchEntry } from './search-index.ts';

export interface Filter {
  /** What was typed; empty matches every record. */
  readonly text: string;
  /** Empty for any. */
  readonly kind: string;
  /** A number, `none` for unknown, or empty for any. */
  readonly generation: string;
}

export type Matcher = (filter: Filter) => readonly SearchEntry[];

/** Words may be in any order if there are no more than this. */
const MOST_WORDS = 4;

export function createMatcher(entries: readonly SearchEntry[]): Matcher {
  // Tolerates one typo per word, and slugs without hyphens.
  const fuzzy = new Fuzzy({ intraMode: 1 });
  const texts = entries.map(({ name, slug }) => `${plain(name)} ${slug} ${slug.replaceAll('-', '')}`);

  return ({ text, kind, generation }) => {
    const fits = ({ kind: ofKind, generation: ofGeneration }: SearchEntry): boolean =>
      (kind === '' || ofKind === kind) &&
      (generation === '' || String(ofGeneration ?? 'none') === generation);
    const words = plain(text).trim();
    if (words === '') return entries.filter(fits);
    const [indices, , order] = fuzzy.search(texts, words, MOST_WORDS, Infinity);
    return ranked(indices ?? [], order, words).filter(fits);
  };

  /** Exact matches come first, then prefixes, then the library's order. */
  function ranked(indices: readonly number[], order: readonly number[] | null, words: string): SearchEntry[] {
    const found = (order ? order.map((at) => indices[at]) : indices).flatMap((at) => {
      const entry = at === undefined ? undefined : entries[at];
      return entry ? [{ entry, closeness: closenessOf(entry, words) }] : [];
    });
    return found.sort((a, b) => b.closeness - a.closeness).map(({ entry }) => entry);
  }
}

function closenessOf({ name, slug }: SearchEntry, words: string): number {
  const texts = [plain(name), slug];
  if (texts.includes(words)) return 2;
  return texts.some((text) => text.startsWith(words)) ? 1 : 0;
}

/** Without diacritics and letter case, so that `poke` finds `Poké`. */
const plain = (text: string): string => Fuzzy.latinize(text).toLowerCase();
