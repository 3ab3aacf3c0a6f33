/** Long texts made of many short ones. */

/** Joins a thousand texts at a time: each by itself takes longer to pass on, and all of them much memory. */
export function* joined(texts: Iterable<string>): Generator<string> {
  let some: string[] = [];
  for (const text of texts) {
    if (some.push(text) < 1000) continue;
    yield some.join('');
    some = [];
  }
  yield some.join('');
}
