import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { archive } from '../../src/cli/commands/archive.ts';
import { build } from '../../src/cli/commands/build.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { deploy } from '../support/deployed.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const NAMES = ['gamedata.sha256', 'gamedata.tar.gz', 'gamedata.zip'];

async function built(options: Parameters<typeof build>[0] = {}) {
  const out = path.join(temporaryFolder(), 'site');
  const source = await smallSource();
  const report = await build({ ...source, baseUrl: 'https://example.test', out, ...options });
  return { out, source, report };
}

/** By their hashes: a difference of megabytes would be shown for minutes. */
const read = (folder: string) => NAMES.map((name) => hash('sha256', readFileSync(path.join(folder, name))));

function unpack(tar: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', tar, '-C', folder]);
  return path.join(folder, 'gamedata');
}

describe('build --archive', () => {
  it('offers the site without its archives, which verifies when decompressed, as gamedata archive does', async () => {
    const { out } = await built({ archive: true });
    const plain = await built();
    expect(verifyFolder(out).problems).toEqual([]);
    const unpacked = unpack(path.join(out, 'download/gamedata.tar.gz'));
    expect(verifyFolder(unpacked).problems).toEqual([]);
    const tree = (folder: string) => [...fingerprint(folder).keys()];
    expect(tree(unpacked)).toEqual(tree(plain.out));
    const manifestOf = (folder: string) =>
      JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
    // Both say whether they offer themselves, and an archive does not say what it was made from.
    const withoutMeta = (manifest: { files: { path: string }[] }) => ({
      ...manifest,
      files: manifest.files.filter(({ path: file }) => file !== 'meta.json'),
    });
    const { code: _, inputs: __, derived: ___, ...plainly } = manifestOf(plain.out);
    expect(withoutMeta(manifestOf(unpacked))).toEqual(withoutMeta(plainly));

    const folder = temporaryFolder();
    const report = await archive(plain.out, { out: folder });
    const packed = unpack(path.join(folder, 'gamedata.tar.gz'));
    expect(withoutMeta(manifestOf(packed))).toEqual(withoutMeta(manifestOf(unpacked)));
    expect(report.archives.map(({ name }) => name).sort()).toEqual(NAMES);
    await archive(out, { out: folder });
    expect(verifyFolder(unpack(path.join(folder, 'gamedata.tar.gz'))).problems).toEqual([]);
  });

  it('packs nothing if nothing has changed, and anew if anything has', async () => {
    const { out, source } = await built({ archive: true });
    const options = { ...source, baseUrl: 'https://example.test', out, archive: true };
    const before = fingerprint(out);
    expect(await build(options)).toMatchObject({ changed: false });
    expect(fingerprint(out)).toEqual(before);
    const first = read(path.join(out, 'download'));
    await build({ ...options, ...(await smallSource(rawRecords(119, 5))), maxShrink: 100 });
    const second = read(path.join(out, 'download'));
    expect(second).not.toEqual(first);
    expect(verifyFolder(unpack(path.join(out, 'download/gamedata.tar.gz'))).counts.move).toBe(119);
  });

  it('is packed again by a mirror', async () => {
    const { out, source } = await built({ archive: true });
    const copy = path.join(temporaryFolder(), 'copy');
    const { url } = await deploy(out);
    await mirror({ from: url, out: copy, archive: true });
    expect(read(path.join(copy, 'download'))).toEqual(read(path.join(out, 'download')));
    await mirror({ from: copy, baseUrl: 'https://other.test', archive: true });
    const other = await built({ ...source, archive: true, baseUrl: 'https://other.test' });
    expect(read(path.join(copy, 'download'))).toEqual(read(path.join(other.out, 'download')));
  });
});

describe('gamedata archive', () => {
  it('rejects a site with a file that is not the one that was built, and writes nothing', async () => {
    const { out } = await built();
    const folder = path.join(temporaryFolder(), 'archives');
    writeFileSync(path.join(out, '404.json'), '{}');
    await expect(archive(out, { out: folder })).rejects.toThrow(/404\.json: has SHA-256 \w+, expected/);
    expect(() => read(folder)).toThrow('ENOENT');
  });
});
