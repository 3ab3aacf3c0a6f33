/** Skipped records. */

import type { History } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Skipped } from '../contract/records.ts';
import { type DataSet, digestDataSet } from '../dataset/data-set.ts';
import { selectNames } from '../dataset/names.ts';
import { UsageError } from '../errors.ts';
import type { SourceContext, SourceResult } from './source.ts';

export function refuseUnknownSkips(
  skip: Skipped | undefined,
  records: Readonly<Record<Kind, readonly { readonly id: number }[]>>,
): void {
  for (const kind of kindNames) {
    const unknown = skip?.[kind].find((id) => !records[kind].some((record) => record.id === id));
    if (unknown !== undefined)
      throw new UsageError(`--skip: got ${kind}/${unknown}, which does not exist, expected another record`);
  }
}

/** Skips records of a complete data set, in addition to those that it lacks already. Its history belongs only to all of its records. */
export function leaveOut(
  dataSet: DataSet,
  history: () => History | undefined,
  { skip, source }: SourceContext,
): Pick<SourceResult, 'dataSet' | 'history'> {
  if (!skip) return { dataSet, history: history() };
  const { skipped: former } = dataSet.provenance;
  const formerly = mapKinds((kind) => former?.[kind] ?? []);
  // A fallback may lack what the upstream has, and a copy what its own build skipped.
  if (source !== 'auto' && source !== 'site')
    refuseUnknownSkips(
      skip,
      mapKinds((kind) => [...dataSet.records[kind], ...formerly[kind].map((id) => ({ id }))]),
    );
  const records = mapKinds((kind) => dataSet.records[kind].filter(({ id }) => !skip[kind].includes(id)));
  const skipped = mapKinds((kind) => [...new Set([...formerly[kind], ...skip[kind]])].sort((a, b) => a - b));
  const left = digestDataSet(records, {
    warnings: dataSet.warnings.filter(({ kind, id }) => !skip[kind].includes(id)),
    provenance: { ...dataSet.provenance, skipped },
    names: selectNames(dataSet.names, records),
  });
  return { dataSet: left, history: left.digest === dataSet.digest ? history() : undefined };
}
