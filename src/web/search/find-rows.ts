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
 * Finds the records of a search. A query in another script than the selected language's
 * is looked for in the languages of that script, and the first with matches counts.
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
    const names = await loadNames(queryLanguage);
    const matches = engine.match(q, scope, names);
    if (matches.length === 0) continue;
    const labels = { language: queryLanguage, query: q };
    const rows = matches.map((match) => ({ ...match, ...labels }));
    return { rows, total };
  }
  const matches = engine.match(q, scope);
  return { rows: matches.map((match) => ({ ...match, query: q })), total };
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
