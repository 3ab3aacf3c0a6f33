/**
 * Traces runs of adjacent pixels in lines of text as rectangles, and returns the
 * rectangles as path data. The top left corner of the lines is at the given position.
 *
 * @param run matches a run of one or more adjacent pixels in a line
 */
export function tracePixels(
  rows: readonly string[],
  run: RegExp,
  left = 0,
  top = 0,
): string {
  let path = '';
  for (const [y, row] of rows.entries()) {
    for (const { 0: pixels, index } of row.matchAll(run)) {
      const width = pixels.length;
      path += `M${left + index} ${top + y}h${width}v1h-${width}z`;
    }
  }
  return path;
}
