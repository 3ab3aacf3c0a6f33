import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import * as support from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { publishedSite, publishTree, readTree, treeFiles } = support;
const [old, fresh] = support.littleChanged;
const first: support.Tree = { 'a.json': '1', 'b/c.json': '22', 'b/d.json': '333' };
const unchanged = { changed: false, files: 4, written: 0, kept: 4, removed: 0 };
const readManifest = (out: string) => JSON.parse(fs.readFileSync(path.join(out, 'manifest.json'), 'utf8'));
const readSecond = (file: string): number => Math.floor(fs.statSync(file).mtimeMs / 1000);

describe('publish', () => {
  it('writes every file and a sorted manifest', async () => {
    const out = path.join(temporaryFolder(), 'a', 'b', 'site');
    const result = await publishTree(out, { 'b/c.json': '22', 'a.json': 'é' });
    expect(readTree(out)).toEqual({ 'a.json': 'é', 'b/c.json': '22' });
    const createEntry = (path: string, text: string) => ({
      ...{ path, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) },
    });
    expect(readManifest(out).files).toEqual([createEntry('a.json', 'é'), createEntry('b/c.json', '22')]);
    const bytes = 4 + fs.statSync(path.join(out, 'manifest.json')).size;
    expect(result).toEqual({ changed: true, files: 3, bytes, written: 3, kept: 0, removed: 0 });
  });

  it('touches nothing if all files are the same, in any order', async () => {
    const { out, folders } = await publishedSite(first);
    const before = fingerprint(path.dirname(folders.out));
    for (const tree of [first, Object.fromEntries(Object.entries(first).toReversed())])
      expect(await publishTree(out, tree)).toMatchObject(unchanged);
    expect(fingerprint(path.dirname(folders.out))).toEqual(before);
  });

  it('replaces a file with an mtime in the far future only once', async () => {
    const { out } = await publishedSite(first);
    fs.utimesSync(path.join(out, 'a.json'), 4_102_444_800, 4_102_444_800);
    expect(await publishTree(out, first)).toMatchObject({ changed: true, written: 2 });
    expect(await publishTree(out, first)).toMatchObject(unchanged);
  });

  const later = Date.now() / 1000 + 100;
  it.each<[string, boolean, (file: string) => void]>([
    ['a missing file', false, (file) => fs.rmSync(file)],
    ['a newer file', false, (file) => [fs.writeFileSync(file, '2'), fs.utimesSync(file, later, later)]],
    ['a longer file', false, (file) => [fs.writeFileSync(file, '12'), fs.utimesSync(file, 0, 0)]],
    [
      'a symlink of the same size',
      false,
      (file) => [fs.rmSync(file), fs.symlinkSync('x', file), fs.lutimesSync(file, 1, 1)],
    ],
    [
      'other content of the same size and age',
      true,
      (file) => [fs.writeFileSync(file, '2'), fs.utimesSync(file, 0, 0)],
    ],
  ])('repairs %s (found only by comparing content: %s)', async (_, byContent, damage) => {
    const { out } = await publishedSite(first);
    damage(path.join(out, 'a.json'));
    if (byContent) expect(await publishTree(out, first)).toMatchObject(unchanged);
    expect(await publishTree(out, first, { byContent })).toMatchObject({ written: 2, kept: 2 });
    expect(readTree(out)).toEqual(first);
    expect(await publishTree(out, first, { byContent })).toMatchObject(unchanged);
  });

  it('gives a replaced file an mtime in a later second, and never leaves the manifest older', async () => {
    const { out } = await publishedSite(old);
    const [file, manifest] = [path.join(out, 'a.json'), path.join(out, 'manifest.json')];
    for (const tree of [fresh, { 'a.json': '11' }, { 'a.json': '12' }, old]) {
      const before = [readSecond(file), readSecond(manifest)];
      await publishTree(out, tree);
      expect(readSecond(file)).toBeGreaterThan(before[0] ?? 0);
      expect(readSecond(manifest)).toBeGreaterThan(before[1] ?? 0);
      expect(fs.statSync(manifest).mtimeMs).toBeGreaterThanOrEqual(fs.statSync(file).mtimeMs);
    }
    fs.utimesSync(file, later, later);
    await publishTree(out, fresh);
    expect(fs.statSync(manifest).mtimeMs).toBeGreaterThanOrEqual(fs.statSync(file).mtimeMs);
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
  });

  it('creates and changes the folder behind a symlink, and keeps the symlink', async () => {
    const parent = temporaryFolder();
    const [real, link] = [path.join(parent, 'real', 'site'), path.join(parent, 'link')];
    fs.symlinkSync(path.join('real', 'site'), link);
    await publishTree(link, first);
    const { ino } = fs.statSync(path.join(link, 'a.json'));
    await publishTree(link, { ...first, 'b/c.json': '4' });
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readTree(real)).toEqual({ ...first, 'b/c.json': '4' });
    expect(fs.statSync(path.join(real, 'a.json')).ino).toBe(ino);
    expect([fs.readdirSync(parent).sort(), fs.readdirSync(path.dirname(real))]).toEqual([
      ['link', 'real'],
      ['site'],
    ]);
  });

  it('rejects a file that another process staged', async () => {
    const { out, folders } = await publishedSite(first);
    function* files() {
      yield { path: 'a.json', body: 'new' };
      fs.writeFileSync(path.join(folders.staged, 'b.json'), 'theirs');
      yield { path: 'b.json', body: 'ours' };
    }
    const message = 'b.json: cannot be written (EEXIST)';
    await support.expectRejected(out, () => withOutput(out, (output) => output.publish(files())), {
      message,
    });
  });

  it('generates a file with a known hash only if the published file differs, and checks the hash', async () => {
    const { out } = await publishedSite(first);
    const listed = readManifest(out).files.map((entry: { path: string; sha256: string }) => ({
      ...entry,
      title: 'more than an entry has',
      make: () => Buffer.from(`${first[entry.path]}`),
    }));
    const run = (files: typeof listed) => withOutput(out, ({ publish }) => publish(files));
    const fail = () => {
      throw new Error('cannot be made');
    };
    expect(await run(listed.map((file: object) => ({ ...file, make: fail })))).toMatchObject(unchanged);
    fs.writeFileSync(path.join(out, 'a.json'), 'damaged');
    expect(await run(listed)).toMatchObject({ written: 2 });
    expect(readTree(out)).toEqual(first);
    const forged = { ...listed[0], sha256: '0'.repeat(64) };
    const message = `a.json: got SHA-256 ${listed[0].sha256}, expected ${forged.sha256}`;
    await support.expectRejected(out, () => run([forged]), { message });
    await support.expectRejected(out, () => run([{ ...forged, make: fail }]), { message: 'cannot be made' });
  });

  // A build writes more files in one go than it yields before the abort.
  it.each([10, undefined])('keeps only the old site if it is aborted at file %s', async (abortAt) => {
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
      const work = withOutput(out, (output) => output.publish(manyFiles(), { signal: controller.signal }));
      setImmediate().then(() => controller.abort());
      return work;
    };
    await support.expectRejected(out, publish, { name: 'AbortError' });
    expect(made).toBeLessThan(2000);
    if (abortAt) expect(made).toBe(abortAt);
  });
});

describe('isUnchanged', () => {
  const buildInputs = { generator: 'gamedata/1.2.3', code: 'c'.repeat(64), inputs: 'd'.repeat(64) };
  const publish = (out: string) =>
    withOutput(out, ({ publish }) => publish(treeFiles(first), { buildInputs }));
  const reuse = (out: string, inputs = buildInputs) =>
    withOutput(out, async (output) => (output.isUnchanged(inputs) ? output.keepPublished() : undefined));

  it('reuses a site built with the same code and inputs', async () => {
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
    ['a modified file', {}, (file) => fs.utimesSync(file, 1, Date.now() / 1000 + 5)],
    ['a missing file', {}, (file) => fs.rmSync(file)],
  ])('rejects a site with %s', async (_, other, damage) => {
    const out = path.join(temporaryFolder(), 'site');
    await publish(out);
    damage?.(path.join(out, 'b/c.json'));
    expect(await reuse(out, { ...buildInputs, ...other })).toBeUndefined();
    await publishTree(out, first);
    expect(await reuse(out), 'from unknown inputs').toBeUndefined();
  });
});
