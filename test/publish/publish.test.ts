import { hash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SiteFile } from '../../src/contract/site-file.ts';
import { recoverAbandoned, withOutput } from '../../src/publish/publish.ts';
import { readPublished } from '../../src/publish/published.ts';
import { previousOfSite } from '../../src/sources/site-folder.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import {
  littleChanged,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
  treeFiles,
} from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const first: Tree = { 'a.json': '1', 'b/c.json': '22', 'b/d.json': '333' };

describe('publishing', () => {
  it('writes every file and a sorted manifest, and says what it did', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const result = await publishTree(out, { 'b/c.json': '22', 'a.json': 'é' });
    expect(readTree(out)).toEqual({ 'a.json': 'é', 'b/c.json': '22' });
    const manifest = readFileSync(path.join(out, 'manifest.json'), 'utf8');
    expect(JSON.parse(manifest).files).toEqual([
      {
        path: 'a.json',
        bytes: 2,
        sha256: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
      },
      {
        path: 'b/c.json',
        bytes: 2,
        sha256: '785f3ec7eb32f30b90cd0fcf3657d388b5ff4297f2f9716ff66e9b69c05ddd09',
      },
    ]);
    expect(result).toEqual({
      changed: true,
      files: 3,
      bytes: 4 + manifest.length,
      written: 3,
      kept: 0,
      removed: 0,
      leftovers: [],
    });
  });

  it('touches nothing if everything is as it has to be', async () => {
    const parent = temporaryFolder();
    const out = path.join(parent, 'site');
    await publishTree(out, first);
    const before = fingerprint(parent);
    const result = await publishTree(out, first);
    expect(result).toMatchObject({ changed: false, files: 4, written: 0, kept: 4, removed: 0 });
    expect(fingerprint(parent)).toEqual(before);
  });

  it('does not mind in which order the files come', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await publishTree(out, first);
    const reversed = Object.fromEntries(Object.entries(first).toReversed());
    expect(await publishTree(out, reversed)).toMatchObject({ changed: false });
  });

  it('rewrites one record, its page and what the site says of itself; all else keeps inode and mtime', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const raw = rawRecords(250, 120);
    const publish = (records: typeof raw) =>
      withOutput(out, (output) => output.publish(siteOf(records).files()));
    await publish(raw);
    const before = fingerprint(out);
    const move = raw.move.map((record) =>
      record.id === 150 ? { ...record, englishName: 'Changed' } : record,
    );
    const result = await publish({ ...raw, move });
    const rewritten = [
      'api/gamedata/move/move-150/index.json',
      'api/gamedata/move/offset/100/index.json',
      'manifest.json',
      'meta.json',
    ];
    expect(result).toMatchObject({ changed: true, written: rewritten.length, removed: 0 });
    const changed = [...fingerprint(out)].filter(
      ([name, state]) => before.get(name) !== state && lstatSync(path.join(out, name)).isFile(),
    );
    expect(changed.map(([name]) => name)).toEqual(rewritten);
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('gives a file a time of a later second than that of the one it replaces, however soon', async () => {
    const { out } = await publishedSite(littleChanged[0]);
    const seconds = (): number[] =>
      ['a.json', 'manifest.json'].map((file) => Math.floor(statSync(path.join(out, file)).mtimeMs / 1000));
    let [before, manifest] = seconds();
    for (const tree of [littleChanged[1], { 'a.json': '11' }, { 'a.json': '12' }, littleChanged[0]]) {
      await publishTree(out, tree);
      const [now = 0, last = 0] = seconds();
      expect([now > Number(before), last > Number(manifest), last >= now]).toEqual([true, true, true]);
      [before, manifest] = [now, last];
    }
    const marks = fingerprint(out);
    expect(await publishTree(out, littleChanged[0])).toMatchObject({ changed: false });
    expect(fingerprint(out)).toEqual(marks);
  });

  it('refuses a folder in the place of a file, before anything is changed', async () => {
    const { out, names } = await publishedSite(littleChanged[0]);
    rmSync(path.join(out, 'a.json'));
    mkdirSync(path.join(out, 'a.json'));
    const before = fingerprint(out);
    await expect(publishTree(out, littleChanged[1])).rejects.toThrow(
      `${path.join(out, 'a.json')}: is a folder, expected a file`,
    );
    expect(fingerprint(out)).toEqual(before);
    expect(names()).toEqual(['site']);
  });

  it('refuses a manifest that cannot be read, and says why', async () => {
    const { out } = await publishedSite(littleChanged[0]);
    rmSync(path.join(out, 'manifest.json'));
    mkdirSync(path.join(out, 'manifest.json'));
    await expect(publishTree(out, littleChanged[1])).rejects.toMatchObject({
      message: `${out}: manifest.json cannot be read (not a regular file)`,
      cause: { code: 'not a regular file' },
    });
  });

  it('removes what the new site does not have, and folders that are empty then', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await publishTree(out, first);
    const result = await publishTree(out, { 'a.json': '1' });
    expect(result).toMatchObject({ changed: true, written: 1, kept: 1, removed: 2 });
    expect(readdirSync(out).sort()).toEqual(['a.json', 'manifest.json']);
  });

  it('turns a file into a folder, and back', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await publishTree(out, { a: '1', keep: 'x' });
    await publishTree(out, { 'a/b': '2', keep: 'x' });
    expect(readTree(out)).toEqual({ 'a/b': '2', keep: 'x' });
    await publishTree(out, { a: '1', keep: 'x' });
    expect(readTree(out)).toEqual({ a: '1', keep: 'x' });
  });

  it.each<[string, (file: string) => void]>([
    [
      'edited at the same size',
      (file) => {
        writeFileSync(file, '2');
        const later = Date.now() / 1000 + 10;
        utimesSync(file, later, later);
      },
    ],
    ['edited at another size', (file) => writeFileSync(file, '1 and more')],
    ['emptied', (file) => writeFileSync(file, '')],
    ['removed', (file) => rmSync(file)],
    [
      'replaced by a link of the same size and age',
      (file) => {
        rmSync(file);
        symlinkSync('x', file);
        lutimesSync(file, 1, 1);
      },
    ],
  ])('repairs a file that somebody has %s', async (_, damage) => {
    const out = path.join(temporaryFolder(), 'site');
    await publishTree(out, first);
    damage(path.join(out, 'a.json'));
    expect(await publishTree(out, first)).toMatchObject({ changed: true, written: 2, kept: 2 });
    expect(readTree(out)).toEqual(first);
  });

  it('leaves no work folders and no lock behind', async () => {
    const parent = temporaryFolder();
    await publishTree(path.join(parent, 'site'), first);
    await publishTree(path.join(parent, 'site'), { ...first, 'a.json': '2' });
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it('makes a missing parent, and fills an empty folder', async () => {
    const parent = temporaryFolder();
    await publishTree(path.join(parent, 'a', 'b', 'site'), first);
    expect(readTree(path.join(parent, 'a', 'b', 'site'))).toEqual(first);
    mkdirSync(path.join(parent, 'empty'));
    await publishTree(path.join(parent, 'empty'), first);
    expect(readTree(path.join(parent, 'empty'))).toEqual(first);
  });

  it('makes the folder that a symbolic link leads to, if it is not there', async () => {
    const parent = temporaryFolder();
    symlinkSync('real', path.join(parent, 'link'));
    await publishTree(path.join(parent, 'link'), first);
    expect(readTree(path.join(parent, 'real'))).toEqual(first);
    expect(readdirSync(parent).sort()).toEqual(['link', 'real']);
  });

  it('replaces the folder that a symbolic link leads to, and leaves the link', async () => {
    const parent = temporaryFolder();
    const real = path.join(parent, 'real', 'site');
    const link = path.join(parent, 'link');
    mkdirSync(real, { recursive: true });
    symlinkSync(path.join('real', 'site'), link);
    await publishTree(link, first);
    const { ino } = statSync(path.join(link, 'a.json'));
    await publishTree(link, { ...first, 'b/c.json': '4' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readTree(real)).toEqual({ ...first, 'b/c.json': '4' });
    expect(statSync(path.join(real, 'a.json')).ino).toBe(ino);
    expect(readdirSync(parent).sort()).toEqual(['link', 'real']);
    expect(readdirSync(path.join(parent, 'real'))).toEqual(['site']);
  });

  it('makes what is expensive when it is its turn', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const taken: string[] = [];
    const make = async () => Buffer.from(taken.join());
    const files = (function* () {
      for (const name of ['a', 'b', 'c']) {
        taken.push(name);
        yield { path: `${name}.txt`, make };
      }
    })();
    await withOutput(out, ({ publish }) => publish(files));
    expect(readTree(out)).toEqual({ 'a.txt': 'a', 'b.txt': 'a,b', 'c.txt': 'a,b,c' });
  });

  const making = { generator: 'gamedata/1.2.3', code: 'c'.repeat(64), inputs: 'd'.repeat(64) };
  const confirm = (out: string, of = making) => withOutput(out, async (output) => output.confirm(of));

  it('confirms what the same code has made from the same inputs', async () => {
    const out = path.join(temporaryFolder(), 'site');
    expect(await confirm(out)).toBeUndefined();
    const run = () => withOutput(out, ({ publish }) => publish(treeFiles(first), { making }));
    const { files, bytes } = await run();
    expect(JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8'))).toMatchObject(making);
    const before = fingerprint(out);
    expect(await confirm(out)).toEqual({
      changed: false,
      files,
      bytes,
      written: 0,
      kept: files,
      removed: 0,
      leftovers: [],
    });
    expect(await run()).toEqual(await confirm(out));
    expect(fingerprint(out)).toEqual(before);
  });

  it.each<[string, Partial<typeof making>]>([
    ['another version', { generator: 'gamedata/1.2.4' }],
    ['other code', { code: 'e'.repeat(64) }],
    ['other inputs', { inputs: 'e'.repeat(64) }],
  ])('does not confirm what was made by or from %s', async (_, other) => {
    const out = path.join(temporaryFolder(), 'site');
    await withOutput(out, ({ publish }) => publish(treeFiles(first), { making }));
    expect(await confirm(out, { ...making, ...other })).toBeUndefined();
    await publishTree(out, first);
    expect(await confirm(out), 'from something unknown').toBeUndefined();
  });

  it.each<[string, (file: string) => void]>([
    ['was touched', (file) => utimesSync(file, new Date(), new Date(Date.now() + 5000))],
    ['is gone', (file) => rmSync(file)],
    ['has another size', (file) => appendFileSync(file, ' ')],
  ])('does not confirm a site of which a file %s', async (_, damage) => {
    const out = path.join(temporaryFolder(), 'site');
    await withOutput(out, ({ publish }) => publish(treeFiles(first), { making }));
    damage(path.join(out, 'b/c.json'));
    expect(await confirm(out)).toBeUndefined();
  });

  it('knows of each file whether it has been touched', async () => {
    const { out, folders } = await publishedSite(first);
    const touched = () => Array.from(readPublished(folders).findTouched(), (entry) => entry.path);
    expect(touched()).toEqual([]);
    appendFileSync(path.join(out, 'b/c.json'), ' ');
    expect(touched()).toEqual(['b/c.json']);
  });

  it('lists a thousand files in order', async () => {
    const names = Array.from({ length: 1001 }, (_, at) => `${at}.txt`);
    const { out } = await publishedSite(Object.fromEntries(names.map((name) => [name, name])));
    const { files } = JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8'));
    const entries = names.map((name) => ({
      path: name,
      bytes: name.length,
      sha256: hash('sha256', name),
    }));
    expect(files).toEqual(entries.sort((a, b) => (a.path < b.path ? -1 : 1)));
  });

  // Only a main thread can change its folder, and `npm run mutants` has none.
  it.runIf(isMainThread).each([
    ['inside it', '.'],
    ['above it', '..'],
    ['beside it', '../../beside'],
  ])('finds a site untouched from a folder %s, and from another one meanwhile', async (_, from) => {
    const { out, folders } = await publishedSite(first);
    const folder = path.join(out, from);
    mkdirSync(folder, { recursive: true });
    const home = process.cwd();
    onTestFinished(() => process.chdir(home));
    process.chdir(folder);
    const { findTouched } = readPublished(folders);
    expect(findTouched()).toEqual(new Set());
    process.chdir(home);
    expect(findTouched()).toEqual(new Set());
  });

  it('lists each file once, even if the last manifest lists it twice', async () => {
    const { out } = await publishedSite(first);
    const manifest = path.join(out, 'manifest.json');
    const { files, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...rest, files: [...files, ...files] }));
    await publishTree(out, { ...first, 'new.json': 'new' });
    expect(JSON.parse(readFileSync(manifest, 'utf8')).files).toHaveLength(files.length + 1);
  });

  it('takes a part of an unchanged file for unchanged if the same code has made both', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const run = (part: string, code: string | undefined) =>
      withOutput(out, ({ publish }) =>
        publish(
          [
            { path: 'page.json', body: '[1]' },
            { path: 'part.json', body: part, partOf: 'page.json' },
          ],
          { making: { ...making, code } },
        ),
      );
    await run('1', making.code);
    const part = { path: 'part.json', body: '1', partOf: 'page.json' };
    const twice = withOutput(out, ({ publish }) =>
      publish([{ path: 'page.json', body: '[1]' }, part, part], { making }),
    );
    await expect(twice).rejects.toThrow('part.json: occurs twice');
    // The body is not looked at, which is what this tells.
    expect(await run('2', making.code)).toMatchObject({ changed: false });
    writeFileSync(path.join(out, 'part.json'), '7');
    expect(await run('1', making.code), 'one that was touched is written').toMatchObject({ written: 2 });
    expect(await run('2', 'e'.repeat(64)), 'other code').toMatchObject({ written: 2 });
    expect(readTree(out)).toEqual({ 'page.json': '[1]', 'part.json': '2' });
    expect(await run('3', undefined), 'unknown code').toMatchObject({ written: 2 });
    expect(await run('4', undefined), 'unknown code, as before').toMatchObject({ written: 2 });
  });

  it('lets a file stay that the same code has made of the same inputs, and tells of them', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const run = (body: string, { inputs = 'records', code = making.code, remake = false } = {}) =>
      withOutput(out, ({ publish }) =>
        publish(
          [
            { path: 'rules', inputs, make: () => body },
            { path: 'other', body: 'other' },
          ],
          { making: { ...making, code }, remake },
        ),
      );
    const derived = () => JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8')).derived;
    await run('1');
    expect(derived()).toEqual({ rules: hash('sha256', 'records') });
    // It is not made, which is what this tells.
    expect(await run('2')).toMatchObject({ changed: false });
    expect(await run('2', { remake: true }), 'not believed').toMatchObject({ written: 2 });
    expect(await run('3', { inputs: 'more' }), 'other inputs').toMatchObject({ written: 2 });
    expect(await run('4', { inputs: 'more', code: 'e'.repeat(64) }), 'other code').toMatchObject({
      written: 2,
    });
    writeFileSync(path.join(out, 'rules'), 'touched');
    expect(await run('5', { inputs: 'more', code: 'e'.repeat(64) }), 'touched').toMatchObject({ written: 2 });
    expect(readTree(out)).toEqual({ rules: '5', other: 'other' });
    expect(derived()).toEqual({ rules: hash('sha256', 'more') });
    await publishTree(out, { other: 'other' });
    expect(derived()).toBeUndefined();
  });

  it('makes a text in pieces once, whether it is new, the same or another one', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const run = (pieces: string[], other: string) =>
      withOutput(out, ({ publish }) =>
        publish([
          // An iterator gives nothing a second time.
          { path: 'long', make: () => pieces.values() },
          { path: 'other', body: other },
        ]),
      );
    expect(await run(['a', 'b'], '1')).toMatchObject({ written: 3 });
    const { ino } = statSync(path.join(out, 'long'));
    expect(await run(['ab', ''], '1')).toMatchObject({ changed: false });
    expect(await run(['a', '', 'b'], '2'), 'replaced as a whole').toMatchObject({ written: 2, kept: 1 });
    expect(statSync(path.join(out, 'long')).ino).toBe(ino);
    expect(await run(['a', 'c'], '2')).toMatchObject({ written: 2, kept: 1 });
    expect(readTree(out)).toEqual({ long: 'ac', other: '2' });
  });

  it('leaves the site as it is if a text cannot be made', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await publishTree(out, first);
    function* broken(): Generator<string> {
      yield 'a';
      throw new Error('no more');
    }
    const run = withOutput(out, ({ publish }) => publish([{ path: 'long', make: broken }]));
    await expect(run).rejects.toThrow(/^no more$/);
    expect(readTree(out)).toEqual(first);
  });

  it('tells where each file is so far, and how large, without parts of others', async () => {
    const { out } = await publishedSite({ 'a.json': '1', 'kept.json': '22' });
    await withOutput(out, ({ publish, locate, sizes }) => {
      function* files(): Generator<SiteFile> {
        yield { path: 'a.json', body: 'one' };
        yield { path: 'kept.json', body: '22' };
        yield { path: 'part.json', body: '3', partOf: 'kept.json' };
        expect(readFileSync(locate('a.json'), 'utf8')).toBe('one');
        expect(locate('kept.json')).toBe(path.join(out, 'kept.json'));
        expect(Object.fromEntries(sizes)).toEqual({ 'a.json': 3, 'kept.json': 2 });
      }
      return publish(files());
    });
    expect(readTree(out)).toEqual({ 'a.json': 'one', 'kept.json': '22', 'part.json': '3' });
  });

  it('makes a file with a known digest only if it is not published, and checks it', async () => {
    const out = path.join(temporaryFolder(), 'site');
    await publishTree(out, first);
    const { files } = JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8'));
    const listed = files.map((entry: { path: keyof Tree }) => ({
      ...entry,
      title: 'more than an entry has',
      make: () => Buffer.from(`${first[entry.path]}`),
    }));
    const run = (list: typeof listed) => withOutput(out, ({ publish }) => publish(list));
    const unmade = listed.map((file: object) => ({ ...file, make: () => Promise.reject(new Error('made')) }));
    const before = fingerprint(out);
    expect(await run(unmade)).toMatchObject({ changed: false });
    expect(fingerprint(out)).toEqual(before);
    writeFileSync(path.join(out, 'a.json'), 'damaged');
    expect(await run(listed)).toMatchObject({ written: 2 });
    expect(readTree(out)).toEqual(first);
    const forged = [{ ...listed[0], sha256: '0'.repeat(64) }];
    await expect(run(forged)).rejects.toThrow(
      `a.json: got SHA-256 ${listed[0].sha256}, expected ${'0'.repeat(64)}`,
    );
    expect(readTree(out)).toEqual(first);
  });

  it('lets others work now and then, so that it can be stopped', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const controller = new AbortController();
    const files = Array.from({ length: 1500 }, (_, at) => ({ path: `${at}.json`, body: 'x' }));
    let taken = 0;
    const counted = (function* () {
      for (const file of files) {
        taken++;
        yield file;
      }
    })();
    setImmediate(() => controller.abort(new RangeError('stop')));
    const work = withOutput(out, ({ publish }) => publish(counted, { signal: controller.signal }));
    await expect(work).rejects.toThrow('stop');
    expect(taken).toBeLessThan(1500);
    expect(existsSync(out)).toBe(false);
  });

  it('reads the description and the data of the published site', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const { meta, records, files } = siteOf(rawRecords(3, 2));
    const before = await withOutput(out, async ({ published, publish }) => {
      await publish(files());
      return published.meta;
    });
    expect(before).toBeUndefined();
    const after = await withOutput(out, async ({ published }) => published);
    expect(after.meta).toEqual(meta);
    const previous = previousOfSite(out, after);
    expect(previous).toMatchObject(meta);
    expect(previous?.records()).toEqual(records);
  });
});

describe('a site that an interrupted build moved aside', () => {
  /** A published site, and the names under which a build keeps the old and the new one. */
  async function scene() {
    const parent = temporaryFolder();
    const out = path.join(parent, 'site');
    await publishTree(out, first);
    const [aside, staged] = ['old', 'new'].map((role) => path.join(parent, `.site.gamedata-${role}`));
    return { parent, out, aside: `${aside}`, staged: `${staged}` };
  }

  it('is put back, and what was staged is removed', async () => {
    const { parent, out, aside, staged } = await scene();
    renameSync(out, aside);
    mkdirSync(staged);
    recoverAbandoned(out);
    expect(readTree(out)).toEqual(first);
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it('is not put back over a new one, nor looked for where there is nothing', async () => {
    const { parent, out, aside } = await scene();
    mkdirSync(aside);
    recoverAbandoned(out);
    expect(readdirSync(parent).sort()).toEqual(['.site.gamedata-old', 'site']);
    recoverAbandoned(path.join(parent, 'none', 'site'));
    expect(existsSync(path.join(parent, 'none'))).toBe(false);
  });

  it('is put back only by the build that holds the lock', async () => {
    const { parent, out, aside } = await scene();
    await withOutput(out, async () => {
      renameSync(out, aside);
      expect(() => recoverAbandoned(out)).toThrow('locked by another build');
      expect(readdirSync(parent).sort()).toEqual(['.site.gamedata-lock', '.site.gamedata-old']);
    });
    expect(readTree(out)).toEqual(first);
  });
});
