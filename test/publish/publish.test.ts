import {
  appendFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import {
  littleChanged,
  publishedSite,
  publishTree,
  readTree,
  type Tree,
  treeFiles,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const first: Tree = { 'a.json': '1', 'b/c.json': '22', 'b/d.json': '333' };

describe('publishing', () => {
  it('writes every file and a sorted manifest, and returns the counts', async () => {
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
    });
  });

  it('touches nothing if all files are the same, regardless of their order', async () => {
    const parent = temporaryFolder();
    const out = path.join(parent, 'site');
    await publishTree(out, first);
    const before = fingerprint(parent);
    for (const tree of [first, Object.fromEntries(Object.entries(first).toReversed())])
      expect(await publishTree(out, tree)).toMatchObject({
        changed: false,
        files: 4,
        written: 0,
        kept: 4,
        removed: 0,
      });
    expect(fingerprint(parent)).toEqual(before);
  });

  it('replaces a file whose time is far in the future once', async () => {
    const { out } = await publishedSite(littleChanged[0]);
    utimesSync(path.join(out, 'a.json'), 4_102_444_800, 4_102_444_800);
    expect(await publishTree(out, littleChanged[0])).toMatchObject({ changed: true, written: 2 });
    expect(await publishTree(out, littleChanged[0])).toMatchObject({ changed: false });
  });

  it('restores removed files, and on request files with other content of the same size', async () => {
    const { out } = await publishedSite(first);
    rmSync(path.join(out, 'a.json'));
    expect(await publishTree(out, first)).toMatchObject({ changed: true, written: 2 });
    const file = path.join(out, 'b/c.json');
    writeFileSync(file, '2x');
    utimesSync(file, 0, 0);
    expect(await publishTree(out, first)).toMatchObject({ changed: false });
    const byContent = { byContent: true };
    const publish = () => withOutput(out, (output) => output.publish(treeFiles(first)), byContent);
    expect(await publish()).toMatchObject({ changed: true, written: 2 });
    expect(await publish()).toMatchObject({ changed: false });
    expect(readTree(out)).toEqual(first);
  });

  it('does not publish a file that another process staged', async () => {
    const { out, folders } = await publishedSite(first);
    function* files() {
      yield { path: 'a.json', body: 'new' };
      writeFileSync(path.join(folders.staged, 'b.json'), 'theirs');
      yield { path: 'b.json', body: 'ours' };
    }
    const publishing = withOutput(out, (output) => output.publish(files()));
    await expect(publishing).rejects.toThrow('b.json: cannot be written (EEXIST)');
    expect(readTree(out)).toEqual(first);
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

  it('gives the manifest a time that is not before that of any file', async () => {
    const { out } = await publishedSite(littleChanged[0]);
    const soon = Date.now() / 1000 + 10;
    utimesSync(path.join(out, 'a.json'), soon, soon);
    await publishTree(out, littleChanged[1]);
    const [file, manifest] = ['a.json', 'manifest.json'].map(
      (name) => statSync(path.join(out, name)).mtimeMs,
    );
    expect(manifest).toBeGreaterThanOrEqual(file ?? Number.NaN);
    expect(await publishTree(out, littleChanged[1])).toMatchObject({ changed: false });
  });

  it('refuses a manifest that cannot be read, and says why', async () => {
    const { out } = await publishedSite(littleChanged[0]);
    rmSync(path.join(out, 'manifest.json'));
    mkdirSync(path.join(out, 'manifest.json'));
    await expect(publishTree(out, littleChanged[1])).rejects.toMatchObject({
      message: `${out}: contains files, but has no valid manifest.json: not a regular file`,
      cause: { cause: { code: 'not a regular file' } },
    });
  });

  it('turns a file into a folder, and back', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const trees = [
      { a: '1', keep: 'x' },
      { 'a/b/c': '2', keep: 'x' },
      { 'a/b': '3', keep: 'x' },
    ];
    for (const tree of [...trees, ...trees.toReversed()]) {
      await publishTree(out, tree);
      expect(readTree(out)).toEqual(tree);
    }
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
    [
      'replaced by an old one of another size',
      (file) => {
        writeFileSync(file, '1 and more');
        utimesSync(file, 0, 0);
      },
    ],
    [
      'replaced by a link of the same size and age',
      (file) => {
        rmSync(file);
        symlinkSync('x', file);
        lutimesSync(file, 1, 1);
      },
    ],
  ])('repairs a file that was %s', async (_, damage) => {
    const { out } = await publishedSite(first);
    damage(path.join(out, 'a.json'));
    expect(await publishTree(out, first)).toMatchObject({ changed: true, written: 2, kept: 2 });
    expect(readTree(out)).toEqual(first);
  });

  it('makes missing parents', async () => {
    const out = path.join(temporaryFolder(), 'a', 'b', 'site');
    await publishTree(out, first);
    expect(readTree(out)).toEqual(first);
  });

  it('makes and changes the folder that a symbolic link leads to, and leaves the link', async () => {
    const parent = temporaryFolder();
    const real = path.join(parent, 'real', 'site');
    const link = path.join(parent, 'link');
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

  const buildInputs = { generator: 'gamedata/1.2.3', code: 'c'.repeat(64), inputs: 'd'.repeat(64) };
  const reuse = (out: string, by = buildInputs) =>
    withOutput(out, async (output) => (output.isUnchanged(by) ? output.unchanged() : undefined));

  it('reuses the site that the same code generated from the same inputs', async () => {
    const out = path.join(temporaryFolder(), 'site');
    expect(await reuse(out)).toBeUndefined();
    const run = () => withOutput(out, ({ publish }) => publish(treeFiles(first), { buildInputs }));
    const { files, bytes } = await run();
    expect(JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8'))).toMatchObject(buildInputs);
    const before = fingerprint(out);
    expect(await reuse(out)).toEqual({
      changed: false,
      files,
      bytes,
      written: 0,
      kept: files,
      removed: 0,
    });
    expect(await run()).toEqual(await reuse(out));
    expect(fingerprint(out)).toEqual(before);
  });

  it.each<[string, Partial<typeof buildInputs>, damage?: (file: string) => void]>([
    ['of another version', { generator: 'gamedata/1.2.4' }],
    ['of other code', { code: 'e'.repeat(64) }],
    ['of other inputs', { inputs: 'e'.repeat(64) }],
    ['with a modified file', {}, (file) => utimesSync(file, 1, Date.now() / 1000 + 5)],
    ['with a missing file', {}, (file) => rmSync(file)],
    ['with a file of another size', {}, (file) => appendFileSync(file, ' ')],
  ])('does not reuse a site %s', async (_, other, damage) => {
    const out = path.join(temporaryFolder(), 'site');
    await withOutput(out, ({ publish }) => publish(treeFiles(first), { buildInputs }));
    damage?.(path.join(out, 'b/c.json'));
    expect(await reuse(out, { ...buildInputs, ...other })).toBeUndefined();
    await publishTree(out, first);
    expect(await reuse(out), 'from something unknown').toBeUndefined();
  });

  it('lists each file once, even if the last manifest lists it twice', async () => {
    const { out } = await publishedSite(first);
    const manifest = path.join(out, 'manifest.json');
    const { files, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...rest, files: [...files, ...files] }));
    await publishTree(out, { ...first, 'new.json': 'new' });
    expect(JSON.parse(readFileSync(manifest, 'utf8')).files).toHaveLength(files.length + 1);
  });

  it('leaves the site as it is, and nothing else, if a file cannot be made', async () => {
    const { out, names } = await publishedSite(first);
    const before = fingerprint(out);
    const run = withOutput(out, ({ publish }) => {
      const make = () => {
        throw new Error('cannot be made');
      };
      return publish([
        { path: 'a.json', body: '1' },
        { path: 'new.json', body: 'é' },
        { path: 'broken', bytes: 0, sha256: '0'.repeat(64), make },
      ]);
    });
    await expect(run).rejects.toThrow('cannot be made');
    expect(fingerprint(out)).toEqual(before);
    expect(names()).toEqual(['site']);
  });

  it('makes a file with a known digest only if it is not published, and checks it', async () => {
    const { out } = await publishedSite(first);
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
});

describe('an aborted build', () => {
  it.each([10, undefined])('leaves the old site whole and nothing else: at file %s', async (abortAt) => {
    const { out, names } = await publishedSite(first);
    const before = fingerprint(out);
    const controller = new AbortController();
    let made = 0;
    // More files than a build writes in one go.
    function* manyFiles() {
      while (made < 2000) {
        made++;
        if (made === abortAt) controller.abort();
        yield { path: `many/${made}.json`, body: String(made) };
      }
    }
    const work = withOutput(out, (output) => output.publish(manyFiles(), { signal: controller.signal }));
    const refused = expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    // While it writes.
    await setImmediate();
    controller.abort();
    await refused;
    if (abortAt) expect(made).toBe(abortAt);
    else expect(made).toBeLessThan(2000);
    expect(names()).toEqual(['site']);
    expect(fingerprint(out)).toEqual(before);
  });
});
