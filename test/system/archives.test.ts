import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

async function unpack(archive: string): Promise<string> {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', archive, '-C', folder]);
  const unpacked = path.join(folder, 'gamedata');
  expect((await verifyFolder(unpacked)).problems).toEqual([]);
  return unpacked;
}
const listPaths = (folder: string) =>
  [...fingerprint(folder).keys()].filter((file) => !file.startsWith('_hosts'));

it('packs every file of the site, except the archive itself, into an archive for download', async () => {
  const out = path.join(temporaryFolder(), 'site');
  const options = {
    ...(await smallSource()),
    baseUrl: 'https://example.test',
    out,
    hosts: ['nginx'],
  } as const;
  await build(options);
  const plain = listPaths(out);
  await build({ ...options, archive: true });
  expect((await verifyFolder(out)).problems).toEqual([]);
  const download = path.join(out, 'download');
  execFileSync('sha256sum', ['-c', 'gamedata.sha256'], { cwd: download });
  const packed = path.join(download, 'gamedata.tar.gz');
  expect(listPaths(await unpack(packed))).toEqual(plain);

  const before = fingerprint(out);
  expect(await build({ ...options, archive: true })).toMatchObject({
    changed: false,
  });
  expect(fingerprint(out)).toEqual(before);
  const smaller = await smallSource(rawRecords(119, 5));
  await build({ ...options, ...smaller, archive: true, maxShrink: 100 });
  expect((await verifyFolder(await unpack(packed))).counts.move).toBe(119);
});
