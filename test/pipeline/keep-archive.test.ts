import { execFileSync } from 'node:child_process';
import {
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { keepArchive } from '../../src/pipeline/keep-archive.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
beforeEach(() => void vi.resetAllMocks());

/** A time in the future, in seconds since 1970. */
const NEXT_CENTURY = 4_102_444_800;

function createSite() {
  const out = path.join(temporaryFolder(), 'site');
  const folder = `${out}-archives`;
  let seconds = 1_700_000_000;
  return {
    folder,
    at: (name: string) => path.join(folder, name),
    list: () => readdirSync(folder).sort(),
    /**
     * Publishes a site with the given number of moves, one second after the previous
     * site.
     */
    async publish(moves: number, change = (meta: object): object => meta) {
      const files = siteOf(rawRecords(moves, 1)).files();
      const meta = files.find((file) => file.path === 'meta.json');
      Object.assign(meta ?? {}, {
        body: JSON.stringify(change(JSON.parse(`${meta?.body}`))),
      });
      await withOutput(out, (output) => output.publish(files));
      utimesSync(path.join(out, 'manifest.json'), seconds, seconds++);
    },
    keep: async (count: number) => path.basename(await keepArchive(out, count)),
  };
}

const withChecksums = (...archives: string[]) =>
  archives.flatMap((name) => [name, `${name}.sha256`]);

describe('keepArchive', () => {
  it('keeps only the newest archive for each of the last data states', async () => {
    const { folder, list, publish, keep } = createSite();
    await publish(1);
    const first = await keep(2);
    expect(first).toMatch(/^gamedata-2023-11-14T221320Z-[0-9a-f]{12}\.tar\.gz$/);
    expect(await keep(2)).toBe(first);
    await publish(2);
    const second = await keep(2);
    expect(list()).toEqual(withChecksums(first, second));
    await publish(2, (meta) => ({ ...meta, base_url: 'https://b.test' }));
    const third = await keep(2);
    expect(list()).toEqual(withChecksums(first, third));
    await publish(2, (meta) => ({
      ...meta,
      names: { digest: 'sha256:0123456789abcdef', languages: {} },
    }));
    const fourth = await keep(2);
    expect(fourth).toMatch(/-0123456789ab\.tar\.gz$/);
    expect(list()).toEqual(withChecksums(third, fourth));
    execFileSync('sha256sum', ['-c', `${fourth}.sha256`], { cwd: folder });
  });

  it('removes the oldest archives by the times in their names, ignoring mtimes', async () => {
    const { at, list, publish, keep } = createSite();
    const archives: string[] = [];
    for (const moves of [1, 2, 3]) {
      await publish(moves);
      archives.push(await keep(3));
    }
    const [first = '', second = '', third = ''] = archives;
    // This happens if the folder is copied: the oldest archive becomes the newest
    // file.
    utimesSync(at(first), NEXT_CENTURY, NEXT_CENTURY);
    expect(await keep(2)).toBe(third);
    expect(list()).toEqual(withChecksums(second, third));
  });

  it('keeps the current archive even if another one has a later time', async () => {
    const { at, list, publish, keep } = createSite();
    await publish(1);
    const archive = await keep(1);
    writeFileSync(at('gamedata-2100-01-01T000000Z-0123456789ab.tar.gz'), '');
    expect(await keep(1)).toBe(archive);
    expect(list()).toEqual(withChecksums(archive));
  });

  it('removes unused checksums, and drafts that are older than a day', async () => {
    const { at, list, publish, keep } = createSite();
    await publish(1);
    const archive = await keep(1);
    const files = [
      'notes.txt',
      'gamedata-2001-02-03T040506Z-0123456789ab.tar.gz.sha256',
    ];
    for (const name of [...files, 'gamedata-x.old.part', 'gamedata-x.new.part']) {
      writeFileSync(at(name), '');
    }
    utimesSync(at('gamedata-x.old.part'), 0, 0);
    await keep(1);
    expect(list()).toEqual([
      ...withChecksums(archive),
      'gamedata-x.new.part',
      'notes.txt',
    ]);
  });

  it('flushes an archive and its checksum to the disk before renaming them', async () => {
    const { publish, keep } = createSite();
    await publish(1);
    const opened = new Map<number, unknown>();
    const flushed = new Set<unknown>();
    const isRenamedFlushed: boolean[] = [];
    vi.mocked(openSync).mockImplementation((file, ...others) => {
      const descriptor = real.openSync(file, ...others);
      opened.set(descriptor, file);
      return descriptor;
    });
    vi.mocked(fsyncSync).mockImplementation((descriptor) => {
      flushed.add(opened.get(descriptor));
    });
    vi.mocked(renameSync).mockImplementation((draft, file) => {
      isRenamedFlushed.push(flushed.has(draft));
      real.renameSync(draft, file);
    });
    await keep(1);
    expect(isRenamedFlushed).toEqual([true, true]);
  });

  it.each<[string, (archive: string) => void]>([
    ['damaged archive', (archive) => writeFileSync(archive, 'bad')],
    ['damaged checksum', (archive) => writeFileSync(`${archive}.sha256`, 'bad')],
    ['missing checksum', (archive) => rmSync(`${archive}.sha256`)],
  ])('writes an archive and its checksum again after a %s', async (_, damage) => {
    const { folder, at, publish, keep } = createSite();
    await publish(1);
    const archive = await keep(1);
    const body = readFileSync(at(archive));
    damage(at(archive));
    expect(await keep(1)).toBe(archive);
    expect(readFileSync(at(archive))).toEqual(body);
    execFileSync('sha256sum', ['-c', `${archive}.sha256`], { cwd: folder });
  });

  it('leaves an archive that matches its checksum as it is', async () => {
    const { at, publish, keep } = createSite();
    await publish(1);
    const archive = at(await keep(1));
    const { ino } = lstatSync(archive);
    await keep(1);
    expect(lstatSync(archive).ino).toBe(ino);
  });

  it('rejects an archive folder that is a site', async () => {
    const { at, publish, keep } = createSite();
    await publish(1);
    await keep(1);
    writeFileSync(at('manifest.json'), '{}');
    await expect(keep(1)).rejects.toThrow(
      'site-archives: is a site, so archives cannot be stored in it',
    );
  });

  it("replaces a symlink, FIFO or empty folder that has the archive's name", async () => {
    const { folder, at, list, publish, keep } = createSite();
    await publish(1);
    const file = at(await keep(1));
    writeFileSync(`${folder}.txt`, 'mine');
    const others = ['2001-02-03', '2001-02-04'].map(
      (day) => `gamedata-${day}T040506Z-0123456789ab.tar.gz`,
    );
    symlinkSync('nothing', at(others[0] ?? ''));
    fsExtra.outputFileSync(path.join(at(others[1] ?? ''), 'mine'), '');
    for (const obstruct of [
      () => symlinkSync(`${folder}.txt`, file),
      () => execFileSync('mkfifo', [file]),
      () => mkdirSync(file),
    ]) {
      rmSync(file);
      obstruct();
      await keep(1);
      expect(lstatSync(file).isFile()).toBe(true);
    }
    expect(readFileSync(`${folder}.txt`, 'utf8')).toBe('mine');
    expect(list()).toEqual(expect.arrayContaining(others));
  });
});
