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

export function compare(from: SummarizedRecords, to: SummarizedRecords): Comparison {
  const changes = mapKinds((kind) => compareKind(from.records[kind], to.records[kind]));
  const total = (type: keyof KindChanges): number =>
    kindNames.reduce((sum, kind) => sum + changes[kind][type].length, 0);
  const totals = Object.fromEntries(
    changeTypes.map((type) => [type, total(type)]),
  ) as Comparison['totals'];
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

function compareKind(before: readonly AnyRecord[], after: readonly AnyRecord[]): Changes[Kind] {
  const changes: KindChanges = { added: [], removed: [], renamed: [], changed: [] };
  const remaining = new Map(before.map((record) => [record.id, record]));
  for (const record of sortById(after)) {
    const { id, slug } = record;
    const old = remaining.get(id);
    remaining.delete(id);
    const fields = old ? compareFields(old, record) : [];
    if (old === undefined) changes.added.push(describe(record));
    else if (old.slug !== slug) changes.renamed.push({ id, from: old.slug, to: slug, fields });
    else if (fields.length > 0) changes.changed.push({ id, slug, fields });
  }
  changes.removed.push(...sortById([...remaining.values()]).map(describe));
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
function compareFields(before: AnyRecord, after: AnyRecord): FieldChange[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  names.delete('slug');
  return [...names].flatMap((field) => {
    const [from = null, to = null] = [before[field], after[field]];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, from, to }];
  });
}
