/** The contract's decisions: makes the upstream's records ours, and warns of everything that had to be decided. */

import { PLACEHOLDER_ICON } from '../contract/addresses.ts';
import type { DataSet, Provenance, Records, Warning, WarningCode } from '../contract/data-set.ts';
import type { Kind } from '../contract/kinds.ts';
import { parse, show } from '../contract/parse.ts';
import {
  type Item,
  LAST_INDEXED_GENERATION,
  type Move,
  type RecordOf,
  recordSchemas,
} from '../contract/records.ts';
import { DataError } from '../errors.ts';
import type { RawItem, RawMove, RawOf, RawRecords } from './raw.ts';

/** Notes a warning about the record in hand. */
type Warn = (code: WarningCode, message: string) => void;

/** What becomes of a raw record of each kind, its final slug and name already decided. */
type Convert<K extends Kind> = (
  raw: RawOf<K>,
  settled: { slug: string; name: string },
  warn: Warn,
) => RecordOf<K>;
const converters: { readonly [K in Kind]: Convert<K> } = { move: convertMove, item: convertItem };

/**
 * Makes a data set of raw records in any order.
 *
 * @throws DataError where ids repeat, slugs collide or are unsafe, or a record does not fit its schema
 */
export function normalise(raw: RawRecords, provenance: Provenance): DataSet {
  const warnings: Warning[] = [];
  const records: Records = {
    move: normaliseKind('move', raw.move, warnings),
    item: normaliseKind('item', raw.item, warnings),
  };
  return { records, warnings, provenance };
}

function normaliseKind<K extends Kind>(
  kind: K,
  unsorted: readonly RawOf<K>[],
  warnings: Warning[],
): RecordOf<K>[] {
  const raws = [...unsorted].sort((a, b) => a.id - b.id);
  refuseRepeatedIds(kind, raws);
  const owners = new Map(raws.toReversed().map((raw) => [raw.slug, raw]));
  return raws.map((raw) => {
    const warn: Warn = (code, message) =>
      warnings.push({ code, kind, id: raw.id, message: `${raw.slug}: ${message}` });
    const slug = settleSlug(kind, raw, owners, warn);
    const name = settleName(raw, warn);
    return parse(recordSchemas[kind], converters[kind](raw, { slug, name }, warn), {
      kind,
      record: `${raw.slug} (${raw.id})`,
    }) as RecordOf<K>;
  });
}

function refuseRepeatedIds(kind: Kind, sorted: readonly { id: number; slug: string }[]): void {
  const repeated = sorted.filter(({ id }, at) => sorted[at - 1]?.id === id || sorted[at + 1]?.id === id);
  if (repeated.length === 0) return;
  const culprits = repeated.map(({ id, slug }) => `${id} (${slug})`).join(', ');
  throw new DataError(`got repeated ids: ${culprits}: expected each id once`, { kind, field: 'id' });
}

/**
 * Of records that share a slug the lowest id owns it; each later one gets its id appended. Two of those never meet, since
 * they end in different ids, but one may meet a slug that is some record's own.
 */
function settleSlug<R extends { id: number; slug: string }>(
  kind: Kind,
  raw: R,
  owners: ReadonlyMap<string, R>,
  warn: Warn,
): string {
  const owner = owners.get(raw.slug);
  if (!owner || owner === raw) return raw.slug;
  const slug = `${raw.slug}-${raw.id}`;
  const holder = owners.get(slug);
  if (holder) {
    throw new DataError(
      `got slug ${show(slug)} for ids ${holder.id} and ${raw.id}: expected distinct slugs`,
      { kind, field: 'slug' },
    );
  }
  warn('duplicate-slug', `is the slug of ${owner.id} already, ${raw.id} becomes ${slug}`);
  return slug;
}

/** The English name, or else the words of the upstream's slug, each capitalised. */
function settleName({ englishName, slug }: { englishName: string | null; slug: string }, warn: Warn): string {
  if (englishName !== null && englishName.trim() !== '') return englishName;
  const name = slug
    .split('-')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
  warn('missing-name', `has no English name, is called ${show(name)}`);
  return name;
}

function convertMove({ id, generation }: RawMove, settled: { slug: string; name: string }): Move {
  return { id, ...settled, generation };
}

function convertItem(raw: RawItem, { slug, name }: { slug: string; name: string }, warn: Warn): Item {
  const indices = settleIndices(raw, warn);
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
    icon: settleIcon(raw, warn),
  };
}

/** Generation → index. Where the upstream lists several for one generation, the first one counts. */
function settleIndices({ gameIndices }: RawItem, warn: Warn): Map<number, number> {
  const indices = new Map<number, number>();
  for (const { generation, index } of gameIndices) {
    const known = indices.get(generation);
    if (known === undefined) indices.set(generation, index);
    else if (known === index)
      warn('repeated-index', `lists index ${index} of generation ${generation} twice`);
    else
      warn(
        'conflicting-index',
        `lists indices ${known} and ${index} for generation ${generation}, ${known} counts`,
      );
    if (known === undefined && (generation < 1 || generation > LAST_INDEXED_GENERATION)) {
      warn('unknown-generation', `has an index in generation ${generation}, for which there is no field`);
    }
  }
  return indices;
}

/** The part of the sprite's link from `sprites/items/` on, or the placeholder where there is no sprite. */
function settleIcon({ sprite }: RawItem, warn: Warn): string {
  if (sprite === null) {
    warn('missing-sprite', 'has no picture, gets the placeholder');
    return PLACEHOLDER_ICON;
  }
  const start = sprite.lastIndexOf('sprites/items/');
  return start === -1 ? sprite : sprite.slice(start);
}
