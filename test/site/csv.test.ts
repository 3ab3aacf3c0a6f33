import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type Cell, csvRow } from '../../src/site/record-files.ts';

describe('a row', () => {
  it.each<[string, Cell[], string]>([
    ['numbers and texts', [1, 'pound', 'Pound'], '1,pound,Pound\r\n'],
    ['null as nothing', [null, 0, null], ',0,\r\n'],
    ['a comma', ['a,b'], '"a,b"\r\n'],
    ['a semicolon, at which some spreadsheets cut', ['a;b'], '"a;b"\r\n'],
    ['a quotation mark', ['a"b'], '"a""b"\r\n'],
    ['a line break', ['a\r\nb'], '"a\r\nb"\r\n'],
    ['blanks at an end', [' a', 'b '], '" a","b "\r\n'],
    ['letters of every script', ['Poké Ball', '★'], 'Poké Ball,★\r\n'],
    ['a formula', ['=1+1'], "'=1+1\r\n"],
    [
      'a formula with a comma',
      ['=HYPERLINK("https://x.test","y")'],
      `"'=HYPERLINK(""https://x.test"",""y"")"\r\n`,
    ],
    ['an apostrophe, so that one can be taken off', ["'tis"], "''tis\r\n"],
    ['a formula behind a semicolon', ['a; "=1'], `"a;' ""=1"\r\n`],
    ['a number below zero, which is no text', [-1], '-1\r\n'],
  ])('has %s', (_, cells, expected) => {
    expect(csvRow(cells)).toBe(expected);
  });

  it('gives back the very text, and never starts a formula', () => {
    const cell = fc.string({ unit: fc.constantFrom(...`=+-@'",;\t\r\n aé＝`) }).filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const [read = []] = Papa.parse<string[]>(csvRow(cells), { delimiter: ',', newline: '\r\n' }).data;
        expect(read.map((text) => text.replace(/(?<=^|[;\t\r\n])'/g, ''))).toEqual(cells);
        for (const delimiter of [',', ';', '\t']) {
          const { data } = Papa.parse<string[]>(csvRow(cells), { delimiter });
          for (const text of data.flat()) expect(text).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/u);
        }
      }),
    );
  });
});
