import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepArchive } from '../../src/cli/keep-archive.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { irregular } from '../support/irregular-files.ts';
import { publishedSite, publishTree, readTree } from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const isRoot = process.geteuid?.() === 0;
const USER = 12_345;
const old = { 'a.json': '1' };
const fresh = { 'a.json': '2', 'b.json': '3' };

describe('publish', () => {
  it.skipIf(process.platform === 'win32').each([
    ['a published', old],
    ['an empty', {}],
  ])('keeps %s folder, its owner, its group and its mode', async (_, tree) => {
    const out = path.join(temporaryFolder(), 'site');
    fs.mkdirSync(out);
    if ('a.json' in tree) await publishTree(out, tree);
    if (isRoot) fs.chownSync(out, USER, USER + 1);
    fs.chmodSync(out, 0o2750);
    const { ino, uid, gid, mode } = fs.statSync(out);
    await publishTree(out, fresh);
    expect(fs.statSync(out)).toMatchObject({ ino, uid, gid, mode });
    expect(readTree(out)).toEqual(fresh);
  });

  it.runIf(isRoot).each(['staging', 'setAside'] as const)(
    'rejects a folder owned by another user: %s',
    async (role) => {
      const { out, folders } = await publishedSite(old);
      fs.mkdirSync(folders[role]);
      fs.chownSync(folders[role], USER, USER);
      await expect(publishTree(out, fresh)).rejects.toMatchObject({
        message: `${folders[role]}: belongs to another user (${USER}), so it is not used`,
        hint: expect.stringContaining('Remove it'),
      });
      expect(fs.statSync(folders[role])).toMatchObject({ uid: USER });
      fs.chownSync(out, USER, USER);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  const shapes = {
    ...irregular,
    'a symlink to an endless device': (file: string) => fs.symlinkSync('/dev/zero', file),
    'a symlink to a folder': (file: string, outside: string) => fs.symlinkSync(path.dirname(outside), file),
  };
  it.each(Object.entries(shapes))('neither follows nor blocks on %s next to the site', async (_, make) => {
    const { out, folders } = await publishedSite(old);
    const outside = path.join(temporaryFolder(), 'outside');
    fs.writeFileSync(outside, 'mine');
    make(folders.lockFile, outside);
    await expect(publishTree(out, fresh)).rejects.toThrow(/not a regular file|ELOOP/);
    expect(readTree(out)).toEqual(old);
    fs.renameSync(folders.lockFile, folders.staging);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(fs.existsSync(folders.staging)).toBe(false);
    expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
  });
});

describe.runIf(isRoot)('in a world-writable folder', () => {
  /** Runs the rest of the test as a user without privileges. */
  function createSharedFolder(): { out: string } {
    const folder = temporaryFolder();
    fs.chmodSync(folder, 0o1777);
    process.seteuid?.(USER);
    onTestFinished(() => process.seteuid?.(0));
    return { out: path.join(folder, 'site') };
  }

  /** Creates a file or folder that belongs to root. */
  function leave(file: string, create: (file: string) => void) {
    process.seteuid?.(0);
    create(file);
    process.seteuid?.(USER);
    return () => fs.lstatSync(file);
  }

  it("publish rejects another user's lock without changing it", async () => {
    const { out } = createSharedFolder();
    const lock = path.join(path.dirname(out), '.site.gamedata-lock');
    const read = leave(lock, (file) => fs.writeFileSync(file, 'theirs', { mode: 0o600 }));
    const before = read();
    await expect(publishTree(out, fresh)).rejects.toThrow(`${out}: cannot be locked (EACCES)`);
    expect(read()).toEqual(before);
  });

  it("publish replaces another user's unreadable file", async () => {
    const { out } = createSharedFolder();
    await publishTree(out, fresh);
    const read = leave(path.join(out, 'a.json'), (file) => {
      fs.chownSync(file, 0, 0);
      fs.chmodSync(file, 0o600);
    });
    expect(await publishTree(out, fresh, { byContent: true })).toMatchObject({ written: 2 });
    expect(read().uid).toBe(USER);
  });

  it.each<[string, (folder: string) => void, string]>([
    ['folder', (folder) => fs.mkdirSync(folder), 'cannot be written (EACCES)'],
    ['symlink', (folder) => fs.symlinkSync('site', folder), 'belongs to another user (0)'],
  ])("keepArchive rejects another user's %s", async (_, create, problem) => {
    const { out } = createSharedFolder();
    await withOutput(out, ({ publish }) => publish(siteOf(rawRecords(1, 1)).files()));
    leave(`${out}-archives`, create);
    await expect(keepArchive(out, 1)).rejects.toThrow(`${out}-archives: ${problem}`);
  });
});
