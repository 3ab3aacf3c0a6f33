/** A site that is changed by a commit record: what is changed, and what happens where calls fail. */

import { spawnSync } from 'node:child_process';
import {
  accessSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isBeingChanged, settled, withOutput } from '../../src/publish/publish.ts';
import { failing } from '../support/failing.ts';
import {
  littleChanged,
  openAgain,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
  treeFiles,
} from '../support/publishing.ts';
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
    expect(result).toMatchObject({ changed: true, written: 4, kept: 3, removed: 2, leftovers: [] });
    expect(readTree(out)).toEqual(fresh);
    expect(existsSync(path.join(out, 'gone')), 'an empty folder goes with its last file').toBe(false);
    expect(statSync(path.join(out, 'kept/1.json'))).toMatchObject({ ino, ctimeMs });
    expect(statSync(out).ino).toBe(folder);
    expect(names()).toEqual(['site']);
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
  });

  it('says that it is partly new if it cannot be completed, and whoever comes next completes it', async () => {
    const { out, folders } = await published();
    expect(isBeingChanged(out)).toBe(false);
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (to === path.join(out, 'b/d.json')) failing('EACCES')();
      real.renameSync(from, to);
    });
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: cannot be completed (EACCES)`,
      hint: expect.stringContaining('goes on where this one stopped'),
    });
    vi.resetAllMocks();
    expect(isBeingChanged(out), 'whoever only reads finishes nothing').toBe(true);
    await expect(settled(out)).rejects.toMatchObject({
      message: `${out}: is being changed: it is partly the old site, and partly the new one`,
      hint: expect.stringContaining('finish what it left'),
    });
    expect(existsSync(folders.commit)).toBe(true);
    expect(await publishTree(out, fresh), 'finishing is a change').toMatchObject({
      changed: true,
      written: 0,
    });
    expect(existsSync(folders.commit)).toBe(false);
    expect(isBeingChanged(out)).toBe(false);
    expect(readTree(out)).toEqual(fresh);
  });

  it.each(['.', 'b'])(
    'is not changed if files cannot be renamed into %s, as it is a mount point',
    async (inside) => {
      const { out, names } = await published();
      vi.mocked(renameSync).mockImplementation((from, to) => {
        if (path.dirname(String(to)) === path.join(out, inside)) failing('EXDEV')();
        real.renameSync(from, to);
      });
      await expect(publishTree(out, fresh)).rejects.toMatchObject({
        message: `${path.join(out, inside)}: cannot be replaced (EXDEV)`,
        hint: 'Its parent folder must be writable, and the folder itself must not be a mount point.',
      });
      vi.resetAllMocks();
      expect(readTree(out)).toEqual(old);
      expect(names()).toEqual(['site']);
    },
  );

  it('is not made anew from a part if the folder is gone meanwhile', async () => {
    const { out } = await published();
    const work = withOutput(out, ({ publish }) => {
      rmSync(out, { recursive: true });
      return publish(treeFiles(fresh));
    });
    await expect(work).rejects.toThrow(`${out}: cannot be written (ENOENT)`);
    expect(existsSync(out)).toBe(false);
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
    vi.mocked(spawnSync).mockImplementation(((command: string, [option, folder]: string[]) => {
      order.push(`${command} ${option} ${path.basename(`${folder}`)}`);
      return { status: 0 };
    }) as never);
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (String(to).endsWith('-commit')) order.push('commit');
      real.renameSync(from, to);
    });
    await publishTree(out, fresh);
    const parent = path.basename(path.dirname(out));
    const staged = 'sync -f .site.gamedata-new';
    expect(order).toEqual([staged, '.site.gamedata-draft', 'commit', parent, 'sync -f site']);
  });

  /** A build that was killed after it had placed `a.json` and `come/x.json`. */
  async function killed() {
    const site = await published();
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (to === path.join(site.out, 'b/d.json')) failing('EIO')();
      real.renameSync(from, to);
    });
    await expect(publishTree(site.out, fresh)).rejects.toThrow('cannot be completed');
    vi.resetAllMocks();
    return site;
  }

  async function layOver({ out }: { out: string }, tree: Tree): Promise<void> {
    const copy = await publishedSite(tree);
    real.cpSync(copy.out, out, { recursive: true, preserveTimestamps: true });
  }
  const remove = ({ out }: { out: string }) => rmSync(out, { recursive: true });
  const older = { ...old, 'a.json': '0' };

  it.each<[string, (site: Awaited<ReturnType<typeof killed>>) => Promise<void> | void]>([
    ['an older copy has been restored', (site) => [remove(site), layOver(site, older)][1]],
    ['the same site has been restored', (site) => [remove(site), layOver(site, old)][1]],
    ['an older copy has been laid over it', (site) => layOver(site, older)],
    ['the folder is gone', remove],
  ])('is not finished where %s, but compared by its content', async (_, happens) => {
    const site = await killed();
    await happens(site);
    expect(isBeingChanged(site.out), 'nobody reads it as changing').toBe(false);
    const stopped = withOutput(site.out, async ({ notices }) => {
      expect(notices).toEqual([expect.stringContaining('every file compared by its content')]);
      throw new RangeError('killed again');
    });
    await expect(stopped).rejects.toThrow('killed again');
    const third = { ...untouched, 'a.json': '3', 'come/x.json': '30' };
    await publishTree(site.out, third);
    expect(readTree(site.out), 'what the killed build had placed is its own').toEqual(third);
    expect(site.names()).toEqual(['site']);
    expect(await openAgain(site.out)).toEqual([]);
  });

  it('is not finished if somebody deleted the staged files: what they were is not known', async () => {
    const { out, folders } = await killed();
    rmSync(folders.fresh, { recursive: true });
    await expect(publishTree(out, fresh)).rejects.toThrow('gamedata did not write: come/x.json');
    rmSync(path.join(out, 'come/x.json'));
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
  });

  it('is finished by a record of an earlier version, which does not say what it replaces', async () => {
    const { out, folders, names } = await killed();
    const { before, ...record } = JSON.parse(readFileSync(folders.commit, 'utf8'));
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(folders.commit, JSON.stringify(record));
    expect(await openAgain(out)).toEqual([expect.stringContaining('was finished')]);
    expect(readTree(out)).toEqual(fresh);
    expect(names()).toEqual(['site']);
  });

  it('is not finished by a record that makes no sense', async () => {
    const { out, folders, names } = await published();
    writeFileSync(folders.commit, '{"place":["../x"],"remove":[]}');
    expect(isBeingChanged(out)).toBe(false);
    expect(await publishTree(out, old)).toMatchObject({ changed: false });
    expect(readTree(out)).toEqual(old);
    expect(names()).toEqual(['site']);
  });

  it.each([
    ...['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'].map((code) => [openSync, code] as const),
    ...['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS'].map((code) => [fsyncSync, code] as const),
  ])('need not be flushed where the system does not do that: %o, %s', async (call, code) => {
    const { out } = await published();
    vi.mocked(call as (...args: unknown[]) => number).mockImplementation((...args) => {
      const [file, flags, mode] = args as Parameters<typeof openSync>;
      // Node itself opens files that are read, with a mode.
      if (call === openSync && (flags !== 'r' || mode !== undefined)) return real.openSync(file, flags, mode);
      return failing(code)();
    });
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
  });

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
      const name = path.relative(out, String(to));
      real.renameSync(from, to);
      if (!name.startsWith('..')) names.push(name);
    });
    const changed = { 'meta.json': '2', [page]: '2', [later]: '2', 'index.html': '2', [record]: '2' };
    await publishTree(out, { ...untouched, ...changed });
    expect(names).toEqual([record, later, page, 'index.html', 'meta.json', 'manifest.json']);
    expect(existsSync(path.join(out, former))).toBe(false);
  });
});
