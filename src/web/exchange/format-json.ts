/** Matches the line of an index number, such as `  "id3": 13,`. */
const INDEX_LINE = /^ {2}"id\d+": /;
const INDICES_PER_LINE = 3;

/**
 * Formats JSON with one field per line. Index numbers are short, so three of them
 * share a line.
 */
export function formatJson(json: unknown): string {
  const lines: string[] = [];
  let indicesInLine = 0;
  for (const line of JSON.stringify(json, null, 2).split('\n')) {
    const isIndex = INDEX_LINE.test(line);
    const isLineOpen = indicesInLine > 0 && indicesInLine < INDICES_PER_LINE;
    if (isIndex && isLineOpen) {
      lines[lines.length - 1] += ` ${line.trim()}`;
      indicesInLine++;
      continue;
    }
    lines.push(line);
    indicesInLine = isIndex ? 1 : 0;
  }
  return lines.join('\n');
}
