import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isBeingChanged, withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import {
  failing,
  littleChanged,
  openAgain,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
} from '../support/publishing.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

const [old, fresh] = littleChanged;
const third = { 'kept/0.json': '0', 'a.json': '3', 'come/x.json': '30' };
const COMPARED = expect.stringContaining('every file is compared by its content');
type Site = Awaited<ReturnType<typeof publishedSite>>;

/** A site whose build was killed after it had moved `a.json` and `come/x.json` into place. */
async function killedSite(): Promise<Site> {
  const site = await publishedSite(old);
  vi.mocked(renameSync).mockImplementation((from, to) => {
    if (to === path.join(site.out, 'kept/moved-last')) failing('EIO')();
    real.renameSync(from, to);
  });
  await expect(publishTree(site.out, { ...fresh, 'kept/moved-last': '1' })).rejects.toThrow(
    'cannot be completed',
  );
  vi.resetAllMocks();
  return site;
}

async function layOver({ out }: Site, tree: Tree): Promise<void> {
  const copy = await publishedSite(tree);
  cpSync(copy.out, out, { recursive: true, preserveTimestamps: true });
}
const remove = ({ out }: Site): void => rmSync(out, { recursive: true });

/** Fails as a fetch would, and returns the notices. */
async function failToFetch(out: string): Promise<readonly string[]> {
  let seen: readonly string[] = [];
  const work = withOutput(out, async ({ notices }) => {
    seen = notices;
    throw new RangeError('no upstream');
  });
  await expect(work).rejects.toThrow('no upstream');
  return seen;
}

/** Expects that a change is set aside until the next publish, which leaves exactly its own site. */
async function expectCompared({ out, names }: Site): Promise<void> {
  const marks = () => (existsSync(out) ? fingerprint(out) : undefined);
  const before = marks();
  expect(isBeingChanged(out)).toBe(true);
  for (const _ of ['twice', 'in a row']) expect(await failToFetch(out)).toEqual([COMPARED]);
  expect(isBeingChanged(out), 'it is not compared yet').toBe(true);
  expect(marks()).toEqual(before);
  await publishTree(out, third);
  expect(readTree(out)).toEqual(third);
  expect(names()).toEqual(['site']);
  expect(isBeingChanged(out)).toBe(false);
  expect(await publishTree(out, third)).toMatchObject({ changed: false });
}

describe('a change that was interrupted', () => {
  it('is completed by the next build, even if that fails, and even if a staged file was edited in the site', async () => {
    const { out, names } = await killedSite();
    writeFileSync(path.join(out, 'gone.json'), 'edited');
    expect(await failToFetch(out)).toEqual(['an interrupted build was finished first']);
    expect(isBeingChanged(out)).toBe(false);
    expect(readTree(out)).toEqual({ ...fresh, 'kept/moved-last': '1' });
    expect(names()).toEqual(['site']);
    expect(await openAgain(out)).toEqual([]);
  });

  it.each<[string, (site: Site) => Promise<void> | void]>([
    ['an older copy was restored', (site) => [remove(site), layOver(site, { ...old, 'a.json': '0' })][1]],
    ['the replaced site was restored', (site) => [remove(site), layOver(site, old)][1]],
    ['an older copy was laid over it', (site) => layOver(site, { ...old, 'a.json': '0' })],
    ['the folder was removed', remove],
    ['a moved file was edited', ({ out }) => writeFileSync(path.join(out, 'a.json'), 'xx')],
    ['a moved file was restored', ({ out }) => writeFileSync(path.join(out, 'a.json'), '1')],
    ['an unchanged file was edited', ({ out }) => writeFileSync(path.join(out, 'kept/1.json'), 'x')],
    ['a staged file was removed', ({ folders }) => rmSync(path.join(folders.staged, 'kept/moved-last'))],
  ])('is set aside if %s', async (_, happens) => {
    const site = await killedSite();
    await happens(site);
    await expectCompared(site);
  });

  it('removes and replaces nothing if its manifest is damaged', async () => {
    const site = await killedSite();
    writeFileSync(path.join(site.folders.staged, 'manifest.json'), '{');
    await expect(publishTree(site.out, fresh)).rejects.toThrow('did not write: come/x.json, b/d.json');
    expect(readTree(site.out)).toMatchObject({ 'a.json': '10', 'come/x.json': '30', 'gone.json': '4' });
  });

  it('is set aside a second time', async () => {
    const site = await killedSite();
    await layOver(site, old);
    await failToFetch(site.out);
    vi.mocked(renameSync).mockImplementation((from, to) => {
      if (to === path.join(site.out, 'manifest.json')) failing('EIO')();
      real.renameSync(from, to);
    });
    await expect(publishTree(site.out, { ...old, 'second.json': '1' })).rejects.toThrow(
      'cannot be completed',
    );
    vi.resetAllMocks();
    writeFileSync(path.join(site.out, 'kept/0.json'), 'x');
    await expectCompared(site);
  });

  it('is discarded if it was not committed', async () => {
    const { out, folders, names } = await publishedSite(old);
    for (const folder of [folders.staged, folders.old.staging, ...folders.old.unused]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'a.json'), 'new');
    }
    writeFileSync(`${folders.lockFile}-draft`, '');
    expect(isBeingChanged(out)).toBe(false);
    expect(await openAgain(out)).toEqual([]);
    expect(readTree(out)).toEqual(old);
    expect(names()).toEqual(['site']);
  });
});

describe('a change by version 146d34f that was interrupted', () => {
  /** Stages the new site as that version did, and records the change. */
  async function killedOldBuild(): Promise<Site> {
    const [site, next] = [await publishedSite(old), await publishedSite(fresh)];
    const place = ['a.json', 'b/d.json', 'come/x.json', 'manifest.json'];
    const record = {
      before: 'x'.repeat(64),
      place,
      remove: ['gone.json', 'gone/x/y.json'],
      manifest: 'x'.repeat(64),
    };
    writeFileSync(site.folders.old.record, JSON.stringify(record));
    for (const file of place) cpSync(path.join(next.out, file), path.join(site.folders.old.staging, file));
    for (const prefix of site.folders.old.unused) mkdirSync(prefix);
    return site;
  }
  /** Moves some of the staged files into place. */
  function move({ out, folders }: Site, ...files: string[]): void {
    for (const file of files) {
      mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
      renameSync(path.join(folders.old.staging, file), path.join(out, file));
    }
  }

  it.each<[string, (site: Site) => void]>([
    ['before it moved files', () => {}],
    ['while it moved files', (site) => move(site, 'a.json', 'come/x.json')],
    ['while it removed files', (site) => move(site, 'a.json', 'come/x.json', 'b/d.json', 'manifest.json')],
    ['while it wrote its record', ({ folders }) => writeFileSync(folders.old.record, '')],
    ['before the folder was removed', remove],
  ])('is set aside if it was interrupted %s', async (_, happens) => {
    const site = await killedOldBuild();
    happens(site);
    await expectCompared(site);
  });

  it('keeps the files of the user', async () => {
    const site = await killedOldBuild();
    move(site, 'come/x.json');
    writeFileSync(path.join(site.out, 'come/x.json'), 'mine');
    await expect(publishTree(site.out, third)).rejects.toThrow('did not write: come/x.json');
    expect(readFileSync(path.join(site.out, 'come/x.json'), 'utf8')).toBe('mine');
  });
});
