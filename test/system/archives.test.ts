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
const listPaths = (folder: string) =>
  [...fingerprint(folder).keys()].filter((file) => !file.startsWith('_hosts'));

it('packs each changed site, except its archive, for download, and keeps an exact copy', async () => {
  const out = path.join(temporaryFolder(), 'site');
  const options = {
    ...(await smallSource()),
    baseUrl: 'https://example.test',
    out,
    hosts: ['nginx'],
  } as const;
  await build(options);
  const plain = listPaths(out);
  const report = await build({ ...options, archive: true, keep: 1 });
  const kept = report.checks.archive;
  expect(verifyFolder(out).problems).toEqual([]);
  const download = path.join(out, 'download');
  execFileSync('sha256sum', ['-c', 'gamedata.sha256'], { cwd: download });
  const packed = path.join(download, 'gamedata.tar.gz');
  expect(listPaths(unpack(packed))).toEqual(plain);
  const [copy, site] = [unpack(kept ?? ''), out].map((folder) => ({
    files: listPaths(folder),
    manifest: readFileSync(path.join(folder, 'manifest.json'), 'utf8'),
  }));
  expect(copy).toEqual(site);

  const before = fingerprint(out);
  expect(await build({ ...options, archive: true })).toMatchObject({
    changed: false,
  });
  expect(fingerprint(out)).toEqual(before);
  const smaller = await smallSource(rawRecords(119, 5));
  await build({ ...options, ...smaller, archive: true, maxShrink: 100 });
  expect(verifyFolder(unpack(packed)).counts.move).toBe(119);
});
