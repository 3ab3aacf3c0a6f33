import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LOOK_WORKER } from '../../src/commands/package-files.ts';
import type { ManifestEntry } from '../../src/contract/meta.ts';
import { type Looking, lookFromEnd, share, startLooking } from '../../src/output/untouched.ts';
import { temporaryFolder } from '../support/temporary.ts';

const FILES = 20_000;

/** Files of one byte each, a hundred in a folder, as a manifest lists them, and what the site is. */
function manyFiles(count: number) {
  const out = temporaryFolder();
  const files = Array.from({ length: count }, (_, at) => ({
    path: `${Math.floor(at / 100)}/${at}`,
    bytes: 1,
    sha256: '',
  }));
  for (const { path: name } of files) {
    if (name.endsWith('00')) mkdirSync(path.join(out, path.dirname(name)), { recursive: true });
    else if (name === '0/0') mkdirSync(path.join(out, '0'));
    writeFileSync(path.join(out, name), '1');
  }
  const written = Math.max(...files.map(({ path: name }) => statSync(path.join(out, name)).mtimeMs));
  return { out, files, site: { out, written } };
}

const entriesOf = (names: string[], ...sizes: number[]): ManifestEntry[] =>
  names.map((name, at) => ({ path: name, bytes: sizes[at] ?? 1, sha256: '' }));

/** What the second thread finds alone: for each block, whether it is known to be untouched. */
async function lookAlone(site: Looking['site'], files: ManifestEntry[]): Promise<number[]> {
  const untouched = new Uint8Array(new SharedArrayBuffer(files.length / 2));
  const workerData: Looking = { site, ...share(files, 2), untouched };
  await once(new Worker(LOOK_WORKER, { workerData }), 'exit');
  return [...untouched];
}

/** The same without a thread. */
function lookHere(site: Looking['site'], files: ManifestEntry[]): number[] {
  const untouched = new Uint8Array(new SharedArrayBuffer(files.length / 2));
  lookFromEnd({ site, ...share(files, 2), untouched });
  return [...untouched];
}

describe('looking for touched files', () => {
  it.each([
    ['alone', undefined],
    ['with a second thread', LOOK_WORKER],
    ['with a thread that does not start', '/nowhere/look-worker.cjs'],
  ])('finds each of them %s', (_, helper) => {
    const { out, files, site } = manyFiles(FILES);
    const at = [0, 999, 1000, 7777, FILES - 1001, FILES - 1];
    for (const place of at) writeFileSync(path.join(out, files[place]?.path ?? ''), 'other');
    rmSync(path.join(out, files[12_345]?.path ?? ''));
    const find = startLooking(files, site, helper);
    const expected = new Set([...at, 12_345].map((place) => files[place]));
    expect(find()).toEqual(expected);
    expect(find(), 'again').toEqual(expected);
  });

  it('finds what is touched between two looks of a few files', () => {
    const { out, files, site } = manyFiles(3);
    const find = startLooking(files, site, LOOK_WORKER);
    expect(find()).toEqual(new Set());
    writeFileSync(path.join(out, '0/1'), 'other');
    expect(find()).toEqual(new Set([files[1]]));
  });

  it('looks in the same folder after the working folder has changed', () => {
    const { out, files, site } = manyFiles(3);
    const above = path.dirname(out);
    // As it was when the look began, and then as it is.
    let asked = 0;
    vi.spyOn(process, 'cwd').mockImplementation(() => (asked++ < 2 ? above : '/'));
    onTestFinished(() => void vi.restoreAllMocks());
    expect(startLooking(files, site, undefined)()).toEqual(new Set());
  });

  it.each([
    ['in a thread', lookAlone],
    ['in this one', lookHere],
  ])('leaves no block to the other thread that holds a touched file, %s', async (_, look) => {
    const { out, site } = manyFiles(4);
    const files = entriesOf(['0/0', '0/1', '0/2', '0/3']);
    expect(await look(site, files)).toEqual([1, 1]);
    expect(await look({ ...site, written: site.written - 1000 }, files)).toEqual([0, 0]);
    rmSync(path.join(out, '0/3'));
    symlinkSync('2', path.join(out, '0/3'));
    expect(await look(site, files)).toEqual([1, 0]);
    expect(await look(site, entriesOf(['0/3', '0/2', '0/1', '0/0']))).toEqual([0, 1]);
    expect(await look(site, entriesOf(['0/0', '0/1'], 1, 2))).toEqual([0]);
  });
});
