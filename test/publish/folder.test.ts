import * as fs from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keepDataSet } from '../../src/pipeline/keep-data.ts';
import { lockFolder } from '../../src/publish/lock.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { fingerprint, modeOf } from '../support/fingerprint.ts';
import {
  failing,
  publishTree,
  readTree,
  readVisibleTree,
} from '../support/publishing.ts';
import { rawRecords } from '../support/sites.ts';
import { createStoredData } from '../support/stored-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

const isRoot = process.geteuid?.() === 0;
/** The ids of two unprivileged users. */
const USER = 12_345;
const OTHER = 12_346;
const GROUP = 12_347;
const tree = { 'a.json': '1', 'b/c.json': '2' };
const fresh = { 'a.json': '10', 'd/e.json': '3' };

function failToRead(out: string): Promise<unknown> {
  return withOutput(out, () => Promise.reject(new RangeError('no upstream')));
}

describe('a site folder that does not exist', () => {
  it('creates a missing site folder with its parent folders', async () => {
    const out = path.join(temporaryFolder(), 'a', 'b', 'site');
    await publishTree(out, tree);
    expect(readTree(out)).toEqual(tree);
  });

  it('removes the new site folder and its new parent folders if the first build fails', async () => {
    const parent = temporaryFolder();
    await expect(failToRead(path.join(parent, 'a/b/site'))).rejects.toThrow(
      'no upstream',
    );
    expect(fs.readdirSync(parent)).toEqual([]);
  });

  it('keeps a new site folder if another build locks it first', async () => {
    const out = path.join(temporaryFolder(), 'site');
    onTestFinished(() => void vi.resetAllMocks());
    vi.mocked(fs.mkdirSync).mockImplementation((folder, options) => {
      const result = real.mkdirSync(folder, options);
      if (folder === out) {
        const lock = lockFolder(out);
        onTestFinished(() => lock.release());
      }
      return result;
    });
    await expect(publishTree(out, tree)).rejects.toThrow('another build');
    expect(fs.readdirSync(out)).toEqual([]);
  });

  // The umask cannot be changed in a worker thread.
  it.runIf(isMainThread)(
    'makes a new site folder public, regardless of the umask',
    async () => {
      const out = path.join(temporaryFolder(), 'site');
      const outerMask = process.umask(0o077);
      onTestFinished(() => void process.umask(outerMask));
      await publishTree(out, tree);
      expect(modeOf(out)).toBe('755');
      expect(modeOf(path.join(out, 'b/c.json'))).toBe('644');
    },
  );
});

describe('a symlink in place of the site folder', () => {
  it.each(['a folder', 'a folder that does not exist'])(
    'follows a symlink to %s, and keeps the symlink',
    async (what) => {
      const parent = temporaryFolder();
      const real = path.join(parent, 'real', 'site');
      const link = path.join(parent, 'link');
      fs.symlinkSync(path.join('real', 'site'), link);
      if (what === 'a folder') fs.mkdirSync(real, { recursive: true });
      await publishTree(link, tree);
      await publishTree(link, fresh);
      expect(fs.readlinkSync(link)).toBe('real/site');
      expect(readTree(real)).toEqual(fresh);
      expect(fs.readdirSync(parent).sort()).toEqual(['link', 'real']);
      expect(fs.readdirSync(path.dirname(real))).toEqual(['site']);
    },
  );
});

const writeFile = (parent: string) => fs.writeFileSync(`${parent}/file`, '');
const linkToItself = (parent: string) => fs.symlinkSync('link', `${parent}/link`);
it.each<[string, string, (parent: string) => void, RegExp]>([
  ['below a file', 'file/site', writeFile, /created \((ENOTDIR|EEXIST)\)$/],
  ['that is a file', 'file', writeFile, /readable folder \(ENOTDIR\)$/],
  ['that is a circular symlink', 'link', linkToItself, /created \(ELOOP\)$/],
])('rejects an output path %s', async (_, name, fill, message) => {
  const parent = temporaryFolder();
  fill(parent);
  await expect(publishTree(path.join(parent, name), tree)).rejects.toThrow(message);
  expect(fs.readdirSync(parent)).toHaveLength(1);
});

it('rejects the working directory and its parent folders as the site folder', async () => {
  const out = path.join(temporaryFolder(), 'site');
  await publishTree(out, tree);
  onTestFinished(() => void vi.restoreAllMocks());
  for (const inside of ['.', 'b']) {
    vi.spyOn(process, 'cwd').mockReturnValue(path.join(out, inside));
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: is the working directory, or contains it`,
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
  }
  expect(readTree(out)).toEqual(tree);
});

// These tests switch the process's user, which is impossible in a worker thread.
describe.runIf(isRoot && isMainThread)(
  'in a folder that others can write to',
  () => {
    /** Runs a function as another user. */
    function runAs<T>(user: number, run: () => T): T {
      const outer = process.geteuid?.() ?? 0;
      process.seteuid?.(0);
      process.seteuid?.(user);
      try {
        return run();
      } finally {
        process.seteuid?.(0);
        process.seteuid?.(outer);
      }
    }

    /** Creates a folder with the given mode, and runs the rest of the test as `USER`. */
    function createParent(mode: number, owner = 0): string {
      const parent = runAs(0, () => {
        const folder = temporaryFolder();
        fs.chownSync(folder, owner, owner);
        fs.chmodSync(folder, mode);
        return folder;
      });
      process.seteuid?.(USER);
      onTestFinished(() => void process.seteuid?.(0));
      return parent;
    }

    const PLANTED = `was made by another user (${OTHER}) in a folder that every user can write to`;
    const STICKY = 0o1777;

    it('rejects a site folder that another user made, and changes nothing in it', async () => {
      const out = path.join(createParent(STICKY), 'site');
      runAs(OTHER, () => {
        fs.mkdirSync(path.join(out, '.gamedata/next'), { recursive: true });
        const manifest = { format: 1, generator: 'gamedata/1', files: [] };
        const text = JSON.stringify(manifest);
        fs.writeFileSync(path.join(out, '.gamedata/next/manifest.json'), text);
        for (const folder of ['', '.gamedata', '.gamedata/next']) {
          fs.chmodSync(path.join(out, folder), 0o777);
        }
      });
      const before = fingerprint(out);
      await expect(publishTree(out, tree)).rejects.toMatchObject({
        message: `${out}: ${PLANTED}`,
        hint: 'Choose a folder whose parent only you can write to.',
      });
      expect(fingerprint(out)).toEqual(before);
    });

    it("rejects a symlink that another user made, even if it leads to the user's own site", async () => {
      const site = path.join(createParent(0o777), 'site');
      await publishTree(site, tree);
      const planted = path.join(createParent(STICKY), 'site');
      runAs(OTHER, () => fs.symlinkSync(site, planted));
      await expect(publishTree(planted, fresh)).rejects.toThrow(
        `${planted}: ${PLANTED}`,
      );
      expect(readTree(site)).toEqual(tree);
    });

    it("rejects the user's own symlink if it leads to a folder that another user made", async () => {
      const planted = path.join(createParent(STICKY), 'site');
      runAs(OTHER, () => {
        fs.mkdirSync(planted);
        fs.chmodSync(planted, 0o777);
      });
      const link = path.join(createParent(0o777), 'link');
      fs.symlinkSync(planted, link);
      await expect(publishTree(link, tree)).rejects.toThrow(PLANTED);
      expect(fs.readdirSync(planted)).toEqual([]);
    });

    it('rejects a missing site folder if another user creates it first', async () => {
      const out = path.join(createParent(STICKY), 'site');
      onTestFinished(() => void vi.resetAllMocks());
      vi.mocked(fs.mkdirSync).mockImplementation((folder, options) => {
        if (folder === out) runAs(OTHER, () => real.mkdirSync(out, 0o777));
        return real.mkdirSync(folder, options);
      });
      await expect(publishTree(out, tree)).rejects.toThrow(PLANTED);
      expect(real.readdirSync(out)).toEqual([]);
    });

    it.each<[string, mode: number, prepare: (out: string) => void]>([
      ['a missing folder', STICKY, () => {}],
      [
        "the user's own folder",
        STICKY,
        (out) => runAs(USER, () => fs.mkdirSync(out)),
      ],
      ['a folder of root', STICKY, (out) => runAs(0, () => makeOpen(out, 0))],
      ["a group's folder", 0o2775, (out) => runAs(0, () => makeOpen(out, OTHER))],
      [
        "another user's volume",
        0o777,
        (out) => runAs(0, () => makeOpen(out, OTHER)),
      ],
    ])('publishes into %s in a folder with mode %o', async (_, mode, prepare) => {
      const parent = createParent(mode, OTHER);
      const out = path.join(parent, 'site');
      prepare(out);
      await publishTree(out, tree);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    });

    /** Makes a folder that everybody can write to. */
    function makeOpen(folder: string, owner: number): void {
      fs.mkdirSync(folder);
      fs.chownSync(folder, owner, owner);
      fs.chmodSync(folder, 0o777);
    }

    it("completes another user's interrupted change in a folder that belongs to a group", async () => {
      const out = path.join(createParent(0o755), 'site');
      runAs(0, () => {
        fs.mkdirSync(out);
        fs.chownSync(out, OTHER, GROUP);
        fs.chmodSync(out, 0o2775);
        process.setegid?.(GROUP);
      });
      onTestFinished(() => void process.setegid?.(0));
      await publishTree(out, tree);
      vi.mocked(fs.renameSync).mockImplementation((from, to) => {
        if (String(to).endsWith('/a.json')) failing('EIO')();
        real.renameSync(from, to);
      });
      await expect(publishTree(out, fresh)).rejects.toThrow('cannot be completed');
      vi.resetAllMocks();
      process.seteuid?.(0);
      process.seteuid?.(OTHER);
      expect(readVisibleTree(out)).toEqual(fresh);
      expect(await publishTree(out, fresh)).toMatchObject({
        changed: true,
        written: 0,
      });
      await publishTree(out, tree);
      expect(readTree(out)).toEqual(tree);
    });

    it('publishes into missing folders below a shared folder', async () => {
      const out = path.join(createParent(STICKY), 'a', 'site');
      await publishTree(out, tree);
      expect(readTree(out)).toEqual(tree);
    });

    it('does not keep a data set in a folder that another user made', async () => {
      const dataSet = createStoredData(rawRecords(1, 1));
      const out = path.join(createParent(STICKY), 'site');
      runAs(OTHER, () => fs.mkdirSync(`${out}.data`));
      await expect(keepDataSet(out, dataSet, 1, '2026-01-02')).rejects.toThrow(
        `${out}.data: ${PLANTED}`,
      );
    });
  },
);
