import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createEntry } from '../../src/publish/read-published.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { publishedSite, publishTree, readTree, type Tree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const old = { 'a.json': '1', 'b/c.json': '2' };
const fresh = { 'a.json': '10', 'd.json': '3' };

describe('the working folder', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(['.', 'b'])('is not replaced, nor one that contains it: %s', async (inside) => {
    const { out } = await publishedSite(old);
    vi.spyOn(process, 'cwd').mockReturnValue(path.join(out, inside));
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: is the working folder, or contains it, and cannot be replaced`,
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
    expect(readTree(out)).toEqual(old);
  });

  it('may contain it', async () => {
    const { out } = await publishedSite(old);
    vi.spyOn(process, 'cwd').mockReturnValue(path.dirname(out));
    await publishTree(out, { 'x.json': '1' });
    expect(readdirSync(out).sort()).toEqual(['manifest.json', 'x.json']);
  });
});

describe('a folder inside another one', () => {
  it('is not published into where that was published, however far above, as its next build would find it', async () => {
    const { out, names } = await publishedSite({ 'meta.json': '1', 'a/b.json': '2' });
    const before = fingerprint(out);
    for (const inside of ['copy', 'a/b/c'].map((name) => path.join(out, name)))
      await expect(publishTree(inside, fresh)).rejects.toMatchObject({
        message: `${inside}: is inside ${out}, which was published by gamedata`,
        hint: 'Choose a folder next to it, or the next build of that site would find files not written by gamedata.',
      });
    expect(fingerprint(out)).toEqual(before);
    expect(names()).toEqual(['site']);
  });

  it('is published into if gamedata did not write the outer folder', async () => {
    const parent = temporaryFolder();
    writeFileSync(path.join(parent, 'manifest.json'), '{"name":"My app","start_url":"/"}');
    await publishTree(path.join(parent, 'data/site'), fresh);
    expect(readTree(path.join(parent, 'data/site'))).toEqual(fresh);
  });
});

describe('a folder with files not written by gamedata', () => {
  it('is left alone if a later version made it, and that is said', async () => {
    const { out } = await publishedSite(old);
    writeFileSync(path.join(out, 'manifest.json'), '{"format":9,"generator":"gamedata/9","files":[]}');
    const before = fingerprint(out);
    await expect(publishTree(out, fresh)).rejects.toThrow(
      `${out}: manifest.json has format 9, this version of gamedata reads format 1`,
    );
    expect(fingerprint(out)).toEqual(before);
  });

  it.each<[string, (out: string) => void]>([
    ['no manifest', (out) => writeFileSync(path.join(out, 'thesis.txt'), 'x')],
    ['a manifest that is not JSON', (out) => writeFileSync(path.join(out, 'manifest.json'), '{')],
    [
      'the manifest of something else',
      (out) => writeFileSync(path.join(out, 'manifest.json'), '{"name":"My app","start_url":"/"}'),
    ],
    [
      'a manifest of another generator',
      (out) => writeFileSync(path.join(out, 'manifest.json'), '{"generator":"webpack/5","files":[]}'),
    ],
    ['an empty folder', (out) => mkdirSync(path.join(out, 'photos'))],
  ])('is left alone if it has %s', async (_, fill) => {
    const parent = temporaryFolder();
    const out = path.join(parent, 'mine');
    mkdirSync(out);
    fill(out);
    const before = fingerprint(parent);
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: expect.stringContaining(`${out}: contains files, but has no valid manifest.json: `),
      hint: expect.stringContaining('--out'),
    });
    expect(fingerprint(parent)).toEqual(before);
  });

  it('is changed around them: they stay where they are', async () => {
    const { out, names } = await publishedSite(old);
    const foreign = { 'note.txt': 'mine', 'b/note.txt': 'mine', 'b/c.json/x': 'mine' };
    rmSync(path.join(out, 'b/c.json'));
    mkdirSync(path.join(out, 'b/c.json'));
    mkdirSync(path.join(out, 'come'));
    symlinkSync('/nowhere', path.join(out, 'link'));
    for (const [name, text] of Object.entries(foreign)) writeFileSync(path.join(out, name), text);
    await publishTree(out, { ...fresh, 'come/x.json': '4' });
    expect(readlinkSync(path.join(out, 'link'))).toBe('/nowhere');
    rmSync(path.join(out, 'link'));
    expect(readTree(out)).toEqual({ ...fresh, ...foreign, 'come/x.json': '4' });
    expect(names()).toEqual(['site']);
  });

  it.each<[string, Tree, (out: string) => void, string]>([
    ['a file', { 'd.json': '3' }, (out) => writeFileSync(path.join(out, 'd.json'), 'mine'), 'd.json'],
    ['a link', { 'd.json': '3' }, (out) => symlinkSync('a.json', path.join(out, 'd.json')), 'd.json'],
    ['a folder', { 'd.json': '3' }, (out) => mkdirSync(path.join(out, 'd.json')), 'd.json/'],
    [
      'a folder instead of a published file',
      { 'a.json': '10' },
      (out) => {
        rmSync(path.join(out, 'a.json'));
        mkdirSync(path.join(out, 'a.json'));
      },
      'a.json/',
    ],
    [
      'a file in a folder that has to go',
      { b: '3' },
      (out) => writeFileSync(path.join(out, 'b/x'), ''),
      'b/x',
    ],
    [
      'a folder in such a folder',
      { b: '3' },
      (out) => mkdirSync(path.join(out, 'b/x/y'), { recursive: true }),
      'b/x/',
    ],
    [
      'many files',
      Object.fromEntries(Array.from('1234567', (name) => [name, name])),
      (out) => Array.from('1234567', (name) => writeFileSync(path.join(out, name), 'mine')),
      '1, 2, 3, 4, 5 and 2 more',
    ],
  ])(
    'is refused if %s is in the place of a new file, before anything is changed',
    async (_, tree, fill, named) => {
      const { out, names } = await publishedSite(old);
      fill(out);
      const before = fingerprint(out);
      await expect(publishTree(out, tree)).rejects.toMatchObject({
        message: `${out}: contains files that gamedata did not write: ${named}`,
        hint: 'Move them elsewhere, or into public/ to make them part of the site.',
      });
      expect(fingerprint(out)).toEqual(before);
      expect(names()).toEqual(['site']);
    },
  );
});

describe('a path that is not safe', () => {
  it.each(['../x', '..', 'a/../../x', '/etc/x', 'a\\b', 'a\0b', '', 'a//b', './a', 'a/'])(
    'is not written: %j',
    async (name) => {
      const { out, names } = await publishedSite(old);
      const work = publishTree(out, { ...fresh, [name]: 'x' });
      await expect(work).rejects.toThrow(`${name}: is not a path inside the site`);
      expect(readTree(out)).toEqual(old);
      expect(names()).toEqual(['site']);
    },
  );

  it.each([
    [['a.json', 'a.json'], 'occurs twice'],
    [['a.json', 'A.json'], 'occurs twice'],
    [['b/C.json', 'B/c.json'], 'occurs twice'],
    [['manifest.json'], 'occurs twice'],
    [['b', 'b/c.json'], 'is a file where the site has a folder'],
    [['b/c.json', 'b'], 'is a file where the site has a folder'],
    [['b/c/d', 'B'], 'is a file where the site has a folder'],
  ])('is not written if no folder can have both: %j', async (paths, problem) => {
    const { out, names } = await publishedSite(old);
    // Also if one of them is there already.
    const files = paths.map((name) => ({ path: name, body: name === 'b/c.json' ? old[name] : 'x' }));
    const work = withOutput(out, (output) => output.publish(files));
    await expect(work).rejects.toThrow(`${paths.at(-1)}: ${problem}`);
    expect(readTree(out)).toEqual(old);
    expect(names()).toEqual(['site']);
  });
});

it('a file that is too large to be read back is not written', () => {
  const maxBytes = getMaxBytes('b');
  const body = { length: maxBytes + 1 } as Uint8Array;
  const problem = `b: has ${maxBytes + 1} bytes, expected at most ${maxBytes}`;
  expect(() => createEntry('b', body)).toThrow(problem);
});

describe('a place that cannot be written', () => {
  it('is rejected if the parent is a file', async () => {
    const parent = temporaryFolder();
    writeFileSync(path.join(parent, 'file'), 'x');
    const work = publishTree(path.join(parent, 'file', 'site'), fresh);
    await expect(work).rejects.toThrow(/site: cannot be created \((?:ENOTDIR|EEXIST)\)$/);
    expect(readFileSync(path.join(parent, 'file'), 'utf8')).toBe('x');
  });

  it('is rejected if it is a file itself', async () => {
    const parent = temporaryFolder();
    const out = path.join(parent, 'file');
    writeFileSync(out, 'x');
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: is not a readable folder (ENOTDIR)`,
      cause: { code: 'ENOTDIR' },
    });
    expect(readdirSync(parent)).toEqual(['file']);
  });

  it.runIf(existsSync('/proc/self'))('is rejected if the system does not allow writes', async () => {
    await expect(publishTree('/proc/gamedata-site', fresh)).rejects.toMatchObject({
      message: expect.stringMatching(/^\/proc\/gamedata-site: cannot be locked \(E\w+\)$/),
      hint: expect.stringContaining('/proc must be writable'),
    });
  });

  it('is rejected if it is a circular symbolic link', async () => {
    const parent = temporaryFolder();
    const link = path.join(parent, 'link');
    symlinkSync('other', link);
    symlinkSync('link', path.join(parent, 'other'));
    await expect(publishTree(link, fresh)).rejects.toThrow(`${link}: is a circular symbolic link (ELOOP)`);
    expect(readdirSync(parent)).toEqual(['link', 'other']);
  });
});
