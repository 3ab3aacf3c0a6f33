/** CSV rows as in RFC 4180, safe to open in a spreadsheet. */

/** A cell; null is empty. */
export type Cell = string | number | null;

/**
 * What spreadsheets may run as a formula, full-width characters included:
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^\s*['=+\-@＝＋－＠]/u;

/**
 * A row with its line ending. Text that might be a formula, or that starts with an apostrophe, is prefixed with an
 * apostrophe: removing one leading apostrophe always restores the original.
 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
