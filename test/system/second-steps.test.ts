/** Two ordinary steps in a row: what the second one must not do to what the first one left. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../support/fingerprint.ts';
import { listAsTheyAre } from '../support/listed.ts';
import { look, wrongModes } from '../support/site-law.ts';
import { useWorld } from '../support/stepped-site.ts';
import { BASE } from '../support/steps.ts';
import { DEAD, QUICK, recordsOf } from '../support/steps-world.ts';

const { outputFileSync: outputFile } = fsExtra;
const { build, buildOf, other, siteOf, kill } = useWorld();

const readers: Record<string, readonly string[]> = {
  verify: ['verify', 'site'],
  diff: ['diff', 'site', 'site'],
  archive: ['archive', 'site', '--out', 'archives'],
  'a build’s --source': ['build', '--source', 'site', '--upstream', 'site', ...QUICK, '--out', 'elsewhere'],
};

/** Every command that replaces a site, and what it makes of the world's site of that name. */
const writers: Record<string, (name: string) => readonly string[]> = {
  build: buildOf,
  'build --source site': (name) => build('--source', 'site', '--upstream', other(name).folder),
  'mirror of a folder': (name) => ['mirror', other(name).folder, 'site'],
  'mirror of a URL': (name) => ['mirror', other(name).url, 'site'],
};

describe('after a build that was killed while it renames', () => {
  /** A folder where such a build was killed, and the copy of before. */
  async function killed() {
    const site = await siteOf('plain');
    const copy = `${site.out}-copy`;
    cpSync(site.out, copy, { recursive: true, preserveTimestamps: true });
    expect(await kill(site.cwd, buildOf('renamed-again'))).toMatchObject({ code: null });
    /** Puts the copy in the place of the site, as an operator does. */
    const restore = (): void => {
      rmSync(site.out, { recursive: true, force: true });
      execFileSync('cp', ['-a', copy, site.out]);
    };
    return { ...site, restore };
  }

  it.each(Object.keys(readers))('a restored copy is read, and not touched: %s', async (name) => {
    const { out, run, restore } = await killed();
    restore();
    const before = fingerprint(path.dirname(out));
    expect(await run(readers[name] ?? [])).toMatchObject({ code: 0 });
    const after = fingerprint(path.dirname(out));
    for (const [file, mark] of before)
      if (!file.endsWith('-copy')) expect([file, after.get(file)]).toEqual([file, mark]);
  });

  it.each(['plain', 'swapped'] as const)('a restored copy is replaced as a whole: %s', async (name) => {
    const { out, restore, succeed, expectWhole } = await killed();
    restore();
    await succeed(buildOf(name));
    await expectWhole();
    expect(look(out).records).toEqual(recordsOf(name));
  });

  it.each(Object.keys(readers))('its folder is being changed, and stays so: %s', async (name) => {
    const { cwd, run } = await killed();
    const before = fingerprint(cwd);
    const { code, stderr } = await run(readers[name] ?? []);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is being changed') });
    expect(fingerprint(cwd)).toEqual(before);
  });

  it('the next command finishes it', async () => {
    const { succeed, expectWhole } = await killed();
    await succeed(['mirror', other('followed').url, 'site']);
    await expectWhole();
  });
});

describe('a command that would make less of a published site', () => {
  it.each(Object.keys(writers))(
    'is refused, and names what would be lost, unless an option does: %s',
    async (name) => {
      const { out, succeed, expectRefused, expectWhole } = await siteOf('plain');
      const args = writers[name]?.('shrunk') ?? [];
      await expectRefused(args, 'move-19', 'move-20');
      await succeed([...args, '--max-shrink', '100']);
      expect(look(out).records).toEqual(recordsOf('shrunk'));
      await expectWhole();
      const again = await siteOf('plain');
      await again.succeed([...args, '--allow-missing', 'move/move-19', 'move/move-20', 'item/item-10']);
    },
  );

  it('is refused if another record takes the slug of one that goes, whose former addresses would end', async () => {
    const { out, expectRefused } = await siteOf('plain', 'renamed');
    expect(look(out).addresses.get('/api/gamedata/move/move-1/')).toBe('move/1');
    await expectRefused(buildOf('replaced'));
  });

  it('is refused even if somebody has restored an older meta.json, of what is to come', async () => {
    const { out, run, succeed } = await siteOf('plain');
    const copy = `${out}-meta.json`;
    execFileSync('cp', ['-a', path.join(out, 'meta.json'), copy]);
    await succeed(buildOf('grown'));
    execFileSync('cp', ['-a', copy, path.join(out, 'meta.json')]);
    const before = fingerprint(out);
    expect((await run(buildOf('plain'))).code).toBeOneOf([1, 4]);
    expect(fingerprint(out)).toEqual(before);
  });
});

it('the base URL is the one of the environment, the configuration or the published site', async () => {
  const { cwd, out, run, succeed } = await siteOf('plain');
  const unnamed = buildOf('plain').filter((word) => word !== '--base-url' && word !== BASE);
  const base = () => look(out).baseUrl;
  expect(await run(unnamed, { env: { BASE_URL: 'https://variable.test' } })).toMatchObject({ code: 0 });
  expect(base()).toBe('https://variable.test');
  await succeed(unnamed);
  await succeed(['mirror', other('here').url, 'site']);
  expect(base()).toBe('https://variable.test');
  writeFileSync(path.join(cwd, 'own.json'), '{"build":{"base-url":"https://configured.test"}}');
  await succeed(['mirror', other('here').url, 'site', '--config', 'own.json']);
  expect(base()).toBe('https://configured.test');
});

describe.skipIf(process.platform === 'win32')(
  'whatever the umask, files are as readable as the folder of the site',
  () => {
    it('a new site, a mirror, an archive and a kept one', async () => {
      const { cwd, succeed } = await siteOf();
      await succeed([...buildOf('plain'), '--keep', '1'], 0o077);
      await succeed(['mirror', other('here').url, 'copy'], 0o077);
      await succeed(['archive', 'site', '--out', 'archives'], 0o077);
      for (const name of ['site', 'copy', 'archives', 'site-archives'])
        expect([name, ...wrongModes(path.join(cwd, name), 0o755)]).toEqual([name]);
    });

    it('one that nobody could read is mended, without a change', async () => {
      const { out, run } = await siteOf('plain');
      const before = fingerprint(out);
      execFileSync('chmod', ['-R', 'go-rwx', out]);
      chmodSync(out, 0o755);
      const { code, stdout } = await run([...buildOf('plain'), '--json']);
      expect([code, JSON.parse(stdout).changed]).toEqual([0, false]);
      expect(wrongModes(out, 0o755)).toEqual([]);
      expect(fingerprint(out)).toEqual(before);
    });

    it.skipIf(process.getuid?.() !== 0)('files belong to the group of a folder that sets it', async () => {
      const { out, succeed } = await siteOf('plain');
      chownSync(out, 0, 33);
      chmodSync(out, 0o2750);
      await succeed(buildOf('renamed-again'), 0o077);
      expect(wrongModes(out, 0o2750)).toEqual([]);
      expect(statSync(path.join(out, 'meta.json'))).toMatchObject({ gid: 33, mode: 0o100640 });
    });
  },
);

it('archives have no configuration of web servers, and a restored site has its own, whatever was put in', async () => {
  const { cwd, out, succeed } = await siteOf();
  const conf = path.join(out, '_hosts/nginx.conf');
  await succeed([...buildOf('plain'), '--host', 'nginx', '--keep', '1']);
  await succeed(['archive', 'site', '--out', 'archives']);
  const own = readFileSync(conf, 'utf8');
  const [kept = ''] = readdirSync(path.join(cwd, 'site-archives'));
  for (const file of ['archives/gamedata.tar.gz', `site-archives/${kept}`])
    expect(execFileSync('tar', ['tzf', file], { cwd, encoding: 'utf8' })).not.toContain('_hosts');
  execFileSync('tar', ['xzf', 'archives/gamedata.tar.gz'], { cwd });
  const evil = { '_hosts/nginx.conf': 'access_log /etc/passwd;', 'evil.html': '<script>' };
  for (const [name, text] of Object.entries(evil)) outputFile(path.join(cwd, 'gamedata', name), text);
  listAsTheyAre(path.join(cwd, 'gamedata'));
  execFileSync('tar', ['czf', 'evil.tar.gz', 'gamedata'], { cwd });
  const said = await succeed(['mirror', 'evil.tar.gz', 'site']);
  expect(readFileSync(conf, 'utf8')).toBe(own);
  expect(said).toContain('evil.html');
  expect(existsSync(path.join(out, 'evil.html'))).toBe(false);
});

it('a fallback replaces data of an earlier day, and never newer data', async () => {
  const { out, succeed, expectRefused } = await siteOf('renamed');
  const fallback = build('--upstream', DEAD);
  await succeed(fallback);
  expect(look(out).records).toEqual(recordsOf('renamed-again'));
  await succeed(buildOf('swapped'));
  await expectRefused(fallback, 'the published data is newer and unchanged');
});
