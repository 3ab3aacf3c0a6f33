import Fuzzy from '@leeoniya/ufuzzy';
import { kindNames } from '../../contract/kinds.ts';
import type { Names } from '../../contract/names.ts';
import type { SearchIndex } from '../../contract/served.ts';
import { nameGeneration } from '../../data/find-generation.ts';
import { findName } from '../../data/find-name.ts';
import type { ResultRow } from './render-result.ts';
import { listSpellings, rateSpelling, separateWords, simplify } from './spelling.ts';

export type Match = Omit<ResultRow, 'language' | 'query'>;

/** The records to search. */
export interface SearchScope {
  /** An empty string searches all kinds. */
  readonly kind?: string;
  /**
   * A generation, or `none` for items without index numbers. An empty string searches
   * all generations.
   */
  readonly generation?: string;
}

export interface SearchEngine {
  /**
   * Finds records. Records whose id equals the query come first, then records whose
   * name in the selected language matches, and then records whose English name
   * matches, with the closest first. An empty query matches every record.
   *
   * @param names the names in the selected language
   */
  match(query: string, scope?: SearchScope, names?: Names): Match[];
  /**
   * Suggests at most five records for an unknown slug or id. Records of the same
   * kind come first.
   */
  suggest(slug: string, kind: string): Match[];
  /** All records, ordered by kind and then by id. */
  readonly records: readonly Match[];
}

const MAX_SUGGESTIONS = 5;
/**
 * The fuzzy search compiles a query to a regular expression, and a very long word would
 * freeze the browser. No name is this long.
 */
const MAX_QUERY_LENGTH = 100;

/** Creates the search engine, which runs in the browser. */
export function createSearchEngine(index: SearchIndex): SearchEngine {
  const records = listRecords(index);
  const findFuzzy = createFuzzySearch(records);

  function match(query: string, scope: SearchScope = {}, names?: Names): Match[] {
    const words = simplify(query.slice(0, MAX_QUERY_LENGTH)).trim();
    const candidates = records.map((record) => {
      const local = findName(names, record.kind, record.slug);
      return { ...record, local };
    });
    const isRequested = (record: Match): boolean => isInScope(record, scope);
    if (words === '') return candidates.filter(isRequested);

    const byId = candidates.filter(({ id }) => String(id) === words);
    const byLocalName = matchLocalNames(candidates, words);
    const withSimilarName = select(candidates, findFuzzy(words));
    const byName = sortByCloseness(withSimilarName, words);
    // If a record matches in several ways, the set keeps only its first position.
    const found = new Set([...byId, ...byLocalName, ...byName]);
    return [...found].filter(isRequested);
  }

  function suggest(slug: string, kind: string): Match[] {
    const found = match(slug.replaceAll('-', ' '));
    const ofKind = found.filter((record) => record.kind === kind);
    // PokéAPI also accepts ids in URLs, so users may try them here.
    const sameId = ofKind.filter(({ id }) => String(id) === slug);
    if (sameId.length > 0) return sameId;
    const suggested = new Set([...ofKind, ...found]);
    return [...suggested].slice(0, MAX_SUGGESTIONS);
  }

  return { match, suggest, records };
}

function isInScope(
  record: Match,
  { kind = '', generation = '' }: SearchScope,
): boolean {
  if (kind !== '' && record.kind !== kind) return false;
  if (generation === '') return true;
  return nameGeneration(record.generation) === generation;
}

function listRecords(index: SearchIndex): Match[] {
  const records: Match[] = [];
  for (const kind of kindNames) {
    for (const record of index[kind]) records.push({ kind, ...record });
  }
  return records;
}

function select(records: readonly Match[], indices: readonly number[]): Match[] {
  const selected: Match[] = [];
  for (const index of indices) {
    const record = records[index];
    if (record) selected.push(record);
  }
  return selected;
}

/**
 * Returns a function that finds records with a similar English name or slug. The
 * function returns the positions of these records in the list, with the best match
 * first.
 */
function createFuzzySearch(
  records: readonly Match[],
): (words: string) => readonly number[] {
  const texts = records.map(({ name, slug }) => {
    const joinedSlug = slug.replaceAll('-', '');
    return `${simplify(name)} ${slug} ${joinedSlug}`;
  });
  // The strict search tolerates one typo per word.
  const strict = new Fuzzy({ intraMode: 1 });
  // The lenient search also tolerates a missing letter in a word of three letters.
  // It finds too many records for most queries, so we use it only if the strict
  // search finds none.
  const lenient = new Fuzzy({ intraMode: 1, intraRules: tolerateMissingLetter });

  return (words) => {
    const found = searchTexts(strict, texts, words);
    return found.length > 0 ? found : searchTexts(lenient, texts, words);
  };
}

/** Returns the positions of the texts that match, with the best match first. */
function searchTexts(
  engine: Fuzzy,
  texts: string[],
  words: string,
): readonly number[] {
  const [indices, , order] = engine.search(
    texts,
    words,
    MAX_WORDS_IN_ANY_ORDER,
    Infinity,
  );
  if (!indices) return [];
  if (!order) return indices;
  // `order` contains positions in `indices`, not the indices themselves.
  return order.map((position) => indices[position] ?? -1);
}

/**
 * The search tries every order of up to this many words. A longer query matches only if
 * its words are in order.
 */
const MAX_WORDS_IN_ANY_ORDER = 4;

/** Lets the search tolerate one missing letter per word, but no other typos. */
const tolerateMissingLetter: NonNullable<Fuzzy.Options['intraRules']> = (word) => {
  const isNumber = /^\d+$/.test(word);
  return {
    intraSlice: [1, Infinity],
    intraIns: word.length > 2 && !isNumber ? 1 : 0,
    intraSub: 0,
    intraTrn: 0,
    intraDel: 0,
  };
};

interface Rated {
  readonly record: Match;
  /** Lower ratings are better. */
  readonly rating: number;
}

/**
 * Finds records by their names in the selected language. If several names match
 * equally well, shorter names come first.
 */
function matchLocalNames(records: readonly Match[], query: string): Match[] {
  const words = separateWords(query);
  if (words === '') return [];
  const matches: Rated[] = [];
  for (const record of records) {
    if (record.local === undefined) continue;
    const rating = rateLocalName(record.local, words);
    if (rating !== undefined) matches.push({ record, rating });
  }
  const getLength = ({ record }: Rated): number => record.local?.length ?? 0;
  matches.sort((a, b) => {
    if (a.rating !== b.rating) return a.rating - b.rating;
    return getLength(a) - getLength(b);
  });
  return matches.map(({ record }) => record);
}

/**
 * Returns the best-matching spelling's rating. Returns undefined if no spelling
 * matches.
 */
function rateLocalName(name: string, words: string): number | undefined {
  let best: number | undefined;
  for (const spelling of getSpellings(name)) {
    const rating = rateSpelling(spelling, words);
    if (rating === undefined) continue;
    if (best === undefined || rating < best) best = rating;
  }
  return best;
}

/** Caches the spellings of names, because each keystroke compares all of them again. */
const spellings = new Map<string, readonly string[]>();

function getSpellings(name: string): readonly string[] {
  const knownSpellings = spellings.get(name);
  if (knownSpellings) return knownSpellings;
  const listed = listSpellings(name);
  spellings.set(name, listed);
  return listed;
}

/**
 * Sorts records by how close they are to the query. Equally close records are sorted
 * by id. Records that are not close keep the order of the fuzzy search.
 */
function sortByCloseness(records: readonly Match[], words: string): Match[] {
  const rated = records.map((record) => ({
    record,
    closeness: rateCloseness(record, words),
  }));
  rated.sort((a, b) => {
    if (a.closeness !== b.closeness) return b.closeness - a.closeness;
    return a.closeness === 0 ? 0 : a.record.id - b.record.id;
  });
  return rated.map(({ record }) => record);
}

/**
 * Rates how close a record is to the query, where higher is closer. If a name ends
 * with the query's words, items (which have icons) come first: users who search for
 * "ball" want a Poké Ball rather than the move Ice Ball.
 */
function rateCloseness({ icon, name, slug }: Match, words: string): number {
  const simpleName = simplify(name);
  const isEnd = simpleName.endsWith(` ${words}`);
  if (simpleName === words || slug === words) return 4;
  if (isEnd && icon !== undefined) return 3;
  if (simpleName.startsWith(words) || slug.startsWith(words)) return 2;
  return isEnd ? 1 : 0;
}
