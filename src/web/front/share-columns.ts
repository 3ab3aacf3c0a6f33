/** The number of columns that a stripe's label needs. */
const MIN_COLUMNS = 3;

/**
 * Shares the columns of a chart among its stripes in proportion to their sizes, with
 * one empty column between two stripes. A size is the number of cells in a stripe. If
 * not even the labels fit, each stripe gets just enough columns for its label.
 */
export function shareColumns(sizes: readonly number[], columns: number): number[] {
  const gaps = sizes.length - 1;
  const hasSpace = sizes.length * MIN_COLUMNS <= columns - gaps;
  if (!hasSpace) return sizes.map(() => MIN_COLUMNS);
  const rows = findRows(sizes, columns - gaps);
  return sizes.map((size) => Math.max(MIN_COLUMNS, Math.ceil(size / rows)));
}

/** Finds the smallest number of rows for which all stripes fit into the columns. */
function findRows(sizes: readonly number[], columns: number): number {
  let rows = 1;
  while (countColumns(sizes, rows) > columns) rows++;
  return rows;
}

function countColumns(sizes: readonly number[], rows: number): number {
  let columns = 0;
  for (const size of sizes) columns += Math.max(MIN_COLUMNS, Math.ceil(size / rows));
  return columns;
}
