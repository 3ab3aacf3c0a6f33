import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { downloadFiles } from '../../src/site/downloads.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Builds a site, changes a file, and lets the manifest say that all is as it has to be. */
async function damaged(
  file: string,
  change: (body: Buffer) => Buffer | undefined,
  raw = rawRecords(120, 2),
): Promise<string[]> {
  const out = path.join(temporaryFolder(), 'site');
  const { plan, files } = siteOf(raw, { downloads: true });
  await withOutput(out, (output) => output.publish([...files(), ...downloadFiles(plan)]));
  expect(verifyFolder(out).problems).toEqual([]);
  const target = path.join(out, file);
  const body = change(readFileSync(target));
  const manifest = JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8'));
  const entry = manifest.files.find((one: { path: string }) => one.path === file);
  if (body) {
    writeFileSync(target, body);
    entry.bytes = body.length;
    entry.sha256 = createHash('sha256').update(body).digest('hex');
  } else {
    rmSync(target);
    manifest.files.splice(manifest.files.indexOf(entry), 1);
  }
  writeFileSync(path.join(out, 'manifest.json'), JSON.stringify(manifest));
  return verifyFolder(out).problems.map(({ file: where, problem }) => `${where}: ${problem}`);
}

const replaced = (from: string, to: string) => (body: Buffer) => {
  const text = body.toString();
  expect(text).toContain(from);
  return Buffer.from(text.replace(from, to));
};

describe('verifying bulk files', () => {
  it('decompresses no more than is expected', async () => {
    const bomb = gzipSync(Buffer.alloc(2 ** 28));
    const before = process.memoryUsage().rss;
    expect(await damaged('download/move.csv.gz', () => bomb)).toEqual([
      'download/move.csv.gz: is not a compressed copy of move.csv',
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 28);
  });

  it('takes nothing that cannot be decompressed for a copy of an empty file', async () => {
    expect(await damaged('download/move.ndjson.br', () => Buffer.from('!'), rawRecords(0, 2))).toEqual([
      'download/move.ndjson.br: is not a compressed copy of move.ndjson',
    ]);
  });

  it.each<[string, string, (body: Buffer) => Buffer | undefined, string]>([
    [
      'another value in a line',
      'download/move.ndjson',
      replaced('"Move 7"', '"Move 8"'),
      'does not match the list pages',
    ],
    [
      'another value in a table',
      'download/item.csv',
      replaced('Item 2', 'Item 3'),
      'does not match the list pages',
    ],
    [
      'a missing record',
      'download/move.ndjson',
      (body) => body.subarray(body.indexOf('\n') + 1),
      'does not match the list pages',
    ],
    [
      'another value in the whole',
      'download/gamedata.json',
      replaced('"Move 7"', '"Move 8"'),
      'does not match the list pages',
    ],
    [
      'a twin of something else',
      'download/move.csv.gz',
      () => gzipSync('x'),
      'is not a compressed copy of move.csv',
    ],
    [
      'a twin that cannot be unpacked',
      'download/item.ndjson.br',
      () => Buffer.from('x'),
      'is not a compressed copy of item.ndjson',
    ],
    ['a missing file', 'download/item.csv', () => undefined, 'is missing'],
    ['a missing twin', 'download/gamedata.json.gz', () => undefined, 'is missing'],
  ])('finds %s', async (_, file, change, problem) => {
    expect(await damaged(file, change)).toEqual([`${file}: ${problem}`]);
  });
});
