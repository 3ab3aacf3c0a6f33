import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inOrder } from '../../src/publish/commit.ts';
import { foldersBeside, readWorkingFile, workFolders } from '../../src/publish/work-folders.ts';
import { littleChanged, publishedSite, publishTree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const [old] = littleChanged;

it('working files are beside the site, hidden, and named after it', () => {
  expect(foldersBeside('site', '/srv/site', path.posix)).toEqual({
    name: 'site',
    out: '/srv/site',
    fresh: '/srv/.site.gamedata-new',
    commit: '/srv/.site.gamedata-commit',
    trash: '/srv/.site.gamedata-trash-',
    lock: '/srv/.site.gamedata-lock',
    received: '/srv/.site.gamedata-received',
  });
});

describe('a working file', () => {
  const folders = () => workFolders(path.join(temporaryFolder(), 'site'));

  it.each<[string, (file: string) => void]>([
    ['a link', (file) => symlinkSync(`${file}-target`, file)],
    ['a pipe', (file) => execFileSync('mkfifo', [file])],
    ['a folder', (file) => mkdirSync(file)],
  ])('that is %s is not read', (_, make) => {
    const all = folders();
    make(all.commit);
    const refused = `${all.commit}: is not a regular file, and is not used`;
    expect(() => readWorkingFile(all, all.commit)).toThrow(refused);
  });

  it('that is not there is an error of the system', () => {
    const all = folders();
    expect(() => readWorkingFile(all, all.commit)).toThrow('ENOENT');
  });
});

it('a manifest of a later version is refused by name', async () => {
  const { out } = await publishedSite(old);
  writeFileSync(path.join(out, 'manifest.json'), '{"format":2,"files":[]}');
  await expect(publishTree(out, old)).rejects.toThrow(
    `${out}: manifest.json has format 2, this version of gamedata reads format 1`,
  );
});

it('files are put in place in an order in which links stay true', () => {
  const move = 'api/gamedata/move/';
  expect(
    inOrder([
      'manifest.json',
      'meta.json',
      'index.html',
      `${move}index.json`,
      `${move}offset/100/index.json`,
      `${move}pound/index.json`,
    ]),
  ).toEqual([
    `${move}pound/index.json`,
    `${move}offset/100/index.json`,
    `${move}index.json`,
    'index.html',
    'meta.json',
    'manifest.json',
  ]);
});
