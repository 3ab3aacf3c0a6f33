import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type Cell, formatCsvRow, gzip } from '../../src/site/record-files.ts';

it('gzip creates the same bytes on every machine', () => {
  const line = (at: number) =>
    `{"id":${at},"slug":"record-${(at * 7919) % 5000}"}\n`;
  const body = Buffer.from(
    Array.from({ length: 5000 }, (_, at) => line(at)).join(''),
  );
  const gz = gzip(body);
  expect([gz.length, hash('sha256', gz).slice(0, 16)]).toEqual([
    27906,
    'fd2b9f719f9a3548',
  ]);
  expect(gunzipSync(gz)).toEqual(body);
});

describe('formatCsvRow', () => {
  it.each<[Cell[], string]>([
    [[1, 'pound', 'Pound'], '1,pound,Pound'],
    [[null, 0, null, -1], ',0,,-1'],
    [['Poké Ball', '★'], 'Poké Ball,★'],
    [
      ['a,b', 'a;b', 'a"b', 'a\r\nb', ' a', 'b '],
      '"a,b","a;b","a""b","a\r\nb"," a","b "',
    ],
    [['=1+1', "'tis"], "'=1+1,''tis"],
    [
      ['=HYPERLINK("https://x.test","y")'],
      `"'=HYPERLINK(""https://x.test"",""y"")"`,
    ],
    [['a; "=1'], `"a;' ""=1"`],
  ])('formats %j as %j', (cells, expected) => {
    expect(formatCsvRow(cells)).toBe(`${expected}\r\n`);
  });

  it('preserves text but escapes the start of each formula', () => {
    const cell = fc
      .string({ unit: fc.constantFrom(...`=+-@'",;\t\r\n aé＝`) })
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const format = { delimiter: ',', newline: '\r\n' } as const;
        const [read = []] = Papa.parse<string[]>(formatCsvRow(cells), format).data;
        expect(read.map((text) => text.replace(/(?<=^|[;\t\r\n])'/g, ''))).toEqual(
          cells,
        );
        for (const delimiter of [',', ';', '\t']) {
          const { data } = Papa.parse<string[]>(formatCsvRow(cells), { delimiter });
          for (const text of data.flat()) {
            expect(text).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/u);
          }
        }
      }),
    );
  });
});
