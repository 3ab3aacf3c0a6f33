import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { keepDataSet } from '../../src/pipeline/keep-data.ts';
import { readTree } from '../support/publishing.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { createStoredData } from '../support/stored-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const dataSets = [1, 2, 3].map((moves) => createStoredData(rawRecords(moves, 1)));
const [first, second, third] = dataSets as [
  (typeof dataSets)[0],
  (typeof dataSets)[0],
  (typeof dataSets)[0],
];

const newOut = (): string => path.join(temporaryFolder(), 'site');
const listKept = (out: string): string[] => readdirSync(`${out}.data`).sort();

describe('keepDataSet', () => {
  it('keeps the newest data sets, and removes older ones', async () => {
    const out = newOut();
    const oldest = await keepDataSet(out, first, 2, '2026-01-01');
    const middle = await keepDataSet(out, second, 2, '2026-01-02');
    const newest = await keepDataSet(out, third, 2, '2026-01-03');
    expect(existsSync(oldest)).toBe(false);
    const names = [middle, newest].map((folder) => path.basename(folder));
    expect(listKept(out)).toEqual(names);
  });

  it('keeps an unchanged data set only once, under the date on which it was first kept', async () => {
    const out = newOut();
    const kept = await keepDataSet(out, first, 5, '2026-01-01');
    expect(await keepDataSet(out, first, 5, '2026-01-02')).toBe(kept);
    expect(listKept(out)).toEqual([path.basename(kept)]);
  });

  it('keeps a data set that is published again, even if newer ones were kept in between', async () => {
    const out = newOut();
    const kept = await keepDataSet(out, first, 2, '2026-01-01');
    await keepDataSet(out, second, 2, '2026-01-02');
    expect(await keepDataSet(out, first, 1, '2026-01-03')).toBe(kept);
    expect(listKept(out)).toEqual([path.basename(kept)]);
  });

  it('removes only the files that a kept data set lists, and leaves other folders alone', async () => {
    const out = newOut();
    const kept = await keepDataSet(out, first, 1, '2026-01-01');
    writeFileSync(path.join(kept, 'notes.txt'), 'mine');
    const elsewhere = path.join(temporaryFolder(), 'names');
    renameSync(path.join(kept, 'names'), elsewhere);
    symlinkSync(elsewhere, path.join(kept, 'names'));
    mkdirSync(path.join(`${out}.data`, 'mine'));
    await keepDataSet(out, second, 1, '2026-01-02');
    // The folder is no data set now, so the next command leaves it alone.
    await keepDataSet(out, third, 1, '2026-01-03');
    expect(readdirSync(kept).sort()).toEqual(['names', 'notes.txt']);
    expect(listKept(out)).toContain('mine');
    expect(readdirSync(elsewhere)).toEqual(['en.json']);
  });
});

it('a build from a kept data set preserves the redirects and the history', async () => {
  const out = newOut();
  const options = { baseUrl: 'https://example.test', out, maxShrink: 100 } as const;
  const { move, item } = rawRecords(8, 2);
  const renamed = move.map((one) =>
    one.id === 7 ? { ...one, slug: 'seven' } : one,
  );
  const old = await build({
    ...options,
    ...(await smallSource({ move, item })),
    keep: 2,
  });
  const upstream = old.kept ?? '';
  await build({
    ...options,
    ...(await smallSource({ move: renamed, item })),
    keep: 2,
  });

  const report = await build({ ...options, source: 'snapshot', upstream, keep: 2 });
  expect(report.changes.steps).toHaveLength(1);
  const tree = readTree(out);
  expect(JSON.parse(tree['moved.json'] ?? '')).toEqual({
    '/api/gamedata/move/seven/': '/api/gamedata/move/move-7/',
  });
  expect(JSON.parse(tree['changes.json'] ?? '').steps).toHaveLength(2);
});
