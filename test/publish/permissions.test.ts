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
import { isBeingChanged, withOutput } from '../../src/publish/publish.ts';
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
/** The id of an unprivileged user. */
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
    const parent = path.dirname(at(file));
    fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
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
      expect(octal(permissions.file)).toBe(file);
      expect(octal(permissions.folder)).toBe(inside);
      expect(permissions.gid).toBe(fs.statSync(folder).gid);
    },
  );

  it('returns world-readable permissions for a missing folder', () => {
    const missingFolder = path.join(temporaryFolder(), 'site');
    expect(readPermissions(missingFolder)).toEqual(open);
  });
});

describe('setPermissions', () => {
  it("changes only the given files and the folders between them and the site's folder", () => {
    const files = ['a.json', 'b/c/d.json', 'b/other'];
    const { folder, at } = createClosedSite(0o2777, ...files);
    fs.chmodSync(at('b/c'), 0o400);
    fs.chmodSync(at('b'), 0o400);
    const changed = ['a.json', 'b/c/d.json', 'missing/e.json'];
    setPermissions(folder, changed, readPermissions(folder));
    expect(modeOf(at('a.json'))).toBe('664');
    expect(modeOf(at('b'))).toBe('2775');
    expect(modeOf(at('b/c'))).toBe('2775');
    expect(modeOf(at('b/c/d.json'))).toBe('664');
    expect(modeOf(at('b/other'))).toBe('600');
    expect(modeOf(at('.'))).toBe('2777');
  });
});

describe('setPermission', () => {
  it("keeps a file's mtime", () => {
    const { at } = createClosedSite(0o755, 'file');
    fs.utimesSync(at('file'), 1000, 1000);
    setPermission(at('file'), open);
    expect(modeOf(at('file'))).toBe('644');
    expect(fs.lstatSync(at('file')).mtimeMs).toBe(1_000_000);
  });

  it('does not follow a symlink', () => {
    const { at } = createClosedSite(0o755, 'folder/file');
    fs.symlinkSync('folder/file', at('link'));
    setPermission(at('link'), open);
    expect(modeOf(at('folder/file'))).toBe('600');
  });

  it('ignores a FIFO, because opening it would block', () => {
    const { at } = createClosedSite(0o755);
    const made = spawnSync('mkfifo', ['-m', '600', at('fifo')]);
    expect(made.status).toBe(0);
    setPermission(at('fifo'), open);
    expect(modeOf(at('fifo'))).toBe('600');
  });

  it('ignores a missing file', () => {
    const { at } = createClosedSite(0o755);
    setPermission(at('missing'), open);
    expect(fs.existsSync(at('missing'))).toBe(false);
  });

  it.runIf(isRoot)('sets the group without clearing the set-group-ID bit', () => {
    const { at } = createClosedSite(0o755, 'inside/file');
    const permissions = { file: 0o640, folder: 0o2750, gid: USER };
    for (const name of ['inside', 'inside/file']) {
      setPermission(at(name), permissions);
      expect(fs.lstatSync(at(name))).toMatchObject({ uid: 0, gid: USER });
    }
    expect(modeOf(at('inside'))).toBe('2750');
    expect(modeOf(at('inside/file'))).toBe('640');
  });

  const otherGroup = { file: 0o640, folder: 0o2750, gid: USER };

  it('sets the mode even if the group cannot be set', () => {
    onTestFinished(() => void vi.resetAllMocks());
    const { at } = createClosedSite(0o755, 'file');
    vi.mocked(fs.fchownSync).mockImplementationOnce(failing('EPERM'));
    setPermission(at('file'), otherGroup);
    expect(modeOf(at('file'))).toBe('640');
  });

  it('does not fail if the mode cannot be set', () => {
    onTestFinished(() => void vi.resetAllMocks());
    const { at } = createClosedSite(0o755, 'file');
    vi.mocked(fs.fchmodSync).mockImplementationOnce(failing('EPERM'));
    setPermission(at('file'), otherGroup);
    expect(modeOf(at('file'))).toBe('600');
  });
});

describe('publish', () => {
  it.each(['an output folder with a site', 'an empty output folder'])(
    'preserves the inode, owner, group and mode of %s',
    async (what) => {
      const { out } = await publishedSite(old);
      if (what === 'an empty output folder') {
        fs.rmSync(out, { recursive: true });
        fs.mkdirSync(out);
      }
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
    },
  );

  it.runIf(isRoot)(
    'accepts a staging folder that belongs to the owner of the output folder',
    async () => {
      const { out, folders } = await publishedSite(old);
      fs.mkdirSync(folders.staging);
      fs.chownSync(folders.staging, USER, USER);
      fs.chownSync(out, USER, USER);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  /** Replaces a folder with a copy that contains the same files. */
  function swap(folder: string): void {
    const movedFolder = `${folder}-moved`;
    fs.renameSync(folder, movedFolder);
    fs.cpSync(movedFolder, folder, { recursive: true });
  }
  const SWAPPED = 'was removed or replaced during this build';

  it('commits nothing if the staging folder is replaced before the commit', async () => {
    const { out, folders } = await publishedSite(old);
    function* files() {
      yield { path: 'a.json', body: '2' };
      swap(folders.staging);
    }
    const publishing = withOutput(out, ({ publish }) => publish(files()));
    await expect(publishing).rejects.toThrow(`${folders.staging}: ${SWAPPED}`);
    expect(readTree(out)).toEqual(old);
    expect(isBeingChanged(out)).toBe(false);
  });

  it('moves no files if the staging folder is replaced after the commit', async () => {
    const { out, folders } = await publishedSite(old);
    const rename = vi.mocked(fs.renameSync);
    rename.mockImplementation((from, to) => {
      real.renameSync(from, to);
      // Renaming the staged manifest commits the change.
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
    'rejects %s in place of the lock, without following it',
    async (_, make) => {
      const { out, folders } = await publishedSite(old);
      const outside = path.join(temporaryFolder(), 'outside');
      fs.writeFileSync(outside, 'mine');
      make(folders.lockFile, outside);
      await expect(publishTree(out, fresh)).rejects.toThrow(
        /not a regular file|ELOOP/,
      );
      expect(readTree(out)).toEqual(old);
      expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
    },
  );

  it.each(Object.entries(shapes))(
    'removes %s in place of the staging folder, without following it',
    async (_, make) => {
      const { out, folders } = await publishedSite(old);
      const outside = path.join(temporaryFolder(), 'outside');
      fs.writeFileSync(outside, 'mine');
      make(folders.staging, outside);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
      expect(fs.existsSync(folders.staging)).toBe(false);
      expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
    },
  );
});

// These tests switch the process's user, which is impossible in a worker thread.
describe.runIf(isRoot && isMainThread)('publish in a world-writable folder', () => {
  /**
   * Creates a world-writable folder, and runs the rest of the test as an
   * unprivileged user. Returns the path of a missing output folder.
   */
  function createSharedFolder(): string {
    const folder = temporaryFolder();
    fs.chmodSync(folder, 0o1777);
    process.seteuid?.(USER);
    onTestFinished(() => process.seteuid?.(0));
    return path.join(folder, 'site');
  }

  /** Creates or changes a file or folder as root, as another user would do. */
  function asRoot(create: () => void): void {
    process.seteuid?.(0);
    create();
    process.seteuid?.(USER);
  }

  it("publish rejects another user's lock without changing it", async () => {
    const out = createSharedFolder();
    const lock = path.join(path.dirname(out), '.site.gamedata-lock');
    asRoot(() => fs.writeFileSync(lock, 'theirs', { mode: 0o600 }));
    const oldStatus = fs.lstatSync(lock);
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${out}: cannot be locked (EACCES)`,
    );
    expect(fs.lstatSync(lock)).toEqual(oldStatus);
  });

  it('publish replaces an unreadable file that belongs to another user', async () => {
    const out = createSharedFolder();
    await publishTree(out, fresh);
    const file = path.join(out, 'a.json');
    asRoot(() => {
      fs.chownSync(file, 0, 0);
      fs.chmodSync(file, 0o600);
    });
    const result = await publishTree(out, fresh, { byContent: true });
    expect(result).toMatchObject({ written: 2 });
    expect(fs.lstatSync(file).uid).toBe(USER);
  });

  /**
   * Prepares a committed change with foreign files, as another user could do in a
   * shared folder.
   */
  function prepareChange(staging: string, mine: string): void {
    const staged = path.join(staging, 'site');
    fs.mkdirSync(staged, { recursive: true });
    fs.chmodSync(staging, 0o777);
    fs.chmodSync(staged, 0o777);
    fs.writeFileSync(path.join(staged, 'index.html'), 'theirs');
    fs.symlinkSync(mine, path.join(staging, 'replaced'));
  }

  it.each(['a first site', 'another site'])(
    'publish rejects a staging folder that another user creates during the build of %s',
    async (what) => {
      const out = createSharedFolder();
      const mine = path.join(temporaryFolder(), 'mine');
      fs.writeFileSync(mine, 'mine');
      const hasSite = what === 'another site';
      if (hasSite) await publishTree(out, old);
      const { staging } = resolveWorkPaths(out);
      const publishing = withOutput(out, ({ publish }) => {
        asRoot(() => prepareChange(staging, mine));
        return publish(treeFiles(fresh));
      });
      await expect(publishing).rejects.toThrow(
        `${staging}: belongs to another user (0)`,
      );
      expect(fs.readFileSync(mine, 'utf8')).toBe('mine');
      expect(fs.existsSync(out)).toBe(hasSite);
      if (hasSite) expect(readTree(out)).toEqual(old);
    },
  );

  function createWritableFolder(folder: string): void {
    fs.mkdirSync(folder);
    fs.chmodSync(folder, 0o777);
  }

  it.each<[what: string, create: (folder: string) => void]>([
    ['folder', (folder) => fs.mkdirSync(folder)],
    ['folder that everybody can change', createWritableFolder],
    ['symlink', (folder) => fs.symlinkSync('site', folder)],
  ])(
    "keepArchive rejects another user's %s in place of the archive folder",
    async (_, create) => {
      // We generate the files before switching users, because the other user may be
      // unable to read the compiled code.
      const files = siteOf(rawRecords(1, 1)).files();
      const out = createSharedFolder();
      await withOutput(out, ({ publish }) => publish(files));
      asRoot(() => create(`${out}-archives`));
      await expect(keepArchive(out, 1)).rejects.toThrow(
        `${out}-archives: belongs to another user (0), so it cannot be trusted`,
      );
    },
  );
});
