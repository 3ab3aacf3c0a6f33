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

/** Compares the records of two data sets by id. */
export function compare(from: SummarizedRecords, to: SummarizedRecords): Comparison {
  const changes = mapKinds((kind) => compareKind(from.records[kind], to.records[kind]));
  const totals = { added: 0, removed: 0, renamed: 0, changed: 0 };
  for (const kind of kindNames) {
    for (const type of changeTypes) totals[type] += changes[kind][type].length;
  }
  return { from: summarize(from), to: summarize(to), totals, changes };
}

export const countChanges = ({ totals }: Comparison): number =>
  changeTypes.reduce((sum, type) => sum + totals[type], 0);

const summarize = ({ digest, captured, counts, edition }: SummarizedRecords): DataSetSummary => ({
  digest,
  captured,
  counts,
  edition,
});

function compareKind(previous: readonly AnyRecord[], next: readonly AnyRecord[]): Changes[Kind] {
  const changes: KindChanges = { added: [], removed: [], renamed: [], changed: [] };
  const remaining = new Map(previous.map((record) => [record.id, record]));
  for (const record of sortById(next)) {
    const { id, slug } = record;
    const previousRecord = remaining.get(id);
    remaining.delete(id);
    if (previousRecord === undefined) {
      changes.added.push(describe(record));
      continue;
    }
    const fields = compareFields(previousRecord, record);
    if (previousRecord.slug !== slug) {
      changes.renamed.push({ id, from: previousRecord.slug, to: slug, fields });
    } else if (fields.length > 0) {
      changes.changed.push({ id, slug, fields });
    }
  }
  for (const record of sortById([...remaining.values()])) changes.removed.push(describe(record));
  return changes;
}

const sortById = (records: readonly AnyRecord[]): AnyRecord[] =>
  [...records].sort((a, b) => a.id - b.id);

const describe = ({ id, slug, name }: AnyRecord): NamedRecord => ({
  id,
  slug,
  name: typeof name === 'string' ? name : slug,
});

/** Lists the fields that differ, except the slug. Records written by another gamedata version may have different fields. */
function compareFields(previous: AnyRecord, next: AnyRecord): FieldChange[] {
  const fields = new Set([...Object.keys(next), ...Object.keys(previous)]);
  fields.delete('slug');
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const from = previous[field] ?? null;
    const to = next[field] ?? null;
    const isEqual = JSON.stringify(from) === JSON.stringify(to);
    if (!isEqual) changes.push({ field, from, to });
  }
  return changes;
}
