/** Applies the contract's decisions to the upstream's records, with a warning for each. */

import type { Kind } from '../contract/kinds.ts';
import { parse, show } from '../contract/parse.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../contract/paths.ts';
import {
  type Item,
  LAST_INDEXED_GENERATION,
  type Move,
  type RecordOf,
  recordSchemas,
} from '../contract/records.ts';
import { titleOf } from '../contract/words.ts';
import type { DataSet, EncodedRecord, Provenance, Warning, WarningCode } from '../dataset/data-set.ts';
import { digestDataSet } from '../dataset/digest.ts';
import { encodeRecord } from '../dataset/encode.ts';
import { DataError, type DataLocation } from '../errors.ts';
import { adaptSlug } from './adapt-slug.ts';
import type { RawItem, RawMove, RawOf, RawRecords } from './raw.ts';

/** Adds a warning about the current record. */
type Warn = (code: WarningCode, message: string) => void;

/** Converts a raw record, given its final slug and name. */
type Convert<K extends Kind> = (
  raw: RawOf<K>,
  resolved: { slug: string; name: string },
  warn: Warn,
) => RecordOf<K>;
const converters: { readonly [K in Kind]: Convert<K> } = { move: convertMove, item: convertItem };

/**
 * Makes a data set from raw records in any order.
 *
 * @throws DataError if ids repeat, slugs collide or are unsafe, or a record does not fit its schema
 */
export function normalize(raw: RawRecords, provenance: Provenance): DataSet {
  const warnings: Warning[] = [];
  const records = {
    move: normalizeKind('move', raw.move, warnings),
    item: normalizeKind('item', raw.item, warnings),
  };
  return digestDataSet(records, { warnings, provenance });
}

function normalizeKind<K extends Kind>(
  kind: K,
  unsorted: readonly RawOf<K>[],
  warnings: Warning[],
): EncodedRecord[] {
  const raws = [...unsorted].sort((a, b) => a.id - b.id);
  refuseRepeatedIds(raws, { kind, field: 'id' });
  const owners = ownersOf(raws);
  return raws.map((raw) => {
    const original = raw.slug;
    const adapted = adaptSlug(original);
    const warn: Warn = (code, message) =>
      warnings.push({ code, kind, id: raw.id, message: `${original}: ${message}` });
    if (adapted !== original) warn('adapted-slug', `not a safe slug, becomes ${adapted}`);
    const slug = resolveSlug(kind, { id: raw.id, slug: adapted }, owners, warn);
    const name = resolveName(raw.englishName, adapted, warn);
    const record = converters[kind](raw, { slug, name }, warn);
    const location = { kind, record: `${original} (${raw.id})` };
    const hint = `To build without this record, add --skip ${kind}/${raw.id}.`;
    const parsed = parse(recordSchemas[kind], record, location, { hint }) as RecordOf<K>;
    return encodeRecord(parsed);
  });
}

/** Adapted slug → the lowest id of its records. */
function ownersOf(sorted: readonly { id: number; slug: string }[]): Map<string, number> {
  const owners = new Map<string, number>();
  for (const { id, slug } of sorted) {
    const adapted = adaptSlug(slug);
    if (!owners.has(adapted)) owners.set(adapted, id);
  }
  return owners;
}

/** Throws an error that names every record whose id another one has too. */
export function refuseRepeatedIds(
  records: readonly { id: number; slug: string }[],
  location: DataLocation,
): void {
  const seen = new Set<number>();
  const repeated = new Set(records.filter(({ id }) => seen.has(id) || !seen.add(id)).map(({ id }) => id));
  if (repeated.size === 0) return;
  const culprits = records.filter(({ id }) => repeated.has(id)).map(({ id, slug }) => `${id} (${slug})`);
  throw new DataError(`got repeated ids: ${culprits.join(', ')}: expected unique ids`, location);
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
  if (holder !== undefined) {
    throw new DataError(`got slug ${show(slug)} for ids ${holder} and ${id}: expected unique slugs`, {
      kind,
      field: 'slug',
    });
  }
  warn('duplicate-slug', `already the slug of ${owner}, ${id} becomes ${slug}`);
  return slug;
}

/** The English name, or else the upstream's slug in title case. */
function resolveName(englishName: string | null, slug: string, warn: Warn): string {
  if (englishName !== null && englishName.trim() !== '') return englishName;
  const name = titleOf(slug);
  warn('missing-name', `no English name, called ${show(name)}`);
  return name;
}

/** Keys end up in the schema's order. */
function convertMove({ id, generation }: RawMove, { slug, name }: { slug: string; name: string }): Move {
  return { id, slug, name, generation };
}

function convertItem(raw: RawItem, { slug, name }: { slug: string; name: string }, warn: Warn): Item {
  const indices = resolveIndices(raw, warn);
  return {
    id: raw.id,
    id1: indices.get(1) ?? null,
    id2: indices.get(2) ?? null,
    id3: indices.get(3) ?? null,
    id4: indices.get(4) ?? null,
    id5: indices.get(5) ?? null,
    id6: indices.get(6) ?? null,
    id7: indices.get(7) ?? null,
    id8: indices.get(8) ?? null,
    id9: indices.get(9) ?? null,
    slug,
    name,
    icon: resolveIcon(raw, warn),
  };
}

/** Generation → index. If the upstream lists several for one generation, the first one counts. */
function resolveIndices({ gameIndices }: RawItem, warn: Warn): Map<number, number> {
  const indices = new Map<number, number>();
  for (const { generation, index } of gameIndices) {
    const known = indices.get(generation);
    if (known === undefined) indices.set(generation, index);
    else if (known === index)
      warn('repeated-index', `index ${index} of generation ${generation} is listed twice`);
    else
      warn('conflicting-index', `indices ${known} and ${index} for generation ${generation}, using ${known}`);
    if (known === undefined && (generation < 1 || generation > LAST_INDEXED_GENERATION)) {
      warn('unknown-generation', `index in generation ${generation}, for which there is no field`);
    }
  }
  return indices;
}

/** The part of the sprite's URL from `sprites/items/` on, or the placeholder if there is no sprite. */
function resolveIcon({ sprite }: RawItem, warn: Warn): string {
  if (sprite === null) {
    warn('no-icon', 'no icon, using the placeholder');
    return PLACEHOLDER_ICON;
  }
  const start = sprite.lastIndexOf(ICONS_FOLDER);
  return start === -1 ? sprite : sprite.slice(start);
}
