/** What is built: the upstream's data and multiples of it, as tables and as snapshots that are made of them. */

import { type TableTexts, tablesOf, writeTables } from '../../test/support/tables.ts';
import type { UpstreamData } from '../../test/support/upstream-data.ts';
import type { Checkout } from './builds.ts';
import { remove, run } from './measure.ts';

/** Folders that `--upstream` may name. */
export interface DataFolders {
  readonly tables: string;
  readonly snapshot: string;
  /** The same but for the English name of one item. */
  readonly changed: string;
}

export function makeData(upstream: UpstreamData, scale: number, { gamedata, at }: Checkout): DataFolders {
  const tables = scaleTables(tablesOf(upstream), scale);
  const names = tables['item_names.csv']?.replace(/^\d+,9,\w.*$/m, '$& II') ?? '';
  const sets = { snapshot: tables, changed: { ...tables, 'item_names.csv': names } };
  for (const [name, texts] of Object.entries(sets)) {
    remove(at(name));
    writeTables(at(`tables-${name}`), texts);
    const source = ['--source', 'csv', '--upstream', at(`tables-${name}`)];
    run(gamedata('snapshot', '--quiet', '--data', at(name), ...source));
  }
  return { tables: at('tables-snapshot'), snapshot: at('snapshot'), changed: at('changed') };
}

/** The first column of every table is an id; the second of two of them is the slug. No field has a line break in it. */
function scaleTables(tables: TableTexts, scale: number): TableTexts {
  return Object.fromEntries(
    Object.entries(tables).map(([file, text]) => {
      const [header, ...rows] = text.trimEnd().split('\n');
      const hasSlugs = header?.startsWith('id,identifier,');
      const scaled = Array.from({ length: scale }, (_, copy) =>
        rows.map((row) => {
          const [id, second, ...others] = row.split(',');
          const suffix = hasSlugs && copy > 0 ? `-x${copy}` : '';
          return [Number(id) + copy * 100_000, second + suffix, ...others].join(',');
        }),
      );
      return [file, `${[header, ...scaled.flat()].join('\n')}\n`];
    }),
  );
}
