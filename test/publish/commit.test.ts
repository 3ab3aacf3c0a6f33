/** A site that is changed by a commit record: what is changed, and what happens where calls fail. Those are simulated, the others real. */

import {
  accessSync,
  chmodSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
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
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { foldersOf } from '../../src/files.ts';
import { isBeingChanged, settled, withOutput } from '../../src/publish/publish.ts';
import { workFolders } from '../../src/publish/work-folders.ts';
import { modeOf } from '../support/modes.ts';
import {
  failing,
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
// Flushing takes the calls that it takes where there is no command for it.
vi.mock('node:child_process', () => ({ spawnSync: () => ({ status: 1 }) }));
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

/** From now on, files cannot be renamed to a place. */
const refuseRenames = (code: string, isRefused: (to: string) => boolean): void =>
  void vi.mocked(renameSync).mockImplementation((from, to) => {
    if (isRefused(String(to))) failing(code)();
    real.renameSync(from, to);
  });

const [old, fresh] = littleChanged;
const published = () => publishedSite(old);
const untouched = Object.fromEntries(Object.entries(old).filter(([name]) => name.startsWith('kept/')));

describe('trash that cannot be removed', () => {
  it('is left to the next build, and the new site is published', async () => {
    const { out, folders, names } = await published();
    vi.mocked(rmSync).mockImplementation((file, how) =>
      how?.recursive ? failing('EPERM')() : real.rmSync(file, how),
    );
    const { changed, leftovers } = await publishTree(out, fresh);
    expect([changed, leftovers]).toEqual([true, [expect.stringContaining(folders.trash)]]);
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false, leftovers });
    vi.mocked(rmSync).mockReset();
    expect(await publishTree(out, fresh)).toMatchObject({ leftovers: [] });
    expect(names()).toEqual(['site']);
  });

  it('does not matter where the folder cannot be listed', async () => {
    const { out } = await published();
    vi.mocked(readdirSync).mockImplementation((...args) =>
      args[0] === path.dirname(out) ? failing('EACCES')() : (real.readdirSync(...args) as never),
    );
    expect(await publishTree(out, fresh)).toMatchObject({ changed: true, leftovers: [] });
  });

  it('and cannot be set aside either is named as such', async () => {
    const { out, folders } = await published();
    mkdirSync(folders.fresh);
    vi.mocked(renameSync).mockImplementation(failing('EPERM'));
    const problem = `${out}: cannot be recovered from an interrupted build (EPERM)`;
    await expect(publishTree(out, fresh)).rejects.toThrow(problem);
  });
});

it('a first site that cannot be put into place leaves nothing', async () => {
  const out = path.join(temporaryFolder(), 'site');
  vi.mocked(renameSync).mockImplementationOnce(failing('EBUSY'));
  await expect(publishTree(out, fresh)).rejects.toMatchObject({
    message: `${out}: cannot be created (EBUSY)`,
    cause: { code: 'EBUSY' },
  });
  expect(readdirSync(path.dirname(out))).toEqual([]);
});

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
    refuseRenames('EACCES', (to) => to === path.join(out, 'b/d.json'));
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
    const finished = await publishTree(out, fresh);
    expect(finished, 'finishing is a change').toMatchObject({ changed: true, written: 0 });
    expect(existsSync(folders.commit)).toBe(false);
    expect(isBeingChanged(out)).toBe(false);
    expect(readTree(out)).toEqual(fresh);
  });

  it.each(['.', 'b'])(
    'is not changed if files cannot be renamed into %s, as it is a mount point',
    async (inside) => {
      const { out, names } = await published();
      refuseRenames('EXDEV', (to) => path.dirname(to) === path.join(out, inside));
      await expect(publishTree(out, fresh)).rejects.toMatchObject({
        message: `${path.join(out, inside)}: cannot be replaced (EXDEV)`,
        hint: 'Its parent folder must be writable, and the folder itself must not be a mount point.',
      });
      vi.resetAllMocks();
      expect(readTree(out)).toEqual(old);
      expect(names()).toEqual(['site']);
    },
  );

  it('is not changed if one of its folders cannot be written', async () => {
    const { out, names } = await published();
    vi.mocked(accessSync).mockImplementation((folder, mode) => {
      if (folder === path.join(out, 'b')) failing('EACCES')();
      real.accessSync(folder, mode);
    });
    const problem = `${path.join(out, 'b')}: cannot be written (EACCES)`;
    await expect(publishTree(out, fresh)).rejects.toThrow(problem);
    expect(readTree(out)).toEqual(old);
    expect(names()).toEqual(['site']);
  });

  it('is not made anew from a part if the folder is gone meanwhile', async () => {
    const { out } = await published();
    const work = withOutput(out, ({ publish }) => {
      rmSync(out, { recursive: true });
      return publish(treeFiles(fresh));
    });
    await expect(work).rejects.toThrow(`${out}: cannot be written (ENOENT)`);
    expect(existsSync(out)).toBe(false);
  });

  it('is not changed through a link in the place of one of its folders', async () => {
    const { out } = await published();
    const elsewhere = temporaryFolder();
    renameSync(path.join(out, 'b'), path.join(elsewhere, 'b'));
    symlinkSync(path.join(elsewhere, 'b'), path.join(out, 'b'));
    await expect(publishTree(out, fresh)).rejects.toThrow(`${path.join(out, 'b')}: is not a folder any more`);
    expect(readdirSync(path.join(elsewhere, 'b'))).toEqual(['c.json']);
  });

  it.each([
    ...['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'EACCES'].map((code) => ['open', code] as const),
    ...['EINVAL', 'EPERM', 'ENOTSUP', 'EROFS'].map((code) => ['fsync', code] as const),
  ])('need not be flushed where the system does not do that: %s, %s', async (call, code) => {
    const { out } = await published();
    if (call === 'fsync') vi.mocked(fsyncSync).mockImplementation(failing(code));
    else
      vi.mocked(openSync).mockImplementation((file, flags, mode) =>
        // Node itself opens files that are read, with a mode.
        flags === 'r' && mode === undefined ? failing(code)() : real.openSync(file, flags, mode),
      );
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
  });

  it('is changed in an order that keeps every link true', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const page = 'api/gamedata/move/index.json';
    const later = 'api/gamedata/move/offset/100/index.json';
    const record = 'api/gamedata/move/new/index.json';
    const former = 'api/gamedata/move/former/index.json';
    await publishTree(out, { ...untouched, 'meta.json': '1', [page]: '1', [former]: '1', 'index.html': '1' });
    vi.mocked(renameSync).mockClear();
    const changed = { 'meta.json': '2', [record]: '2', [page]: '2', [later]: '2', 'index.html': '2' };
    await publishTree(out, { ...untouched, ...changed });
    const { calls, results } = vi.mocked(renameSync).mock;
    const names = calls
      .filter((_, at) => results[at]?.type === 'return')
      .map(([, to]) => path.relative(out, String(to)))
      .filter((name) => !name.startsWith('..'));
    expect(names).toEqual([record, later, page, 'index.html', 'meta.json', 'manifest.json']);
    expect(existsSync(path.join(out, former))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('what is put into place', () => {
  /** Of these files, those that are staged may be read by their owner alone, as may their folders. */
  function* closed(tree: Tree, staged: string) {
    for (const file of treeFiles(tree)) {
      yield file;
      if (!existsSync(path.join(staged, file.path))) continue;
      chmodSync(path.join(staged, file.path), 0o600);
      for (const folder of foldersOf([file.path])) chmodSync(path.join(staged, folder), 0o700);
    }
  }

  it('may be read by everybody as soon as it is there, if it is a first site', async () => {
    const { out, fresh: staged } = workFolders(path.join(temporaryFolder(), 'site'));
    const modes: string[] = [];
    vi.mocked(renameSync).mockImplementation((from, to) => {
      real.renameSync(from, to);
      if (to === out) modes.push(...['.', 'b', 'b/c', 'a'].map((name) => modeOf(path.join(out, name))));
    });
    await withOutput(out, ({ publish }) => publish(closed({ 'b/c': '1', a: '2' }, staged)));
    expect(modes).toEqual(['755', '755', '644', '644']);
  });

  it('may be read by the group of the folder as soon as it is there, if it is changed', async () => {
    const { out, folders } = await published();
    chmodSync(out, 0o2770);
    const modes: Record<string, string> = {};
    vi.mocked(renameSync).mockImplementation((from, to) => {
      real.renameSync(from, to);
      const name = path.relative(out, String(to));
      if (name in fresh) modes[name] = modeOf(String(to));
      // Its folder is made for it just before.
      else if (name === 'manifest.json') modes.come = modeOf(path.join(out, 'come'));
    });
    await withOutput(out, ({ publish }) => publish(closed(fresh, folders.fresh)));
    expect(modes).toEqual({ 'a.json': '660', 'b/d.json': '660', 'come/x.json': '660', come: '2770' });
  });
});

describe('a build that was killed after it had placed some files', () => {
  /** It placed `a.json` and `come/x.json`. */
  async function killed() {
    const site = await published();
    refuseRenames('EIO', (to) => to === path.join(site.out, 'b/d.json'));
    await expect(publishTree(site.out, fresh)).rejects.toThrow('cannot be completed');
    vi.resetAllMocks();
    return site;
  }

  async function layOver({ out }: { out: string }, tree: Tree): Promise<void> {
    const copy = await publishedSite(tree);
    cpSync(copy.out, out, { recursive: true, preserveTimestamps: true });
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

  it('is judged once a second, or when its record is another one: that takes a hash of every file', async () => {
    const site = await killed();
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
    expect(isBeingChanged(site.out)).toBe(true);
    await layOver(site, older);
    now.mockReturnValue(1_000_999);
    expect(isBeingChanged(site.out)).toBe(true);
    now.mockReturnValue(1_001_001);
    expect(isBeingChanged(site.out)).toBe(false);
    now.mockReturnValue(1_001_100);
    await layOver(site, old);
    writeFileSync(path.join(site.out, 'come/x.json'), '30');
    writeFileSync(path.join(site.out, 'a.json'), '10');
    expect(isBeingChanged(site.out)).toBe(false);
    cpSync(site.folders.commit, `${site.folders.commit}-copy`);
    renameSync(`${site.folders.commit}-copy`, site.folders.commit);
    expect(isBeingChanged(site.out)).toBe(true);
  });

  it('is waited for by whoever reads, for a second', async () => {
    const { out } = await killed();
    let isSettled = false;
    const waiting = settled(out).then(() => {
      isSettled = true;
    });
    await setTimeout(200);
    expect(isSettled).toBe(false);
    await publishTree(out, fresh);
    await waiting;
    expect(readTree(out)).toEqual(fresh);
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
});
