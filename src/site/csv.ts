/** CSV rows as in RFC 4180, safe to open in a spreadsheet. */

/** A cell; null is empty. */
export type Cell = string | number | null;

/**
 * Where a spreadsheet may find the start of a formula, full-width characters included. One that separates by semicolons or
 * tabs does not see the quotation marks around the whole text: https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*['=+\-@＝＋－＠])/gu;

/**
 * A row with its line ending. What might be the start of a formula, or is an apostrophe in such a place, is prefixed with an
 * apostrophe: removing one at the start and one after each separator always restores the original.
 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
