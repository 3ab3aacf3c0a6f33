import type { Kind } from '../contract/kinds.ts';
import type { RecordOf } from '../contract/records.ts';
import type { SearchIndex } from '../contract/served.ts';
import { findFirstGeneration } from './find-generation.ts';

/** Creates a record's entry in the search index: the fields that results show. */
export function createSearchEntry(
  record: RecordOf<Kind>,
): SearchIndex[Kind][number] {
  const { id, slug, name } = record;
  const generation = findFirstGeneration(record);
  if (!('icon' in record)) return { id, slug, name, generation };
  return { id, slug, name, icon: record.icon, generation };
}
