import Fuzzy from '@leeoniya/ufuzzy';
import { type Kind, kindNames } from '../../contract/kinds.ts';
import type { Names } from '../../contract/names.ts';
import type { SearchIndex } from '../../contract/served.ts';
import { findName } from '../../dataset/find-name.ts';

export interface Match {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly icon?: string | undefined;
  readonly local?: string | undefined;
}

export type SearchEngine = ReturnType<typeof createSearchEngine>;

export function createSearchEngine(index: SearchIndex) {
  const records: Match[] = kindNames.flatMap((kind) =>
    index[kind].map((record) => ({ kind, ...record })),
  );
  // Tolerates one typo per word.
  const fuzzy = new Fuzzy({ intraMode: 1 });
  // Also tolerates a missing letter in words of three letters, so it finds too many records for most queries.
  const lenient = new Fuzzy({ intraMode: 1, intraRules: tolerateMissingLetter });
  const texts = records.map(
    ({ name, slug }) => `${simplify(name)} ${slug} ${slug.replaceAll('-', '')}`,
  );

  function findFuzzy(words: string, engine = fuzzy): number[] {
    // More than four words match only in order.
    const [indices, , order] = engine.search(texts, words, 4, Infinity);
    const found = order?.map((at) => indices?.[at] ?? at) ?? indices ?? [];
    return found.length === 0 && engine === fuzzy ? findFuzzy(words, lenient) : found;
  }

  /** Returns ids first, then names in the selected language, then English names by closeness. */
  function match(query: string, kind = '', names?: Names): Match[] {
    const words = simplify(query).trim();
    const all = records.map((record) => ({
      ...record,
      local: findName(names, record.kind, record.slug),
    }));
    const byId = all.filter(({ id }) => String(id) === words);
    const byLocalName = all
      .map((record) => ({ record, at: simplify(record.local ?? '').indexOf(words) }))
      .filter(({ at, record }) => at >= 0 && record.local !== undefined)
      .sort((a, b) => a.at - b.at || (a.record.local?.length ?? 0) - (b.record.local?.length ?? 0))
      .map(({ record }) => record);
    const byName = findFuzzy(words)
      .flatMap((at) => all[at] ?? [])
      .map((record) => ({ record, closeness: rateCloseness(record, words) }))
      .sort(
        (a, b) => b.closeness - a.closeness || (a.closeness === 0 ? 0 : a.record.id - b.record.id),
      )
      .map(({ record }) => record);
    const found = words === '' ? all : [...new Set([...byId, ...byLocalName, ...byName])];
    return found.filter((record) => kind === '' || record.kind === kind);
  }

  /** Suggests records for an unknown slug or id, starting with records of the same kind. */
  function suggest(slug: string, kind: string): Match[] {
    const found = match(slug.replaceAll('-', ' '));
    const ofKind = found.filter((record) => record.kind === kind);
    // PokéAPI also accepts ids in URLs.
    const sameId = ofKind.filter(({ id }) => String(id) === slug);
    return sameId.length > 0 ? sameId : [...new Set([...ofKind, ...found])].slice(0, 5);
  }

  return { match, suggest };
}

const tolerateMissingLetter: NonNullable<Fuzzy.Options['intraRules']> = (word) => ({
  intraSlice: [1, Infinity],
  intraIns: word.length > 2 && !/^\d+$/.test(word) ? 1 : 0,
  intraSub: 0,
  intraTrn: 0,
  intraDel: 0,
});

/** Prefers items, which have icons, if a name ends with the words: "ball" means a Poké Ball rather than the move Ice Ball. */
function rateCloseness({ icon, name, slug }: Match, words: string): number {
  const texts = [simplify(name), slug];
  const isEnd = texts[0]?.endsWith(` ${words}`) ?? false;
  if (texts.includes(words)) return 4;
  if (isEnd && icon !== undefined) return 3;
  if (texts.some((text) => text.startsWith(words))) return 2;
  return isEnd ? 1 : 0;
}

/** NFKC equates the half-width and full-width characters of Japanese keyboards. Keyboards lack the apostrophe `’`. */
const simplify = (text: string): string =>
  Fuzzy.latinize(text.normalize('NFKC')).replaceAll('’', "'").toLowerCase();
