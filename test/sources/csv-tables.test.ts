import { describe, expect, it } from 'vitest';
import { DataError } from '../../src/errors.ts';
import { type Row, readTable, type Table } from '../../src/sources/csv-tables.ts';

const table: Table = { name: 'made', columns: ['name', 'id'] };

async function read(pieces: Iterable<string>, of: Table = table): Promise<Row[]> {
  const rows: Row[] = [];
  await readTable(of, pieces, (row) => rows.push(row));
  return rows;
}

/** A text in two pieces, in every possible way. */
const cuts = (text: string): [string, string][] =>
  Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);

/** Pieces, and whether they are done with. */
function watched(texts: readonly string[]) {
  const state = { given: 0, isClosed: false };
  function* pieces(): Generator<string> {
    try {
      for (const text of texts) {
        state.given++;
        yield text;
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { pieces: pieces(), state };
}

describe('a table in pieces', () => {
  it.each([
    ['line feeds', '\n'],
    ['CRLF', '\r\n'],
  ])('with %s may be cut anywhere', async (_, end) => {
    const text = ['id,x,name', '1,,plain', '2,"a, ""b""","say ""hi"""', `3,"two${end}lines","last"`, '']
      .join(end)
      .replace(/$/, `4,"",ü攻${end}`);
    const rows = [
      ['plain', '1'],
      ['say "hi"', '2'],
      ['last', '3'],
      ['ü攻', '4'],
    ];
    expect(await read([text])).toEqual(rows);
    for (const pieces of cuts(text)) expect(await read(pieces)).toEqual(rows);
  });

  it.each([
    [
      'a quote inside a quoted field',
      'id,name\n1,a\n2,"b"c\n3,d\n',
      'Trailing quote on quoted field is malformed in row 3',
    ],
    ['a quote that is not closed', 'id,name\n1,a\n\n2,"b\n3,d\n', 'Quoted field unterminated in row 4'],
    [
      'a row that is too short',
      'id,name\n1,a\n\n2\n3,d\n',
      'got 1 fields in row 4: expected 2, as in the first',
    ],
  ])('is refused for %s wherever it is cut', async (_, text, problem) => {
    for (const pieces of cuts(text)) {
      const error = await read(pieces).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DataError);
      expect(error).toHaveProperty('problem', expect.stringContaining(problem));
    }
  });

  it('ends its lines as the first ends', async () => {
    expect(await read(['id,name\n1,"a\r"\n'])).toEqual([['a\r', '1']]);
    expect(await read(['id,name\r\n\r\n1,a\r\n2,"b"'])).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('is not read to its end if a row of it is wrong', async () => {
    const { pieces, state } = watched(['id,name\n', '1,a\n', '2\n', ...Array<string>(1000).fill('3,c\n')]);
    await expect(read(pieces)).rejects.toThrow('got 1 fields in row 3');
    expect(state.isClosed).toBe(true);
    expect(state.given).toBeLessThan(100);
  });

  it('fails as its pieces do', async () => {
    const problem = new Error('no more');
    function* pieces(): Generator<string> {
      yield 'id,name\n1,';
      throw problem;
    }
    await expect(read(pieces())).rejects.toBe(problem);
  });

  it('fails as whoever takes its rows does', async () => {
    const problem = new Error('not this one');
    const reading = readTable(table, ['id,name\n1,a\n'], () => {
      throw problem;
    });
    await expect(reading).rejects.toBe(problem);
  });
});
