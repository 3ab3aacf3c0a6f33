import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keepArchive } from '../../src/pipeline/keep-archive.ts';
import {
  readPermissions,
  setPermission,
  setPermissions,
} from '../../src/publish/permissions.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { modeOf, octal } from '../support/fingerprint.ts';
import { irregular } from '../support/irregular-files.ts';
import {
  failing,
  publishedSite,
  publishTree,
  readTree,
  treeFiles,
} from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

const isRoot = process.geteuid?.() === 0;
const USER = 12_345;
const open = { file: 0o644, folder: 0o755, gid: undefined };
const old = { 'a.json': '1' };
const fresh = { 'a.json': '2', 'b.json': '3' };

/**
 * Creates a site folder with the given mode, and files in it that only their owner
 * may read.
 */
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

describe('readPermissions', () => {
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
  ])(
    'derives permissions from a folder with mode %o: %s for files, %s for folders',
    (mode, file, inside) => {
      const { folder } = createClosedSite(mode);
      const permissions = readPermissions(folder);
      expect([octal(permissions.file), octal(permissions.folder)]).toEqual([
        file,
        inside,
      ]);
      expect(permissions.gid).toBe(fs.statSync(folder).gid);
    },
  );

  it('returns world-readable permissions for a missing folder', () => {
    expect(readPermissions(path.join(temporaryFolder(), 'site'))).toEqual(open);
  });
});

describe('setPermissions', () => {
  it("changes only the given files and the folders between them and the site's folder", () => {
    const { folder, at } = createClosedSite(
      0o2777,
      'a.json',
      'b/c/d.json',
      'b/other',
    );
    for (const inside of ['b/c', 'b']) fs.chmodSync(at(inside), 0o400);
    setPermissions(
      folder,
      ['a.json', 'b/c/d.json', 'missing/e.json'],
      readPermissions(folder),
    );
    const modes = ['a.json', 'b', 'b/c', 'b/c/d.json', 'b/other', '.'].map((name) =>
      modeOf(at(name)),
    );
    expect(modes).toEqual(['664', '2775', '2775', '664', '600', '2777']);
  });

  it('sets modes without following symlinks, blocking on FIFOs or changing mtimes', () => {
    const { at } = createClosedSite(0o755, 'file', 'folder/file');
    fs.symlinkSync('folder/file', at('link'));
    expect(spawnSync('mkfifo', ['-m', '600', at('fifo')]).status).toBe(0);
    fs.utimesSync(at('file'), 1000, 1000);
    for (const name of ['file', 'link', 'fifo', 'missing']) {
      setPermission(at(name), open);
    }
    expect(['file', 'folder/file', 'fifo'].map((name) => modeOf(at(name)))).toEqual([
      '644',
      '600',
      '600',
    ]);
    expect(fs.lstatSync(at('file')).mtimeMs).toBe(1_000_000);
  });

  it.runIf(isRoot)('sets the group without clearing the set-group-ID bit', () => {
    const { at } = createClosedSite(0o755, 'inside/file');
    const permissions = { file: 0o640, folder: 0o2750, gid: USER };
    for (const name of ['inside', 'inside/file']) {
      setPermission(at(name), permissions);
      expect(fs.lstatSync(at(name))).toMatchObject({ uid: 0, gid: USER });
    }
    expect([modeOf(at('inside')), modeOf(at('inside/file'))]).toEqual([
      '2750',
      '640',
    ]);
  });

  it.each([
    ['the group cannot be set', 'EPERM', '', '640'],
    ['the mode cannot be set', '', 'EPERM', '600'],
  ])('continues if %s', (_, group, mode, expected) => {
    const { at } = createClosedSite(0o755, 'file');
    if (group) vi.mocked(fs.fchownSync).mockImplementationOnce(failing(group));
    if (mode) vi.mocked(fs.fchmodSync).mockImplementationOnce(failing(mode));
    setPermission(at('file'), { file: 0o640, folder: 0o2750, gid: USER });
    expect(modeOf(at('file'))).toBe(expected);
    vi.resetAllMocks();
  });
});

describe('publish', () => {
  it.each([true, false])(
    'preserves the inode, owner, group and mode of the output folder (empty: %s)',
    async (isEmpty) => {
      const { out } = await publishedSite(old);
      if (isEmpty) fs.rmSync(out, { recursive: true });
      fs.mkdirSync(out, { recursive: true });
      if (isRoot) fs.chownSync(out, USER, USER + 1);
      fs.chmodSync(out, 0o2750);
      const { ino, uid, gid, mode } = fs.statSync(out);
      await publishTree(out, fresh);
      expect(fs.statSync(out)).toMatchObject({ ino, uid, gid, mode });
      expect(readTree(out)).toEqual(fresh);
    },
  );

  it.runIf(isRoot)(
    'rejects a staging folder that belongs to another user',
    async () => {
      const { out, folders } = await publishedSite(old);
      fs.mkdirSync(folders.staging);
      fs.chownSync(folders.staging, USER, USER);
      await expect(publishTree(out, fresh)).rejects.toMatchObject({
        message: `${folders.staging}: belongs to another user (${USER}), so it cannot be trusted`,
        hint: expect.stringContaining('Remove it'),
      });
      expect(fs.statSync(folders.staging)).toMatchObject({ uid: USER });
      fs.chownSync(out, USER, USER);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  /** Replaces a folder with a copy that contains the same files. */
  function swap(folder: string): void {
    fs.renameSync(folder, `${folder}-moved`);
    fs.cpSync(`${folder}-moved`, folder, { recursive: true });
  }
  const SWAPPED = 'was removed or replaced during this build';

  it('changes nothing if the staging folder is replaced before the commit', async () => {
    const { out, folders } = await publishedSite(old);
    function* files() {
      yield { path: 'a.json', body: '2' };
      swap(folders.staging);
    }
    const publishing = withOutput(out, ({ publish }) => publish(files()));
    await expect(publishing).rejects.toThrow(`${folders.staging}: ${SWAPPED}`);
    expect(readTree(out)).toEqual(old);
  });

  it('moves no files if the staging folder is replaced after the commit', async () => {
    const { out, folders } = await publishedSite(old);
    const rename = vi.mocked(fs.renameSync);
    rename.mockImplementation((from, to) => {
      real.renameSync(from, to);
      if (to !== path.join(folders.staged, 'manifest.json')) return;
      rename.mockReset();
      swap(folders.staging);
    });
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${folders.staging}: ${SWAPPED}`,
    );
    expect(readTree(out)).toEqual(old);
  });

  it('changes nothing if a symlink appears in place of the removed staging folder', async () => {
    const { out, folders } = await publishedSite(old);
    const outside = path.join(temporaryFolder(), 'outside');
    fs.mkdirSync(outside);
    vi.mocked(fs.rmSync).mockImplementationOnce(() =>
      fs.symlinkSync(outside, folders.staging),
    );
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${folders.staging}: cannot be created (EEXIST)`,
    );
    expect(readTree(out)).toEqual(old);
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  const shapes = {
    ...irregular,
    'a symlink to an endless device': (file: string) =>
      fs.symlinkSync('/dev/zero', file),
    'a symlink to a folder': (file: string, outside: string) =>
      fs.symlinkSync(path.dirname(outside), file),
  };
  it.each(Object.entries(shapes))(
    'neither follows nor blocks on %s in place of the lock or staging folder',
    async (_, make) => {
      const { out, folders } = await publishedSite(old);
      const outside = path.join(temporaryFolder(), 'outside');
      fs.writeFileSync(outside, 'mine');
      make(folders.lockFile, outside);
      await expect(publishTree(out, fresh)).rejects.toThrow(
        /not a regular file|ELOOP/,
      );
      expect(readTree(out)).toEqual(old);
      fs.renameSync(folders.lockFile, folders.staging);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
      expect(fs.existsSync(folders.staging)).toBe(false);
      expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
    },
  );
});

// These tests switch the user of the process, which is impossible in a worker
// thread.
describe.runIf(isRoot && isMainThread)('publish in a world-writable folder', () => {
  /**
   * Creates a world-writable folder, and runs the rest of the test as an
   * unprivileged user.
   */
  function createSharedFolder(): { out: string } {
    const folder = temporaryFolder();
    fs.chmodSync(folder, 0o1777);
    process.seteuid?.(USER);
    onTestFinished(() => process.seteuid?.(0));
    return { out: path.join(folder, 'site') };
  }

  /** Creates a file or folder as root. Returns a function that reads its status. */
  function leave(file: string, create: (file: string) => void) {
    process.seteuid?.(0);
    create(file);
    process.seteuid?.(USER);
    return () => fs.lstatSync(file);
  }

  it("publish rejects another user's lock without changing it", async () => {
    const { out } = createSharedFolder();
    const lock = path.join(path.dirname(out), '.site.gamedata-lock');
    const read = leave(lock, (file) =>
      fs.writeFileSync(file, 'theirs', { mode: 0o600 }),
    );
    const before = read();
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${out}: cannot be locked (EACCES)`,
    );
    expect(read()).toEqual(before);
  });

  it('publish replaces an unreadable file that belongs to another user', async () => {
    const { out } = createSharedFolder();
    await publishTree(out, fresh);
    const read = leave(path.join(out, 'a.json'), (file) => {
      fs.chownSync(file, 0, 0);
      fs.chmodSync(file, 0o600);
    });
    expect(await publishTree(out, fresh, { byContent: true })).toMatchObject({
      written: 2,
    });
    expect(read().uid).toBe(USER);
  });

  /**
   * Prepares a committed change with foreign files, as another user could do in a
   * shared folder.
   */
  function prepareChange(staging: string, mine: string): void {
    fs.mkdirSync(path.join(staging, 'site'), { recursive: true });
    fs.chmodSync(staging, 0o777);
    fs.chmodSync(path.join(staging, 'site'), 0o777);
    fs.writeFileSync(path.join(staging, 'site', 'index.html'), 'theirs');
    fs.symlinkSync(mine, path.join(staging, 'replaced'));
  }

  it.each(['a first site', 'another site'])(
    'publish rejects a staging folder that another user creates during the build of %s',
    async (what) => {
      const { out } = createSharedFolder();
      const mine = path.join(temporaryFolder(), 'mine');
      fs.writeFileSync(mine, 'mine');
      if (what === 'another site') await publishTree(out, old);
      const { staging } = resolveWorkPaths(out);
      const publishing = withOutput(out, ({ publish }) => {
        leave(staging, (folder) => prepareChange(folder, mine));
        return publish(treeFiles(fresh));
      });
      await expect(publishing).rejects.toThrow(
        `${staging}: belongs to another user (0)`,
      );
      expect(fs.readFileSync(mine, 'utf8')).toBe('mine');
      expect(fs.existsSync(out) ? readTree(out) : old).toEqual(old);
    },
  );

  it.each<[string, (folder: string) => void]>([
    ['folder', (folder) => fs.mkdirSync(folder)],
    [
      'folder that everybody can change',
      (folder) => fs.mkdirSync(folder) ?? fs.chmodSync(folder, 0o777),
    ],
    ['symlink', (folder) => fs.symlinkSync('site', folder)],
  ])(
    "keepArchive rejects another user's %s in place of the archive folder",
    async (_, create) => {
      // Generates the files before switching users, because the other user may be
      // unable to read the compiled code.
      const files = siteOf(rawRecords(1, 1)).files();
      const { out } = createSharedFolder();
      await withOutput(out, ({ publish }) => publish(files));
      leave(`${out}-archives`, create);
      await expect(keepArchive(out, 1)).rejects.toThrow(
        `${out}-archives: belongs to another user (0), so it cannot be trusted`,
      );
    },
  );
});
