import path from 'node:path';
import fsExtra from 'fs-extra';
import { expect, it } from 'vitest';
import { quoteArgument } from '../src/contract/words.ts';
import { findStartCommand, PACKAGE_ROOT, readPublicFiles } from '../src/package.ts';
import { temporaryFolder } from './support/temporary.ts';

const PATH = ['/usr/local/bin', '/usr/bin'].join(path.delimiter);
const clone = path.join(PACKAGE_ROOT, 'scripts/gamedata.mjs');
const npx = { PATH, npm_command: 'exec' };
const cached = '/home/me/.npm/_npx/1/node_modules/.bin/gamedata';

it.each<[string, NodeJS.ProcessEnv, cwd: string, command: string]>([
  [clone, { PATH }, PACKAGE_ROOT, 'node scripts/gamedata.mjs'],
  [clone, { PATH }, '/srv', `node ${quoteArgument(clone)}`],
  ['/opt/my tools/gamedata.mjs', { PATH }, '/opt', "node 'my tools/gamedata.mjs'"],
  ['/usr/local/bin/gamedata', { PATH }, '/srv', 'gamedata'],
  ['/opt/bin/gamedata', { PATH }, '/srv', 'node /opt/bin/gamedata'],
  [cached, npx, PACKAGE_ROOT, 'npx gamedata'],
  [cached, npx, '/srv', `node ${cached}`],
])(
  'finds the start command of %s with %j in %s: %s',
  (script, environment, cwd, command) => {
    expect(findStartCommand(script, environment, cwd)).toBe(command);
  },
);

it('suggests npx in a folder in which the package is installed', () => {
  const project = temporaryFolder();
  const script = path.join(project, 'node_modules/.bin/gamedata');
  fsExtra.outputFileSync(script, '');
  fsExtra.ensureDirSync(path.join(project, 'api'));
  for (const environment of [
    npx,
    { PATH: path.dirname(script), npm_command: 'run-script' },
  ])
    expect(findStartCommand(script, environment, path.join(project, 'api'))).toBe(
      'npx gamedata',
    );
});

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

it('disallows only the API in robots.txt', () => {
  const robots = readPublicFiles().files.find((file) => file.path === 'robots.txt');
  const rules = `${robots?.body}`
    .split('\n')
    .filter((line) => line.startsWith('Disallow'));
  expect(rules).toEqual(['Disallow: /api/']);
});
