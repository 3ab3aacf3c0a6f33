/** The search engine: the records that match a query, and those close to a slug, best first. */

import Fuzzy from '@leeoniya/ufuzzy';
import { distance } from 'fastest-levenshtein';
import type { Names } from '../../contract/names.ts';
import type { SearchIndex } from '../../contract/served.ts';
import { nameIn } from '../../dataset/names.ts';
import { readSearchIndex, type SearchEntry } from './search-index.ts';

/** As in the URL of the front page. */
export interface Filter {
  /** What was typed; empty matches every record. */
  readonly q: string;
  /** Empty for any. */
  readonly kind: string;
  /** A number, `none` for unknown, or empty for any. */
  readonly generation: string;
}

export type Engine = ReturnType<typeof createEngine>;

/** Words may be in any order if there are no more than this. */
const MOST_WORDS = 4;
const OFFERED = 5;
/** One letter in this many may be wrong. */
const LETTERS_PER_ERROR = 3;

export function createEngine(index: SearchIndex) {
  const entries = readSearchIndex(index);
  // Tolerates one typo per word, and slugs without hyphens.
  const fuzzy = new Fuzzy({ intraMode: 1 });
  const texts = entries.map(({ name, slug }) => `${plain(name)} ${slug} ${slug.replaceAll('-', '')}`);

  /** Ids come first, then local names, then the closest English ones in order of id, then the library's order. */
  function find(text: string, names?: Names): readonly SearchEntry[] {
    const words = plain(text).trim();
    if (words === '') return entries;
    const [indices, , order] = fuzzy.search(texts, words, MOST_WORDS, Infinity);
    const found = order?.map((at) => indices?.[at]) ?? indices ?? [];
    const close = found
      .flatMap((at) => entries[at ?? -1] ?? [])
      .map((entry) => ({ entry, closeness: closenessOf(entry, words) }))
      .sort((a, b) => b.closeness - a.closeness || (a.closeness === 0 ? 0 : a.entry.id - b.entry.id))
      .map(({ entry }) => entry);
    const local = entries
      .map((entry) => ({ entry, name: plain(nameIn(names, entry.kind, entry.slug) ?? '') }))
      .filter(({ name }) => name.includes(words))
      .sort((a, b) => a.name.indexOf(words) - b.name.indexOf(words) || a.name.length - b.name.length)
      .map(({ entry }) => entry);
    return [...new Set([...entries.filter(({ id }) => String(id) === words), ...local, ...close])];
  }

  return {
    /** @param names in another language, by which records are found as well */
    match: ({ q, kind, generation }: Filter, names?: Names): readonly SearchEntry[] =>
      find(q, names).filter(
        (entry) =>
          (kind === '' || entry.kind === kind) &&
          (generation === '' || String(entry.generation ?? 'none') === generation),
      ),
    /** The records that somebody may have meant by a slug that does not exist, closest first: by an id, that one. */
    near(asked: string, kind: string): readonly SearchEntry[] {
      // As PokéAPI's addresses are ids, too.
      const byId = entries.filter((entry) => entry.kind === kind && String(entry.id) === asked);
      if (byId.length > 0) return byId;
      const slug = asked.toLowerCase();
      const bearable = Math.max(1, Math.floor(slug.length / LETTERS_PER_ERROR));
      const close = entries
        .map((entry) => ({ entry, distance: distance(entry.slug, slug) }))
        .filter((candidate) => candidate.distance <= bearable)
        // Records of the same kind come first.
        .sort(
          (a, b) => a.distance - b.distance || Number(b.entry.kind === kind) - Number(a.entry.kind === kind),
        )
        .map(({ entry }) => entry);
      return [...new Set([...close, ...find(slug.replaceAll('-', ' '))])].slice(0, OFFERED);
    },
  };
}

/** The last word of a thing's name says what it is: a ball is rather a Poké Ball than an Ice Ball, which is a move. Things have icons. */
function closenessOf({ icon, name, slug }: SearchEntry, words: string): number {
  const texts = [plain(name), slug];
  const isEnd = texts[0]?.endsWith(` ${words}`) ?? false;
  if (texts.includes(words)) return 4;
  if (isEnd && icon !== null) return 3;
  if (texts.some((text) => text.startsWith(words))) return 2;
  return isEnd ? 1 : 0;
}

/** Without diacritics and letter case, so that `poke` finds `Poké`, and with the apostrophe that keyboards have. */
const plain = (text: string): string =>
  Fuzzy.latinize(text.normalize('NFC')).replaceAll('’', "'").toLowerCase();
