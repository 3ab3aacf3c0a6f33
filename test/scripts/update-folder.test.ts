import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUpToDate, listChanges, removeObsolete, updateFolder } from '../../scripts/update-folder.ts';
import { temporaryFolder } from '../support/temporary.ts';

const first = { 'cli.js': 'import("./build-1.js")', 'build-1.js': '1', 'assets/style.css': 'a', done: '1' };
const second = { ...first, 'cli.js': 'import("./build-2.js")', 'build-2.js': '2', done: '2' };
const { 'build-1.js': _, ...third } = { ...second, done: '3' };

const update = (folder: string, inputs: string, files: object): void =>
  updateFolder(folder, inputs, new Map(Object.entries(files)), 'done');
const list = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort();

describe('updateFolder', () => {
  it('writes new files first, then changed files, and the marker last', () => {
    const changes = listChanges(new Map(Object.entries(first)), new Map(Object.entries(second)), 'done');
    expect(changes).toEqual(['build-2.js', 'cli.js', 'done']);
  });

  it('keeps obsolete files until the next update', () => {
    const folder = temporaryFolder();
    update(folder, '1', first);
    update(folder, '2', { ...second, 'interim.js': '' });
    update(folder, '3', third);
    expect(list(folder)).toEqual([...Object.keys(second), 'files.json', 'interim.js'].sort());
    removeObsolete(folder);
    expect(list(folder)).toEqual([...Object.keys(third), 'files.json'].sort());
  });

  it('keeps new files after an interrupted update', () => {
    const folder = temporaryFolder();
    update(folder, '1', first);
    for (const file of ['build-2.js', 'cli.js'] as const)
      writeFileSync(path.join(folder, file), second[file]);
    expect(isUpToDate(folder, '1')).toBe(false);
    update(folder, '2', second);
    expect(list(folder)).toEqual([...Object.keys(second), 'files.json'].sort());
    for (const [file, body] of Object.entries(second))
      expect(readFileSync(path.join(folder, file), 'utf8')).toBe(body);
  });

  it('writes nothing if inputs and files are unchanged', () => {
    const folder = temporaryFolder();
    const inodes = () => list(folder).map((file) => statSync(path.join(folder, file), { bigint: true }).ino);
    expect(isUpToDate(folder, '1')).toBe(false);
    update(folder, '1', first);
    const before = inodes();
    update(folder, '1', first);
    expect(inodes()).toEqual(before);
    expect([isUpToDate(folder, '1'), isUpToDate(folder, '2')]).toEqual([true, false]);
    writeFileSync(path.join(folder, 'cli.js'), '');
    expect(isUpToDate(folder, '1')).toBe(false);
  });
});
