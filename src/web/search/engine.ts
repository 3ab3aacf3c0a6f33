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
  /** Of names; empty for English. */
  readonly language: string;
}

/** A record that was found. */
export interface Match extends SearchEntry {
  /** Its name in the language that was chosen, or else the one by which it was found, unless that is the English one. */
  readonly local?: LocalName | undefined;
}

interface LocalName {
  readonly language: string;
  readonly name: string;
}

export type Engine = ReturnType<typeof createEngine>;

/** Words may be in any order if there are no more than this. */
const MOST_WORDS = 4;
const OFFERED = 5;
/** One letter in this many may be wrong. */
const LETTERS_PER_ERROR = 3;

/** Writing systems that consist of several scripts, or share one: https://www.unicode.org/iso15924 */
const scriptsOf: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Hira', 'Kana', 'Hani'],
  Hrkt: ['Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
  Hans: ['Hani'],
  Hant: ['Hani'],
};

export function createEngine(index: SearchIndex) {
  const entries = readSearchIndex(index);
  // Tolerates one typo per word, and slugs without hyphens.
  const fuzzy = new Fuzzy({ intraMode: 1 });
  const texts = entries.map(({ name, slug }) => `${plain(name)} ${slug} ${slug.replaceAll('-', '')}`);

  /**
   * Ids come first, then names in the language that was chosen, then the closest English ones in order of id, then the library's
   * order, then names in other languages.
   */
  function find(text: string, language = '', names: readonly Names[] = []): readonly Match[] {
    const chosen = names.find((own) => own.language === language);
    const words = plain(text).trim();
    if (words === '') return entries.map((entry) => ({ ...entry, local: localName(entry, chosen) }));
    const [indices, , order] = fuzzy.search(texts, words, MOST_WORDS, Infinity);
    const found = order?.map((at) => indices?.[at]) ?? indices ?? [];
    const close = found
      .flatMap((at) => entries[at ?? -1] ?? [])
      .map((entry) => ({ entry, closeness: closenessOf(entry, words) }))
      .sort((a, b) => b.closeness - a.closeness || (a.closeness === 0 ? 0 : a.entry.id - b.entry.id))
      .map(({ entry }) => entry);
    const byName = (languages: readonly Names[]): ReadonlyMap<SearchEntry, LocalName> => {
      const found = entries.flatMap((entry) => {
        const names = languages.flatMap((own) => localName(entry, own) ?? []);
        const local = names.find(({ name }) => plain(name).includes(words));
        return local ? [{ entry, local, at: plain(local.name).indexOf(words) }] : [];
      });
      found.sort((a, b) => a.at - b.at || a.local.name.length - b.local.name.length);
      return new Map(found.map(({ entry, local }) => [entry, local]));
    };
    const byId = entries.filter(({ id }) => String(id) === words);
    const best = new Set([...byId, ...byName(chosen ? [chosen] : []).keys(), ...close]);
    const foreign = byName(names.filter((own) => own !== chosen));
    return [...new Set([...best, ...foreign.keys()])].map((entry) => ({
      ...entry,
      local: best.has(entry) ? localName(entry, chosen) : foreign.get(entry),
    }));
  }

  return {
    /** @param names in other languages, by which records are found as well */
    match: ({ q, kind, generation, language }: Filter, names?: readonly Names[]): readonly Match[] =>
      find(q, language, names).filter(
        (entry) =>
          (kind === '' || entry.kind === kind) &&
          (generation === '' || String(entry.generation ?? 'none') === generation),
      ),
    /** Those of some languages that are written in a script of a text. */
    languagesIn: (text: string, languages: readonly string[]): readonly string[] =>
      languages.filter((language) => {
        try {
          const { script = '' } = new Intl.Locale(language).maximize();
          const scripts = scriptsOf[script] ?? [script];
          return scripts.some((one) => new RegExp(`\\p{Script=${one}}`, 'u').test(text));
        } catch {
          // Not every tag and script is known.
          return false;
        }
      }),
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

function localName({ kind, slug }: SearchEntry, names: Names | undefined): LocalName | undefined {
  const name = nameIn(names, kind, slug);
  return names && name !== undefined ? { language: names.language, name } : undefined;
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
