import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { irregular } from '../support/irregular-files.ts';
import { publishedSite, publishTree, readTree } from '../support/publishing.ts';
import { cliCommand, runProgram } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const isRoot = process.geteuid?.() === 0;
const USER = 12_345;
const old = { 'a.json': '1' };
const fresh = { 'a.json': '2', 'b.json': '3' };

describe('publish', () => {
  it.skipIf(process.platform === 'win32').each([
    ['a published', old],
    ['an empty', {}],
  ])('keeps %s folder, its owner, its group and its mode', async (_, tree) => {
    const out = path.join(temporaryFolder(), 'site');
    fs.mkdirSync(out);
    if ('a.json' in tree) await publishTree(out, tree);
    if (isRoot) fs.chownSync(out, USER, USER + 1);
    fs.chmodSync(out, 0o2750);
    const { ino, uid, gid, mode } = fs.statSync(out);
    await publishTree(out, fresh);
    expect(fs.statSync(out)).toMatchObject({ ino, uid, gid, mode });
    expect(readTree(out)).toEqual(fresh);
  });

  it.runIf(isRoot).each(['staging', 'setAside'] as const)(
    'rejects a folder owned by another user: %s',
    async (role) => {
      const { out, folders } = await publishedSite(old);
      fs.mkdirSync(folders[role]);
      fs.chownSync(folders[role], USER, USER);
      await expect(publishTree(out, fresh)).rejects.toMatchObject({
        message: `${folders[role]}: belongs to another user (${USER}), so it is not used`,
        hint: expect.stringContaining('Remove it'),
      });
      expect(fs.statSync(folders[role])).toMatchObject({ uid: USER });
      fs.chownSync(out, USER, USER);
      await publishTree(out, fresh);
      expect(readTree(out)).toEqual(fresh);
    },
  );

  const shapes = {
    ...irregular,
    'a symlink to an endless device': (file: string) => fs.symlinkSync('/dev/zero', file),
    'a symlink to a folder': (file: string, outside: string) => fs.symlinkSync(path.dirname(outside), file),
  };
  it.each(Object.entries(shapes))('neither follows nor blocks on %s next to the site', async (_, make) => {
    const { out, folders } = await publishedSite(old);
    const outside = path.join(temporaryFolder(), 'outside');
    fs.writeFileSync(outside, 'mine');
    make(folders.lockFile, outside);
    await expect(publishTree(out, fresh)).rejects.toThrow(/not a regular file|ELOOP/);
    expect(readTree(out)).toEqual(old);
    fs.renameSync(folders.lockFile, folders.staging);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(fs.existsSync(folders.staging)).toBe(false);
    expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
  });
});

const asUser = ['--reuid', `${USER}`, '--regid', `${USER}`, '--clear-groups', ...cliCommand];
/** The user may be unable to read the folder of the program. */
const canBeUser = isRoot && spawnSync('setpriv', [...asUser, '--version']).status === 0;

describe.runIf(canBeUser)('build in a world-writable folder', () => {
  async function open(...options: string[]) {
    const upstream = await serveUpstream(upstreamOf(tinyUpstream()));
    const cwd = temporaryFolder();
    fs.chmodSync(cwd, 0o1777);
    const args = ['build', '--source', 'rest', '--upstream', upstream.url, '--out', 'site', ...options];
    const build = (...more: string[]) => runProgram(['setpriv', ...asUser, ...args, ...more], { cwd });
    return { cwd, build };
  }

  it.each<[string, 'file' | 'folder' | 'link', number, string]>([
    ['.site.gamedata-lock', 'file', 1, 'site: cannot be locked (EACCES)'],
    ['.cache/gamedata', 'folder', 1, '.cache/gamedata: cannot be used as a cache (EACCES)'],
    ['site-archives', 'folder', 5, 'site-archives: cannot be written (EACCES)'],
    ['site-archives', 'link', 5, 'site-archives: belongs to another user (0)'],
    ['.site.gamedata-staging', 'folder', 1, 'belongs to another user (0), so it is not used'],
  ])('reports %s owned by another user (a %s) without changing it', async (name, shape, code, message) => {
    const { cwd, build } = await open('--keep', '1');
    expect(await build('--no-cache', '--max-shrink', '100')).toMatchObject({ code: 0 });
    const left = path.join(cwd, name);
    fs.rmSync(left, { recursive: true, force: true });
    fs.mkdirSync(path.dirname(left), { recursive: true });
    if (shape === 'folder') fs.mkdirSync(left);
    else if (shape === 'link') fs.symlinkSync('site', left);
    else fs.writeFileSync(left, 'theirs', { mode: 0o600 });
    const { ino, size, mtimeMs } = fs.lstatSync(left);
    expect(await build()).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(fs.lstatSync(left)).toMatchObject({ ino, uid: 0, size, mtimeMs });
    expect(fs.existsSync(path.join(cwd, 'site/meta.json'))).toBe(true);
  });

  it('repairs an unreadable file, and reports an unreadable file that is not part of the site', async () => {
    const { cwd, build } = await open('--no-cache');
    expect(await build('--max-shrink', '100')).toMatchObject({ code: 0 });
    const file = path.join(cwd, 'site/robots.txt');
    fs.chownSync(file, 0, 0);
    fs.chmodSync(file, 0o600);
    fs.writeFileSync(path.join(cwd, 'site/diary.txt'), 'mine', { mode: 0o600 });
    const { code, stderr } = await build('--base-url', 'https://new.test', '--verify');
    expect(code).toBe(5);
    expect(fs.lstatSync(file)).toMatchObject({ uid: USER });
    expect(stderr).toContain('diary.txt: is not in the manifest\nsite: 1 problem found\n');
  });
});
