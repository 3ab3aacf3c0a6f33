/** JSON texts that consist mostly of one list of objects, such as manifests. */

/** Where an object of a list ends and the next begins: compact JSON has this nowhere else but between objects. */
const BETWEEN = '},{"';

/**
 * The value of a JSON text, parsed in pieces: the whole text would take as much memory as half of the value.
 *
 * @param read yields the bytes, split anywhere, and may use their memory again. Called again if the text is not compact, or
 * has other lists
 * @param key of the list, which is in the outermost object, and not its first value
 * @throws SyntaxError
 */
export function parseLongJson(read: () => Iterable<Buffer>, key: string): unknown {
  try {
    return parseList(read(), key);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return JSON.parse(Buffer.concat(Array.from(read(), (piece) => Buffer.from(piece))).toString());
  }
}

function parseList(pieces: Iterable<Buffer>, key: string): unknown {
  const name = `${JSON.stringify(key)}:`;
  // Without the comma it could be the end of a name that contains a quotation mark.
  const start = `,${name}[`;
  const values: unknown[] = [];
  const add = (objects: string): void => {
    for (const value of JSON.parse(`[${objects}]`)) values.push(value);
  };
  let head = '';
  /** Of an object that the next pieces go on with. */
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    const from = head === '' ? piece.indexOf(start) + start.length : 0;
    if (head === '') {
      if (from < start.length) throw new SyntaxError(`expected ${start} in the first piece`);
      head = piece.toString('utf8', 0, from);
      // Throws if it is a list inside another value.
      JSON.parse(`${head}]}`);
    }
    const first = piece.indexOf(BETWEEN, from);
    const last = piece.lastIndexOf(BETWEEN);
    if (first !== -1) add(Buffer.concat([rest, piece.subarray(from, first + 1)]).toString());
    if (first < last) add(piece.toString('utf8', first + 2, last + 1));
    rest = first === -1 ? Buffer.concat([rest, piece.subarray(from)]) : Buffer.from(piece.subarray(last + 2));
  }
  if (rest.includes(name)) throw new SyntaxError(`got ${name} twice`);
  const value = JSON.parse(head + rest.toString());
  for (const object of value[key]) values.push(object);
  return { ...value, [key]: values };
}
