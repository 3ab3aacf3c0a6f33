import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readPermissions, setPermission, setPermissions } from '../../src/publish/permissions.ts';
import { modeOf, octal } from '../support/fingerprint.ts';
import { failing } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });

const isRoot = process.geteuid?.() === 0;
const GROUP = 23_456;
const open = { file: 0o644, folder: 0o755, gid: undefined };

/** Creates files that only their owner may read. */
function createClosedSite(mode: number, ...files: string[]) {
  const folder = path.join(temporaryFolder(), 'site');
  const at = (name: string): string => path.join(folder, name);
  fs.mkdirSync(folder);
  for (const file of files) {
    fs.mkdirSync(path.dirname(at(file)), { recursive: true, mode: 0o700 });
    fs.writeFileSync(at(file), '', { mode: 0o600 });
  }
  fs.chmodSync(folder, mode);
  return { folder, at };
}

describe.skipIf(process.platform === 'win32')('readPermissions', () => {
  it.each<[folder: number, file: string, inside: string]>([
    [0o755, '644', '755'],
    [0o2750, '640', '2750'],
    [0o750, '640', '750'],
    [0o700, '600', '700'],
    [0o711, '644', '711'],
    [0o710, '640', '710'],
    [0o2775, '664', '2775'],
    [0o777, '664', '775'],
    [0o1777, '664', '775'],
    [0o555, '644', '755'],
  ])('derives permissions from a folder with mode %o: %s for files, %s for folders', (mode, file, inside) => {
    const { folder } = createClosedSite(mode);
    const permissions = readPermissions(folder);
    expect([octal(permissions.file), octal(permissions.folder)]).toEqual([file, inside]);
    expect(permissions.gid).toBe(fs.statSync(folder).gid);
  });

  it('returns public permissions for a missing folder', () => {
    expect(readPermissions(path.join(temporaryFolder(), 'site'))).toEqual(open);
  });
});

describe.skipIf(process.platform === 'win32')('setPermissions', () => {
  it('changes only the given files and the folders between them and the site’s folder', () => {
    const { folder, at } = createClosedSite(0o2777, 'a.json', 'b/c/d.json', 'b/other');
    for (const inside of ['b/c', 'b']) fs.chmodSync(at(inside), 0o400);
    setPermissions(folder, ['a.json', 'b/c/d.json', 'missing/e.json'], readPermissions(folder));
    const modes = ['a.json', 'b', 'b/c', 'b/c/d.json', 'b/other', '.'].map((name) => modeOf(at(name)));
    expect(modes).toEqual(['664', '2775', '2775', '664', '600', '2777']);
  });

  it('keeps mtimes, and neither follows symlinks nor blocks on FIFOs', () => {
    const { at } = createClosedSite(0o755, 'file', 'folder/file');
    fs.symlinkSync('folder/file', at('link'));
    expect(spawnSync('mkfifo', ['-m', '600', at('fifo')]).status).toBe(0);
    fs.utimesSync(at('file'), 1000, 1000);
    for (const name of ['file', 'link', 'fifo', 'missing']) setPermission(at(name), open);
    expect(['file', 'folder/file', 'fifo'].map((name) => modeOf(at(name)))).toEqual(['644', '600', '600']);
    expect(fs.lstatSync(at('file')).mtimeMs).toBe(1_000_000);
  });

  it.runIf(isRoot)('sets the group, and keeps setgid', () => {
    const { at } = createClosedSite(0o755, 'inside/file');
    const permissions = { file: 0o640, folder: 0o2750, gid: GROUP };
    for (const name of ['inside', 'inside/file']) {
      setPermission(at(name), permissions);
      expect(fs.lstatSync(at(name))).toMatchObject({ uid: 0, gid: GROUP });
    }
    expect([modeOf(at('inside')), modeOf(at('inside/file'))]).toEqual(['2750', '640']);
  });

  it.each([
    ['the group cannot be set', 'EPERM', '', '640'],
    ['the mode cannot be set', '', 'EPERM', '600'],
  ])('continues if %s', (_, group, mode, expected) => {
    const { at } = createClosedSite(0o755, 'file');
    if (group) vi.mocked(fs.fchownSync).mockImplementationOnce(failing(group));
    if (mode) vi.mocked(fs.fchmodSync).mockImplementationOnce(failing(mode));
    setPermission(at('file'), { file: 0o640, folder: 0o2750, gid: GROUP });
    expect(modeOf(at('file'))).toBe(expected);
    vi.resetAllMocks();
  });
});
