import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

function unpack(archive: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  expect(verifyFolder(path.join(folder, 'gamedata')).problems).toEqual([]);
  return path.join(folder, 'gamedata');
}
const listPaths = (folder: string) => [...fingerprint(folder).keys()];

it('packs the site, except the archive itself, for download, and keeps an exact copy of the published site', async () => {
  const out = path.join(temporaryFolder(), 'site');
  const options = { ...(await smallSource()), baseUrl: 'https://example.test', out, keep: 1 };
  await build({ ...options, hosts: ['nginx'] });
  const plain = listPaths(out).filter((file) => !file.startsWith('_hosts'));
  const { kept } = await build({ ...options, hosts: ['nginx'], archive: true });
  expect(verifyFolder(out).problems).toEqual([]);
  execFileSync('sha256sum', ['-c', 'gamedata.sha256'], { cwd: path.join(out, 'download') });
  expect(listPaths(unpack(path.join(out, 'download/gamedata.tar.gz')))).toEqual(plain);
  const unpacked = unpack(kept ?? '');
  const readManifest = (folder: string) => readFileSync(path.join(folder, 'manifest.json'), 'utf8');
  expect(readManifest(unpacked)).toBe(readManifest(out));
  expect(listPaths(unpacked)).toEqual(listPaths(out).filter((file) => !file.startsWith('_hosts')));
});

it('packs the archive again only if the site changed', async () => {
  const out = path.join(temporaryFolder(), 'site');
  const options = { ...(await smallSource()), baseUrl: 'https://example.test', out, archive: true };
  await build(options);
  const before = fingerprint(out);
  expect(await build(options)).toMatchObject({ changed: false });
  expect(fingerprint(out)).toEqual(before);
  await build({ ...options, ...(await smallSource(rawRecords(119, 5))), maxShrink: 100 });
  expect(verifyFolder(unpack(path.join(out, 'download/gamedata.tar.gz'))).counts.move).toBe(119);
});
