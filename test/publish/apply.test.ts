import {
  accessSync,
  chmodSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listParentFolders } from '../../src/files.ts';
import { isBeingChanged, waitUntilStable, withOutput } from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { modeOf } from '../support/modes.ts';
import {
  failing,
  littleChanged,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
  treeFiles,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
// Without the command, files are flushed one by one.
vi.mock('node:child_process', () => ({ spawnSync: () => ({ status: 1 }) }));
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const [old, fresh] = littleChanged;

/** Lets renames to a place fail from now on. */
const refuseRenames = (code: string, isRefused: (to: string) => boolean): void =>
  void vi.mocked(renameSync).mockImplementation((from, to) => {
    if (isRefused(String(to))) failing(code)();
    real.renameSync(from, to);
  });

it('renames the first site into place as a whole, and completes it later if that fails', async () => {
  const out = path.join(temporaryFolder(), 'site');
  refuseRenames('EBUSY', (to) => to === out);
  await expect(publishTree(out, fresh)).rejects.toThrow(`${out}: cannot be created (EBUSY)`);
  expect(existsSync(out)).toBe(false);
  vi.resetAllMocks();
  expect(await publishTree(out, fresh)).toMatchObject({ changed: true, written: 0 });
  expect(readTree(out)).toEqual(fresh);
});

it('replaces files in place, and does not touch unchanged ones', async () => {
  const { out, names } = await publishedSite(old);
  const folder = statSync(out).ino;
  const { ino, ctimeMs } = statSync(path.join(out, 'kept/1.json'));
  expect(await publishTree(out, fresh)).toMatchObject({ changed: true, written: 4, kept: 3, removed: 2 });
  expect(readTree(out)).toEqual(fresh);
  expect(existsSync(path.join(out, 'gone')), 'an empty folder').toBe(false);
  expect(statSync(path.join(out, 'kept/1.json'))).toMatchObject({ ino, ctimeMs });
  expect(statSync(out).ino).toBe(folder);
  expect(names()).toEqual(['site']);
  expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
});

it('reports a change that cannot be completed, and completes it the next time', async () => {
  const { out, names } = await publishedSite(old);
  expect(isBeingChanged(out)).toBe(false);
  refuseRenames('EACCES', (to) => to === path.join(out, 'b/d.json'));
  await expect(publishTree(out, fresh)).rejects.toMatchObject({
    message: `${out}: cannot be completed (EACCES)`,
    hint: expect.stringContaining('continues where this one stopped'),
  });
  vi.resetAllMocks();
  expect(isBeingChanged(out)).toBe(true);
  await expect(waitUntilStable(out)).rejects.toMatchObject({
    message: `${out}: is being changed, or an interrupted build left it incomplete`,
    hint: expect.stringContaining('complete it'),
  });
  let isStable = false;
  const waiting = waitUntilStable(out).then(() => {
    isStable = true;
  });
  await setTimeout(200);
  expect(isStable).toBe(false);
  expect(await publishTree(out, fresh)).toMatchObject({ changed: true, written: 0 });
  await waiting;
  expect(isBeingChanged(out)).toBe(false);
  expect(readTree(out)).toEqual(fresh);
  expect(names()).toEqual(['site']);
});

it.each(['.', 'b'])('changes nothing if %s is a mount point', async (inside) => {
  const { out, names } = await publishedSite(old);
  refuseRenames('EXDEV', (to) => path.dirname(to) === path.join(out, inside));
  await expect(publishTree(out, fresh)).rejects.toMatchObject({
    message: `${path.join(out, inside)}: cannot be replaced (EXDEV)`,
    hint: 'Its parent folder must be writable, and the folder itself must not be a mount point.',
  });
  vi.resetAllMocks();
  expect(readTree(out)).toEqual(old);
  expect(names()).toEqual(['site']);
});

it('changes nothing if a folder cannot be written', async () => {
  const { out, names } = await publishedSite(old);
  vi.mocked(accessSync).mockImplementation((folder, mode) => {
    if (folder === path.join(out, 'b')) failing('EACCES')();
    real.accessSync(folder, mode);
  });
  const problem = `${path.join(out, 'b')}: cannot be written (EACCES)`;
  await expect(publishTree(out, fresh)).rejects.toThrow(problem);
  expect(readTree(out)).toEqual(old);
  expect(names()).toEqual(['site']);
});

it('does not create a part of the site if the folder was removed meanwhile', async () => {
  const { out } = await publishedSite(old);
  const work = withOutput(out, ({ publish }) => {
    rmSync(out, { recursive: true });
    return publish(treeFiles(fresh));
  });
  await expect(work).rejects.toThrow(`${out}: cannot be written (ENOENT)`);
  expect(existsSync(out)).toBe(false);
});

it('does not follow a symlink in the place of a folder', async () => {
  const { out } = await publishedSite(old);
  const elsewhere = temporaryFolder();
  renameSync(path.join(out, 'b'), path.join(elsewhere, 'b'));
  symlinkSync(path.join(elsewhere, 'b'), path.join(out, 'b'));
  await expect(publishTree(out, fresh)).rejects.toThrow(`${path.join(out, 'b')}: is not a folder any more`);
  expect(readdirSync(path.join(elsewhere, 'b'))).toEqual(['c.json']);
});

it.each([
  ...['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'].map((code) => ['open', code] as const),
  ...['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS'].map((code) => ['fsync', code] as const),
])('publishes where files cannot be flushed: %s, %s', async (call, code) => {
  const { out } = await publishedSite(old);
  if (call === 'fsync') vi.mocked(fsyncSync).mockImplementation(failing(code));
  else
    vi.mocked(openSync).mockImplementation((file, flags, mode) =>
      // Node itself opens files for reading with a mode.
      flags === 'r' && mode === undefined ? failing(code)() : real.openSync(file, flags, mode),
    );
  await publishTree(out, fresh);
  expect(readTree(out)).toEqual(fresh);
});

it('moves records before the pages that list them, and pages before the pages that link to them', async () => {
  const out = path.join(temporaryFolder(), 'site');
  const list = 'api/gamedata/move';
  const first = { 'meta.json': '1', [`${list}/index.json`]: '1', 'index.html': '1' };
  await publishTree(out, { ...first, [`${list}/former/index.json`]: '1' });
  vi.mocked(renameSync).mockClear();
  const pages = [200, 1000, 900].map((offset) => `${list}/offset/${offset}/index.json`);
  const next = [...Object.keys(first), ...pages, `${list}/new/index.json`];
  await publishTree(out, Object.fromEntries(next.map((name) => [name, '2'])));
  const { calls, results } = vi.mocked(renameSync).mock;
  const moved = calls
    .filter((_, at) => results[at]?.type === 'return')
    .map(([, to]) => path.relative(out, String(to)))
    .filter((name) => !name.startsWith('..'));
  expect(moved).toEqual([
    `${list}/new/index.json`,
    ...[1000, 900, 200].map((offset) => `${list}/offset/${offset}/index.json`),
    ...[`${list}/index.json`, 'index.html', 'meta.json', 'manifest.json'],
  ]);
  expect(existsSync(path.join(out, list, 'former'))).toBe(false);
});

describe('on a file system that ignores case', () => {
  /** Lets paths below a folder that differ only in case name the same file. */
  function ignoreCase(out: string): void {
    const find = (file: unknown): string => {
      const inside = path.relative(out, String(file));
      if (inside.startsWith('..')) return String(file);
      const there = existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }) : [];
      return path.join(out, there.find((name) => name.toLowerCase() === inside.toLowerCase()) ?? inside);
    };
    vi.mocked(lstatSync).mockImplementation(((file: string, options: object) =>
      real.lstatSync(find(file), options)) as never);
    vi.mocked(unlinkSync).mockImplementation((file) => real.unlinkSync(find(file)));
    vi.mocked(renameSync).mockImplementation((from, to) => real.renameSync(from, find(to)));
  }

  it('keeps a new file whose name differs from a removed one only in case', async () => {
    const { out } = await publishedSite({ 'Photo.png': '1', 'gone.json': '1' });
    ignoreCase(out);
    expect(await publishTree(out, { 'photo.png': '2' })).toMatchObject({
      changed: true,
      written: 2,
      removed: 1,
    });
    expect(readTree(out)).toEqual({ 'Photo.png': '2' });
  });

  it('removes the old file on any other file system', async () => {
    const { out } = await publishedSite({ 'Photo.png': '1' });
    await publishTree(out, { 'photo.png': '2' });
    expect(readTree(out)).toEqual({ 'photo.png': '2' });
  });
});

describe.skipIf(process.platform === 'win32')('sets permissions before it moves files:', () => {
  /** Yields files, and lets only their owner read them as soon as they are staged. */
  function* close(tree: Tree, staged: string) {
    for (const file of treeFiles(tree)) {
      yield file;
      if (!existsSync(path.join(staged, file.path))) continue;
      chmodSync(path.join(staged, file.path), 0o600);
      for (const folder of listParentFolders([file.path])) chmodSync(path.join(staged, folder), 0o700);
    }
  }

  it('everyone may read a first site', async () => {
    const { out, staged } = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
    const modes: string[] = [];
    vi.mocked(renameSync).mockImplementation((from, to) => {
      real.renameSync(from, to);
      if (to === out) modes.push(...['.', 'b', 'b/c', 'a'].map((name) => modeOf(path.join(out, name))));
    });
    await withOutput(out, ({ publish }) => publish(close({ 'b/c': '1', a: '2' }, staged)));
    expect(modes).toEqual(['755', '755', '644', '644']);
  });

  it('the group of the folder may read a changed site', async () => {
    const { out, folders } = await publishedSite(old);
    chmodSync(out, 0o2770);
    const modes: Record<string, string> = {};
    vi.mocked(renameSync).mockImplementation((from, to) => {
      real.renameSync(from, to);
      const name = path.relative(out, String(to));
      if (name in fresh) modes[name] = modeOf(String(to));
      if (name === 'come/x.json') modes.come = modeOf(path.dirname(String(to)));
    });
    await withOutput(out, ({ publish }) => publish(close(fresh, folders.staged)));
    expect(modes).toEqual({ 'a.json': '660', 'b/d.json': '660', 'come/x.json': '660', come: '2770' });
  });
});
