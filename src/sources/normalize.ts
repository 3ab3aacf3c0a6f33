/** Applies the contract's decisions to the upstream's records, with a warning for each; among them, which slugs are safe. */

import * as z from 'zod';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { languageSchema, type Names } from '../contract/names.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import {
  iconSchema,
  idSchema,
  LAST_INDEXED_GENERATION,
  nameSchema,
  type RecordOf,
  recordSchemas,
  slugSchema,
} from '../contract/records.ts';
import { listFirst, toTitleCase } from '../contract/words.ts';
import {
  type DataSet,
  digestDataSet,
  type Provenance,
  type Warning,
  type WarningCode,
} from '../dataset/data-set.ts';
import { DataError, type DataLocation } from '../errors.ts';

type Warn = (code: WarningCode, message: string) => void;

/** Kind → how the fields of its own become those of its records, unless they are served as they are. */
const converters: { readonly [K in ConvertedKind]: (own: OwnOf<K>, warn: Warn) => object } = {
  item: ({ gameIndices, sprite }, warn) => ({
    ...resolveIndices(gameIndices, warn),
    icon: resolveIcon(sprite, warn),
  }),
};

/** Makes a data set from raw records in any order, without those that its provenance says are left out. Throws `DataError`. */
export function normalize(raw: RawRecords, provenance: Provenance, hasNames = true): DataSet {
  const warnings: Warning[] = [];
  const languages = new Map<string, Names>();
  const records = mapKinds((kind) => {
    const kept = raw[kind].filter(({ id }) => !provenance.skipped?.[kind].includes(id));
    kept.sort((a, b) => a.id - b.id);
    refuseRepeatedIds(kept, { kind, field: 'id' });
    /** Adapted slug → the lowest id of its records, which is set last. */
    const owners = new Map(kept.toReversed().map(({ id, slug }) => [adaptSlug(slug), id]));
    return kept.map((record): RecordOf<Kind> => {
      const { id, slug: original, englishName: english, names: _, ...own } = record;
      const warn: Warn = (code, message) =>
        warnings.push({ code, kind, id, message: `${original}: ${message}` });
      const adapted = adaptSlug(original);
      if (adapted !== original) warn('adapted-slug', `not a safe slug, becomes ${adapted}`);
      const slug = resolveSlug(kind, { id, slug: adapted }, owners, warn);
      const englishName = english && trimName(english, 'en', warn);
      const name = resolveName(englishName, adapted, warn);
      const converted = isConverted(kind) ? converters[kind](own as OwnOf<ConvertedKind>, warn) : own;
      const location = { kind, record: `${original} (${id})` };
      const hint = `To build without this record, add --skip ${kind}/${id}.`;
      const parsed = parse(recordSchemas[kind], { id, slug, name, ...converted }, location, { hint });
      if (hasNames) addNames(languages, { ...record, englishName }, { slug, kind, warn });
      return parsed;
    });
  });
  const names = [...languages.values()].sort((a, b) => (a.language < b.language ? -1 : 1));
  return digestDataSet(records, { warnings, provenance, names });
}

export function refuseRepeatedIds(
  records: readonly { id: number; slug: string }[],
  location: DataLocation,
): void {
  const seen = new Set<number>();
  const repeated = new Set(records.filter(({ id }) => seen.has(id) || !seen.add(id)).map(({ id }) => id));
  if (repeated.size === 0) return;
  const culprits = records.filter(({ id }) => repeated.has(id)).map(({ id, slug }) => `${id} (${slug})`);
  throw new DataError(`got repeated ids: ${listFirst(culprits)}: expected unique ids`, location);
}

/**
 * Of records that share a slug, the one with the lowest id keeps it, and the others get their id appended. Two of those
 * never collide, as they end in different ids, but one may collide with the original slug of another record.
 */
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
  const problem = `got slug ${formatValue(slug)} for ids ${holder} and ${id}: expected unique slugs`;
  if (holder !== undefined) throw new DataError(problem, { kind, field: 'slug' });
  warn('duplicate-slug', `already the slug of ${owner}, ${id} becomes ${slug}`);
  return slug;
}

/** The English name, or else the upstream's slug in title case. */
function resolveName(englishName: string | null, slug: string, warn: Warn): string {
  if (englishName) return englishName;
  const name = toTitleCase(slug);
  warn('missing-name', `no English name, called ${formatValue(name)}`);
  return name;
}

/** Blanks, soft hyphens, and characters without a width, which come along where a name is copied from a page. */
const INVISIBLE = String.raw`\s\u00ad\u180e\u200b-\u200f\u2060\ufeff`;
const VISIBLE = new RegExp(`[^${INVISIBLE}](?:.*[^${INVISIBLE}])?`, 's');

function trimName(name: string, language: string, warn: Warn): string {
  const [trimmed = ''] = VISIBLE.exec(name) ?? [];
  if (trimmed !== '' && trimmed !== name)
    warn(
      'trimmed-name',
      `the name in ${language}, ${formatValue(name)}, has invisible characters around it, removed`,
    );
  return trimmed;
}

/**
 * Adds a record's names to those of each language, as far as they can be used. An empty one is missing, with a warning unless it is
 * also the record's.
 */
function addNames(
  all: Map<string, Names>,
  { englishName: en, names }: RawOf<Kind>,
  { slug, kind, warn }: { slug: string; kind: Kind; warn: Warn },
): void {
  for (const [written, untrimmed] of Object.entries(en === null ? names : { en, ...names })) {
    const tag = written.toLowerCase();
    const name = trimName(untrimmed, tag, warn);
    if (name === '') {
      if (tag !== 'en') warn('missing-name', `the name in ${tag} is empty, left out`);
      continue;
    }
    const known = all.get(tag);
    const misfit = (known ? undefined : misfitOf(languageSchema, tag)) ?? misfitOf(nameSchema, name);
    if (misfit !== undefined) {
      warn('unusable-name', `the name in ${formatValue(tag)} is left out: ${misfit}`);
      continue;
    }
    const own = known ?? { language: tag, ...mapKinds((): Record<string, string> => ({})) };
    if (!known) all.set(tag, own);
    if (!Object.hasOwn(own[kind], slug)) own[kind][slug] = name;
  }
}

/** Why a value cannot be used that its record can do without; undefined if it can. */
function misfitOf(schema: z.ZodType, value: unknown): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && `got ${formatValue(value)}: ${issue.message}`;
}

/** `id1` … `id9`. If the upstream lists several indices for one generation, the first one counts. */
function resolveIndices(gameIndices: RawItem['gameIndices'], warn: Warn): object {
  const fields = Array.from({ length: LAST_INDEXED_GENERATION }, (_, at) => [at + 1, null] as const);
  const indices = new Map<number, number | null>(fields);
  for (const { generation, index } of gameIndices) {
    const known = indices.get(generation);
    if (known === undefined)
      warn('unknown-generation', `index in generation ${generation}, for which there is no field`);
    if (known == null) indices.set(generation, index);
    else if (known === index)
      warn('repeated-index', `index ${index} of generation ${generation} is listed twice`);
    else
      warn('conflicting-index', `indices ${known} and ${index} for generation ${generation}, using ${known}`);
  }
  return Object.fromEntries(fields.map(([generation]) => [`id${generation}`, indices.get(generation)]));
}

/** The part of the sprite's URL from `sprites/items/` on, or the placeholder if there is no sprite that can be used. */
function resolveIcon(sprite: RawItem['sprite'], warn: Warn): string {
  if (sprite === null) {
    warn('no-icon', 'no icon, using the placeholder');
    return PLACEHOLDER_ICON;
  }
  const icon = sprite.slice(Math.max(0, sprite.lastIndexOf(ICONS_FOLDER)));
  const misfit = misfitOf(iconSchema, icon);
  if (misfit === undefined) return icon;
  warn('unusable-icon', `using the placeholder: ${misfit}`);
  return PLACEHOLDER_ICON;
}

/** What nearly all slugs are, and neither the schema nor `slugify` changes. */
const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Characters that no name of a record has: they lead to other folders, or change how a terminal shows the rest. */
const SUSPICIOUS = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/**
 * A safe slug as it is; any other one by Django's `slugify`, which gives the slugs that PokéAPI chose later itself, so that URLs
 * stay right. What cannot be adapted is returned as it is, for the schema to reject.
 *
 * @see https://docs.djangoproject.com/en/stable/ref/utils/#django.utils.text.slugify
 */
export function adaptSlug(slug: string): string {
  if (PLAIN.test(slug) || slugSchema.safeParse(slug).success || SUSPICIOUS.test(slug)) return slug;
  return slugify(slug) || slug;
}

const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');

const commonSchema = z.strictObject({
  id: idSchema,
  slug: z.string().min(1),
  englishName: z.string().nullable(),
  /** Other languages as the upstream writes them → the first name in each. */
  names: z.record(z.string(), z.string()),
});

/** Kind → the fields that only its records have, where they are not served as they are. */
const ownSchemas = {
  item: z.strictObject({
    /** In the upstream's order, which decides if it lists several for one generation. */
    gameIndices: z.array(z.strictObject({ generation: z.int().positive(), index: z.int().min(0) })),
    /** A link, or whatever else the upstream has instead; null if it says that there is none. */
    sprite: z.string().nullable(),
  }),
};
type ConvertedKind = keyof typeof ownSchemas;
const isConverted = (kind: Kind): kind is ConvertedKind => kind in ownSchemas;

export const rawSchemas = mapKinds((kind) => {
  const { shape } = isConverted(kind)
    ? ownSchemas[kind]
    : recordSchemas[kind].omit({ id: true, slug: true, name: true });
  return commonSchema.extend(shape);
});

type OwnTypes = {
  [K in Kind]: K extends ConvertedKind
    ? z.infer<(typeof ownSchemas)[K]>
    : Omit<RecordOf<K>, 'id' | 'slug' | 'name'>;
};
export type OwnOf<K extends Kind> = OwnTypes[K];
export type RawOf<K extends Kind> = z.infer<typeof commonSchema> & OwnOf<K>;
export type RawMove = RawOf<'move'>;
export type RawItem = RawOf<'item'>;
export type RawRecords = { readonly [K in Kind]: readonly RawOf<K>[] };

export function splitNames({ en, ...names }: Readonly<Record<string, string>>) {
  return { englishName: en ?? null, names };
}
