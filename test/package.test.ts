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
  const files = readPublicFiles(folder);
  expect(files.map(({ path, body }) => [path, `${body}`])).toEqual(
    published.map((file) => [file, file]),
  );
});

it('allows every path in robots.txt, so that wget -r copies the API', () => {
  const robots = readPublicFiles().find((file) => file.path === 'robots.txt');
  expect(`${robots?.body}`).toBe('User-agent: *\nAllow: /\n');
});
