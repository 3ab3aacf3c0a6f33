import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { archiveStorage } from '../../src/built/archive.ts';
import { openSite } from '../../src/built/site.ts';
import { createEntry, encodeManifest } from '../../src/site/manifest.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { files, records } = siteOf(rawRecords(3, 2));

/**
 * Writes a copy of the site into each given folder, `site` by default. Returns their
 * parent folder.
 */
function writeSite(...folders: string[]): string {
  const parent = temporaryFolder();
  const entries = files().map(({ path: file, body }) =>
    createEntry(file, Buffer.from(body)),
  );
  const manifest = encodeManifest({ generator: 'gamedata/0.0.0' }, entries);
  for (const folder of folders.length > 0 ? folders : ['site']) {
    for (const { path: file, body } of files()) {
      fsExtra.outputFileSync(path.join(parent, folder, file), body);
    }
    writeFileSync(path.join(parent, folder, 'manifest.json'), manifest);
  }
  return parent;
}

function pack(parent: string, ...args: string[]): string {
  const archive = path.join(temporaryFolder(), 'site.tar.gz');
  execFileSync('tar', ['-czf', archive, ...args], { cwd: parent });
  return archive;
}

describe('archiveStorage', () => {
  it.each<[string, (parent: string) => string[]]>([
    ['a folder', () => ['site']],
    ['a folder with ./ before it', () => ['./site']],
    ['the files of a folder', () => ['-C', 'site', '.']],
    [
      'an absolute path',
      (parent) => ['--absolute-names', path.join(parent, 'site')],
    ],
    [
      'a folder in another folder',
      () => ['--transform', 's,^site,backups/today,', 'site'],
    ],
  ])('finds the site in an archive of %s', async (_, createArgs) => {
    const parent = writeSite();
    const storage = await archiveStorage(pack(parent, ...createArgs(parent)));
    expect(openSite(storage).records()).toEqual(records);
  });

  it('reads an uncompressed archive that still has the extension .tar.gz', async () => {
    const parent = writeSite();
    const archive = path.join(parent, 'site.tar.gz');
    execFileSync('tar', ['-cf', archive, 'site'], { cwd: parent });
    expect(openSite(await archiveStorage(archive)).records()).toEqual(records);
  });

  it('ignores the ._ files that macOS adds to archives', async () => {
    const parent = writeSite();
    for (const file of ['._site', 'site/._manifest.json', 'site/._meta.json']) {
      writeFileSync(path.join(parent, file), '"generator":"gamedata/');
    }
    const storage = await archiveStorage(pack(parent, '._site', 'site'));
    const names = Array.from(storage.list(), ({ path: file }) => file);
    expect(names.filter((file) => file.includes('._'))).toEqual([]);
    expect(openSite(storage).records()).toEqual(records);
  });

  it("distinguishes a reformatted gamedata manifest from a web app's manifest", async () => {
    const parent = writeSite();
    const file = path.join(parent, 'site', 'manifest.json');
    writeFileSync(
      file,
      JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), null, 2),
    );
    const text = JSON.stringify({
      name: 'an app',
      description: '"generator":"gamedata/',
    });
    fsExtra.outputFileSync(path.join(parent, 'site', 'app', 'manifest.json'), text);
    expect(openSite(await archiveStorage(pack(parent, 'site'))).records()).toEqual(
      records,
    );
  });

  const expected = 'expected a .tar.gz archive of a site';
  it.each<[string, body: Uint8Array, problem: string]>([
    [
      'a zip file',
      zipSync({ 'site.tar.gz': new Uint8Array(8) }),
      `is a zip file, ${expected}`,
    ],
    ['an empty file', Buffer.of(), `is empty, ${expected}`],
    ['a page', Buffer.from('<!DOCTYPE html>'), `is an HTML page, ${expected}`],
    [
      'an xz file',
      Buffer.from('\xfd7zXZ\0', 'latin1'),
      `is an xz file, ${expected}`,
    ],
    [
      'a Zstandard file',
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd),
      `is a Zstandard file, ${expected}`,
    ],
    [
      'a Git LFS pointer',
      Buffer.from('version https://git-lfs.github.com/spec/v1\n'),
      `is a Git LFS pointer, ${expected}`,
    ],
    [
      'a text',
      Buffer.from('notes'),
      `is neither a tar nor a gzip file, ${expected}`,
    ],
    [
      'a truncated archive',
      gzipSync('site').subarray(0, 12),
      `cannot be read as an archive (Z_BUF_ERROR), ${expected}`,
    ],
  ])('names the detected format in the error for %s', async (_, body, problem) => {
    const archive = path.join(temporaryFolder(), 'site.tar.gz');
    writeFileSync(archive, body);
    await expect(archiveStorage(archive)).rejects.toThrow(`${archive}: ${problem}`);
  });

  it('rejects an archive that does not contain exactly one site', async () => {
    const parent = writeSite('one', 'two');
    await expect(archiveStorage(pack(parent, 'one', 'two'))).rejects.toThrow(
      'contains several sites: one/, two/, expected one',
    );
    renameSync(
      path.join(parent, 'one/manifest.json'),
      path.join(parent, 'one/other.json'),
    );
    await expect(archiveStorage(pack(parent, 'one'))).rejects.toThrow(
      /contains \d+ files, but no manifest\.json of gamedata, expected a \.tar\.gz archive of a site$/,
    );
  });
});
