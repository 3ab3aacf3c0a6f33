import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../src/files.ts';
import {
  createManifest,
  type EncodedFile,
  formatChecksum,
  packArchive,
} from '../../src/site/archive.ts';
import { temporaryFolder } from '../support/temporary.ts';

const file = (name: string, text: string): EncodedFile => ({
  path: name,
  body: Buffer.from(text),
});
const contents = [
  file('b.json', '2'.repeat(5000)),
  file('_redirects', '/a /b 200\n'),
  file('a/é.json', '"é"'),
  file('empty.txt', ''),
  file(`api/gamedata/item/${'long-'.repeat(39)}slug/index.json`, '{}'),
];
const files = [...contents, createManifest(contents, 'gamedata/1.0.0')];
const DAY = Date.UTC(2026, 0, 2);

describe('packArchive', () => {
  it('packs every file with a modification time that depends only on the content', async () => {
    const folder = temporaryFolder();
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
    const archive = await packArchive(files, '2026-01-02');
    writeFileSync(path.join(folder, 'a.tar.gz'), archive);
    writeFileSync(
      path.join(folder, 'a.sha256'),
      formatChecksum(archive, 'a.tar.gz'),
    );
    expect(run('sha256sum', '-c', 'a.sha256')).toBe('a.tar.gz: OK\n');
    run('tar', '-xzf', 'a.tar.gz');
    const tree = path.join(folder, 'gamedata');
    expect(listFiles(tree).sort()).toEqual(files.map(({ path }) => path).sort());
    for (const { path: name, body } of files) {
      expect(readFileSync(path.join(tree, name))).toEqual(Buffer.from(body));
    }
    const seconds = files.map(
      ({ path: name }) => (statSync(path.join(tree, name)).mtimeMs - DAY) / 1000,
    );
    expect(seconds.pop()).toBe(3600);
    expect(seconds.filter((second) => second >= 0 && second < 3600)).toEqual([
      ...new Set(seconds),
    ]);
    const lines = run('tar', '-tvzf', 'a.tar.gz', '--numeric-owner');
    expect(lines.match(/^-rw-r--r-- 0\/0 /gm)).toHaveLength(files.length);
  });

  it.each([[files], [files.toReversed()]])(
    'packs the same bytes in any order of files and on any version of Node',
    async (some) => {
      const expected =
        'd4a6229365049fa03b399912a0e71a25022ff94a50e86f98ad4d1e8636361fe9';
      expect(hash('sha256', await packArchive(some, '2026-01-02'))).toBe(expected);
    },
  );
});

it('createManifest sorts the files by path', () => {
  const manifest = createManifest(contents, 'gamedata/1.0.0');
  const { files: listed, ...about } = JSON.parse(
    new TextDecoder().decode(manifest.body),
  );
  expect(about).toEqual({ format: 1, generator: 'gamedata/1.0.0' });
  expect(listed.map((entry: EncodedFile) => entry.path)).toEqual(
    contents.map(({ path }) => path).sort(),
  );
  expect(listed.at(-1)).toEqual({
    path: 'empty.txt',
    bytes: 0,
    sha256: hash('sha256', ''),
  });
});
