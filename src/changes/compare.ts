/** Comparing two data sets: which records came, went, got a new slug or new values. */

import {
  type Changes,
  type Comparison,
  changeTypes,
  type DataEdition,
  type FieldChange,
  type KindChanges,
  type NamedRecord,
} from '../contract/changes.ts';
import type { EncodedRecord, EncodedRecords } from '../contract/data-set.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { recordSchemas } from '../contract/records.ts';

/** A data set with what it says of itself. */
export interface Edition extends DataEdition {
  readonly records: EncodedRecords;
}

/** Compares two data sets. Records are the same where their kind and id are; their order does not count. */
export function compare(from: Edition, to: Edition): Comparison {
  const changes = mapKinds((kind) => compareKind(kind, from.records[kind], to.records[kind]));
  const total = (type: keyof KindChanges): number =>
    kindNames.reduce((sum, kind) => sum + changes[kind][type].length, 0);
  return {
    from: describe(from),
    to: describe(to),
    totals: {
      added: total('added'),
      removed: total('removed'),
      renamed: total('renamed'),
      changed: total('changed'),
    },
    changes,
  };
}

/** How many records of all kinds a step touches. */
export const countChanges = ({ totals }: Comparison): number =>
  changeTypes.reduce((sum, type) => sum + totals[type], 0);

const describe = ({ digest, captured, counts }: Edition): DataEdition => ({ digest, captured, counts });

function compareKind(
  kind: Kind,
  before: readonly EncodedRecord[],
  after: readonly EncodedRecord[],
): Changes[Kind] {
  const changes: KindChanges = { added: [], removed: [], renamed: [], changed: [] };
  const old = new Map(before.map((record) => [record.id, record]));
  for (const record of byId(after)) {
    const was = old.get(record.id);
    old.delete(record.id);
    if (was === undefined) changes.added.push(nameOf(kind, record));
    // Most records are as they were, and their texts say so without being parsed.
    else if (was.json !== record.json) {
      const fields = compareFields(readRecord(kind, was), readRecord(kind, record));
      const { id, slug } = record;
      if (was.slug !== slug) changes.renamed.push({ id, from: was.slug, to: slug, fields });
      else if (fields.length > 0) changes.changed.push({ id, slug, fields });
    }
  }
  for (const record of byId([...old.values()])) changes.removed.push(nameOf(kind, record));
  return changes;
}

const byId = (records: readonly EncodedRecord[]): EncodedRecord[] => [...records].sort((a, b) => a.id - b.id);

type Fields = Readonly<Record<string, FieldChange['from']>>;

const readRecord = (kind: Kind, { json, slug }: EncodedRecord): Fields & { name: string } =>
  parse(recordSchemas[kind], JSON.parse(json), { kind, record: slug });

function nameOf(kind: Kind, record: EncodedRecord): NamedRecord {
  return { id: record.id, slug: record.slug, name: readRecord(kind, record).name };
}

/** The fields that differ, in the record's own order. A new slug is a new name of the record, not a field of it. */
function compareFields(before: Fields, after: Fields): FieldChange[] {
  return Object.keys(after).flatMap((field) => {
    const [from = null, to = null] = [before[field], after[field]];
    return from === to || field === 'slug' ? [] : [{ field, from, to }];
  });
}
