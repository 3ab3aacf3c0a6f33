import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { type PublishResult, withOutput } from '../../src/publish/publish.ts';
import { createEntry } from '../../src/site/manifest.ts';
import { fingerprint, modeOf } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { publishedSite, publishTree, readTree, treeFiles } = support;
const [old, fresh] = support.littleChanged;
const first: support.Tree = { 'a.json': '1', 'b/c.json': '22', 'b/d.json': '333' };
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

afterEach(() => {
  vi.restoreAllMocks();
});

describe('publish', () => {
  it('writes every file and a manifest that is sorted by path', async () => {
    const out = path.join(temporaryFolder(), 'a', 'b', 'site');
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

  const reversed = Object.fromEntries(Object.entries(first).toReversed());
  it.each([
    ['the same order', first],
    ['a different order', reversed],
  ])('touches no files if it receives the same files in %s', async (_, tree) => {
    const { out } = await publishedSite(first);
    const parent = path.dirname(out);
    const fingerprintBefore = fingerprint(parent);
    expect(await publishTree(out, tree)).toMatchObject(unchanged);
    expect(fingerprint(parent)).toEqual(fingerprintBefore);
  });

  it('touches no files if only modification times have changed', async () => {
    const { out } = await publishedSite(first);
    const now = Date.now() / 1000;
    fs.utimesSync(path.join(out, 'manifest.json'), now - 3600, now - 3600);
    for (const name of ['a.json', 'b/c.json']) {
      fs.utimesSync(path.join(out, name), now + 3600, now + 3600);
    }
    const fingerprintBefore = fingerprint(out);
    expect(await publishTree(out, first)).toMatchObject(unchanged);
    expect(fingerprint(out)).toEqual(fingerprintBefore);
  });

  it('does not carry over an mtime that is far in the future', async () => {
    const { out } = await publishedSite(first);
    const file = path.join(out, 'a.json');
    const startOf2100 = 4_102_444_800;
    fs.utimesSync(file, startOf2100, startOf2100);
    await publishTree(out, { ...first, 'a.json': '2' });
    expect(readSecond(file)).toBeLessThan(startOf2100);
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
    ['a newer file of the same size', overwrite('2', later)],
    ['a longer file', overwrite('12', 0)],
    ['a symlink of the same size', replaceBySymlink],
  ])('repairs %s without comparing content', async (_, damage) => {
    const { out } = await publishedSite(first);
    damage(path.join(out, 'a.json'));
    const repair = await publishTree(out, first);
    expect(repair).toMatchObject({ written: 2, kept: 2 });
    expect(readTree(out)).toEqual(first);
    expect(await publishTree(out, first)).toMatchObject(unchanged);
  });

  it('repairs other content of the same size and age only by comparing content', async () => {
    const { out } = await publishedSite(first);
    const damage = overwrite('2', 0);
    damage(path.join(out, 'a.json'));
    expect(await publishTree(out, first)).toMatchObject(unchanged);
    const repair = await publishTree(out, first, { byContent: true });
    expect(repair).toMatchObject({ written: 2, kept: 2 });
    expect(readTree(out)).toEqual(first);
    const secondRun = await publishTree(out, first, { byContent: true });
    expect(secondRun).toMatchObject(unchanged);
  });

  it('gives replaced files a later mtime in whole seconds', async () => {
    const { out } = await publishedSite(old);
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

  it('never leaves a file newer than the manifest', async () => {
    const { out } = await publishedSite(old);
    const file = path.join(out, 'a.json');
    const manifest = path.join(out, 'manifest.json');
    function expectManifestIsNewest(): void {
      const { mtimeMs } = fs.statSync(file);
      const manifestTime = fs.statSync(manifest).mtimeMs;
      expect(manifestTime).toBeGreaterThanOrEqual(mtimeMs);
    }
    await publishTree(out, fresh);
    expectManifestIsNewest();
    await publishTree(out, old);
    fs.utimesSync(file, later, later);
    await publishTree(out, fresh);
    expectManifestIsNewest();
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
  });

  it('publishes into the target of a symlink without replacing the symlink', async () => {
    const parent = temporaryFolder();
    const real = path.join(parent, 'real', 'site');
    const link = path.join(parent, 'link');
    fs.symlinkSync(path.join('real', 'site'), link);
    await publishTree(link, first);
    const { ino } = fs.statSync(path.join(link, 'a.json'));
    await publishTree(link, { ...first, 'b/c.json': '4' });
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readTree(real)).toEqual({ ...first, 'b/c.json': '4' });
    // The unchanged file was not copied, and no file was left next to the site.
    expect(fs.statSync(path.join(real, 'a.json')).ino).toBe(ino);
    expect(fs.readdirSync(parent).sort()).toEqual(['link', 'real']);
    expect(fs.readdirSync(path.dirname(real))).toEqual(['site']);
  });

  function linkOutside(file: string): void {
    const outside = path.join(temporaryFolder(), 'outside');
    fs.symlinkSync(outside, file);
  }

  it.each<[string, Damage]>([
    ['a file', (file) => fs.writeFileSync(file, 'theirs')],
    ['a symlink', linkOutside],
  ])(
    'rejects %s that another process created in the staging folder',
    async (_, interfere) => {
      const { out, folders } = await publishedSite(first);
      function* createFiles() {
        yield { path: 'a.json', body: 'new' };
        interfere(path.join(folders.staged, 'b.json'));
        yield { path: 'b.json', body: 'ours' };
      }
      const publish = () =>
        withOutput(out, (output) => output.publish(createFiles()));
      await support.expectRejected(out, publish, {
        message: 'b.json: cannot be written (EEXIST)',
      });
    },
  );

  it('stages files in a folder that no other user can enter', async () => {
    const { out, folders } = await publishedSite(first);
    function* createFiles() {
      expect(fs.existsSync(folders.staging), 'before the first file').toBe(false);
      yield { path: 'a.json', body: 'new' };
      expect(modeOf(folders.staging)).toBe('700');
    }
    await withOutput(out, (output) => output.publish(createFiles()));
    expect(readTree(out)).toEqual({ 'a.json': 'new' });
  });

  /**
   * Publishes up to 2,000 files over the first site, and expects that an abort ends
   * this early and keeps the old site. `onFile` is called before each file.
   * Returns the number of files that were requested.
   */
  async function countFilesUntilAbort(
    onFile: (count: number) => void,
    signal: AbortSignal,
    onStart = () => {},
  ): Promise<number> {
    const { out } = await publishedSite(first);
    let count = 0;
    function* createFiles() {
      while (count < 2000) {
        count++;
        onFile(count);
        yield { path: `many/${count}.json`, body: String(count) };
      }
    }
    function publish(): Promise<unknown> {
      const publishing = withOutput(out, (output) =>
        output.publish(createFiles(), { signal }),
      );
      onStart();
      return publishing;
    }
    await support.expectRejected(out, publish, { name: 'AbortError' });
    return count;
  }

  it('keeps only the old site if the build is aborted', async () => {
    const controller = new AbortController();
    function abortAtTenth(count: number): void {
      if (count === 10) controller.abort();
    }
    const count = await countFilesUntilAbort(abortAtTenth, controller.signal);
    expect(count).toBe(10);
  });

  it('pauses regularly so that the event loop can abort the build', async () => {
    const controller = new AbortController();
    async function abortSoon(): Promise<void> {
      await setImmediate();
      controller.abort();
    }
    const count = await countFilesUntilAbort(() => {}, controller.signal, abortSoon);
    expect(count).toBeLessThan(2000);
  });

  it('keeps files that gamedata did not write', async () => {
    const { out, names } = await publishedSite(first);
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
    expect(names()).toEqual(['site']);
  });

  const next = { 'a.json': '10', 'd.json': '3' };

  it.each(['.', 'b'])(
    'rejects an output folder that contains the working folder: %s',
    async (inside) => {
      const { out } = await publishedSite(first);
      vi.spyOn(process, 'cwd').mockReturnValue(path.join(out, inside));
      await support.expectRejected(out, () => publishTree(out, next), {
        message: `${out}: is the working folder, or contains it, and cannot be replaced`,
        hint: 'Run the command in another folder, or name a folder inside this one.',
      });
      vi.spyOn(process, 'cwd').mockReturnValue(path.dirname(out));
      expect(await publishTree(out, next)).toMatchObject({ changed: true });
    },
  );

  it.each<[string, folder: string, indent: number]>([
    ['in a site', 'copy', 0],
    ['in a folder of a site', 'a/b/c', 0],
    ['in a site whose manifest was formatted', 'copy', 2],
  ])('rejects an output folder %s', async (_, folder, indent) => {
    const { out } = await publishedSite({ 'meta.json': '1', 'a/b.json': '2' });
    const manifest = path.join(out, 'manifest.json');
    const json: unknown = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    fs.writeFileSync(manifest, JSON.stringify(json, null, indent));
    const inside = path.join(out, folder);
    await support.expectRejected(out, () => publishTree(inside, next), {
      message: `${inside}: is inside ${out}, which was published by gamedata`,
      hint: 'Choose a folder outside that site. Otherwise, its next build would find files that are not in its manifest.',
    });
  });

  it("publishes into a web app's folder even if its manifest mentions gamedata", async () => {
    const parent = temporaryFolder();
    const manifest = JSON.stringify({
      name: 'an app',
      shortcut: { generator: 'gamedata/1' },
    });
    fs.writeFileSync(path.join(parent, 'manifest.json'), manifest);
    expect(await publishTree(path.join(parent, 'site'), next)).toMatchObject({
      changed: true,
    });
  });

  async function expectFolderIsRejected(
    fill: (folder: string) => void,
    problem: string,
  ): Promise<void> {
    const out = path.join(temporaryFolder(), 'mine');
    fs.mkdirSync(out);
    fill(out);
    await support.expectRejected(out, () => publishTree(out, next), {
      message: expect.stringContaining(`${out}: ${problem}`),
      hint: expect.any(String),
    });
  }

  const invalid = 'contains files, but has no valid manifest.json: ';

  it('rejects an existing folder without a manifest', () =>
    expectFolderIsRejected(
      (folder) => fs.writeFileSync(path.join(folder, 'manifest.json.txt'), 'x'),
      'contains files, but has no manifest.json',
    ));

  it('rejects an existing folder whose manifest is a folder', () =>
    expectFolderIsRejected(
      (folder) => fs.mkdirSync(path.join(folder, 'manifest.json')),
      `${invalid}not a regular file`,
    ));

  it.each<[string, text: string, problem: string]>([
    ['is not JSON', '{', `${invalid}invalid JSON`],
    ['belongs to another application', '{"name":"My app","start_url":"/"}', invalid],
    ['names another generator', '{"generator":"x/5","files":[]}', invalid],
    [
      'was written by a newer version of gamedata',
      '{"format":9,"generator":"gamedata/9","files":[]}',
      'manifest.json has format 9, but this version',
    ],
  ])('rejects an existing folder whose manifest %s', async (_, text, problem) => {
    await expectFolderIsRejected((folder) => {
      fs.writeFileSync(path.join(folder, 'manifest.json'), text);
    }, problem);
  });

  const writeFile = (parent: string) => fs.writeFileSync(`${parent}/file`, '');
  const linkToItself = (parent: string) => fs.symlinkSync('link', `${parent}/link`);
  it.each<[string, string, (parent: string) => void, RegExp]>([
    ['below a file', 'file/site', writeFile, /created \((ENOTDIR|EEXIST)\)$/],
    ['that is a file', 'file', writeFile, /readable folder \(ENOTDIR\)$/],
    ['that is a circular symlink', 'link', linkToItself, /link \(ELOOP\)$/],
  ])('rejects an output path %s', async (_, name, fill, message) => {
    const out = path.join(temporaryFolder(), name);
    const parent = path.dirname(out.replace(/\/site$/, ''));
    fill(parent);
    await expect(publishTree(out, next)).rejects.toThrow(message);
    expect(fs.readdirSync(parent)).toHaveLength(1);
  });

  const createFile: Damage = (file) => fs.writeFileSync(file, 'mine');
  const createFolder: Damage = (file) => fs.mkdirSync(file);
  const createSymlink: Damage = (file) => fs.symlinkSync('a.json', file);

  function replaceByFolder(file: string): void {
    fs.rmSync(file);
    fs.mkdirSync(file);
  }

  async function expectObstacle(
    out: string,
    tree: support.Tree,
    namedPaths: string,
  ): Promise<void> {
    await support.expectRejected(out, () => publishTree(out, tree), {
      message: `${out}: contains files that gamedata did not write: ${namedPaths}`,
      hint: 'Move them elsewhere, or into public/ to make them part of the site.',
    });
  }

  interface Obstacle {
    readonly what: string;
    readonly create: Damage;
    /** The path that is created. A folder ends with a slash in the error. */
    readonly at: string;
    readonly newFile: string;
  }

  const obstacles: readonly Obstacle[] = [
    { what: 'a file', create: createFile, at: 'd.json', newFile: 'd.json' },
    { what: 'a symlink', create: createSymlink, at: 'd.json', newFile: 'd.json' },
    { what: 'a folder', create: createFolder, at: 'd.json/', newFile: 'd.json' },
    {
      what: 'a folder that replaced a file',
      create: replaceByFolder,
      at: 'a.json/',
      newFile: 'a.json',
    },
    {
      what: 'a file in a removed folder',
      create: createFile,
      at: 'b/x',
      newFile: 'b',
    },
    {
      what: 'a folder in a removed folder',
      create: createFolder,
      at: 'b/x/',
      newFile: 'b',
    },
    {
      what: 'a file in the place of its folder',
      create: createFile,
      at: 'd',
      newFile: 'd/x/y',
    },
  ];
  it.each(obstacles)(
    'rejects $what in the way of a new file',
    async ({ create, at, newFile }) => {
      const { out } = await publishedSite(first);
      create(path.resolve(out, at));
      await expectObstacle(out, { [newFile]: 'new' }, at);
    },
  );

  it('names at most five files that are in the way of new files', async () => {
    const { out } = await publishedSite(first);
    const tree: Record<string, string> = {};
    for (const name of '1234567') {
      tree[name] = name;
      createFile(path.join(out, name));
    }
    await expectObstacle(out, tree, '1, 2, 3, 4, 5 and 2 more');
  });

  async function expectPathsAreRejected(
    paths: readonly string[],
    problem: string,
  ): Promise<void> {
    const { out } = await publishedSite(first);
    // Published files keep their text, so that only the other files are staged.
    const files = paths.map((name) => ({ path: name, body: first[name] ?? 'x' }));
    const publish = () => withOutput(out, (output) => output.publish(files));
    await support.expectRejected(out, publish, {
      message: expect.stringContaining(`${paths.at(-1)}: ${problem}`),
    });
  }

  it.each([
    '../x',
    '..',
    'a/../../x',
    '/etc/x',
    'a\\b',
    'a\0b',
    '',
    'a//b',
    './a',
    'a/',
  ])('rejects a site with the unsafe path %j', async (name) => {
    await expectPathsAreRejected(['a.json', name], 'is not a path inside the site');
  });

  it.each<[readonly string[], string]>([
    [['a.json', 'a.json'], 'occurs twice'],
    [['b/C.json', 'B/c.json'], 'occurs twice'],
    [['manifest.json'], 'occurs twice'],
    [['b', 'b/c.json'], 'is a file where the site has a folder'],
    [['b/c.json', 'b'], 'is a file where the site has a folder'],
    [['b/c/d', 'B'], 'is a file where the site has a folder'],
  ])('rejects a site with the conflicting paths %j', async (paths, problem) => {
    await expectPathsAreRejected(paths, problem);
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
      output.publish(treeFiles(first), { buildInputs }),
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
    const fingerprintBefore = fingerprint(out);
    expect(await reuse(out)).toEqual({ ...unchanged, bytes });
    expect(await publishWithInputs(out)).toEqual({ ...unchanged, bytes });
    expect(fingerprint(out)).toEqual(fingerprintBefore);
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
