import type * as z from 'zod';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { languageSchema, type Names } from '../contract/names.ts';
import { describeIssue, formatValue, parse } from '../contract/parse.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import {
  iconSchema,
  isSlug,
  LAST_INDEXED_GENERATION,
  MAX_SLUG_LENGTH,
  nameSchema,
  type RecordOf,
  recordSchemas,
} from '../contract/records.ts';
import { toTitleCase } from '../contract/words.ts';
import {
  createDataSet,
  type DataSet,
  type Provenance,
  type Warning,
  type WarningCode,
} from '../data/data-set.ts';
import { GamedataError } from '../errors.ts';
import { createFailedRecords, type FailedRecords } from './failed-records.ts';

interface CommonFields {
  readonly id: number;
  readonly slug: string;
  readonly englishName: string | null;
  /** The names in other languages, by the upstream's language code in lower case. */
  readonly names: Readonly<Record<string, string>>;
}

interface ItemFields {
  /**
   * The index numbers in the upstream's order. The order matters, because the first
   * index of a generation wins.
   */
  readonly gameIndices: readonly {
    readonly generation: number;
    readonly index: number;
  }[];
  /** The URL or the path of the sprite. Null if the item has no sprite. */
  readonly sprite: string | null;
}

/**
 * The fields of each kind before they are normalized. Only the fields of items need
 * to be converted.
 */
type FieldsByKind = {
  [K in Kind]: K extends 'item'
    ? ItemFields
    : Omit<RecordOf<K>, 'id' | 'slug' | 'name'>;
};
export type KindFields<K extends Kind> = FieldsByKind[K];
export type RawRecord<K extends Kind = Kind> = CommonFields & KindFields<K>;
export type RawRecords = { readonly [K in Kind]: readonly RawRecord<K>[] };

export interface NameInLanguage {
  /** The upstream's language code. */
  readonly language: string;
  readonly name: string;
}

/**
 * Collects the names of a record by language. If a language has several names, the
 * first one wins, even if its code is written in two ways, such as `zh-Hans` and
 * `zh-hans`. The English name becomes a field of the record, so it is separate.
 */
export function collectNames(
  entries: readonly NameInLanguage[],
): Pick<CommonFields, 'englishName' | 'names'> {
  const names = new Map<string, string>();
  for (const { language, name } of entries) {
    const code = language.toLowerCase();
    if (!names.has(code)) names.set(code, name);
  }
  const englishName = names.get('en') ?? null;
  names.delete('en');
  return { englishName, names: Object.fromEntries(names) };
}

type Warn = (code: WarningCode, message: string) => void;

/** The largest number of languages in real data is 14. */
const MAX_LANGUAGES = 100;

/**
 * Converts raw records, in any order, to a data set that conforms to the contract.
 *
 * First, the records of each kind are sorted by id: if several records have the same
 * slug, the one with the lowest id keeps it. Then each record is normalized, with a
 * warning for each adaptation. Finally, the record's names are added to the names for
 * each language, under the record's final slug.
 *
 * @param raw all records except for skipped ones
 * @param failed the records that have already failed
 * @throws GamedataError that names every record that could not be read or cannot be
 * adapted, or records with the same id
 */
export function normalize(
  raw: RawRecords,
  provenance: Provenance,
  failed: FailedRecords = createFailedRecords(provenance.skipped),
): DataSet {
  const warnings: Warning[] = [];
  const namesByLanguage = new Map<string, Names>();
  const records = mapKinds((kind) => {
    const rawRecords: readonly RawRecord[] = raw[kind];
    const sortedRecords = rawRecords.toSorted((a, b) => a.id - b.id);
    assertUniqueIds(sortedRecords, kind);
    const slugOwners = findSlugOwners(sortedRecords);
    const normalizedRecords: RecordOf<Kind>[] = [];
    for (const rawRecord of sortedRecords) {
      const { id, slug: originalSlug } = rawRecord;
      const warn: Warn = (code, message) => {
        warnings.push({ code, kind, id, message: `${originalSlug}: ${message}` });
      };
      try {
        const context = { kind, slugOwners, warn };
        const { record, names } = normalizeRecord(rawRecord, context);
        normalizedRecords.push(record);
        addNames(namesByLanguage, names, { slug: record.slug, kind, warn });
      } catch (error) {
        failed.add(kind, id, error);
      }
    }
    return normalizedRecords;
  });
  failed.throwIfAny();
  const names = [...namesByLanguage.values()];
  names.sort((a, b) => (a.language < b.language ? -1 : 1));
  return createDataSet(records, names, { warnings, provenance });
}

/**
 * Maps each safe slug to the lowest id of the records that have this slug. The
 * records must be sorted by id.
 */
function findSlugOwners(sortedRecords: readonly RawRecord[]): Map<string, number> {
  const owners = new Map<string, number>();
  for (const { id, slug } of sortedRecords) {
    const safeSlug = sanitizeSlug(slug);
    if (!owners.has(safeSlug)) owners.set(safeSlug, id);
  }
  return owners;
}

interface RecordContext {
  readonly kind: Kind;
  /**
   * Maps each slug to the id of the record that may use it. Other records with the same
   * slug get a different one.
   */
  readonly slugOwners: ReadonlyMap<string, number>;
  readonly warn: Warn;
}

interface NormalizedRecord {
  readonly record: RecordOf<Kind>;
  /** The record's names by language code, including the English name. */
  readonly names: Readonly<Record<string, string>>;
}

/**
 * Adapts a record's slug, name and fields, in this order. Each adaptation adds a warning.
 */
function normalizeRecord(
  rawRecord: RawRecord,
  { kind, slugOwners, warn }: RecordContext,
): NormalizedRecord {
  const {
    id,
    slug: originalSlug,
    englishName: rawName,
    names: otherNames,
    ...rawFields
  } = rawRecord;
  const location = { kind, record: `${originalSlug} (${id})` };
  const safeSlug = sanitizeSlug(originalSlug);
  if (safeSlug !== originalSlug) {
    warn('adapted-slug', `not a safe slug, becomes ${safeSlug}`);
  }
  const slug = resolveSlug(kind, { id, slug: safeSlug }, slugOwners, warn);
  const englishName = trimName(rawName ?? '', 'en', warn);
  const name = englishName || createMissingName(safeSlug, warn);
  const fields = convertFields(rawFields, warn);
  const record = parse(recordSchemas[kind], { id, slug, name, ...fields }, location);
  const englishNames = englishName === '' ? {} : { en: englishName };
  return { record, names: { ...englishNames, ...otherNames } };
}

/** Derives the name of a record without an English name from its slug. */
function createMissingName(slug: string, warn: Warn): string {
  const name = toTitleCase(slug);
  warn('missing-name', `no English name, called ${formatValue(name)}`);
  return name;
}

/** Converts the fields of an item. Returns the fields of a move unchanged. */
function convertFields(fields: KindFields<Kind>, warn: Warn): object {
  if (!('sprite' in fields)) return fields;
  const indices = resolveIndices(fields.gameIndices, warn);
  const icon = resolveIcon(fields.sprite, warn);
  return { ...indices, icon };
}

/** @throws GamedataError for the first two records with the same id */
function assertUniqueIds(sortedRecords: readonly RawRecord[], kind: Kind): void {
  let previous: RawRecord | undefined;
  for (const record of sortedRecords) {
    if (previous?.id === record.id) {
      const slugs = `${formatValue(previous.slug)} and ${formatValue(record.slug)}`;
      const problem = `got ${record.id} for ${slugs}, expected unique ids`;
      throw new GamedataError('data', `${kind} › id: ${problem}`);
    }
    previous = record;
  }
}

/**
 * Returns a record's final slug. If several records have the same slug, the record
 * with the lowest id keeps it, and the others append their id.
 *
 * @throws GamedataError if the slug with the id belongs to another record
 */
function resolveSlug(
  kind: Kind,
  { id, slug }: { id: number; slug: string },
  slugOwners: ReadonlyMap<string, number>,
  warn: Warn,
): string {
  const owner = slugOwners.get(slug);
  if (owner === undefined || owner === id) return slug;
  const longSlug = `${slug}-${id}`;
  const longSlugOwner = slugOwners.get(longSlug);
  if (longSlugOwner !== undefined) {
    throw new GamedataError(
      'data',
      `${kind} › slug: got slug ${formatValue(longSlug)} for ids ${longSlugOwner} and ${id}, expected unique slugs`,
    );
  }
  warn('duplicate-slug', `already the slug of ${owner}, ${id} becomes ${longSlug}`);
  return longSlug;
}

/**
 * White space, soft hyphens and zero-width characters, which users often copy
 * together with a name.
 */
const INVISIBLE = String.raw`\s\u00ad\u180e\u200b-\u200f\u2060\ufeff`;
/** Matches everything from the first to the last visible character. */
const VISIBLE = new RegExp(`[^${INVISIBLE}](?:.*[^${INVISIBLE}])?`, 's');

/**
 * Removes invisible characters around a name. If any visible text is left, adds a
 * warning.
 */
function trimName(name: string, language: string, warn: Warn): string {
  const [trimmedName = ''] = VISIBLE.exec(name) ?? [];
  if (trimmedName === '' || trimmedName === name) return trimmedName;
  const written = formatValue(name);
  warn(
    'trimmed-name',
    `removed invisible characters around the name in ${language}, ${written}`,
  );
  return trimmedName;
}

interface NamesContext {
  /** The record's final slug. */
  readonly slug: string;
  readonly kind: Kind;
  readonly warn: Warn;
}

/**
 * Adds each of a record's names to the names in its language. Omits unusable names, with
 * a warning for each of them.
 */
function addNames(
  namesByLanguage: Map<string, Names>,
  recordNames: Readonly<Record<string, string>>,
  { slug, kind, warn }: NamesContext,
): void {
  for (const [language, rawName] of Object.entries(recordNames)) {
    const name = trimName(rawName, language, warn);
    if (name === '') {
      warn('missing-name', `omitted the empty name in ${language}`);
      continue;
    }
    const problem =
      findSchemaProblem(languageSchema, language) ??
      findSchemaProblem(nameSchema, name);
    if (problem !== undefined) {
      warn(
        'unusable-name',
        `omitted the name in ${formatValue(language)}: ${problem}`,
      );
      continue;
    }
    getOrAddLanguage(namesByLanguage, language)[kind][slug] = name;
  }
}

/**
 * Returns the names in a language. Adds an empty list for a new language.
 *
 * @throws GamedataError if there are too many languages, because each one becomes a
 * file
 */
function getOrAddLanguage(
  namesByLanguage: Map<string, Names>,
  language: string,
): Names {
  const existingNames = namesByLanguage.get(language);
  if (existingNames) return existingNames;
  if (namesByLanguage.size >= MAX_LANGUAGES) {
    throw new GamedataError(
      'data',
      `got names in another language, expected at most ${MAX_LANGUAGES} languages`,
    );
  }
  const noNames = mapKinds((): Record<string, string> => ({}));
  const names: Names = { language, ...noNames };
  namesByLanguage.set(language, names);
  return names;
}

/** Describes why a value does not match a schema. Returns undefined if it matches. */
function findSchemaProblem(schema: z.ZodType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  const issue = error?.issues[0];
  return issue && describeIssue(issue, value);
}

/**
 * Returns the fields `id1` to `id9`: an item's index number in the games of each
 * generation, or null if it has none.
 *
 * If the upstream lists several index numbers for a generation, the first one wins. Each
 * of the others adds a warning, and so does a generation without a field.
 */
function resolveIndices(
  gameIndices: ItemFields['gameIndices'],
  warn: Warn,
): Record<string, number | null> {
  const firstIndices = new Map<number, number>();
  for (const { generation, index } of gameIndices) {
    const firstIndex = firstIndices.get(generation);
    if (firstIndex === undefined) {
      firstIndices.set(generation, index);
      const hasField = generation >= 1 && generation <= LAST_INDEXED_GENERATION;
      const problem = `index in generation ${generation}, which has no field`;
      if (!hasField) warn('unknown-generation', problem);
    } else if (firstIndex === index) {
      const problem = `index ${index} of generation ${generation} is listed twice`;
      warn('repeated-index', problem);
    } else {
      const problem = `indices ${firstIndex} and ${index} for generation ${generation}`;
      warn('conflicting-index', `${problem}, using ${firstIndex}`);
    }
  }
  const fields: Record<string, number | null> = {};
  for (let generation = 1; generation <= LAST_INDEXED_GENERATION; generation++) {
    fields[`id${generation}`] = firstIndices.get(generation) ?? null;
  }
  return fields;
}

/**
 * Returns the path of an item's icon in the site, which is the end of the sprite's URL,
 * such as `sprites/items/potion.png`. An item without a usable sprite gets the
 * placeholder, and a warning.
 */
function resolveIcon(sprite: string | null, warn: Warn): string {
  if (sprite === null) {
    warn('no-icon', 'no icon, using the placeholder');
    return PLACEHOLDER_ICON;
  }
  const folderStart = sprite.lastIndexOf(ICONS_FOLDER);
  const hasFolder = folderStart >= 0;
  // If the folder is missing, keep the whole sprite. The schema then rejects it with an
  // error that quotes it.
  const icon = hasFolder ? sprite.slice(folderStart) : sprite;
  const problem = findSchemaProblem(iconSchema, icon);
  if (problem === undefined) return icon;
  warn('unusable-icon', `using the placeholder: ${problem}`);
  return PLACEHOLDER_ICON;
}

/**
 * Matches path separators, and characters that change how a terminal displays text. No
 * real slug contains such characters, so a slug that contains one is rejected instead
 * of converted.
 */
const SUSPICIOUS = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Converts a slug to one that is safe in a URL and in a file name: `King’s Rock` becomes
 * `kings-rock`. A slug that cannot be converted is returned unchanged, and the schema
 * rejects it.
 *
 * The rules are those of Django's `slugify`, because PokéAPI later chose exactly these
 * slugs.
 *
 * @see https://docs.djangoproject.com/en/stable/ref/utils/#django.utils.text.slugify
 */
export function sanitizeSlug(slug: string): string {
  // We must not run a regular expression on a slug of unlimited length.
  if (slug.length > MAX_SLUG_LENGTH) return slug;
  if (isSlug(slug)) return slug;
  // A slug with a slash or a control character looks like an attack, so it is not
  // converted.
  if (SUSPICIOUS.test(slug)) return slug;
  // NFKD separates letters from their accents, and the first replacement removes the
  // accents.
  const slugified = slug
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
  return slugified || slug;
}
