import * as fs from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it, vi } from 'vitest';
import { isBeingChanged, withOutput } from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { fingerprint } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

const { publishedSite, publishTree, readTree } = support;
const [old, fresh] = support.littleChanged;
const third = { 'kept/0.json': '0', 'a.json': '3', 'come/x.json': '30' };
const COMPLETED = 'an interrupted build was finished first';
const DISCARDED =
  'an interrupted build no longer fits this folder: every file is compared by its content until the next change';
type Site = Awaited<ReturnType<typeof publishedSite>>;

/** Makes a build fail just before it moves the given file into place. */
async function interrupt(
  { out }: Site,
  tree: support.Tree,
  stopAt: string,
): Promise<void> {
  vi.mocked(fs.renameSync).mockImplementation((from, to) => {
    if (to === path.join(out, stopAt)) support.failing('EIO')();
    real.renameSync(from, to);
  });
  await expect(publishTree(out, tree)).rejects.toThrow('cannot be completed');
  vi.resetAllMocks();
}

/**
 * Creates a site whose build was killed after it had moved `a.json` and
 * `come/x.json` into place.
 */
async function createKilledSite(): Promise<Site> {
  const site = await publishedSite(old);
  await interrupt(site, { ...fresh, 'kept/moved-last': '1' }, 'kept/moved-last');
  return site;
}

async function copyOver({ out }: Site, tree: support.Tree): Promise<void> {
  const copy = await publishedSite(tree);
  fs.cpSync(copy.out, out, { recursive: true, preserveTimestamps: true });
}
const write = ({ out }: Site, name: string, text: string) =>
  fs.writeFileSync(path.join(out, name), text);
const remove = ({ out }: Site): void => fs.rmSync(out, { recursive: true });
const restore = (site: Site, tree: support.Tree) => {
  remove(site);
  return copyOver(site, tree);
};

/**
 * Runs a build that fails like a failed fetch, and returns the notices of its
 * recovery.
 */
async function failToFetch(out: string): Promise<readonly string[]> {
  const notices: string[] = [];
  const work = withOutput(out, () => Promise.reject(new RangeError('no upstream')), {
    onNotice: (notice) => void notices.push(notice),
  });
  await expect(work).rejects.toThrow('no upstream');
  return notices;
}

/**
 * Expects that every command reports the change as discarded until another change is
 * published. New files that the discarded change had already moved into place are
 * kept.
 */
async function expectDiscarded({ out, folders, names }: Site): Promise<void> {
  const readMarks = () => (fs.existsSync(out) ? fingerprint(out) : undefined);
  const before = readMarks();
  expect(isBeingChanged(out)).toBe(false);
  for (const _ of ['twice', 'in a row']) {
    expect(await failToFetch(out)).toEqual([DISCARDED]);
  }
  expect(readMarks()).toEqual(before);
  expect(fs.existsSync(folders.staging)).toBe(true);
  await publishTree(out, third);
  const { 'b/d.json': left = '5', ...tree } = readTree(out);
  expect([left, tree]).toEqual(['5', third]);
  expect(names()).toEqual(['site']);
  expect(await failToFetch(out)).toEqual([]);
  expect(await publishTree(out, third)).toMatchObject({ changed: false });
}

describe('recover', () => {
  it('completes a committed change even if a replaced file was edited and the build fails', async () => {
    const site = await createKilledSite();
    write(site, 'gone.json', 'edited');
    expect(await failToFetch(site.out)).toEqual([COMPLETED]);
    expect(isBeingChanged(site.out)).toBe(false);
    expect(readTree(site.out)).toEqual({ ...fresh, 'kept/moved-last': '1' });
    expect(site.names()).toEqual(['site']);
    expect(await support.openAgain(site.out)).toEqual([]);
  });

  it('keeps a change that a newer version of gamedata committed', async () => {
    const { out, folders } = await createKilledSite();
    const file = path.join(folders.staged, 'manifest.json');
    const manifest = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, manifest.replace('"format":1', '"format":9'));
    await support.expectRejected(out, () => publishTree(out, third), {
      message: expect.stringContaining(
        'manifest.json has format 9, but this version',
      ),
      hint: expect.stringContaining('Upgrade gamedata'),
    });
    fs.writeFileSync(file, manifest);
    expect(await support.openAgain(out)).toEqual([COMPLETED]);
  });

  it('keeps a committed change if one of its files cannot be read', async () => {
    const { out } = await createKilledSite();
    const unreadable = path.join(out, 'a.json');
    vi.mocked(fs.openSync).mockImplementation((file, flags, mode) => {
      if (file === unreadable) support.failing('EIO')();
      return real.openSync(file, flags, mode);
    });
    await expect(withOutput(out, () => Promise.resolve())).rejects.toMatchObject({
      message: `${unreadable}: cannot be read (EIO)`,
      hint: expect.stringContaining('Make the file readable.'),
    });
    vi.resetAllMocks();
    expect(await support.openAgain(out)).toEqual([COMPLETED]);
  });

  it.each<[string, (site: Site) => Promise<void> | void]>([
    [
      'an older copy was restored',
      (site) => restore(site, { ...old, 'a.json': '0' }),
    ],
    ['the replaced site was restored', (site) => restore(site, old)],
    [
      'an older copy was copied over the site',
      (site) => copyOver(site, { ...old, 'a.json': '0' }),
    ],
    ['the folder was removed', remove],
    ['a moved file was edited', (site) => write(site, 'a.json', 'xx')],
    ['a moved file was restored', (site) => write(site, 'a.json', '1')],
    ['an unchanged file was edited', (site) => write(site, 'kept/1.json', 'x')],
    [
      'a staged file was removed',
      ({ folders }) => fs.rmSync(path.join(folders.staged, 'kept/moved-last')),
    ],
  ])('discards a committed change if %s', async (_, happens) => {
    const site = await createKilledSite();
    await happens(site);
    await expectDiscarded(site);
  });

  it('discards a committed change to another site, even if all of its files are staged', async () => {
    const site = await publishedSite(old);
    await interrupt(site, fresh, 'a.json');
    await restore(site, { ...old, 'a.json': '0' });
    await expectDiscarded(site);
  });

  it('compares files by content after a change was discarded', async () => {
    const [before, after] = [{ 'a.json': '1' }, { 'a.json': '2', 'b.json': '3' }];
    const site = await publishedSite(before);
    const { out, folders, names } = site;
    await interrupt(site, after, 'b.json');
    fs.rmSync(path.join(folders.staged, 'b.json'));
    // Simulates a clock that was set back, so that the moved file does not look
    // modified.
    fs.utimesSync(path.join(out, 'a.json'), 1, 1);
    await failToFetch(out);
    expect(await publishTree(out, before)).toMatchObject({
      changed: true,
      written: 2,
    });
    expect(readTree(out)).toEqual(before);
    expect(names()).toEqual(['site']);
  });

  const obstacles: [string, (site: Site) => void, string][] = [
    [
      'a file where the change adds one',
      ({ out }) => fsExtra.outputFileSync(path.join(out, 'come/x.json'), 'mine'),
      'come/x.json',
    ],
    [
      'a folder where the change adds a file',
      ({ out }) => fsExtra.outputFileSync(path.join(out, 'b/d.json/mine'), 'mine'),
      'b/d.json/',
    ],
    [
      'a file where the change needs a folder',
      (site) => write(site, 'come', 'mine'),
      'come',
    ],
  ];
  it.each(obstacles)(
    'keeps a committed change without applying it over %s',
    async (...row) => {
      const [, obstruct, named] = row;
      const site = await publishedSite(old);
      await interrupt(site, fresh, 'a.json');
      obstruct(site);
      const { out } = site;
      for (const _ of ['twice', 'in a row']) {
        await support.expectRejected(out, () => support.openAgain(out), {
          message: `${out}: contains files that gamedata did not write: ${named}`,
          hint: expect.stringContaining('Move them elsewhere'),
        });
      }
      expect(isBeingChanged(out)).toBe(true);
      const [first = ''] = named.split('/');
      const obstacle = named === 'b/d.json/' ? 'b/d.json' : first;
      fs.rmSync(path.join(out, obstacle), { recursive: true });
      expect(await support.openAgain(out)).toEqual([COMPLETED]);
      expect(readTree(out)).toEqual(fresh);
      expect(site.names()).toEqual(['site']);
    },
  );

  it('completes a committed change even if a file with the same content was added', async () => {
    const site = await publishedSite(old);
    await interrupt(site, fresh, 'a.json');
    write(site, 'b/d.json', '5');
    expect(await support.openAgain(site.out)).toEqual([COMPLETED]);
    expect(readTree(site.out)).toEqual(fresh);
  });

  it('rejects a folder without a manifest even if it has a discarded change', async () => {
    const folders = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
    const { out } = folders;
    fs.mkdirSync(out);
    await interrupt({ out, folders, names: () => [] }, fresh, 'come/x.json');
    fs.writeFileSync(path.join(out, 'a.json'), 'mine');
    await support.expectRejected(out, () => publishTree(out, fresh), {
      message: `${out}: contains files, but has no manifest.json`,
    });
  });

  it.each(['gone', 'come'])(
    'changes nothing outside the site if a folder is a symlink: %s',
    async (name) => {
      const site = await publishedSite(old);
      await interrupt(site, fresh, 'a.json');
      const [inside, outside] = [
        path.join(site.out, name),
        path.join(temporaryFolder(), 'outside'),
      ];
      fs.mkdirSync(inside, { recursive: true });
      fs.renameSync(inside, outside);
      fs.symlinkSync(outside, inside);
      const before = fingerprint(outside);
      await publishTree(site.out, fresh).catch(() => {});
      expect(fingerprint(outside)).toEqual(before);
    },
  );

  it('does not move files out of a folder that a staged symlink points to', async () => {
    const site = await publishedSite(old);
    await interrupt(site, fresh, 'a.json');
    const staged = path.join(site.folders.staged, 'b');
    const outside = path.join(temporaryFolder(), 'outside');
    fs.renameSync(staged, outside);
    fs.symlinkSync(outside, staged);
    write(site, 'b/d.json', '5');
    expect(await support.openAgain(site.out)).toEqual([COMPLETED]);
    expect(readTree(site.out)).toEqual(fresh);
    expect(readTree(outside)).toEqual({ 'd.json': '5' });
  });

  it('keeps every file if the staged manifest is damaged', async () => {
    const { out, folders } = await createKilledSite();
    fs.writeFileSync(path.join(folders.staged, 'manifest.json'), '{');
    const other = { ...fresh, 'come/x.json': '31' };
    await expect(publishTree(out, other)).rejects.toThrow(
      'did not write: come/x.json',
    );
    expect(readTree(out)).toMatchObject({
      'a.json': '10',
      'come/x.json': '30',
      'gone.json': '4',
    });
  });
});
