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
  const changes = mapKinds((kind) =>
    compareKind(from.records[kind], to.records[kind]),
  );
  const totals = { added: 0, removed: 0, renamed: 0, changed: 0 };
  for (const kind of kindNames) {
    for (const type of changeTypes) totals[type] += changes[kind][type].length;
  }
  return { from: summarize(from), to: summarize(to), totals, changes };
}

export function countChanges({ totals }: Comparison): number {
  let sum = 0;
  for (const type of changeTypes) sum += totals[type];
  return sum;
}

/** Returns a data set's summary without its records. */
function summarize(dataSet: SummarizedRecords): DataSetSummary {
  const { digest, captured, counts, edition } = dataSet;
  return { digest, captured, counts, edition };
}

/**
 * Compares the records of one kind. For each new record, we take the previous record
 * with the same id out of a map. The records that are left in the map at the end have
 * been removed.
 */
function compareKind(
  previousRecords: readonly AnyRecord[],
  nextRecords: readonly AnyRecord[],
): Changes[Kind] {
  const changes: KindChanges = { added: [], removed: [], renamed: [], changed: [] };
  const remainingRecords = new Map(
    previousRecords.map((record) => [record.id, record]),
  );
  for (const record of sortById(nextRecords)) {
    const { id, slug } = record;
    const previousRecord = remainingRecords.get(id);
    remainingRecords.delete(id);
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
  const removedRecords = sortById([...remainingRecords.values()]);
  for (const record of removedRecords) changes.removed.push(describe(record));
  return changes;
}

function sortById(records: readonly AnyRecord[]): AnyRecord[] {
  return [...records].sort((a, b) => a.id - b.id);
}

/**
 * Describes a record. Falls back to its slug if it has no name, which can happen if
 * another version of gamedata wrote the record.
 */
function describe({ id, slug, name }: AnyRecord): NamedRecord {
  return { id, slug, name: typeof name === 'string' ? name : slug };
}

/**
 * Lists the fields that differ, except for the slug. A record written by another
 * version of gamedata may have other fields, so the fields of both records are
 * compared.
 */
function compareFields(previous: AnyRecord, next: AnyRecord): FieldChange[] {
  const fields = new Set([...Object.keys(next), ...Object.keys(previous)]);
  fields.delete('slug');
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const from = previous[field] ?? null;
    const to = next[field] ?? null;
    if (from !== to) changes.push({ field, from, to });
  }
  return changes;
}
