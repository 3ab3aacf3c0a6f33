import fsExtra from 'fs-extra';
import { expect, it } from 'vitest';
import { readPublicFiles } from '../src/package.ts';
import { temporaryFolder } from './support/temporary.ts';

it('skips hidden public files except those in .well-known/', () => {
  const folder = temporaryFolder();
  const hidden = [
    '.DS_Store',
    '.git/config',
    'docs/.hidden',
    '.well-known/.DS_Store',
  ];
  const published = ['.well-known/acme/_token', '.well-known/security.txt', 'a.txt'];
  for (const file of [...hidden, ...published]) {
    fsExtra.outputFileSync(`${folder}/${file}`, file);
  }
  const { files, notices } = readPublicFiles(folder);
  expect(files.map(({ path, body }) => [path, `${body}`])).toEqual(
    published.map((file) => [file, file]),
  );
  expect(notices).toEqual([]);
});

it('does not publish files that other programs left in public/, and reports them', () => {
  const folder = temporaryFolder();
  const leftovers = [
    '#a#',
    '__MACOSX/a.txt',
    'b/Thumbs.db',
    'b/a.txt.orig',
    'b/a.txt~',
  ];
  const published = ['b/original.txt', 'desktop.ini.txt'];
  for (const file of [...leftovers, 'Desktop.ini', ...published]) {
    fsExtra.outputFileSync(`${folder}/${file}`, file);
  }
  const { files, notices } = readPublicFiles(folder);
  expect(files.map(({ path }) => path)).toEqual(published);
  expect(notices).toEqual([
    'not published from public/: #a#, Desktop.ini, __MACOSX/a.txt, b/Thumbs.db, b/a.txt.orig, b/a.txt~',
  ]);
});

it('allows every path in robots.txt, so that wget -r copies the API', () => {
  const robots = readPublicFiles().files.find((file) => file.path === 'robots.txt');
  expect(`${robots?.body}`).toBe('User-agent: *\nAllow: /\n');
});
