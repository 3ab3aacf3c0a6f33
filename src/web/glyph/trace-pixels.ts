/**
 * Traces the runs of a pixel in lines of text as rectangles, and returns them as path
 * data. The lines' top left corner is at the given position.
 *
 * @param run matches one or more of the pixels that are next to each other in a line
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
