import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createEntry } from '../../src/publish/read-published.ts';
import { expectRejected, publishedSite, publishTree, readTree, type Tree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const old = { 'a.json': '1', 'b/c.json': '2' };
const fresh = { 'a.json': '10', 'd.json': '3' };
const app = '{"name":"My app","start_url":"/"}';
afterEach(() => void vi.restoreAllMocks());

describe('publish', () => {
  it.each(['.', 'b'])('rejects a folder that contains the working folder: %s', async (inside) => {
    const { out } = await publishedSite(old);
    vi.spyOn(process, 'cwd').mockReturnValue(path.join(out, inside));
    await expectRejected(out, () => publishTree(out, fresh), {
      message: `${out}: is the working folder, or contains it, and cannot be replaced`,
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
    vi.spyOn(process, 'cwd').mockReturnValue(path.dirname(out));
    expect(await publishTree(out, fresh)).toMatchObject({ changed: true });
  });

  it('rejects a folder inside a site, but not inside a web application', async () => {
    const { out } = await publishedSite({ 'meta.json': '1', 'a/b.json': '2' });
    for (const inside of ['copy', 'a/b/c'].map((name) => path.join(out, name)))
      await expectRejected(out, () => publishTree(inside, fresh), {
        message: `${inside}: is inside ${out}, which was published by gamedata`,
        hint: 'Choose a folder outside that site. Otherwise, its next build would find files that are not in its manifest.',
      });
    fs.writeFileSync(path.join(out, 'manifest.json'), app);
    expect(await publishTree(path.join(out, 'copy'), fresh)).toMatchObject({ changed: true });
  });

  const newer = '{"format":9,"generator":"gamedata/9","files":[]}';
  const invalid = 'contains files, but has no valid manifest.json: ';
  it.each<[string, (manifest: string) => void, string]>([
    ['without a manifest', (file) => fs.writeFileSync(`${file}.txt`, 'x'), `${invalid}ENOENT`],
    ['with an invalid manifest', (file) => fs.writeFileSync(file, '{'), `${invalid}invalid JSON`],
    ['whose manifest is a folder', (file) => fs.mkdirSync(file), `${invalid}not a regular file`],
    ['that belongs to another application', (file) => fs.writeFileSync(file, app), invalid],
    ['from another generator', (file) => fs.writeFileSync(file, '{"generator":"x/5","files":[]}'), invalid],
    [
      'from a newer gamedata version',
      (file) => fs.writeFileSync(file, newer),
      'manifest.json has format 9, but this version',
    ],
  ])('rejects a folder %s', async (_, fill, problem) => {
    const out = path.join(temporaryFolder(), 'mine');
    fs.mkdirSync(out);
    fill(path.join(out, 'manifest.json'));
    await expectRejected(out, () => publishTree(out, fresh), {
      message: expect.stringContaining(`${out}: ${problem}`),
      hint: expect.any(String),
    });
  });

  it.each<[string, string, (parent: string) => void, RegExp]>([
    [
      'below a file',
      'file/site',
      (parent) => fs.writeFileSync(`${parent}/file`, ''),
      /created \((ENOTDIR|EEXIST)\)$/,
    ],
    [
      'that is a file',
      'file',
      (parent) => fs.writeFileSync(`${parent}/file`, ''),
      /readable folder \(ENOTDIR\)$/,
    ],
    [
      'that is a circular symlink',
      'link',
      (parent) => fs.symlinkSync('link', `${parent}/link`),
      /link \(ELOOP\)$/,
    ],
  ])('rejects a path %s', async (_, name, fill, message) => {
    const out = path.join(temporaryFolder(), name);
    const parent = path.dirname(out.replace(/\/site$/, ''));
    fill(parent);
    await expect(publishTree(out, fresh)).rejects.toThrow(message);
    expect(fs.readdirSync(parent)).toHaveLength(1);
  });

  it('keeps files not written by gamedata', async () => {
    const { out, names } = await publishedSite(old);
    const mine = { 'note.txt': 'mine', 'b/note.txt': 'mine', 'b/c.json/x': 'mine' };
    fs.rmSync(path.join(out, 'b/c.json'));
    for (const folder of ['b/c.json', 'come']) fs.mkdirSync(path.join(out, folder));
    fs.symlinkSync('/nowhere', path.join(out, 'link'));
    for (const [name, text] of Object.entries(mine)) fs.writeFileSync(path.join(out, name), text);
    await publishTree(out, { ...fresh, 'come/x.json': '4' });
    expect(fs.readlinkSync(path.join(out, 'link'))).toBe('/nowhere');
    fs.rmSync(path.join(out, 'link'));
    expect(readTree(out)).toEqual({ ...fresh, ...mine, 'come/x.json': '4' });
    expect(names()).toEqual(['site']);
  });

  const write = (out: string, ...names: string[]): void =>
    names.forEach((name) => void fs.writeFileSync(path.join(out, name), 'mine'));
  const replace = (out: string, name: string): void => {
    fs.rmSync(path.join(out, name));
    fs.mkdirSync(path.join(out, name));
  };
  it.each<[string, Tree, (out: string) => void, string]>([
    ['a file', { 'd.json': '3' }, (out) => write(out, 'd.json'), 'd.json'],
    ['a symlink', { 'd.json': '3' }, (out) => fs.symlinkSync('a.json', path.join(out, 'd.json')), 'd.json'],
    ['a folder', { 'd.json': '3' }, (out) => fs.mkdirSync(path.join(out, 'd.json')), 'd.json/'],
    ['a folder that replaced a file', { 'a.json': '10' }, (out) => replace(out, 'a.json'), 'a.json/'],
    ['a file in a removed folder', { b: '3' }, (out) => write(out, 'b/x'), 'b/x'],
    ['a folder in a removed folder', { b: '3' }, (out) => fs.mkdirSync(path.join(out, 'b/x')), 'b/x/'],
    ['a file in the place of its folder', { 'd/x/y': '3' }, (out) => write(out, 'd'), 'd'],
    [
      'many files',
      Object.fromEntries(Array.from('1234567', (name) => [name, name])),
      (out) => write(out, ...'1234567'),
      '1, 2, 3, 4, 5 and 2 more',
    ],
  ])('rejects %s where a new file belongs', async (_, tree, fill, named) => {
    const { out } = await publishedSite(old);
    fill(out);
    await expectRejected(out, () => publishTree(out, tree), {
      message: `${out}: contains files that gamedata did not write: ${named}`,
      hint: 'Move them elsewhere, or into public/ to make them part of the site.',
    });
  });

  const unsafe = ['../x', '..', 'a/../../x', '/etc/x', 'a\\b', 'a\0b', '', 'a//b', './a', 'a/'];
  it.each<[readonly string[], string]>([
    ...unsafe.map((name): [string[], string] => [['a.json', name], 'is not a path inside the site']),
    [['a.json', 'a.json'], 'occurs twice'],
    [['b/C.json', 'B/c.json'], 'occurs twice'],
    [['manifest.json'], 'occurs twice'],
    [['b', 'b/c.json'], 'is a file where the site has a folder'],
    [['b/c.json', 'b'], 'is a file where the site has a folder'],
    [['b/c/d', 'B'], 'is a file where the site has a folder'],
  ])('rejects the paths %j', async (paths, problem) => {
    const { out } = await publishedSite(old);
    // A published file needs no staging.
    const files = paths.map((name) => ({ path: name, body: name === 'b/c.json' ? old[name] : 'x' }));
    const message = expect.stringContaining(`${paths.at(-1)}: ${problem}`);
    await expectRejected(out, () => withOutput(out, (output) => output.publish(files)), { message });
  });

  it('rejects a file that is too large to read back', () => {
    const length = getMaxBytes('b') + 1;
    const problem = `b: has ${length} bytes, expected at most ${length - 1}`;
    expect(() => createEntry('b', { length } as Uint8Array)).toThrow(problem);
  });
});
