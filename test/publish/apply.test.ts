import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listParentFolders } from '../../src/files.ts';
import {
  isBeingChanged,
  waitUntilStable,
  withOutput,
} from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { modeOf } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
// If `sync` fails, publishing falls back to fsync calls.
vi.mock('node:child_process', () => ({ spawnSync: () => ({ status: 1 }) }));
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const { failing, publishedSite, publishTree, readTree } = support;
const [old, fresh] = support.littleChanged;

const refuseRenames = (code: string, isRefused: (to: string) => boolean): void =>
  void vi.mocked(fs.renameSync).mockImplementation((from, to) => {
    if (isRefused(String(to))) failing(code)();
    real.renameSync(from, to);
  });

describe('publish', () => {
  it('completes the first site in the next run if its folder could not be renamed', async () => {
    const out = path.join(temporaryFolder(), 'site');
    refuseRenames('EBUSY', (to) => to === out);
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${out}: cannot be created (EBUSY)`,
    );
    expect(fs.existsSync(out)).toBe(false);
    vi.resetAllMocks();
    expect(await publishTree(out, fresh)).toMatchObject({
      changed: true,
      written: 0,
    });
    expect(readTree(out)).toEqual(fresh);
  });

  it('updates changed files without touching unchanged files', async () => {
    const { out, names } = await publishedSite(old);
    const { ino, ctimeMs } = fs.statSync(path.join(out, 'kept/1.json'));
    expect(await publishTree(out, fresh)).toMatchObject({
      changed: true,
      written: 4,
      kept: 3,
      removed: 2,
    });
    expect(readTree(out)).toEqual(fresh);
    expect(fs.existsSync(path.join(out, 'gone')), 'an empty folder').toBe(false);
    expect(fs.statSync(path.join(out, 'kept/1.json'))).toMatchObject({
      ino,
      ctimeMs,
    });
    expect(names()).toEqual(['site']);
  });

  it('reports the folder as incomplete until the next run completes a failed change', async () => {
    const { out, names } = await publishedSite(old);
    expect(isBeingChanged(out)).toBe(false);
    refuseRenames('EACCES', (to) => to === path.join(out, 'b/d.json'));
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: cannot be completed (EACCES)`,
      hint: expect.stringContaining('run the command again to complete it'),
    });
    vi.resetAllMocks();
    expect(isBeingChanged(out)).toBe(true);
    vi.spyOn(performance, 'now').mockReturnValueOnce(-2000);
    await expect(waitUntilStable(out)).rejects.toMatchObject({
      message: `${out}: is being changed, or an interrupted build left it incomplete`,
      hint: expect.stringContaining('to complete it'),
    });
    const waiting = waitUntilStable(out);
    expect(await publishTree(out, fresh)).toMatchObject({
      changed: true,
      written: 0,
    });
    await waiting;
    expect(isBeingChanged(out)).toBe(false);
    expect(readTree(out)).toEqual(fresh);
    expect(names()).toEqual(['site']);
  });

  const mount = (pattern: RegExp) => () =>
    refuseRenames('EXDEV', (to) => pattern.test(to));
  const protect = () =>
    vi.mocked(fs.accessSync).mockImplementation((folder, mode) => {
      if (String(folder).endsWith('site/b')) failing('EACCES')();
      real.accessSync(folder, mode);
    });
  const moveAndLink = (out: string) => {
    const elsewhere = path.join(temporaryFolder(), 'b');
    fs.renameSync(path.join(out, 'b'), elsewhere);
    fs.symlinkSync(elsewhere, path.join(out, 'b'));
  };
  it.each<[string, string, string, (out: string) => void]>([
    ['a mount point', '.', 'cannot be replaced (EXDEV)', mount(/site\/[^/]+$/)],
    ['a mount point', 'b', 'cannot be replaced (EXDEV)', mount(/site\/b\/[^/]+$/)],
    ['read-only', 'b', 'cannot be written (EACCES)', protect],
    ['replaced by a symlink', 'b', 'is not a folder any more', moveAndLink],
  ])('changes nothing if a folder is %s: %s', async (_, inside, problem, spoil) => {
    const { out } = await publishedSite(old);
    spoil(out);
    const message = `${path.join(out, inside)}: ${problem}`;
    await support.expectRejected(out, () => publishTree(out, fresh), { message });
  });

  it('rejects a folder that was removed during the build', async () => {
    const { out } = await publishedSite(old);
    const work = withOutput(out, ({ publish }) => {
      fs.rmSync(out, { recursive: true });
      return publish(support.treeFiles(fresh));
    });
    await expect(work).rejects.toThrow(`${out}: was removed during this build`);
    expect(fs.existsSync(out)).toBe(false);
  });

  it('rejects a folder that was created during the build', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const work = withOutput(out, ({ publish }) => {
      fs.mkdirSync(out);
      return publish(support.treeFiles(fresh));
    });
    await expect(work).rejects.toThrow(`${out}: was created during this build`);
    expect(fs.readdirSync(path.dirname(out))).toEqual(['site']);
    expect(readTree(out)).toEqual({});
  });

  it('changes nothing if the file system cannot rename one file over another', async () => {
    const { out } = await publishedSite(old);
    refuseRenames('EPERM', (to) => fs.existsSync(to));
    await support.expectRejected(out, () => publishTree(out, fresh), {
      message: `${out}: cannot be changed (EPERM)`,
      hint: expect.stringContaining(
        'must allow replacing a file by renaming another',
      ),
    });
  });

  it('publishes the site even if modification times cannot be set', async () => {
    const { out } = await publishedSite(old);
    vi.mocked(fs.utimesSync).mockImplementation(failing('EPERM'));
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
  });

  it('reports a notice if the staging folder cannot be removed after publishing', async () => {
    const { out, folders, names } = await publishedSite(old);
    vi.mocked(fs.rmSync).mockImplementation((file, options) => {
      if (fs.existsSync(file)) failing('EPERM')();
      real.rmSync(file, options);
    });
    const { changed, notices } = await publishTree(out, fresh);
    expect({ changed, notices }).toEqual({
      changed: true,
      notices: [`${folders.staging} could not be removed: EPERM: simulated`],
    });
    expect(readTree(out)).toEqual(fresh);
    vi.resetAllMocks();
    await support.openAgain(out);
    expect(names()).toEqual(['site']);
  });

  it.each(['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'])(
    'publishes the site even if opening a file for flushing fails with %s',
    async (code) => {
      const { out } = await publishedSite(old);
      vi.mocked(fs.openSync).mockImplementation((file, flags, mode) => {
        // When Node itself opens a file for reading, it passes a mode, but `flush`
        // does not.
        const isFlush = flags === 'r' && mode === undefined;
        if (isFlush) failing(code)();
        return real.openSync(file, flags, mode);
      });
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  it.each(['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS', 'ENOSYS'])(
    'publishes the site even if the system cannot flush files and reports %s',
    async (code) => {
      const { out } = await publishedSite(old);
      vi.mocked(fs.fsyncSync).mockImplementation(failing(code));
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  it.each(['EIO', 'ENOSPC', 'EDQUOT'])(
    'keeps the old site if flushing fails with %s',
    async (code) => {
      const { out } = await publishedSite(old);
      vi.mocked(fs.fsyncSync).mockImplementation(failing(code));
      const message = `${out}: cannot be committed (${code})`;
      await support.expectRejected(out, () => publishTree(out, fresh), { message });
    },
  );

  it('moves records first, then list pages, and then other files', async () => {
    const list = 'api/gamedata/move';
    const first = {
      'meta.json': '1',
      [`${list}/index.json`]: '1',
      'index.html': '1',
    };
    const { out } = await publishedSite({
      ...first,
      [`${list}/former/index.json`]: '1',
    });
    vi.mocked(fs.renameSync).mockClear();
    const pages = [200, 1000, 900].map(
      (offset) => `${list}/offset/${offset}/index.json`,
    );
    const next = [...Object.keys(first), ...pages, `${list}/new/index.json`];
    await publishTree(out, Object.fromEntries(next.map((name) => [name, '2'])));
    const { calls, results } = vi.mocked(fs.renameSync).mock;
    const moved: string[] = [];
    for (const [at, [, to]] of calls.entries()) {
      const name = path.relative(out, String(to));
      const isInSite = !name.startsWith('..');
      // The renames that fail only test whether a folder can be changed.
      const hasSucceeded = results[at]?.type === 'return';
      if (isInSite && hasSucceeded) moved.push(name);
    }
    expect(moved).toEqual([
      `${list}/new/index.json`,
      `${list}/offset/1000/index.json`,
      `${list}/offset/900/index.json`,
      `${list}/offset/200/index.json`,
      `${list}/index.json`,
      'index.html',
      'meta.json',
      'manifest.json',
    ]);
  });

  /**
   * Simulates a file system that ignores letter case in the names of files in a
   * folder.
   */
  function ignoreCase(out: string): void {
    const find = (file: unknown): string => {
      const inside = path.relative(out, String(file));
      if (inside.startsWith('..')) return String(file);
      const names = fs.existsSync(out) ? fs.readdirSync(out) : [];
      const existing = names.find(
        (name) => name.toLowerCase() === inside.toLowerCase(),
      );
      return path.join(out, existing ?? inside);
    };
    vi.mocked(fs.lstatSync).mockImplementation(((file: string, options: object) =>
      real.lstatSync(find(file), options)) as never);
    vi.mocked(fs.unlinkSync).mockImplementation((file) =>
      real.unlinkSync(find(file)),
    );
    vi.mocked(fs.renameSync).mockImplementation((from, to) =>
      real.renameSync(from, find(to)),
    );
  }

  it.each([
    [
      'keeps a new file that differs only in case if the file system ignores case',
      'Photo.png',
      ignoreCase,
    ],
    [
      'removes an old file that differs only in case if the file system respects case',
      'photo.png',
      () => {},
    ],
  ])('%s', async (_, name, prepare) => {
    const { out } = await publishedSite({ 'Photo.png': '1', 'gone.json': '1' });
    prepare(out);
    await publishTree(out, { 'photo.png': '2' });
    expect(readTree(out)).toEqual({ [name]: '2' });
  });

  /**
   * Yields the files of a tree, and makes each file accessible only to its owner
   * once it is staged.
   */
  function* restrict(tree: support.Tree, staged: string) {
    for (const file of support.treeFiles(tree)) {
      yield file;
      if (!fs.existsSync(path.join(staged, file.path))) continue;
      fs.chmodSync(path.join(staged, file.path), 0o600);
      for (const folder of listParentFolders([file.path])) {
        fs.chmodSync(path.join(staged, folder), 0o700);
      }
    }
  }

  it.each<[string, support.Tree | undefined, string[], string[]]>([
    [
      'a first site',
      undefined,
      ['.', 'come', 'come/x.json', 'a.json'],
      ['755', '755', '644', '644'],
    ],
    [
      'new files',
      old,
      ['come', 'come/x.json', 'b/d.json', 'a.json'],
      ['2770', '660', '660', '660'],
    ],
  ])(
    'sets the permissions of %s before the files are renamed into place',
    async (_, before, names, expected) => {
      const { out, staged } = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
      if (before) {
        await publishTree(out, before);
        fs.chmodSync(out, 0o2770);
      }
      // The mode of each file right after it was renamed into the site.
      const modes = new Map<string, string>();
      vi.mocked(fs.renameSync).mockImplementation((from, to) => {
        real.renameSync(from, to);
        for (const name of names) {
          const file = path.join(out, name);
          const isMoved = to === out || String(to).startsWith(file);
          if (isMoved && !modes.has(name) && fs.existsSync(file)) {
            modes.set(name, modeOf(file));
          }
        }
      });
      await withOutput(out, ({ publish }) => publish(restrict(fresh, staged)));
      expect(names.map((name) => modes.get(name))).toEqual(expected);
    },
  );
});
