import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { give, type Modes, mend, modesOf } from '../../src/publish/modes.ts';
import { modeOf, octal } from '../support/modes.ts';
import { temporaryFolder } from '../support/temporary.ts';

const isRoot = process.geteuid?.() === 0;
// Threads, in which Stryker runs tests, have no user and no umask of their own: hence `isMainThread` below.
const USER = 12_345;
const GROUP = 23_456;

/** A file as others would not get to read it, and a folder. */
function scene(mode?: number) {
  const parent = temporaryFolder();
  const [probe, folder] = [path.join(parent, 'lock'), path.join(parent, 'site')];
  writeFileSync(probe, '');
  if (mode !== undefined) {
    mkdirSync(folder);
    chmodSync(folder, mode);
  }
  return { parent, probe, folder, at: (name: string) => path.join(folder, name) };
}

/** Everything in a folder, by its path, with its mode. */
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [name, modeOf(path.join(folder, name))]),
  );

/** Does something as a user without privileges, who is in no other group. */
function asUser<T>(use: () => T): T {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([]);
  process.setegid?.(USER);
  process.seteuid?.(USER);
  try {
    return use();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}

describe.skipIf(process.platform === 'win32')('the modes of a site', () => {
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
  ])('in a folder of %o are %s and %s', (mode, file, inside) => {
    const { folder, probe } = scene(mode);
    const modes = modesOf(folder, probe);
    expect([octal(modes?.file ?? 0), octal(modes?.folder ?? 0)]).toEqual([file, inside]);
    expect(modes?.gid).toBe(statSync(folder).gid);
  });

  it.runIf(isMainThread)('are public where there is no folder yet, whatever the umask', () => {
    const { folder, probe } = scene();
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    expect(modesOf(folder, probe)).toEqual({ file: 0o644, folder: 0o755, gid: undefined });
  });

  it.runIf(isRoot && isMainThread)('are none where the system lets nobody change them', () => {
    const { folder, probe, parent } = scene(0o755);
    chmodSync(parent, 0o755);
    expect(asUser(() => modesOf(folder, probe))).toBeUndefined();
    chownSync(probe, USER, USER);
    expect(asUser(() => modesOf(folder, probe))).toMatchObject({ file: 0o644 });
  });
});

describe('on Windows', () => {
  afterEach(() => void vi.unstubAllGlobals());
  it('there are no modes', () => {
    const { folder, probe } = scene(0o755);
    vi.stubGlobal('process', { ...process, platform: 'win32' });
    expect(modesOf(folder, probe)).toBeUndefined();
  });
});

const open: Modes = { file: 0o644, folder: 0o755, gid: undefined };

describe.skipIf(process.platform === 'win32')('a mode', () => {
  it('is given to files and folders, and leaves their times', () => {
    const { at } = scene(0o755);
    writeFileSync(at('file'), '', { mode: 0o600 });
    mkdirSync(at('inside'), { mode: 0o700 });
    for (const name of ['file', 'inside']) utimesSync(at(name), 1000, 1000);
    expect([give(at('file'), open, false), give(at('inside'), open, true)]).toEqual([true, true]);
    expect([modeOf(at('file')), modeOf(at('inside'))]).toEqual(['644', '755']);
    for (const name of ['file', 'inside']) expect(lstatSync(at(name)).mtimeMs).toBe(1_000_000);
  });

  it('is not given to what is in the place of a file or a folder', () => {
    const { at } = scene(0o755);
    writeFileSync(at('victim'), '', { mode: 0o600 });
    symlinkSync('victim', at('link'));
    mkdirSync(at('folder'), { mode: 0o700 });
    symlinkSync('folder', at('link-to-folder'));
    expect(spawnSync('mkfifo', ['-m', '600', at('pipe')]).status).toBe(0);
    for (const name of ['link', 'folder', 'link-to-folder', 'pipe', 'nothing'])
      expect(give(at(name), open, false), name).toBe(false);
    for (const name of ['link', 'victim', 'link-to-folder', 'pipe', 'nothing'])
      expect(give(at(name), open, true), name).toBe(false);
    expect(modesIn(at('.'))).toMatchObject({ victim: '600', folder: '700', pipe: '600' });
  });

  it.runIf(isRoot)('comes with the group, and keeps setgid', () => {
    const { at } = scene(0o755);
    writeFileSync(at('file'), '');
    mkdirSync(at('inside'));
    const modes: Modes = { file: 0o640, folder: 0o2750, gid: GROUP };
    expect([give(at('file'), modes, false), give(at('inside'), modes, true)]).toEqual([true, true]);
    expect(lstatSync(at('file'))).toMatchObject({ uid: 0, gid: GROUP });
    expect(lstatSync(at('inside'))).toMatchObject({ uid: 0, gid: GROUP });
    expect([modeOf(at('file')), modeOf(at('inside'))]).toEqual(['640', '2750']);
  });

  it.runIf(isRoot && isMainThread)(
    'is given without a group that may not be given, which is told if it is missed',
    () => {
      const { at, folder, parent } = scene(0o755);
      writeFileSync(at('file'), '');
      for (const file of [parent, folder, at('file')]) chownSync(file, USER, USER);
      expect(asUser(() => give(at('file'), { file: 0o640, folder: 0o2750, gid: GROUP }, false))).toBe(false);
      expect([modeOf(at('file')), lstatSync(at('file')).gid]).toEqual(['640', USER]);
      expect(asUser(() => give(at('file'), { ...open, gid: GROUP }, false))).toBe(true);
      expect([modeOf(at('file')), lstatSync(at('file')).gid]).toEqual(['644', USER]);
    },
  );

  it.runIf(isRoot && isMainThread)('cannot be given to files of others', () => {
    const { at, folder, parent } = scene(0o755);
    writeFileSync(at('file'), '');
    chmodSync(at('file'), 0o604);
    for (const file of [parent, folder]) chownSync(file, USER, USER);
    expect(asUser(() => give(at('file'), open, false))).toBe(false);
    expect(modeOf(at('file'))).toBe('604');
  });
});

describe.skipIf(process.platform === 'win32')('a site whose modes are mended', () => {
  const files = ['a.json', 'b/c/d.json', 'b/e.json'];

  function site(mode: number) {
    const all = scene(mode);
    mkdirSync(all.at('b/c'), { recursive: true });
    for (const file of files) writeFileSync(all.at(file), '');
    for (const file of files) chmodSync(all.at(file), 0o600);
    for (const folder of ['b', 'b/c']) chmodSync(all.at(folder), 0o700);
    return { ...all, modes: modesOf(all.folder, all.probe) ?? expect.unreachable() };
  }

  it('may be read by whoever may read its folder, which stays as it is', () => {
    const { folder, modes, at } = site(0o2777);
    writeFileSync(at('b/foreign'), '');
    chmodSync(at('b/foreign'), 0o600);
    expect(mend(folder, files, modes)).toBe(0);
    expect(modesIn(folder)).toEqual({
      'a.json': '664',
      b: '2775',
      'b/c': '2775',
      'b/c/d.json': '664',
      'b/e.json': '664',
      'b/foreign': '600',
    });
    expect(modeOf(folder)).toBe('2777');
  });

  it('is mended from its folders down, which may be closed', () => {
    const { folder, modes, at } = site(0o755);
    for (const inside of ['b/c', 'b']) chmodSync(at(inside), 0o400);
    expect(mend(folder, files, modes)).toBe(0);
    expect(modesIn(folder)).toMatchObject({ 'b/c': '755', 'b/c/d.json': '644' });
  });

  it('tells how many paths have not got theirs, and gives the others', () => {
    const { folder, modes } = site(0o755);
    expect(mend(folder, [...files, 'gone/f.json'], modes)).toBe(2);
    expect(modesIn(folder)).toMatchObject({ 'b/c/d.json': '644' });
  });
});
