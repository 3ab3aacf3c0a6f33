/** Compares two data sets: which records were added, removed, renamed or changed. */

import {
  type Changes,
  type Comparison,
  changeTypes,
  type DataSetSummary,
  type FieldChange,
  type KindChanges,
  type NamedRecord,
} from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { AnyRecord, AnyRecords } from './data-set.ts';

export interface SummarizedRecords extends DataSetSummary {
  readonly records: AnyRecords;
}

/** Compares two data sets. Records correspond if kind and id are the same; their order is irrelevant. */
export function compare(from: SummarizedRecords, to: SummarizedRecords): Comparison {
  const changes = mapKinds((kind) => compareKind(from.records[kind], to.records[kind]));
  const total = (type: keyof KindChanges): number =>
    kindNames.reduce((sum, kind) => sum + changes[kind][type].length, 0);
  const totals = Object.fromEntries(changeTypes.map((type) => [type, total(type)])) as Comparison['totals'];
  return { from: summaryOf(from), to: summaryOf(to), totals, changes };
}

/** The number of records of all kinds that differ. */
export const countChanges = ({ totals }: Comparison): number =>
  changeTypes.reduce((sum, type) => sum + totals[type], 0);

const summaryOf = ({ digest, captured, counts, edition }: SummarizedRecords): DataSetSummary => ({
  digest,
  captured,
  counts,
  edition,
});

function compareKind(before: readonly AnyRecord[], after: readonly AnyRecord[]): Changes[Kind] {
  const changes: KindChanges = { added: [], removed: [], renamed: [], changed: [] };
  const old = new Map(before.map((record) => [record.id, record]));
  for (const record of byId(after)) {
    const was = old.get(record.id);
    old.delete(record.id);
    if (was === undefined) changes.added.push(nameOf(record));
    else {
      const fields = compareFields(was, record);
      const { id, slug } = record;
      if (was.slug !== slug) changes.renamed.push({ id, from: was.slug, to: slug, fields });
      else if (fields.length > 0) changes.changed.push({ id, slug, fields });
    }
  }
  for (const record of byId([...old.values()])) changes.removed.push(nameOf(record));
  return changes;
}

const byId = (records: readonly AnyRecord[]): AnyRecord[] => [...records].sort((a, b) => a.id - b.id);

const nameOf = ({ id, slug, name }: AnyRecord): NamedRecord => ({
  id,
  slug,
  name: typeof name === 'string' ? name : slug,
});

/**
 * The fields that differ, in the newer record's order. A new slug is a rename, not a changed field. The version that wrote a record
 * may have known other fields than this one.
 */
function compareFields(before: AnyRecord, after: AnyRecord): FieldChange[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((field) => {
    const [from = null, to = null] = [before[field], after[field]];
    const isSame = from === to || JSON.stringify(from) === JSON.stringify(to);
    return isSame || field === 'slug' ? [] : [{ field, from, to }];
  });
}
