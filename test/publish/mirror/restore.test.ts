import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { archive } from '../../../src/cli/commands/archive.ts';
import { build } from '../../../src/cli/commands/build.ts';
import { diff } from '../../../src/cli/commands/diff.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { verify } from '../../../src/cli/commands/verify.ts';
import { isArchive } from '../../../src/publish/mirror/archive.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { readTree } from '../../support/publishing.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';

/** A site of a web server, and an archive of it. */
const { folder, site, described, ...shared } = sharedSite({ baseUrl: 'https://x.test', hosts: ['nginx'] });
const file = path.join(folder, 'gamedata.tar.gz');
beforeAll(() => archive(site, { out: folder }));

function copied() {
  const out = shared.copied();
  return { at: (name: string): string => path.join(out, '..', name), options: { ...described, out } };
}

const withoutManifest = (folder: string) => {
  const { 'manifest.json': _, ...tree } = readTree(folder);
  return tree;
};

/** An archive of anybody's making, perhaps with a link. */
const pack = async (file: string, entries: Record<string, string>, link?: string): Promise<void> => {
  const files = Object.entries(entries).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body) },
    body,
  }));
  const links = link ? [{ header: { name: link, size: 0, type: 'symlink', linkname: 'b' } as const }] : [];
  writeFileSync(file, gzipSync(await packTar([...files, ...links])));
};

/** A manifest of one file, whose hash no file has. */
const manifestOf = (name: string): string =>
  JSON.stringify({
    format: 1,
    generator: 'gamedata/1',
    files: [{ path: name, bytes: 1, sha256: '0'.repeat(64) }],
  });

describe('an archive', () => {
  it('is told by its name', () => {
    expect(['a.tar.gz', 'b/a.tgz'].map(isArchive)).toEqual([true, true]);
    expect(['a.tar.gz.sig', 'a.zip', 'tar.gz/a'].map(isArchive)).toEqual([false, false, false]);
  });

  it('is restored with every file of the site, host configuration included', async () => {
    const { at } = copied();
    const report = await mirror(file, { out: at('copy') });
    expect(report).toMatchObject({ address: file, changed: true, excluded: [], requests: 0 });
    expect(withoutManifest(at('copy'))).toEqual(withoutManifest(at('site')));
    expect(verifyFolder(at('copy')).problems).toEqual([]);
  });

  it('is verified and compared as the site is that it holds', async () => {
    const { at, options } = copied();
    expect(await verify(file)).toEqual(verifyFolder(site));
    await build({ ...options, ...(await smallSource(rawRecords(8, 3))), out: at('site'), maxShrink: 100 });
    expect((await diff(at('site'), file)).totals).toEqual((await diff(at('site'), site)).totals);
    expect((await diff(site, file)).totals).toMatchObject({ added: 0, removed: 0, renamed: 0, changed: 0 });
    await pack(at('bad.tar.gz'), {
      'gamedata/manifest.json': manifestOf('meta.json'),
      'gamedata/meta.json': '{',
    });
    mkdirSync(at('tmp'));
    vi.stubEnv('TMPDIR', at('tmp'));
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(verify(at('bad.tar.gz'))).rejects.toThrow('bad.tar.gz › meta.json: got SHA-256');
    expect(readdirSync(at('tmp'))).toEqual([]);
  });

  it('takes a site back to what it was, changing only what differs', async () => {
    const { at, options } = copied();
    const before = withoutManifest(at('site'));
    const raw = rawRecords(120, 5);
    const move = raw.move.map((record) => (record.id === 7 ? { ...record, slug: 'seven' } : record));
    await build({ ...options, ...(await smallSource({ ...raw, move })) });
    expect(existsSync(at('site/api/gamedata/move/seven/index.json'))).toBe(true);

    const restored = await mirror(file, { out: at('site') });
    expect(restored.removed).toEqual(['api/gamedata/move/seven/index.json']);
    expect(restored.fetched.length).toBeLessThan(30);
    expect(withoutManifest(at('site'))).toEqual(before);

    const untouched = fingerprint(at('site'));
    expect(await mirror(file, { out: at('site') })).toMatchObject({ changed: false });
    expect(fingerprint(at('site'))).toEqual(untouched);
  });

  it('may have far fewer records than the site, unless that is not allowed', async () => {
    const { at, options } = copied();
    await build({ ...options, ...(await smallSource(rawRecords(200, 5))) });
    const guarded = mirror(file, { out: at('site'), maxShrink: 1 });
    await expect(guarded).rejects.toMatchObject({ code: 'guard' });
    await mirror(file, { out: at('site') });
    expect(JSON.parse(readFileSync(at('site/meta.json'), 'utf8')).counts.move).toBe(120);
  });

  it('that is damaged is an error that names it, and the site stays', async () => {
    const { at } = copied();
    const before = fingerprint(at('site'));
    const evil = { 'gamedata/manifest.json': manifestOf('../evil') };
    const lacking = { 'gamedata/manifest.json': manifestOf('a') };
    const damages: [(file: string) => unknown, problem: string][] = [
      [(file) => truncateSync(file, 5000), 'cannot be read as an archive'],
      [(file) => writeFileSync(file, 'x'.repeat(2000)), 'cannot be read as an archive'],
      [(file) => writeFileSync(file, ''), 'expected'],
      [(file) => pack(file, { 'gamedata/meta.json': '{}' }), 'got no manifest.json'],
      [(file) => pack(file, { 'gamedata/manifest.json': '[]' }), 'got []: expected object'],
      [(file) => pack(file, { 'gamedata/manifest.json': '{"format":9}' }), 'has format 9, this version'],
      [(file) => pack(file, evil), 'expected a relative path inside the site'],
      [(file) => pack(file, lacking), 'got no a: expected every file of its manifest'],
      [(file) => pack(file, lacking, 'gamedata/a'), 'got no a: expected every file of its manifest'],
      [rmSync, 'cannot be read as an archive (ENOENT), expected a .tar.gz'],
      [
        (file) => pack(file, { 'gamedata/a': 'x', ...lacking }),
        `expected ${'0'.repeat(64)}, as in the manifest`,
      ],
    ];
    for (const [damage, problem] of damages) {
      const copy = at('damaged.tar.gz');
      copyFileSync(file, copy);
      await damage(copy);
      const message = await mirror(copy, { out: at('site') }).catch((error: Error) => error.message);
      for (const part of ['damaged.tar.gz', problem]) expect(message).toContain(part);
      expect(fingerprint(at('site'))).toEqual(before);
      expect(existsSync(at('evil'))).toBe(false);
    }
  });
});
