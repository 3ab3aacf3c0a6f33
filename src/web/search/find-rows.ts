import type { Names } from '../../contract/names.ts';
import { parseRecordPath } from '../../contract/paths.ts';
import { getPath } from '../browse/address.ts';
import { loadNames, loadSearchEngine } from './load-search.ts';
import type { ResultRow } from './render-result.ts';
import { listQueryLanguages } from './scripts.ts';
import type { Match } from './search-engine.ts';

/** The query parameters of a search. An empty language means English. */
export interface SearchFields {
  readonly q: string;
  readonly kind: string;
  readonly language: string;
  /** A generation, or `none` for items without index numbers. */
  readonly generation: string;
}

export interface SearchResult {
  readonly rows: readonly ResultRow[];
  /** The number of records of the selected kind. */
  readonly total: number;
}

/**
 * Finds the records whose names match a search. Searches the English names together with
 * the names in each language in which the query may be, and uses the first language that
 * has matches.
 *
 * @param known the languages in which the site has names
 */
export async function findRows(
  { q, kind, language, generation }: SearchFields,
  known: readonly string[],
): Promise<SearchResult> {
  const engine = await loadSearchEngine();
  const isCounted = (record: Match): boolean => kind === '' || record.kind === kind;
  const total = engine.records.filter(isCounted).length;
  const scope = { kind, generation };
  for (const queryLanguage of listQueryLanguages(q, language, known)) {
    const names = await loadQueryNames(queryLanguage, language);
    const matches = engine.match(q, scope, names);
    if (matches.length === 0) continue;
    const labels = { language: queryLanguage, query: q };
    const rows = matches.map((match) => ({ ...match, ...labels }));
    return { rows, total };
  }
  return { rows: [], total };
}

/**
 * Loads the names in a language. Returns undefined for English, because the search engine
 * already has the English names.
 */
async function loadQueryNames(
  queryLanguage: string,
  selectedLanguage: string,
): Promise<Names | undefined> {
  if (queryLanguage === '') return undefined;
  try {
    return await loadNames(queryLanguage);
  } catch (error) {
    if (queryLanguage === selectedLanguage) throw error;
    // The user has not asked for this language. Offline, its names may not be stored.
    return undefined;
  }
}

/** Finds the record at an address such as `/api/gamedata/item/potion/`. */
export function findRecord(
  records: readonly Match[],
  address: string,
): Match | undefined {
  const path = parseRecordPath(getPath(address));
  if (!path) return undefined;
  return records.find(({ kind, slug }) => kind === path.kind && slug === path.slug);
}
