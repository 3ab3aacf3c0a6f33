import { hash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { bulkFiles, plainBulkRows } from '../../src/contract/files.ts';
import { bulkText, compressors, downloadFiles } from '../../src/site/record-files.ts';
import { rawItem, rawMove, rawRecords, type SomeRecords, siteOf } from '../support/sites.ts';

const textOf = (path: string, raw: SomeRecords = rawRecords(3, 2)): string => {
  const row = plainBulkRows.find((one) => one.path === path) ?? expect.unreachable();
  return bulkText(row, siteOf(raw).plan.served);
};

describe('bulk files', () => {
  it('are these, each with two compressed copies', () => {
    expect(bulkFiles.filter((path) => !/\.(?:gz|br)$/.test(path))).toEqual([
      'download/move.ndjson',
      'download/move.csv',
      'download/item.ndjson',
      'download/item.csv',
      'download/gamedata.json',
    ]);
    expect(bulkFiles).toHaveLength(15);
  });

  it.each([0, 1, 501])('hold the very texts of %i records', (count) => {
    const raw = rawRecords(count, 2);
    const served = [...siteOf(raw).files()]
      .filter(({ path }) => /^api\/gamedata\/move\/move-/.test(path))
      .map(({ body }) => String(body));
    expect(textOf('download/move.ndjson', raw)).toBe(served.map((text) => `${text}\n`).join(''));
    const everything = textOf('download/gamedata.json', raw);
    expect(everything.startsWith(`{"move":[${served.join(',')}],"item":[{"url"`)).toBe(true);
    expect(JSON.parse(everything).item).toHaveLength(2);
  });

  it('have tables that give back every value', () => {
    const raw = {
      move: [rawMove(1, { englishName: '=SUM(A1), "quoted"' })],
      item: [rawItem(1, { gameIndices: [{ generation: 3, index: 0 }], sprite: null })],
    };
    const rows = (kind: 'move' | 'item'): unknown[] =>
      Papa.parse(textOf(`download/${kind}.csv`, raw), { header: true, newline: '\r\n', skipEmptyLines: true })
        .data;
    expect(rows('move')).toEqual([
      {
        url: 'https://example.test/api/gamedata/move/move-1/?format=api',
        id: '1',
        slug: 'move-1',
        name: `'=SUM(A1), "quoted"`,
        generation: '1',
      },
    ]);
    expect(rows('item')).toMatchObject([
      { id: '1', id1: '', id3: '0', id9: '', icon: 'sprites/items/unknown.png' },
    ]);
    expect(textOf('download/item.csv', raw).split('\r\n')[0]).toBe(
      'url,id,id1,id2,id3,id4,id5,id6,id7,id8,id9,slug,name,icon',
    );
  });
});

describe('compressed copies', () => {
  it('follow each bulk file, and unpack to it', () => {
    const files = downloadFiles(siteOf(rawRecords(150, 2)).plan.served);
    expect(files.map(({ path }) => path)).toEqual(bulkFiles);
    const bodies = new Map(files.map(({ path, body }) => [path, body as Uint8Array]));
    for (const { path } of plainBulkRows) {
      const plain = bodies.get(path) ?? expect.unreachable();
      expect(gunzipSync(bodies.get(`${path}.gz`) ?? '').equals(plain)).toBe(true);
      expect(brotliDecompressSync(bodies.get(`${path}.br`) ?? '').equals(plain)).toBe(true);
    }
  });

  const lines = Array.from(
    { length: 5000 },
    (_, at) => `{"id":${at},"slug":"record-${(at * 7919) % 5000}"}\n`,
  );

  it('are these bytes on every machine and version, with no time in them', () => {
    const body = Buffer.from(lines.join(''));
    const [gz, br] = [compressors.gz(body), compressors.br(body)];
    expect({
      gz: [gz.length, hash('sha256', gz).slice(0, 16)],
      br: [br.length, hash('sha256', br).slice(0, 16)],
    }).toEqual({
      gz: [27906, 'fd2b9f719f9a3548'],
      br: [10840, 'ff47a7fc4e540944'],
    });
    expect([...gz.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  });
});
