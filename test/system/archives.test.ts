import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

async function buildSite(options: Parameters<typeof build>[0] = {}) {
  const out = path.join(temporaryFolder(), 'site');
  const source = await smallSource();
  const report = await build({ ...source, baseUrl: 'https://example.test', out, ...options });
  return { out, source, report };
}

function unpack(archive: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  return path.join(folder, 'gamedata');
}

const listPaths = (folder: string) => [...fingerprint(folder).keys()];

describe('build --archive', () => {
  it('offers the site without its archive, with a checksum', async () => {
    const { out } = await buildSite({ archive: true });
    const plain = await buildSite();
    expect(verifyFolder(out).problems).toEqual([]);
    const download = path.join(out, 'download');
    execFileSync('sha256sum', ['-c', 'gamedata.sha256'], { cwd: download });
    const unpacked = unpack(path.join(download, 'gamedata.tar.gz'));
    expect(verifyFolder(unpacked).problems).toEqual([]);
    expect(listPaths(unpacked)).toEqual(listPaths(plain.out));
  });

  it('packs again only if something has changed', async () => {
    const { out, source } = await buildSite({ archive: true });
    const options = { ...source, baseUrl: 'https://example.test', out, archive: true };
    const before = fingerprint(out);
    expect(await build(options)).toMatchObject({ changed: false });
    expect(fingerprint(out)).toEqual(before);
    await build({ ...options, ...(await smallSource(rawRecords(119, 5))), maxShrink: 100 });
    expect(verifyFolder(unpack(path.join(out, 'download/gamedata.tar.gz'))).counts.move).toBe(119);
  });
});

it('keeps exactly the published site, even if the site offers its archive', async () => {
  const { out, report } = await buildSite({ archive: true, keep: 1, hosts: ['nginx'] });
  const unpacked = unpack(report.kept ?? '');
  const [packed, published] = [unpacked, out].map((folder) =>
    readFileSync(path.join(folder, 'manifest.json')),
  );
  expect(packed).toEqual(published);
  expect(listPaths(unpacked)).toEqual(listPaths(out).filter((file) => !file.startsWith('_hosts')));
  expect(verifyFolder(unpacked).problems).toEqual([]);
});
