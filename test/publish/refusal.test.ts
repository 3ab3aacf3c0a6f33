import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { publishTree, readTree, treeFiles } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const old = { 'a.json': '1', 'b/c.json': '2' };
const fresh = { 'a.json': '10', 'd.json': '3' };

/** A parent folder with a published site in it. */
async function publishedSite() {
  const parent = temporaryFolder();
  const out = path.join(parent, 'site');
  await publishTree(out, old);
  return { parent, out };
}

async function refusal(work: Promise<unknown>): Promise<OutputError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof OutputError) return error;
  throw new Error('expected an OutputError', { cause: error });
}

describe('the working folder', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(['.', 'b'])('is not replaced, nor one that contains it: %s', async (inside) => {
    const { out } = await publishedSite();
    vi.spyOn(process, 'cwd').mockReturnValue(path.join(out, inside));
    const { message, hint } = await refusal(publishTree(out, fresh));
    expect(message).toBe(`${out}: is the working folder, or contains it, and cannot be replaced`);
    expect(hint).toBe('Run the command in another folder, or name a folder inside this one.');
    expect(readTree(out)).toEqual(old);
  });

  it('may contain it', async () => {
    const { parent, out } = await publishedSite();
    vi.spyOn(process, 'cwd').mockReturnValue(parent);
    await publishTree(out, { 'x.json': '1' });
    expect(readdirSync(out).sort()).toEqual(['manifest.json', 'x.json']);
  });
});

describe('a folder with foreign files', () => {
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
    const error = await refusal(publishTree(out, fresh));
    expect(error.message).toBe(`${out}: contains files, but no manifest.json of a gamedata build`);
    expect(error.hint).toContain('--out');
    expect(fingerprint(parent)).toEqual(before);
  });

  it('is not replaced if they are inside a published site; up to five are named', async () => {
    const { parent, out } = await publishedSite();
    const foreign = ['1.txt', '2.txt', '3.txt', 'b/4.txt', 'b/5.txt', 'z/6.txt', 'z/7.txt'];
    mkdirSync(path.join(out, 'z'));
    for (const name of foreign) writeFileSync(path.join(out, name), name);
    const error = await refusal(publishTree(out, fresh));
    expect(error.message).toContain('contains files that gamedata did not write: ');
    expect(foreign.filter((name) => error.message.includes(name))).toHaveLength(5);
    expect(error.message).toMatch(/ and 2 more$/);
    expect(error.hint).toBe('Move them elsewhere, or into public/ to make them part of the site.');
    expect(readTree(out)).toEqual({ ...old, ...Object.fromEntries(foreign.map((name) => [name, name])) });
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it('is not replaced if one of ours has become a link', async () => {
    const { out } = await publishedSite();
    symlinkSync('/nowhere', path.join(out, 'link'));
    expect((await refusal(publishTree(out, fresh))).message).toMatch(/did not write: link$/);
  });
});

describe('a site of a newer version', () => {
  it('is left alone, with the way out', async () => {
    const { out } = await publishedSite();
    writeFileSync(path.join(out, 'manifest.json'), '{"format":9,"files":{}}');
    const before = fingerprint(out);
    const error = await refusal(publishTree(out, fresh));
    expect(error.message).toBe(`${out}: manifest.json has format 9, this version of gamedata reads format 1`);
    expect(error.hint).toContain('upgrade');
    expect(fingerprint(out)).toEqual(before);
  });
});

describe('a path that is not safe', () => {
  it.each(['../x', '..', 'a/../../x', '/etc/x', 'a\\b', 'a\0b', '', 'a//b', './a', 'a/'])(
    'is not written: %j',
    async (name) => {
      const { parent, out } = await publishedSite();
      const files = treeFiles({ ...fresh, [name]: 'x' });
      const error = await refusal(withOutput(out, (output) => output.publish(files)));
      expect(error.message).toBe(`${name}: is not a path inside the site`);
      expect(readTree(out)).toEqual(old);
      expect(readdirSync(parent)).toEqual(['site']);
    },
  );

  it.each([
    ['a.json', 'a.json'],
    ['a.json', 'A.json'],
    ['A.json', 'a.json'],
    ['b/C.json', 'B/c.json'],
  ])('is not written if it occurs twice: %s and %s', async (one, other) => {
    const { parent, out } = await publishedSite();
    const files = [one, other].map((name) => ({ path: name, body: 'x' }));
    const error = await refusal(withOutput(out, (output) => output.publish(files)));
    expect(error.message).toBe(`${other}: occurs twice in the site, ignoring letter case`);
    expect(readTree(out)).toEqual(old);
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it.each([
    [['a', 'a/b'], 'a/b'],
    [['a/b', 'a'], 'a'],
    [['manifest.json'], 'manifest.json'],
  ])('is not written if it is in the way: %j', async (names, culprit) => {
    const { parent, out } = await publishedSite();
    const files = names.map((name) => ({ path: name, body: 'x' }));
    const error = await refusal(withOutput(out, (output) => output.publish(files)));
    expect(error.message).toMatch(new RegExp(`^${culprit}: cannot be written \\(E\\w+\\)$`));
    expect(error.cause).toBeInstanceOf(Error);
    expect(readTree(out)).toEqual(old);
    expect(readdirSync(parent)).toEqual(['site']);
  });
});

describe('a place that cannot be written', () => {
  it('is rejected if the parent is a file', async () => {
    const parent = temporaryFolder();
    writeFileSync(path.join(parent, 'file'), 'x');
    const out = path.join(parent, 'file', 'site');
    const error = await refusal(publishTree(out, fresh));
    expect(error.message).toMatch(/site: cannot be created \((?:ENOTDIR|EEXIST)\)$/);
    expect(error.cause).toBeInstanceOf(Error);
    expect(readFileSync(path.join(parent, 'file'), 'utf8')).toBe('x');
  });

  it('is rejected if it is a file itself', async () => {
    const parent = temporaryFolder();
    const out = path.join(parent, 'file');
    writeFileSync(out, 'x');
    const error = await refusal(publishTree(out, fresh));
    expect(error.message).toBe(`${out}: is not a readable folder (ENOTDIR)`);
    expect(error.cause).toMatchObject({ code: 'ENOTDIR' });
    expect(readdirSync(parent)).toEqual(['file']);
  });

  it.runIf(existsSync('/proc/self'))('is refused where the system lets nobody write', async () => {
    expect(await refusal(publishTree('/proc/gamedata-site', fresh))).toMatchObject({
      message: expect.stringMatching(/^\/proc\/gamedata-site: cannot be locked \(E\w+\)$/),
      hint: expect.stringContaining('/proc must be writable'),
    });
  });

  it('is rejected if it is a circular symbolic link', async () => {
    const parent = temporaryFolder();
    const link = path.join(parent, 'link');
    symlinkSync('other', link);
    symlinkSync('link', path.join(parent, 'other'));
    const error = await refusal(publishTree(link, fresh));
    expect(error.message).toBe(`${link}: is a circular symbolic link (ELOOP)`);
    expect(error.cause).toMatchObject({ code: 'ELOOP' });
    expect(readdirSync(parent)).toEqual(['link', 'other']);
  });
});
