import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const { failing, publishedSite, publishTree, readTree, readVisibleTree } = support;
const [old, fresh] = support.littleChanged;
const COMPLETED = 'an interrupted build was finished first';

/** Makes a build fail just before it moves the given file or folder into place. */
async function interrupt(out: string, stopAt: string): Promise<void> {
  vi.mocked(fs.renameSync).mockImplementation((from, to) => {
    if (to === path.join(out, stopAt)) failing('EIO')();
    real.renameSync(from, to);
  });
  await expect(publishTree(out, fresh)).rejects.toMatchObject({
    message: `${out}: cannot be completed (EIO)`,
    hint: expect.stringContaining('run the command again to complete it'),
  });
  vi.resetAllMocks();
}

/** Creates a site whose build was killed before it moved the last file. */
async function createInterruptedSite(): Promise<string> {
  const out = await publishedSite(old);
  await interrupt(out, 'manifest.json');
  return out;
}

/**
 * Runs a build that fails like a failed fetch, and returns the notices about an
 * interrupted change.
 */
async function failToFetch(out: string): Promise<readonly string[]> {
  const notices: string[] = [];
  const work = withOutput(out, () => Promise.reject(new RangeError('no upstream')), {
    onNotice: (notice) => void notices.push(notice),
  });
  await expect(work).rejects.toThrow('no upstream');
  return notices;
}

describe('finish', () => {
  it('moves new files into the site first, and removes old files last', async () => {
    const out = await publishedSite(old);
    const order: string[] = [];
    const record = (file: unknown) => order.push(path.relative(out, String(file)));
    vi.mocked(fs.renameSync).mockImplementation((from, to) => {
      record(to);
      real.renameSync(from, to);
    });
    vi.mocked(fs.unlinkSync).mockImplementation((file) => {
      record(file);
      real.unlinkSync(file);
    });
    await publishTree(out, fresh);
    const [commit, ...moves] = order;
    expect(commit).toBe('.gamedata/next/manifest.json');
    expect(moves.slice(0, 2).sort()).toEqual(['b/d.json', 'come']);
    expect(moves.slice(2)).toEqual([
      'a.json',
      'gone.json',
      'gone/x/y.json',
      'manifest.json',
    ]);
  });

  it('completes a committed change even if the next build then fails', async () => {
    const out = await publishedSite(old);
    await interrupt(out, 'a.json');
    expect(readTree(out)).toMatchObject({ 'a.json': '1', 'come/x.json': '30' });
    expect(await failToFetch(out)).toEqual([COMPLETED]);
    expect(readTree(out)).toEqual(fresh);
    expect(await support.openAgain(out)).toEqual([]);
  });

  it('reports a notice if the work folder cannot be removed after publishing', async () => {
    const out = await publishedSite(old);
    vi.mocked(fs.rmSync).mockImplementation((file, options) => {
      if (fs.existsSync(file)) failing('EIO')();
      real.rmSync(file, options);
    });
    expect(await publishTree(out, fresh)).toMatchObject({
      changed: true,
      notices: [`${out} is published, but cleaning up failed: EIO: simulated`],
    });
    vi.resetAllMocks();
    expect(readVisibleTree(out)).toEqual(fresh);
  });

  it('keeps a change that a newer version of gamedata committed', async () => {
    const out = await createInterruptedSite();
    const file = path.join(out, '.gamedata/next/manifest.json');
    const manifest = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, manifest.replace('"format":1', '"format":9'));
    await support.expectRejected(out, () => publishTree(out, old), {
      message: expect.stringContaining(
        'manifest.json: has format 9, but this version',
      ),
      hint: expect.stringContaining('Upgrade gamedata'),
    });
    fs.writeFileSync(file, manifest);
    expect(await support.openAgain(out)).toEqual([COMPLETED]);
  });

  it('rejects a staged manifest that is damaged', async () => {
    const out = await createInterruptedSite();
    fs.writeFileSync(path.join(out, '.gamedata/next/manifest.json'), '{');
    await support.expectRejected(out, () => publishTree(out, fresh), {
      message: expect.stringContaining(`${out}: cannot be completed: `),
      hint: `Delete ${out}/.gamedata, and build again.`,
    });
  });

  const outside = () => path.join(temporaryFolder(), 'outside');
  it.each<[string, at: string, obstruct: (file: string) => void]>([
    ['a file', 'b/d.json', (file) => fs.writeFileSync(file, 'mine')],
    [
      'a symlink in place of a folder',
      'come',
      (file) => fs.symlinkSync(outside(), file),
    ],
  ])(
    'does not overwrite %s, and keeps the committed change for later',
    async (_, at, obstruct) => {
      const out = await publishedSite(old);
      vi.mocked(fs.renameSync).mockImplementation((from, to) => {
        real.renameSync(from, to);
        // The operator adds a file right after the commit.
        if (String(to).endsWith('next/manifest.json')) obstruct(path.join(out, at));
      });
      const message = `${out}: contains files in the way of the new site: ${at}`;
      await expect(publishTree(out, fresh)).rejects.toThrow(message);
      vi.resetAllMocks();
      await support.expectRejected(out, () => support.openAgain(out), { message });
      fs.rmSync(path.join(out, at), { recursive: true });
      expect(await support.openAgain(out)).toEqual([COMPLETED]);
      expect(readTree(out)).toEqual(fresh);
    },
  );
});

/** Prepares what an archive contains. `victim` is a folder outside the site. */
type Plant = (out: string, victim: string) => void;

const staged = (file: string) => path.join('.gamedata/next', file);

function writeManifest(out: string, file: string, ...paths: string[]): void {
  const sha256 = '0'.repeat(64);
  const files = paths.map((path) => ({ path, bytes: 6, sha256 }));
  const manifest = { format: 1, generator: 'gamedata/1', files };
  fsExtra.outputFileSync(path.join(out, file), JSON.stringify(manifest));
}

describe('a site from a hostile archive', () => {
  it.each<[string, Plant]>([
    [
      'lists a path outside the folder',
      (out) => writeManifest(out, 'manifest.json', '../victim/mine'),
    ],
    [
      'stages a path outside the folder',
      (out) => {
        writeManifest(out, staged('manifest.json'), '../../victim/mine');
        fsExtra.outputFileSync(path.join(out, staged('x')), 'theirs');
      },
    ],
    [
      'stages files below a symlink',
      (out, victim) => {
        writeManifest(out, staged('manifest.json'), 'link/mine');
        fsExtra.outputFileSync(path.join(out, staged('link/mine')), 'theirs');
        fs.symlinkSync(victim, path.join(out, 'link'));
      },
    ],
    [
      'has a symlink in place of the work folder',
      (out, victim) => {
        writeManifest(victim, 'next/manifest.json', 'next/mine');
        fs.symlinkSync(victim, path.join(out, '.gamedata'));
      },
    ],
    [
      'has a symlink in place of the manifest',
      (out, victim) => {
        writeManifest(victim, 'manifest.json', 'mine');
        fs.symlinkSync(
          path.join(victim, 'manifest.json'),
          path.join(out, 'manifest.json'),
        );
      },
    ],
  ])(
    'changes nothing outside the site folder if a hostile archive %s',
    async (_, plant) => {
      const parent = temporaryFolder();
      const victim = path.join(parent, 'victim');
      const packed = path.join(parent, 'packed');
      const out = path.join(parent, 'site');
      fsExtra.outputFileSync(path.join(victim, 'mine'), 'mine');
      fs.mkdirSync(packed);
      fs.mkdirSync(out);
      plant(packed, victim);
      const archive = path.join(parent, 'site.tar');
      execFileSync('tar', ['cf', archive, '-C', packed, '.']);
      execFileSync('tar', ['xf', archive, '-C', out]);
      const before = fingerprint(victim);
      for (const tree of [fresh, old]) {
        await publishTree(out, tree).catch(() => {});
        expect(fingerprint(victim)).toEqual(before);
      }
    },
  );

  it('does not add a staged symlink to the site', async () => {
    const out = path.join(temporaryFolder(), 'site');
    writeManifest(out, staged('manifest.json'), 'a.json');
    fs.symlinkSync('/etc/hostname', path.join(out, staged('a.json')));
    expect(await support.openAgain(out)).toEqual([COMPLETED]);
    expect(readTree(out)).toEqual({});
  });
});
