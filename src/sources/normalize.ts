import type * as z from 'zod';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { languageSchema, type Names } from '../contract/names.ts';
import { describeIssue, formatValue, parse } from '../contract/parse.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import {
  iconSchema,
  LAST_INDEXED_GENERATION,
  MAX_SLUG_LENGTH,
  nameSchema,
  type RecordOf,
  recordSchemas,
  slugSchema,
} from '../contract/records.ts';
import { listFirst, toTitleCase } from '../contract/words.ts';
import {
  createDataSet,
  type DataSet,
  type Provenance,
  type Warning,
  type WarningCode,
} from '../dataset/data-set.ts';
import { DataError, type DataLocation } from '../errors.ts';
import { hintAtSkip } from './source.ts';

interface CommonFields {
  readonly id: number;
  readonly slug: string;
  readonly englishName: string | null;
  /** The upstream's code of each other language → the first name in that language. */
  readonly names: Readonly<Record<string, string>>;
}

interface ItemFields {
  /** In upstream order, because the first index of a generation wins. */
  readonly gameIndices: readonly { readonly generation: number; readonly index: number }[];
  /** A link or an invalid value; null if the item has no sprite. */
  readonly sprite: string | null;
}

/** Fields of other kinds are served as they are. */
type FieldsByKind = {
  [K in Kind]: K extends 'item' ? ItemFields : Omit<RecordOf<K>, 'id' | 'slug' | 'name'>;
};
export type KindFields<K extends Kind> = FieldsByKind[K];
export type RawRecord<K extends Kind = Kind> = CommonFields & KindFields<K>;
export type RawRecords = { readonly [K in Kind]: readonly RawRecord<K>[] };

export function splitNames({ en, ...names }: Readonly<Record<string, string>>) {
  return { englishName: en ?? null, names };
}

type Warn = (code: WarningCode, message: string) => void;

/** Converts raw records in any order to the contract's rules, with a warning for each adaptation. @throws DataError */
export function normalize(raw: RawRecords, provenance: Provenance, hasNames = true): DataSet {
  const warnings: Warning[] = [];
  const languages = new Map<string, Names>();
  const records = mapKinds((kind) => {
    const kept = raw[kind].filter(({ id }) => !provenance.skipped?.[kind].includes(id));
    kept.sort((a, b) => a.id - b.id);
    assertUniqueIds(kept, { kind, field: 'id' });
    /** Slug → the lowest id, which is set last. */
    const owners = new Map(kept.toReversed().map(({ id, slug }) => [sanitizeSlug(slug), id]));
    return kept.map((record): RecordOf<Kind> => {
      const { id, slug: original, englishName: english, names: otherNames, ...fields } = record;
      const warn: Warn = (code, message) =>
        warnings.push({ code, kind, id, message: `${original}: ${message}` });
      const safe = sanitizeSlug(original);
      if (safe !== original) warn('adapted-slug', `not a safe slug, becomes ${safe}`);
      const slug = resolveSlug(kind, { id, slug: safe }, owners, warn);
      const englishName = english && trimName(english, 'en', warn);
      const name = englishName || toTitleCase(safe);
      if (!englishName) warn('missing-name', `no English name, called ${formatValue(name)}`);
      const converted =
        'sprite' in fields
          ? { ...resolveIndices(fields.gameIndices, warn), icon: resolveIcon(fields.sprite, warn) }
          : fields;
      const location = { kind, record: `${original} (${id})` };
      const hint = hintAtSkip(kind, id);
      const parsed = parse(recordSchemas[kind], { id, slug, name, ...converted }, location, {
        hint,
      });
      const names = englishName === null ? otherNames : { en: englishName, ...otherNames };
      if (hasNames) addNames(languages, names, { slug, kind, warn });
      return parsed;
    });
  });
  const names = [...languages.values()].sort((a, b) => (a.language < b.language ? -1 : 1));
  return createDataSet(records, { warnings, provenance, names });
}

export function assertUniqueIds(
  records: readonly { id: number; slug: string }[],
  location: DataLocation,
): void {
  const seen = new Set<number>();
  const repeated = new Set(
    records.filter(({ id }) => seen.has(id) || !seen.add(id)).map(({ id }) => id),
  );
  if (repeated.size === 0) return;
  const culprits = records
    .filter(({ id }) => repeated.has(id))
    .map(({ id, slug }) => `${id} (${slug})`);
  throw new DataError(`got repeated ids: ${listFirst(culprits)}, expected unique ids`, location);
}

/** The record with the lowest id keeps the slug, and other records get their id appended. @throws DataError if another record has that slug */
function resolveSlug(
  kind: Kind,
  { id, slug: wanted }: { id: number; slug: string },
  owners: ReadonlyMap<string, number>,
  warn: Warn,
): string {
  const owner = owners.get(wanted);
  if (owner === undefined || owner === id) return wanted;
  const slug = `${wanted}-${id}`;
  const holder = owners.get(slug);
  const problem = `got slug ${formatValue(slug)} for ids ${holder} and ${id}, expected unique slugs`;
  if (holder !== undefined) throw new DataError(problem, { kind, field: 'slug' });
  warn('duplicate-slug', `already the slug of ${owner}, ${id} becomes ${slug}`);
  return slug;
}

/** White space, soft hyphens and zero-width characters, which are often copied together with a name. */
const INVISIBLE = String.raw`\s\u00ad\u180e\u200b-\u200f\u2060\ufeff`;
const VISIBLE = new RegExp(`[^${INVISIBLE}](?:.*[^${INVISIBLE}])?`, 's');

function trimName(name: string, language: string, warn: Warn): string {
  const [trimmed = ''] = VISIBLE.exec(name) ?? [];
  if (trimmed !== '' && trimmed !== name)
    warn(
      'trimmed-name',
      `removed invisible characters around the name in ${language}, ${formatValue(name)}`,
    );
  return trimmed;
}

function addNames(
  all: Map<string, Names>,
  names: Readonly<Record<string, string>>,
  { slug, kind, warn }: { slug: string; kind: Kind; warn: Warn },
): void {
  for (const [written, untrimmed] of Object.entries(names)) {
    const tag = written.toLowerCase();
    const name = trimName(untrimmed, tag, warn);
    const added = all.get(tag);
    const problem =
      (added ? undefined : findProblem(languageSchema, tag)) ?? findProblem(nameSchema, name);
    if (name === '') {
      // An empty English name has a warning already.
      if (tag !== 'en') warn('missing-name', `omitted the empty name in ${tag}`);
    } else if (problem !== undefined) {
      warn('unusable-name', `omitted the name in ${formatValue(tag)}: ${problem}`);
    } else {
      const own = added ?? { language: tag, ...mapKinds((): Record<string, string> => ({})) };
      all.set(tag, own);
      if (!Object.hasOwn(own[kind], slug)) own[kind][slug] = name;
    }
  }
}

function findProblem(schema: z.ZodType, value: unknown): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && describeIssue(issue, value);
}

function resolveIndices(gameIndices: ItemFields['gameIndices'], warn: Warn): object {
  const fields = Array.from(
    { length: LAST_INDEXED_GENERATION },
    (_, at) => [at + 1, null] as const,
  );
  const indices = new Map<number, number | null>(fields);
  for (const { generation, index } of gameIndices) {
    const first = indices.get(generation);
    if (first === undefined)
      warn('unknown-generation', `index in generation ${generation}, which has no field`);
    if (first == null) indices.set(generation, index);
    else if (first === index)
      warn('repeated-index', `index ${index} of generation ${generation} is listed twice`);
    else
      warn(
        'conflicting-index',
        `indices ${first} and ${index} for generation ${generation}, using ${first}`,
      );
  }
  return Object.fromEntries(
    fields.map(([generation]) => [`id${generation}`, indices.get(generation)]),
  );
}

/** Returns the sprite URL's path from `sprites/items/` on, or the placeholder. */
function resolveIcon(sprite: string | null, warn: Warn): string {
  const icon = sprite?.slice(Math.max(0, sprite.lastIndexOf(ICONS_FOLDER)));
  const problem = icon === undefined ? undefined : findProblem(iconSchema, icon);
  if (icon !== undefined && problem === undefined) return icon;
  if (icon === undefined) warn('no-icon', 'no icon, using the placeholder');
  else warn('unusable-icon', `using the placeholder: ${problem}`);
  return PLACEHOLDER_ICON;
}

/** Matches path separators and characters that affect how a terminal shows text. No real slug contains them. */
const SUSPICIOUS = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * Converts an unsafe slug with Django's `slugify`, because PokéAPI later chose the same slugs. Slugs that cannot be converted are
 * returned unchanged, and the schema rejects them.
 *
 * @see https://docs.djangoproject.com/en/stable/ref/utils/#django.utils.text.slugify
 */
export function sanitizeSlug(slug: string): string {
  // No expression may run on a slug of any length.
  if (slug.length > MAX_SLUG_LENGTH) return slug;
  if (slugSchema.safeParse(slug).success || SUSPICIOUS.test(slug)) return slug;
  const slugified = slug
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
  return slugified || slug;
}
