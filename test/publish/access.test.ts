/** Who may read and write: what a published folder allows, and what others leave beside it. */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishedSite, publishTree, readTree, type Tree } from '../support/publishing.ts';
import { cliCommand, runProgram } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const isRoot = process.geteuid?.() === 0;
const STRANGER = 12_345;
const old = { 'a.json': '1' };
const fresh = { 'a.json': '2', 'b.json': '3' };

describe.skipIf(process.platform === 'win32')('a folder that is published into', () => {
  it.each<[string, Tree | undefined]>([
    ['was published before', old],
    ['is empty', undefined],
  ])('stays the same one, with its owner, group and mode, if it %s', async (_, tree) => {
    const out = path.join(temporaryFolder(), 'site');
    if (tree) await publishTree(out, tree);
    else mkdirSync(out);
    if (isRoot) chownSync(out, STRANGER, STRANGER + 1);
    chmodSync(out, 0o2750);
    const { ino, uid, gid, mode } = statSync(out);
    await publishTree(out, fresh);
    expect(statSync(out)).toMatchObject({ ino, uid, gid, mode });
    expect(readTree(out)).toEqual(fresh);
  });
});

describe.runIf(isRoot)('a work file of another user', () => {
  it.each(['staging', 'setAside'] as const)('is not used: %s', async (role) => {
    const { out, folders } = await publishedSite(old);
    mkdirSync(folders[role]);
    chownSync(folders[role], STRANGER, STRANGER);
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${folders[role]}: belongs to another user (${STRANGER}), and is not used`,
      hint: expect.stringContaining('Remove it'),
    });
    expect(readTree(out)).toEqual(old);
  });

  it('is used if the site belongs to the same user', async () => {
    const { out, folders } = await publishedSite(old);
    mkdirSync(folders.staging);
    for (const folder of [out, folders.staging]) chownSync(folder, STRANGER, STRANGER);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
  });
});

const asUser = ['--reuid', `${STRANGER}`, '--regid', `${STRANGER}`, '--clear-groups', ...cliCommand];

/** Where the program is in a folder that the user cannot read, nothing can be said of it. */
const canBeUser = isRoot && spawnSync('setpriv', [...asUser, '--version']).status === 0;

describe.runIf(canBeUser)('a build of a user in a folder that everyone may write to', () => {
  async function open(...options: string[]) {
    const upstream = await serveUpstream(upstreamOf(tinyUpstream()));
    const cwd = temporaryFolder();
    chmodSync(cwd, 0o1777);
    const args = ['build', '--source', 'rest', '--upstream', upstream.url, '--out', 'site', ...options];
    const build = (...more: string[]) => runProgram(['setpriv', ...asUser, ...args, ...more], { cwd });
    return { cwd, build };
  }

  it.each<[string, string, 'file' | 'folder' | 'link', number, string]>([
    ['a lock', '.site.gamedata-lock', 'file', 1, 'site: cannot be locked (EACCES)'],
    ['a cache', '.cache/gamedata', 'folder', 1, '.cache/gamedata: cannot be used as a cache (EACCES)'],
    ['kept archives', 'site-archives', 'folder', 5, 'site-archives: cannot be written (EACCES)'],
    ['a link for archives', 'site-archives', 'link', 5, 'site-archives: belongs to another user (0)'],
    [
      'a staging folder',
      '.site.gamedata-staging',
      'folder',
      1,
      'belongs to another user (0), and is not used',
    ],
  ])('reports %s of another user, and changes nothing in it', async (_, name, shape, code, message) => {
    const { cwd, build } = await open('--keep', '1');
    expect(await build('--no-cache', '--max-shrink', '100')).toMatchObject({ code: 0 });
    const left = path.join(cwd, name);
    rmSync(left, { recursive: true, force: true });
    mkdirSync(path.dirname(left), { recursive: true });
    if (shape === 'folder') mkdirSync(left);
    else if (shape === 'link') symlinkSync('site', left);
    else writeFileSync(left, 'theirs', { mode: 0o600 });
    const before = lstatSync(left);
    expect(await build()).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(lstatSync(left)).toMatchObject({
      ino: before.ino,
      uid: 0,
      size: before.size,
      mtimeMs: before.mtimeMs,
    });
    expect(existsSync(path.join(cwd, 'site/meta.json'))).toBe(true);
  });

  it('repairs a file that cannot be read, and reports a file that is not part of the site', async () => {
    const { cwd, build } = await open('--no-cache');
    expect(await build('--max-shrink', '100')).toMatchObject({ code: 0 });
    const file = path.join(cwd, 'site/robots.txt');
    chownSync(file, 0, 0);
    chmodSync(file, 0o600);
    writeFileSync(path.join(cwd, 'site/diary.txt'), 'mine', { mode: 0o600 });
    const { code, stderr } = await build('--base-url', 'https://new.test', '--verify');
    expect(code).toBe(5);
    expect(lstatSync(file)).toMatchObject({ uid: STRANGER });
    expect(stderr).toContain('diary.txt: is not in the manifest\nsite: 1 problem found\n');
  });
});

describe('an irregular file in the place of a work file', () => {
  const shapes: Readonly<Record<string, (file: string, victim: string) => void>> = {
    'a link': (file, victim) => symlinkSync(victim, file),
    'a pipe': (file) => execFileSync('mkfifo', [file]),
    'a folder': (file) => mkdirSync(file),
    'a link to what never ends': (file) => symlinkSync('/dev/zero', file),
    'a link to a folder': (file, victim) => symlinkSync(path.dirname(victim), file),
  };
  async function replace(role: 'lockFile' | 'staging', make: (file: string, victim: string) => void) {
    const site = await publishedSite(old);
    const victim = path.join(temporaryFolder(), 'victim');
    writeFileSync(victim, 'mine');
    make(site.folders[role], victim);
    return { ...site, victim };
  }

  it.each(Object.entries(shapes))('is neither followed nor waited for: %s as the lock', async (_, make) => {
    const { out, victim } = await replace('lockFile', make);
    await expect(publishTree(out, fresh)).rejects.toThrow('not a regular file');
    expect(readTree(out)).toEqual(old);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  it.each(Object.entries(shapes))('is removed alone: %s as the staging folder', async (_, make) => {
    const { out, folders, victim } = await replace('staging', make);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(existsSync(folders.staging)).toBe(false);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});
