import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  isUpToDate,
  listChanges,
  removeObsolete,
  updateFolder,
} from '../../src/compile/update-folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { readTree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const first = {
  'cli.js': 'import("./build-1.js")',
  'build-1.js': '1',
  'assets/style.css': 'a',
  done: '1',
};
const second = {
  ...first,
  'cli.js': 'import("./build-2.js")',
  'build-2.js': '2',
  done: '2',
};
const { 'build-1.js': _, ...third } = { ...second, done: '3' };

const update = (folder: string, inputs: string, files: object): void =>
  updateFolder(folder, inputs, new Map(Object.entries(files)), 'done');
function read(folder: string): object {
  const { 'files.json': listing, ...files } = readTree(folder);
  return files;
}

describe('updateFolder', () => {
  it('writes new files first, then changed files, and the marker last', () => {
    const changes = listChanges(
      new Map(Object.entries(first)),
      new Map(Object.entries(second)),
      'done',
    );
    expect(changes).toEqual(['build-2.js', 'cli.js', 'done']);
  });

  it('keeps obsolete files until the next update', () => {
    const folder = temporaryFolder();
    update(folder, '1', first);
    update(folder, '2', { ...second, 'interim.js': '' });
    update(folder, '3', third);
    expect(read(folder)).toEqual({ ...second, ...third, 'interim.js': '' });
    removeObsolete(folder);
    expect(read(folder)).toEqual(third);
  });

  it('keeps new files after an interrupted update', () => {
    const folder = temporaryFolder();
    update(folder, '1', first);
    for (const file of ['build-2.js', 'cli.js'] as const) {
      writeFileSync(path.join(folder, file), second[file]);
    }
    expect(isUpToDate(folder, '1')).toBe(false);
    update(folder, '2', second);
    expect(read(folder)).toEqual(second);
  });

  it('writes nothing if neither the inputs nor the files have changed', () => {
    const folder = temporaryFolder();
    expect(isUpToDate(folder, '1')).toBe(false);
    update(folder, '1', first);
    const before = fingerprint(folder);
    update(folder, '1', first);
    expect(fingerprint(folder)).toEqual(before);
    expect([isUpToDate(folder, '1'), isUpToDate(folder, '2')]).toEqual([
      true,
      false,
    ]);
  });
});
