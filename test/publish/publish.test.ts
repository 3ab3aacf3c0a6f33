import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { withOutput } from '../../src/publish/publish.ts';
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
const readManifest = (out: string) =>
  JSON.parse(fs.readFileSync(path.join(out, 'manifest.json'), 'utf8'));
const app = '{"name":"My app","start_url":"/"}';
const readSecond = (file: string): number =>
  Math.floor(fs.statSync(file).mtimeMs / 1000);
afterEach(() => void vi.restoreAllMocks());

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
    const counts = { files: 3, bytes, written: 3, kept: 0, removed: 0 };
    expect(result).toEqual({ ...counts, changed: true, notices: [] });
  });

  it('touches no files if nothing has changed, even if the files come in a different order', async () => {
    const { out, folders } = await publishedSite(first);
    const before = fingerprint(path.dirname(folders.out));
    const reversed = Object.fromEntries(Object.entries(first).toReversed());
    expect(await publishTree(out, first)).toMatchObject(unchanged);
    expect(await publishTree(out, reversed)).toMatchObject(unchanged);
    expect(fingerprint(path.dirname(folders.out))).toEqual(before);
  });

  it('touches no files if only modification times have changed', async () => {
    const { out } = await publishedSite(first);
    const now = Date.now() / 1000;
    fs.utimesSync(path.join(out, 'manifest.json'), now - 3600, now - 3600);
    for (const name of ['a.json', 'b/c.json']) {
      fs.utimesSync(path.join(out, name), now + 3600, now + 3600);
    }
    const before = fingerprint(out);
    expect(await publishTree(out, first)).toMatchObject(unchanged);
    expect(fingerprint(out)).toEqual(before);
  });

  it('does not carry over an mtime that is far in the future', async () => {
    const { out } = await publishedSite(first);
    const file = path.join(out, 'a.json');
    fs.utimesSync(file, 4_102_444_800, 4_102_444_800);
    await publishTree(out, { ...first, 'a.json': '2' });
    expect(readSecond(file)).toBeLessThan(4_102_444_800);
  });

  const later = Date.now() / 1000 + 100;
  const overwrite = (text: string, time: number) => (file: string) => {
    fs.writeFileSync(file, text);
    fs.utimesSync(file, time, time);
  };
  const replaceBySymlink = (file: string) => {
    fs.rmSync(file);
    fs.symlinkSync('x', file);
    fs.lutimesSync(file, 1, 1);
  };
  it.each<[string, boolean, (file: string) => void]>([
    ['a missing file', false, (file) => fs.rmSync(file)],
    ['a newer file of the same size', false, overwrite('2', later)],
    ['a longer file', false, overwrite('12', 0)],
    ['a symlink of the same size', false, replaceBySymlink],
    ['other content of the same size and age', true, overwrite('2', 0)],
  ])(
    'repairs %s (detected only by comparing content: %s)',
    async (_, byContent, damage) => {
      const { out } = await publishedSite(first);
      damage(path.join(out, 'a.json'));
      if (byContent) expect(await publishTree(out, first)).toMatchObject(unchanged);
      expect(await publishTree(out, first, { byContent })).toMatchObject({
        written: 2,
        kept: 2,
      });
      expect(readTree(out)).toEqual(first);
      expect(await publishTree(out, first, { byContent })).toMatchObject(unchanged);
    },
  );

  it('gives replaced files a later mtime and keeps the manifest the newest file', async () => {
    const { out } = await publishedSite(old);
    const file = path.join(out, 'a.json');
    const manifest = path.join(out, 'manifest.json');
    for (const tree of [fresh, { 'a.json': '11' }, { 'a.json': '12' }, old]) {
      const fileSecond = readSecond(file);
      const manifestSecond = readSecond(manifest);
      await publishTree(out, tree);
      expect(readSecond(file)).toBeGreaterThan(fileSecond);
      expect(readSecond(manifest)).toBeGreaterThan(manifestSecond);
      expect(fs.statSync(manifest).mtimeMs).toBeGreaterThanOrEqual(
        fs.statSync(file).mtimeMs,
      );
    }
    fs.utimesSync(file, later, later);
    await publishTree(out, fresh);
    expect(fs.statSync(manifest).mtimeMs).toBeGreaterThanOrEqual(
      fs.statSync(file).mtimeMs,
    );
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
    expect(fs.statSync(path.join(real, 'a.json')).ino).toBe(ino);
    expect([
      fs.readdirSync(parent).sort(),
      fs.readdirSync(path.dirname(real)),
    ]).toEqual([['link', 'real'], ['site']]);
  });

  const outside = () => path.join(temporaryFolder(), 'outside');
  it.each<[string, (file: string) => void]>([
    ['a file', (file) => fs.writeFileSync(file, 'theirs')],
    ['a symlink', (file) => fs.symlinkSync(outside(), file)],
  ])(
    'rejects %s that another process created in the staging folder',
    async (_, stage) => {
      const { out, folders } = await publishedSite(first);
      function* files() {
        yield { path: 'a.json', body: 'new' };
        stage(path.join(folders.staged, 'b.json'));
        yield { path: 'b.json', body: 'ours' };
      }
      const message = 'b.json: cannot be written (EEXIST)';
      await support.expectRejected(
        out,
        () => withOutput(out, (output) => output.publish(files())),
        {
          message,
        },
      );
    },
  );

  it('stages files in a folder that no other user can enter', async () => {
    const { out, folders } = await publishedSite(first);
    function* files() {
      expect(fs.existsSync(folders.staging), 'before the first file').toBe(false);
      yield { path: 'a.json', body: 'new' };
      expect(modeOf(folders.staging)).toBe('700');
    }
    await withOutput(out, (output) => output.publish(files()));
    expect(readTree(out)).toEqual({ 'a.json': 'new' });
  });

  // In the second case, the event loop aborts the build, so the build must pause
  // regularly.
  it.each([10, undefined])(
    'keeps only the old site if the build is aborted (at file %s)',
    async (abortAt) => {
      const { out } = await publishedSite(first);
      const controller = new AbortController();
      let made = 0;
      function* manyFiles() {
        while (made < 2000) {
          made++;
          if (made === abortAt) controller.abort();
          yield { path: `many/${made}.json`, body: String(made) };
        }
      }
      const publish = async () => {
        const work = withOutput(out, (output) =>
          output.publish(manyFiles(), { signal: controller.signal }),
        );
        setImmediate().then(() => controller.abort());
        return work;
      };
      await support.expectRejected(out, publish, { name: 'AbortError' });
      expect(made).toBeLessThan(2000);
      if (abortAt) expect(made).toBe(abortAt);
    },
  );

  it('keeps files that gamedata did not write', async () => {
    const { out, names } = await publishedSite(first);
    const next = { 'a.json': '10', 'd.json': '3', 'come/x.json': '4' };
    const mine = { 'note.txt': 'mine', 'b/note.txt': 'mine', 'b/c.json/x': 'mine' };
    fs.rmSync(path.join(out, 'b/c.json'));
    for (const folder of ['b/c.json', 'come']) fs.mkdirSync(path.join(out, folder));
    fs.symlinkSync('/nowhere', path.join(out, 'link'));
    for (const [name, text] of Object.entries(mine)) {
      fs.writeFileSync(path.join(out, name), text);
    }
    await publishTree(out, next);
    expect(fs.readlinkSync(path.join(out, 'link'))).toBe('/nowhere');
    fs.rmSync(path.join(out, 'link'));
    expect(readTree(out)).toEqual({ ...next, ...mine });
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

  it('publishes into the folder of a web app whose manifest merely mentions gamedata', async () => {
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

  const newer = '{"format":9,"generator":"gamedata/9","files":[]}';
  const invalid = 'contains files, but has no valid manifest.json: ';
  it.each<[string, (manifest: string) => void, string]>([
    [
      'without a manifest',
      (file) => fs.writeFileSync(`${file}.txt`, 'x'),
      'contains files, but has no manifest.json',
    ],
    [
      'with an invalid manifest',
      (file) => fs.writeFileSync(file, '{'),
      `${invalid}invalid JSON`,
    ],
    [
      'whose manifest is a folder',
      (file) => fs.mkdirSync(file),
      `${invalid}not a regular file`,
    ],
    [
      'that belongs to another application',
      (file) => fs.writeFileSync(file, app),
      invalid,
    ],
    [
      'from another generator',
      (file) => fs.writeFileSync(file, '{"generator":"x/5","files":[]}'),
      invalid,
    ],
    [
      'from a newer gamedata version',
      (file) => fs.writeFileSync(file, newer),
      'manifest.json has format 9, but this version',
    ],
  ])('rejects an existing folder %s', async (_, fill, problem) => {
    const out = path.join(temporaryFolder(), 'mine');
    fs.mkdirSync(out);
    fill(path.join(out, 'manifest.json'));
    await support.expectRejected(out, () => publishTree(out, next), {
      message: expect.stringContaining(`${out}: ${problem}`),
      hint: expect.any(String),
    });
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

  const many = Object.fromEntries(Array.from('1234567', (name) => [name, name]));
  const write = (out: string, ...names: string[]): void =>
    names.forEach((name) => void fs.writeFileSync(path.join(out, name), 'mine'));
  const replace = (out: string, name: string): void => {
    fs.rmSync(path.join(out, name));
    fs.mkdirSync(path.join(out, name));
  };
  it.each<[string, support.Tree, (out: string) => void, string]>([
    ['a file', { 'd.json': '3' }, (out) => write(out, 'd.json'), 'd.json'],
    [
      'a symlink',
      { 'd.json': '3' },
      (out) => fs.symlinkSync('a.json', path.join(out, 'd.json')),
      'd.json',
    ],
    [
      'a folder',
      { 'd.json': '3' },
      (out) => fs.mkdirSync(path.join(out, 'd.json')),
      'd.json/',
    ],
    [
      'a folder that replaced a file',
      { 'a.json': '10' },
      (out) => replace(out, 'a.json'),
      'a.json/',
    ],
    ['a file in a removed folder', { b: '3' }, (out) => write(out, 'b/x'), 'b/x'],
    [
      'a folder in a removed folder',
      { b: '3' },
      (out) => fs.mkdirSync(path.join(out, 'b/x')),
      'b/x/',
    ],
    [
      'a file in the place of its folder',
      { 'd/x/y': '3' },
      (out) => write(out, 'd'),
      'd',
    ],
    [
      'many files',
      many,
      (out) => write(out, ...'1234567'),
      '1, 2, 3, 4, 5 and 2 more',
    ],
  ])('rejects %s in the way of a new file', async (_, tree, fill, named) => {
    const { out } = await publishedSite(first);
    fill(out);
    await support.expectRejected(out, () => publishTree(out, tree), {
      message: `${out}: contains files that gamedata did not write: ${named}`,
      hint: 'Move them elsewhere, or into public/ to make them part of the site.',
    });
  });

  const unsafe = [
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
  ];
  it.each<[readonly string[], string]>([
    ...unsafe.map((name): [string[], string] => [
      ['a.json', name],
      'is not a path inside the site',
    ]),
    [['a.json', 'a.json'], 'occurs twice'],
    [['b/C.json', 'B/c.json'], 'occurs twice'],
    [['manifest.json'], 'occurs twice'],
    [['b', 'b/c.json'], 'is a file where the site has a folder'],
    [['b/c.json', 'b'], 'is a file where the site has a folder'],
    [['b/c/d', 'B'], 'is a file where the site has a folder'],
  ])('rejects a site with the paths %j', async (paths, problem) => {
    const { out } = await publishedSite(first);
    // Published files keep their text, so that only the other files are staged.
    const files = paths.map((name) => ({ path: name, body: first[name] ?? 'x' }));
    const message = expect.stringContaining(`${paths.at(-1)}: ${problem}`);
    await support.expectRejected(
      out,
      () => withOutput(out, (output) => output.publish(files)),
      {
        message,
      },
    );
  });

  it('rejects a file that exceeds the size limit for reading it', () => {
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
  const publish = (out: string) =>
    withOutput(out, ({ publish }) => publish(treeFiles(first), { buildInputs }));
  const reuse = (out: string, inputs = buildInputs) =>
    withOutput(out, async (output) =>
      output.isUnchanged(inputs) ? output.keepPublished() : undefined,
    );

  it('reuses a site that was built with the same code and inputs', async () => {
    const out = path.join(temporaryFolder(), 'site');
    expect(await reuse(out)).toBeUndefined();
    const { bytes } = await publish(out);
    expect(readManifest(out)).toMatchObject(buildInputs);
    const before = fingerprint(out);
    expect(await reuse(out)).toEqual({ ...unchanged, bytes });
    expect(await publish(out)).toEqual({ ...unchanged, bytes });
    expect(fingerprint(out)).toEqual(before);
  });

  it.each<[string, Partial<typeof buildInputs>, damage?: (file: string) => void]>([
    ['a different version', { generator: 'gamedata/1.2.4' }],
    ['different code', { code: 'e'.repeat(64) }],
    ['different inputs', { inputs: 'e'.repeat(64) }],
    ['a modified file', {}, (file) => fs.writeFileSync(file, 'x')],
  ])('does not reuse a site with %s', async (_, other, damage) => {
    const out = path.join(temporaryFolder(), 'site');
    await publish(out);
    damage?.(path.join(out, 'b/c.json'));
    expect(await reuse(out, { ...buildInputs, ...other })).toBeUndefined();
    await publishTree(out, first);
    expect(await reuse(out), 'from unknown inputs').toBeUndefined();
  });
});
