import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { createEntry } from '../../src/data/entries.ts';
import { type PublishResult, withOutput } from '../../src/publish/publish.ts';
import { encodeManifest } from '../../src/site/manifest.ts';
import { fingerprint } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { publishedSite, publishFiles, publishTree, readTree, treeFiles } = support;
const [old, fresh] = support.littleChanged;
const first: support.Tree = { 'a.json': '1', 'b/c.json': '22', 'b/d.json': '333' };
const next = { 'a.json': '10', 'd.json': '3' };
const unchanged = {
  changed: false,
  files: 4,
  written: 0,
  kept: 4,
  removed: 0,
  notices: [],
};

function readManifest(out: string) {
  const text = fs.readFileSync(path.join(out, 'manifest.json'), 'utf8');
  return JSON.parse(text);
}

/** Returns the second in which a file was last modified. */
function readSecond(file: string): number {
  const { mtimeMs } = fs.statSync(file);
  return Math.floor(mtimeMs / 1000);
}

/** A function that replaces or damages one path of a published site. */
type Damage = (file: string) => void;

describe('publish', () => {
  it('writes every file and a manifest that is sorted by path', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const result = await publishTree(out, { 'b/c.json': '22', 'a.json': 'é' });
    expect(readTree(out)).toEqual({ 'a.json': 'é', 'b/c.json': '22' });
    expect(readManifest(out).files).toEqual([
      { path: 'a.json', bytes: 2, sha256: hash('sha256', 'é') },
      { path: 'b/c.json', bytes: 2, sha256: hash('sha256', '22') },
    ]);
    const bytes = 4 + fs.statSync(path.join(out, 'manifest.json')).size;
    expect(result).toEqual({
      changed: true,
      files: 3,
      bytes,
      written: 3,
      kept: 0,
      removed: 0,
      notices: [],
    });
  });

  it('updates changed files without touching unchanged files', async () => {
    const out = await publishedSite(old);
    const { ino, ctimeMs } = fs.statSync(path.join(out, 'kept/1.json'));
    expect(await publishTree(out, fresh)).toMatchObject({
      changed: true,
      written: 4,
      kept: 3,
      removed: 2,
    });
    expect(readTree(out)).toEqual(fresh);
    expect(fs.existsSync(path.join(out, 'gone')), 'an empty folder').toBe(false);
    expect(fs.statSync(path.join(out, 'kept/1.json'))).toMatchObject({
      ino,
      ctimeMs,
    });
    expect(fs.existsSync(path.join(out, '.gamedata'))).toBe(false);
  });

  it('changes no file if it receives the same files in another order', async () => {
    const out = await publishedSite(first);
    const before = fingerprint(path.dirname(out));
    const reversed = Object.fromEntries(Object.entries(first).toReversed());
    expect(await publishTree(out, reversed)).toMatchObject(unchanged);
    expect(fingerprint(path.dirname(out))).toEqual(before);
  });

  it('changes no file if only modification times differ', async () => {
    const out = await publishedSite(first);
    const now = Date.now() / 1000;
    fs.utimesSync(path.join(out, 'manifest.json'), now - 3600, now - 3600);
    for (const name of ['a.json', 'b/c.json']) {
      fs.utimesSync(path.join(out, name), now + 3600, now + 3600);
    }
    const before = fingerprint(out);
    expect(await publishTree(out, first)).toMatchObject(unchanged);
    expect(fingerprint(out)).toEqual(before);
  });

  const later = Date.now() / 1000 + 100;

  function overwrite(text: string, time: number): Damage {
    return (file) => {
      fs.writeFileSync(file, text);
      fs.utimesSync(file, time, time);
    };
  }

  function replaceBySymlink(file: string): void {
    fs.rmSync(file);
    fs.symlinkSync('x', file);
    fs.lutimesSync(file, 1, 1);
  }

  it.each<[string, Damage]>([
    ['a missing file', (file) => fs.rmSync(file)],
    ['a newer file of the same size', overwrite('33', later)],
    ['a longer file', overwrite('12345', 0)],
    ['a symlink of the same size', replaceBySymlink],
  ])('repairs %s', async (_, damage) => {
    const out = await publishedSite(first);
    damage(path.join(out, 'b/c.json'));
    expect(await publishTree(out, first)).toMatchObject({ changed: true });
    expect(readTree(out)).toEqual(first);
    expect(await publishTree(out, first)).toMatchObject(unchanged);
  });

  it('gives a replaced file a modification time that is at least a second later', async () => {
    const out = await publishedSite(old);
    const file = path.join(out, 'a.json');
    const manifest = path.join(out, 'manifest.json');
    for (const tree of [fresh, { 'a.json': '11' }, { 'a.json': '12' }, old]) {
      const fileSecond = readSecond(file);
      const manifestSecond = readSecond(manifest);
      await publishTree(out, tree);
      expect(readSecond(file)).toBeGreaterThan(fileSecond);
      expect(readSecond(manifest)).toBeGreaterThan(manifestSecond);
    }
  });

  it('does not keep a modification time that is far in the future', async () => {
    const out = await publishedSite(first);
    const file = path.join(out, 'a.json');
    const startOf2100 = 4_102_444_800;
    fs.utimesSync(file, startOf2100, startOf2100);
    await publishTree(out, { ...first, 'a.json': '2' });
    expect(readSecond(file)).toBeLessThan(startOf2100);
  });

  it('keeps files that gamedata did not write', async () => {
    const out = await publishedSite(first);
    const ownFiles = {
      'note.txt': 'mine',
      'b/note.txt': 'mine',
      'b/c.json/x': 'mine',
    };
    // The user has replaced a published file with a folder.
    fs.rmSync(path.join(out, 'b/c.json'));
    fs.mkdirSync(path.join(out, 'b/c.json'));
    fs.mkdirSync(path.join(out, 'come'));
    const link = path.join(out, 'link');
    fs.symlinkSync('/nowhere', link);
    for (const [name, text] of Object.entries(ownFiles)) {
      fs.writeFileSync(path.join(out, name), text);
    }
    const nextTree = { 'a.json': '10', 'd.json': '3', 'come/x.json': '4' };
    await publishTree(out, nextTree);
    expect(fs.readlinkSync(link)).toBe('/nowhere');
    fs.rmSync(link);
    expect(readTree(out)).toEqual({ ...nextTree, ...ownFiles });
  });

  it('publishes the first site into a folder with lost+found and hidden files', async () => {
    const out = path.join(temporaryFolder(), 'site');
    fs.mkdirSync(path.join(out, 'lost+found'), { recursive: true });
    fs.writeFileSync(path.join(out, '.htaccess'), 'mine');
    await publishTree(out, first);
    expect(readTree(out)).toEqual({ ...first, '.htaccess': 'mine' });
  });

  async function expectFolderIsRejected(
    fill: (folder: string) => void,
    problem: string,
  ): Promise<void> {
    const out = path.join(temporaryFolder(), 'mine');
    fs.mkdirSync(path.join(out, '.gamedata'), { recursive: true });
    fill(out);
    await support.expectRejected(out, () => publishTree(out, next), {
      message: expect.stringContaining(`${out}: ${problem}`),
      hint: expect.any(String),
    });
  }

  const invalid = 'contains files, but no valid manifest.json: ';

  it('rejects an existing folder without a manifest', () =>
    expectFolderIsRejected(
      (folder) => fs.writeFileSync(path.join(folder, 'manifest.json.txt'), 'x'),
      'contains files, but its manifest.json does not exist',
    ));

  it.each<[string, text: string, problem: string]>([
    ['is not JSON', '{', invalid],
    ['belongs to another application', '{"name":"My app","start_url":"/"}', invalid],
  ])('rejects an existing folder whose manifest %s', async (_, text, problem) => {
    await expectFolderIsRejected((folder) => {
      fs.writeFileSync(path.join(folder, 'manifest.json'), text);
    }, problem);
  });

  const createFile: Damage = (file) => fs.writeFileSync(file, 'mine');
  const createFolder: Damage = (file) => fs.mkdirSync(file);
  const createSymlink: Damage = (file) => fs.symlinkSync('a.json', file);

  function replaceByFolder(file: string): void {
    fs.rmSync(file);
    fs.mkdirSync(file);
  }

  function moveAndLink(folder: string): void {
    const elsewhere = path.join(temporaryFolder(), 'elsewhere');
    fs.renameSync(folder, elsewhere);
    fs.symlinkSync(elsewhere, folder);
  }

  interface Obstacle {
    readonly what: string;
    readonly create: Damage;
    readonly at: string;
    readonly tree: support.Tree;
  }

  const obstacles: readonly Obstacle[] = [
    { what: 'a file', create: createFile, at: 'd.json', tree: next },
    { what: 'a folder', create: createFolder, at: 'd.json', tree: next },
    {
      what: 'a folder that replaced a file',
      create: replaceByFolder,
      at: 'a.json',
      tree: next,
    },
    {
      what: 'a symlink in place of its folder',
      create: createSymlink,
      at: 'd',
      tree: { ...first, 'd/x/y': 'new' },
    },
  ];
  it.each(obstacles)(
    'rejects a change if $what is in the way',
    async ({ create, at, tree }) => {
      const out = await publishedSite(first);
      create(path.join(out, at));
      await support.expectRejected(out, () => publishTree(out, tree), {
        message: `${out}: contains files in the way of the new site: ${at}`,
        hint: 'If they are yours, move them elsewhere, or into public/ to make them part of the site. Otherwise, delete them.',
      });
    },
  );

  it('does not remove files behind a symlink that replaced their folder', async () => {
    const out = await publishedSite(first);
    moveAndLink(path.join(out, 'b'));
    const linkedFiles = fs.readdirSync(path.join(out, 'b'));
    await publishTree(out, next);
    expect(fs.readdirSync(path.join(out, 'b'))).toEqual(linkedFiles);
  });

  it.each(['../x', 'manifest.json', '.gamedata/next/manifest.json', '.GameData/x'])(
    'rejects a site with the path %j',
    async (name) => {
      const out = await publishedSite(first);
      const files = [
        { path: 'new.json', body: 'x' },
        { path: name, body: 'x' },
      ];
      const publish = () => publishFiles(out, files);
      await support.expectRejected(out, publish, {
        message: `${name}: is not a path inside the site`,
      });
    },
  );

  it('rejects a manifest that would be too large to read back', async () => {
    const out = await publishedSite(first);
    const length = getMaxBytes('manifest.json') + 1;
    const encodeManifest = () => Buffer.alloc(length);
    const publish = () =>
      withOutput(out, (output) =>
        output.publish(treeFiles(fresh), { encodeManifest }),
      );
    await support.expectRejected(out, publish, {
      message: `${out}/manifest.json: has ${length} bytes, expected at most ${length - 1}`,
    });
  });

  it('rejects a file that would be too large to read back', () => {
    const length = getMaxBytes('b') + 1;
    const problem = `b: has ${length} bytes, expected at most ${length - 1}`;
    expect(() => createEntry('b', { length } as Uint8Array)).toThrow(problem);
  });
});

describe('isUnchanged', () => {
  const buildInputs = {
    generator: 'gamedata/1.2.3',
    code: 'c'.repeat(64),
    inputs: 'd'.repeat(64),
  };

  function publishWithInputs(out: string): Promise<PublishResult> {
    return withOutput(out, (output) =>
      output.publish(treeFiles(first), {
        encodeManifest: (entries) => encodeManifest(buildInputs, entries),
      }),
    );
  }

  /** Keeps the published site if it was built with these inputs. */
  function reuse(
    out: string,
    inputs = buildInputs,
  ): Promise<PublishResult | undefined> {
    return withOutput(out, async (output) => {
      if (!output.isUnchanged(inputs)) return undefined;
      return output.keepPublished();
    });
  }

  it('does not reuse a folder without a site', async () => {
    const out = path.join(temporaryFolder(), 'site');
    expect(await reuse(out)).toBeUndefined();
  });

  it('reuses a site that was built with the same code and inputs', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const { bytes } = await publishWithInputs(out);
    expect(readManifest(out)).toMatchObject(buildInputs);
    const before = fingerprint(out);
    expect(await reuse(out)).toEqual({ ...unchanged, bytes });
    expect(await publishWithInputs(out)).toEqual({ ...unchanged, bytes });
    expect(fingerprint(out)).toEqual(before);
  });

  it.each<[string, Partial<typeof buildInputs>, damage?: Damage]>([
    ['a different version', { generator: 'gamedata/1.2.4' }],
    ['different code', { code: 'e'.repeat(64) }],
    ['different inputs', { inputs: 'e'.repeat(64) }],
    ['a modified file', {}, (file) => fs.writeFileSync(file, 'x')],
  ])('does not reuse a site with %s', async (_, otherInputs, damage) => {
    const out = path.join(temporaryFolder(), 'site');
    await publishWithInputs(out);
    damage?.(path.join(out, 'b/c.json'));
    expect(await reuse(out, { ...buildInputs, ...otherInputs })).toBeUndefined();
  });

  it('does not reuse a site whose inputs are unknown', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await publishWithInputs(out);
    // Publishing the same files without inputs removes the inputs from the manifest.
    await publishTree(out, first);
    expect(await reuse(out)).toBeUndefined();
  });
});
