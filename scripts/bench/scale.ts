/** Makes many records of few: copies of the real shape under new ids and slugs. */

import type { DecodedDataSet, Records } from '../../test/support/decode.ts';
import type { TableTexts } from '../../test/support/tables.ts';

/** More than any id of the upstream's. */
const STEP = 100_000;

const copies = (scale: number): number[] => Array.from({ length: scale }, (_, copy) => copy);
const suffix = (copy: number): string => (copy === 0 ? '' : `-x${copy}`);

export function scaleDataSet(
  { records, warnings, provenance }: DecodedDataSet,
  scale: number,
): DecodedDataSet {
  const scaled = <R extends { id: number; slug: string }>(of: readonly R[]): R[] =>
    copies(scale).flatMap((copy) =>
      of.map((record) => ({ ...record, id: record.id + copy * STEP, slug: record.slug + suffix(copy) })),
    );
  return {
    records: { move: scaled(records.move), item: scaled(records.item) },
    warnings: copies(scale).flatMap((copy) =>
      warnings.map((warning) => ({ ...warning, id: warning.id + copy * STEP })),
    ),
    provenance,
  };
}

/** The same data set but for the name of one record in the middle of its list. */
export function changeOneRecord({ records, ...rest }: DecodedDataSet): DecodedDataSet {
  const at = Math.floor(records.item.length / 2);
  const item = records.item.map((record, place) =>
    place === at ? { ...record, name: `${record.name} II` } : record,
  );
  return { ...rest, records: { ...records, item } satisfies Records };
}

/** The first column of every table is an id; the second of two of them is the slug. No field has a line break in it. */
export function scaleTables(tables: TableTexts, scale: number): TableTexts {
  return Object.fromEntries(
    Object.entries(tables).map(([file, text]) => {
      const [header, ...rows] = text.trimEnd().split('\n');
      const hasSlugs = header?.startsWith('id,identifier,');
      const scaled = copies(scale).flatMap((copy) =>
        rows.map((row) => {
          const [id, second, ...others] = row.split(',');
          return [Number(id) + copy * STEP, hasSlugs ? second + suffix(copy) : second, ...others].join(',');
        }),
      );
      return [file, `${[header, ...scaled].join('\n')}\n`];
    }),
  );
}
