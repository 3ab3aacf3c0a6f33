import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { bulkFiles } from '../../src/contract/paths.ts';
import type { Compress } from '../../src/site/archive/compressor.ts';
import { downloads, withDownloads } from '../../src/site/downloads.ts';
import { bodyText } from '../support/body.ts';
import { rawItem, rawMove, rawRecords, siteOf } from '../support/sites.ts';

const textOf = (path: string, raw = rawRecords(3, 2)): string => {
  const download = downloads.find((one) => one.path === path);
  return [...(download?.text(siteOf(raw).plan) ?? [])].join('');
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

  it.each([0, 1, 499, 500, 501, 1203])('hold the very texts of %i records', (count) => {
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

describe('a site with bulk files', () => {
  const site = siteOf(rawRecords(150, 2));
  /** Notes what is compressed. */
  function noting() {
    const packed: string[] = [];
    const compress: Compress = async (file) => {
      packed.push(file);
      return { gz: Buffer.from(`gz ${file}`), br: Buffer.from(`br ${file}`) };
    };
    return { packed, files: withDownloads(site.files(), site.plan, compress) };
  }

  it('has them behind its description, and the compressed copies at the end', () => {
    const paths = [...noting().files].map(({ path }) => path);
    const at = paths.indexOf('meta.json') + 1;
    const plain = downloads.map(({ path }) => path);
    expect(paths.slice(at, at + plain.length)).toEqual(plain);
    expect(paths.slice(-10)).toEqual(plain.flatMap((path) => [`${path}.gz`, `${path}.br`]));
  });

  it('packs what was made at once, and what was not only when it is requested', async () => {
    const { packed, files } = noting();
    const twins: (() => unknown)[] = [];
    for (const file of files) {
      if (!('make' in file)) continue;
      // As publishing does it if this one changed and the others are as they were.
      if (file.path === 'download/move.csv') expect(bodyText(await file.make())).toMatch(/^url,id,slug/);
      if (file.path === 'download/item.csv.gz') twins.push(file.make);
    }
    expect(packed).toEqual(['download/move.csv']);
    const [make] = twins;
    expect(String(await make?.())).toBe('gz download/item.csv');
    expect(packed).toEqual(['download/move.csv', 'download/item.csv']);
  });
});
