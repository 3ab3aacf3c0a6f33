/** Lines of a text that comes in pieces of bytes, which may end anywhere. */

export interface LineSplitter {
  /** Takes a piece, and keeps nothing of it but a copy of its last line's beginning. */
  add(piece: Buffer): void;
  /** The last line needs no line break. */
  end(): void;
}

export function createLineSplitter(take: (line: string) => void): LineSplitter {
  /** Of a line that the next pieces go on with. */
  let start: Buffer[] = [];

  function takeWith(rest: Buffer): void {
    take(Buffer.concat([...start, rest]).toString('utf8'));
    start = [];
  }

  return {
    add(piece) {
      let from = 0;
      for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
        if (start.length === 0) take(piece.toString('utf8', from, end));
        else takeWith(piece.subarray(0, end));
        from = end + 1;
      }
      if (from < piece.length) start.push(Buffer.from(piece.subarray(from)));
    },
    end() {
      if (start.length > 0) takeWith(Buffer.alloc(0));
    },
  };
}
