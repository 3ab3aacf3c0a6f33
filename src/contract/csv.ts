/** Tables as RFC 4180 has them, made so that a spreadsheet shows their text and never runs it. */

/** A cell; null is empty. */
export type Cell = string | number | null;

/**
 * What spreadsheets take for the beginning of a formula, the forms of East Asian keyboards included:
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^\s*['=+\-@＝＋－＠]/u;

/**
 * A row with its line end. Text that could be a formula, or that begins with an apostrophe itself, gets one apostrophe
 * before it: who takes one off again has the very text, and no other text begins with one.
 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
