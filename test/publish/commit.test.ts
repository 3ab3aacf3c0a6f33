/** Publishing by difference: what it changes, and what it does where calls fail. */

import { spawnSync } from 'node:child_process';
import {
  accessSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isChanging, recoverAbandoned } from '../../src/publish/publish.ts';
import { workFolders } from '../../src/publish/work-folders.ts';
import { failing } from '../support/failing.ts';
import { littleChanged, publishedSite, publishTree, readTree, type Tree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const [old, fresh] = littleChanged;
const published = () => publishedSite(old);
const untouched = Object.fromEntries(Object.entries(old).filter(([name]) => name.startsWith('kept/')));

describe('a site of which little has changed', () => {
  it('is changed file by file, and the others are not touched', async () => {
    const { out, names } = await published();
    const folder = statSync(out).ino;
    const { ino, ctimeMs } = statSync(path.join(out, 'kept/1.json'));
    const result = await publishTree(out, fresh);
    expect(result).toMatchObject({ changed: true, written: 4, kept: 10, removed: 2, leftovers: [] });
    expect(readTree(out)).toEqual(fresh);
    expect(existsSync(path.join(out, 'gone')), 'an empty folder goes with its last file').toBe(false);
    expect(statSync(path.join(out, 'kept/1.json'))).toMatchObject({ ino, ctimeMs });
    expect(statSync(out).ino).toBe(folder);
    expect(names()).toEqual(['site']);
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
  });

  it('says that it is partly new if it cannot be completed, and the next build completes it', async () => {
    const { out, folders } = await published();
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (to === path.join(out, 'b/d.json')) throw Object.assign(new Error('no'), { code: 'EACCES' });
      real.renameSync(from, to);
    });
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: cannot be completed (EACCES)`,
      hint: expect.stringContaining('goes on where this one stopped'),
    });
    expect(existsSync(folders.commit)).toBe(true);
    vi.resetAllMocks();
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
    expect(readTree(out)).toEqual(fresh);
  });

  it('is swapped as a whole if a folder takes the place of a file, or a file that of a folder', async () => {
    for (const change of [{ 'gone.json/index.json': '1' }, { gone: '1', other: '2' }]) {
      const { out } = await published();
      const { [Object.keys(change)[0] === 'gone' ? 'gone/x/y.json' : 'gone.json']: _, ...rest } = old;
      const tree: Tree = { ...rest, ...change };
      const folder = statSync(out).ino;
      await publishTree(out, tree);
      expect(readTree(out)).toEqual(tree);
      expect(statSync(out).ino).not.toBe(folder);
      const { fresh: stage } = workFolders(out);
      expect(spawnSync).toHaveBeenLastCalledWith('sync', ['-f', stage], { stdio: 'ignore' });
    }
  });

  it('is not changed if its files cannot be renamed into it, as into a mount point', async () => {
    const { out, names } = await published();
    const folder = statSync(out).ino;
    vi.mocked(linkSync).mockImplementation(failing('EXDEV'));
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(statSync(out).ino, 'swapped as a whole').not.toBe(folder);
    expect(names()).toEqual(['site']);
  });

  it('is not changed if one of its folders cannot be written', async () => {
    const { out, names } = await published();
    vi.mocked(accessSync).mockImplementation((folder, mode) => {
      if (folder === path.join(out, 'b')) failing('EACCES')();
      real.accessSync(folder, mode);
    });
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${path.join(out, 'b')}: cannot be written (EACCES)`,
    );
    expect(readTree(out)).toEqual(old);
    expect(names()).toEqual(['site']);
  });

  it('keeps files that gamedata did not write, except that none may be lost', async () => {
    const { out, names } = await published();
    writeFileSync(path.join(out, 'note.txt'), 'mine');
    mkdirSync(path.join(out, 'come'));
    const result = await publishTree(out, fresh);
    expect(result).toMatchObject({ changed: true, removed: 2 });
    expect(readTree(out)).toEqual({ ...fresh, 'note.txt': 'mine' });
    writeFileSync(path.join(out, 'gone.json'), 'mine');
    await expect(publishTree(out, { ...fresh, 'gone.json': '5' })).rejects.toThrow(
      `${out}: contains files that gamedata did not write: gone.json`,
    );
    expect(readTree(out)).toEqual({ ...fresh, 'note.txt': 'mine', 'gone.json': 'mine' });
    expect(names()).toEqual(['site']);
  });

  it('is not changed through a link in the place of one of its folders', async () => {
    const { out } = await published();
    const elsewhere = temporaryFolder();
    renameSync(path.join(out, 'b'), path.join(elsewhere, 'b'));
    symlinkSync(path.join(elsewhere, 'b'), path.join(out, 'b'));
    await expect(publishTree(out, fresh)).rejects.toThrow(`${path.join(out, 'b')}: is not a folder any more`);
    expect(readdirSync(path.join(elsewhere, 'b'))).toEqual(['c.json']);
  });

  it('is flushed to disk before its change counts, as far as the system can', async () => {
    const { out } = await published();
    const flushed = new Map<number, string>();
    const order: string[] = [];
    vi.mocked(openSync).mockImplementation((file, ...more) => {
      const descriptor = real.openSync(file, ...more);
      flushed.set(descriptor, path.basename(String(file)));
      return descriptor;
    });
    vi.mocked(fsyncSync).mockImplementation((descriptor) => {
      order.push(flushed.get(descriptor)?.replace(/-trash-.*/, '-draft') ?? '');
      failing('EINVAL')();
    });
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (String(to).endsWith('-commit')) order.push('commit');
      real.renameSync(from, to);
    });
    await publishTree(out, fresh);
    const before = order.slice(0, order.indexOf('commit'));
    for (const name of ['a.json', 'd.json', 'x.json', 'manifest.json', 'b', 'come', '.site.gamedata-draft'])
      expect(before).toContain(name);
    expect(order.slice(order.indexOf('commit'))).toEqual(expect.arrayContaining(['b', 'come', 'site']));
  });

  it('is not taken for complete if somebody deleted the staged files', async () => {
    const { out, folders } = await published();
    vi.mocked(renameSync).mockImplementation((from, to) => {
      real.renameSync(from, to);
      if (to === path.join(out, 'b/d.json')) rmSync(folders.fresh, { recursive: true });
    });
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `cannot be completed (its staged files are gone: delete ${folders.commit}, build again, and move away what that build names)`,
    );
    vi.resetAllMocks();
    expect(() => recoverAbandoned(out)).toThrow('its staged files are gone');
    rmSync(folders.commit);
    await expect(publishTree(out, fresh)).rejects.toThrow('gamedata did not write: come/x.json, b/d.json');
    for (const name of ['come/x.json', 'b/d.json']) rmSync(path.join(out, name));
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8')).files).toHaveLength(
      Object.keys(fresh).length,
    );
  });

  it.each(['ENOENT', 'EISDIR', 'EPERM', 'EACCES'])(
    'need not be flushed where opening fails with %s',
    async (code) => {
      const { out } = await published();
      vi.mocked(openSync).mockImplementation((file, flags, mode) =>
        // Node itself opens files that are read, with a mode.
        flags === 'r' && mode === undefined ? failing(code)() : real.openSync(file, flags, mode),
      );
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  it.each(['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS'])(
    'need not be flushed where that fails with %s',
    async (code) => {
      const { out } = await published();
      vi.mocked(fsyncSync).mockImplementation(failing(code));
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  it.each([
    ['openSync', openSync],
    ['fsyncSync', fsyncSync],
  ])('is not changed if flushing fails: %s', async (syscall, call) => {
    const { out, names } = await published();
    vi.mocked(call as (...args: unknown[]) => number).mockImplementation((...args) => {
      const [file, flags, mode] = args as Parameters<typeof openSync>;
      if (call === openSync && flags !== 'r') return real.openSync(file, flags, mode);
      throw Object.assign(new Error('no'), { code: 'EIO', syscall });
    });
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: cannot be used (EIO, ${syscall})`,
      cause: { code: 'EIO' },
    });
    vi.resetAllMocks();
    expect(readTree(out)).toEqual(old);
    await publishTree(out, fresh);
    expect(names()).toEqual(['site']);
  });

  it('names a file that cannot be removed, and goes on with it later', async () => {
    const { out } = await published();
    vi.mocked(unlinkSync).mockImplementation((file) =>
      file === path.join(out, 'gone.json') ? failing('EACCES')() : real.unlinkSync(file),
    );
    await expect(publishTree(out, fresh)).rejects.toThrow('cannot be completed (EACCES)');
    vi.resetAllMocks();
    recoverAbandoned(out);
    expect(readTree(out)).toEqual(fresh);
    expect(existsSync(path.join(out, 'gone'))).toBe(false);
  });

  it('keeps a folder that is not empty without a removed file', async () => {
    const { out } = await published();
    writeFileSync(path.join(out, 'gone/x/note.txt'), 'mine');
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual({ ...fresh, 'gone/x/note.txt': 'mine' });
  });

  it('has files of any size as they are', async () => {
    const { out } = await published();
    const large = { ...fresh, 'a.json': '攻é1'.repeat(40_000), 'b/d.json': 'é'.repeat(87_382) };
    await publishTree(out, large);
    expect(readTree(out)).toEqual(large);
  });

  it('is changing while there is a record that cannot be finished, and only then', async () => {
    const { out, folders } = await published();
    expect(isChanging(out)).toBe(false);
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (to === path.join(out, 'b/d.json')) failing('EACCES')();
      real.renameSync(from, to);
    });
    await publishTree(out, fresh).catch(() => {});
    expect(isChanging(out)).toBe(true);
    vi.resetAllMocks();
    expect(isChanging(out), 'it is finished by whoever asks').toBe(false);
    expect(existsSync(folders.commit)).toBe(false);
    expect(readTree(out)).toEqual(fresh);
  });

  it('names a commit record that makes no sense, and leaves everything as it is', async () => {
    const { out, folders } = await published();
    writeFileSync(folders.commit, '{"place":["../x"],"remove":[]}');
    expect(() => recoverAbandoned(out)).toThrow('cannot be completed');
    expect(readTree(out)).toEqual(old);
  });
});

describe('the order of changes', () => {
  it('keeps every link true', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const page = 'api/gamedata/move/index.json';
    const later = 'api/gamedata/move/offset/100/index.json';
    const record = 'api/gamedata/move/new/index.json';
    const former = 'api/gamedata/move/former/index.json';
    await publishTree(out, { ...untouched, 'meta.json': '1', [page]: '1', [former]: '1', 'index.html': '1' });
    vi.mocked(renameSync).mockClear();
    const names: string[] = [];
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (String(to).startsWith(out + path.sep)) names.push(path.relative(out, String(to)));
      real.renameSync(from, to);
    });
    const changed = { 'meta.json': '2', [page]: '2', [later]: '2', 'index.html': '2', [record]: '2' };
    await publishTree(out, { ...untouched, ...changed });
    expect(names).toEqual([record, record, later, later, page, 'index.html', 'meta.json', 'manifest.json']);
    expect(existsSync(path.join(out, former))).toBe(false);
  });
});
