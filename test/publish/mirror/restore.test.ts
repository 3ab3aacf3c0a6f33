import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'fflate';
import { packTar } from 'modern-tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { archive } from '../../../src/cli/commands/archive.ts';
import { build } from '../../../src/cli/commands/build.ts';
import { diff } from '../../../src/cli/commands/diff.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { verify } from '../../../src/cli/commands/verify.ts';
import { listFiles } from '../../../src/files.ts';
import { archivePlace, isArchive } from '../../../src/sources/site/place.ts';
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

/** The files of a site, and apart from them those about changes, and about the folder that it is in. */
function changing(tree: ReturnType<typeof readTree>) {
  const about = [
    'changes.json',
    'changes.atom',
    'former.json',
    'moved.json',
    '_hosts/nginx-moved.map',
    '_hosts/nginx.conf',
  ];
  const pick = (isAbout: boolean) =>
    Object.fromEntries(Object.entries(tree).filter(([name]) => about.includes(name) === isAbout));
  return { ...pick(false), changes: pick(true) };
}

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

  it('has no configuration of web servers, and restores the site with its own', async () => {
    const { at } = copied();
    const files = new Set(Array.from((await archivePlace(file)).list(), (one) => one.path));
    expect([...files].filter((name) => name.startsWith('_hosts/'))).toEqual([]);
    expect(files.size).toBe(listFiles(site).length - 2);
    const report = await mirror(file, { out: at('site-2') });
    expect(report).toMatchObject({ address: file, changed: true, leftBehind: [], requests: 0 });
    expect(listFiles(at('site-2')).sort()).toEqual(listFiles(site).sort());
    expect(verifyFolder(at('site-2')).problems).toEqual([]);
    const rebuilt = { ...described, out: at('site-2') };
    expect(await build({ ...rebuilt, root: path.resolve(at('site-2')) })).toMatchObject({ changed: false });
  });

  it('is verified and compared as the site is that it holds, also unpacked by hand', async () => {
    const { at, options } = copied();
    expect(await verify(file)).toEqual({ ...verifyFolder(site), files: listFiles(site).length - 2 });
    mkdirSync(at('unpacked'));
    execFileSync('tar', ['xzf', file, '-C', at('unpacked')]);
    expect(verifyFolder(at('unpacked/gamedata')).problems).toEqual([]);
    await build({ ...options, ...(await smallSource(rawRecords(8, 3))), out: at('site'), maxShrink: 100 });
    expect((await diff(at('site'), file)).totals).toEqual((await diff(at('site'), site)).totals);
    expect((await diff(site, file)).totals).toMatchObject({ added: 0, removed: 0, renamed: 0, changed: 0 });
  });

  it('takes a site back to its records, and keeps every address that it had since', async () => {
    const { at, options } = copied();
    const raw = rawRecords(120, 5);
    const move = raw.move.map((record) => (record.id === 7 ? { ...record, slug: 'seven' } : record));
    await build({ ...options, ...(await smallSource({ ...raw, move })) });
    const { changes: _, ...before } = changing(readTree(site));

    const restored = await mirror(file, { out: at('site') });
    expect(restored.files.written).toBeLessThan(30);
    const { changes, ...now } = changing(readTree(at('site')));
    expect(now).toEqual(before);
    expect(JSON.parse(changes['moved.json'] ?? '')).toEqual({
      '/api/gamedata/move/seven/': '/api/gamedata/move/move-7/',
    });
    expect(JSON.parse(changes['changes.json'] ?? '').steps).toHaveLength(2);

    // The way out where these are damaged: what redirects goes on.
    writeFileSync(at('site/former.json'), '{}');
    expect(await mirror(file, { out: at('site') })).toMatchObject({ changed: true });
    expect(readFileSync(at('site/moved.json'), 'utf8')).toBe(changes['moved.json']);
    const untouched = fingerprint(at('site'));
    expect(await mirror(file, { out: at('site') })).toMatchObject({ changed: false });
    expect(fingerprint(at('site'))).toEqual(untouched);
  });

  it('replaces no site that has more records, and says how to go back all the same', async () => {
    const { at, options } = copied();
    await build({ ...options, ...(await smallSource(rawRecords(200, 5))) });
    await expect(mirror(file, { out: at('site') })).rejects.toMatchObject({
      code: 'guard',
      message: expect.stringContaining('got 120 records, the last build had 200'),
      hint: `To go back all the same: gamedata mirror ${file} ${at('site')} --max-shrink 100`,
    });
  });

  it('that is damaged is an error that names it, and the site stays', async () => {
    const { at } = copied();
    const before = fingerprint(at('site'));
    const evil = { 'gamedata/manifest.json': manifestOf('../evil') };
    const lacking = { 'gamedata/manifest.json': manifestOf('a') };
    const own = Object.fromEntries(
      Object.entries(readTree(site)).map(([name, text]) => [`gamedata/${name}`, text]),
    );
    own['gamedata/manifest.json'] = readFileSync(path.join(site, 'manifest.json'), 'utf8');
    const meta = own['gamedata/meta.json']?.replace('x.test', 'y.test') ?? '';
    const damages: [(file: string) => unknown, problem: string][] = [
      [(file) => truncateSync(file, 5000), 'cannot be read as an archive'],
      [(file) => writeFileSync(file, 'x'.repeat(2000)), 'cannot be read as an archive'],
      [(file) => writeFileSync(file, ''), 'expected'],
      [(file) => pack(file, { 'gamedata/meta.json': '{}' }), 'has no valid manifest.json: ENOENT'],
      [(file) => pack(file, { 'gamedata/manifest.json': '[]' }), 'got []: expected object'],
      [(file) => pack(file, { 'gamedata/manifest.json': '{"format":9}' }), 'has format 9, this version'],
      [(file) => pack(file, evil), 'expected a relative path inside the site'],
      [(file) => pack(file, lacking), 'has no valid meta.json: ENOENT'],
      [(file) => pack(file, lacking, 'gamedata/meta.json'), 'has no valid meta.json: ENOENT'],
      [rmSync, 'cannot be read as an archive (ENOENT), expected a .tar.gz'],
      [
        (file) => pack(file, { ...own, 'gamedata/api/gamedata/move/index.json': '{}' }),
        'move/index.json: has SHA-256',
      ],
      [(file) => pack(file, { ...own, 'gamedata/meta.json': meta }), 'meta.json: has SHA-256'],
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
