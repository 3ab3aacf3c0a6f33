import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isBeingChanged, withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

const { publishedSite, publishTree, readTree } = support;
const [old, fresh] = support.littleChanged;
const third = { 'kept/0.json': '0', 'a.json': '3', 'come/x.json': '30' };
const COMPARED = expect.stringContaining('every file is compared by its content');
type Site = Awaited<ReturnType<typeof publishedSite>>;

/** Fails a build before it moves a file into place. */
async function interrupt({ out }: Site, tree: support.Tree, stopAt: string): Promise<void> {
  vi.mocked(fs.renameSync).mockImplementation((from, to) => {
    if (to === path.join(out, stopAt)) support.failing('EIO')();
    real.renameSync(from, to);
  });
  await expect(publishTree(out, tree)).rejects.toThrow('cannot be completed');
  vi.resetAllMocks();
}

/** Creates a site whose build was killed after it had moved `a.json` and `come/x.json` into place. */
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

/** Fails as a fetch would. Returns the notices. */
async function failToFetch(out: string): Promise<readonly string[]> {
  const notices: string[] = [];
  const work = withOutput(out, () => Promise.reject(new RangeError('no upstream')), {
    onNotice: (notice) => void notices.push(notice),
  });
  await expect(work).rejects.toThrow('no upstream');
  return notices;
}

/** Expects that a change is set aside until the next publish, which leaves exactly its own site. */
async function expectSetAside({ out, names }: Site): Promise<void> {
  const readMarks = () => (fs.existsSync(out) ? fingerprint(out) : undefined);
  const before = readMarks();
  expect(isBeingChanged(out)).toBe(true);
  for (const _ of ['twice', 'in a row']) expect(await failToFetch(out)).toEqual([COMPARED]);
  expect(isBeingChanged(out), 'not compared yet').toBe(true);
  expect(readMarks()).toEqual(before);
  await publishTree(out, third);
  expect(readTree(out)).toEqual(third);
  expect(names()).toEqual(['site']);
  expect(isBeingChanged(out)).toBe(false);
  expect(await publishTree(out, third)).toMatchObject({ changed: false });
}

describe('recover', () => {
  it('completes a committed change even if the build fails or a replaced file was edited', async () => {
    const site = await createKilledSite();
    write(site, 'gone.json', 'edited');
    expect(await failToFetch(site.out)).toEqual(['an interrupted build was finished first']);
    expect(isBeingChanged(site.out)).toBe(false);
    expect(readTree(site.out)).toEqual({ ...fresh, 'kept/moved-last': '1' });
    expect(site.names()).toEqual(['site']);
    expect(await support.openAgain(site.out)).toEqual([]);
  });

  it.each<[string, (site: Site) => Promise<void> | void]>([
    ['an older copy was restored', (site) => restore(site, { ...old, 'a.json': '0' })],
    ['the replaced site was restored', (site) => restore(site, old)],
    ['an older copy was copied over the site', (site) => copyOver(site, { ...old, 'a.json': '0' })],
    ['the folder was removed', remove],
    ['a moved file was edited', (site) => write(site, 'a.json', 'xx')],
    ['a moved file was restored', (site) => write(site, 'a.json', '1')],
    ['an unchanged file was edited', (site) => write(site, 'kept/1.json', 'x')],
    [
      'a staged file was removed',
      ({ folders }) => fs.rmSync(path.join(folders.staged, 'kept/moved-last')),
    ],
  ])('sets aside a committed change if %s', async (_, happens) => {
    const site = await createKilledSite();
    await happens(site);
    await expectSetAside(site);
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

  it('keeps every file if the staged manifest is damaged', async () => {
    const { out, folders } = await createKilledSite();
    fs.writeFileSync(path.join(folders.staged, 'manifest.json'), '{');
    await expect(publishTree(out, fresh)).rejects.toThrow('did not write: come/x.json, b/d.json');
    expect(readTree(out)).toMatchObject({ 'a.json': '10', 'come/x.json': '30', 'gone.json': '4' });
  });

  it('sets aside a second interrupted change', async () => {
    const site = await createKilledSite();
    await copyOver(site, old);
    await failToFetch(site.out);
    await interrupt(site, { ...old, 'second.json': '1' }, 'manifest.json');
    write(site, 'kept/0.json', 'x');
    await expectSetAside(site);
  });

  it('discards a change that was not committed', async () => {
    const { out, folders, names } = await publishedSite(old);
    for (const folder of [folders.staged, folders.old.staging, ...folders.old.unused]) {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'a.json'), 'new');
    }
    fs.writeFileSync(`${folders.lockFile}-draft`, '');
    expect(isBeingChanged(out)).toBe(false);
    expect(await support.openAgain(out)).toEqual([]);
    expect(readTree(out)).toEqual(old);
    expect(names()).toEqual(['site']);
  });
});

describe('recover from version 146d34f', () => {
  const moved = ['a.json', 'come/x.json'];

  /** Stages and records a change as that version did, and moves some files into place. */
  async function createKilledSiteOf146d34f(files: readonly string[]): Promise<Site> {
    const [site, next] = [await publishedSite(old), await publishedSite(fresh)];
    const { record, staging, unused } = site.folders.old;
    const [before, manifest] = ['x'.repeat(64), 'x'.repeat(64)];
    const place = [...moved, 'b/d.json', 'manifest.json'];
    const change = { before, place, remove: ['gone.json', 'gone/x/y.json'], manifest };
    fs.writeFileSync(record, JSON.stringify(change));
    for (const file of place) fs.cpSync(path.join(next.out, file), path.join(staging, file));
    for (const prefix of unused) fs.mkdirSync(prefix);
    for (const file of files) {
      fs.mkdirSync(path.dirname(path.join(site.out, file)), { recursive: true });
      fs.renameSync(path.join(staging, file), path.join(site.out, file));
    }
    return site;
  }

  it.each<[string, readonly string[], (site: Site) => void]>([
    ['before it moved files', [], () => {}],
    ['while it moved files', moved, () => {}],
    ['while it removed files', [...moved, 'b/d.json', 'manifest.json'], () => {}],
    ['while it wrote its record', [], ({ folders }) => fs.writeFileSync(folders.old.record, '')],
    ['before the folder was removed', [], remove],
  ])('sets aside a change that was interrupted %s', async (_, files, happens) => {
    const site = await createKilledSiteOf146d34f(files);
    happens(site);
    await expectSetAside(site);
  });

  it("keeps the user's files", async () => {
    const site = await createKilledSiteOf146d34f(['come/x.json']);
    write(site, 'come/x.json', 'mine');
    await expect(publishTree(site.out, third)).rejects.toThrow('did not write: come/x.json');
    expect(readTree(site.out)).toMatchObject({ 'come/x.json': 'mine' });
  });
});
