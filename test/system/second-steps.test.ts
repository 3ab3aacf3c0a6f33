/** Two ordinary steps in a row: what the second one must not do to what the first one left. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../src/index.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { type Commands, killAtFile, startCommands } from '../support/installed.ts';
import { listAsTheyAre } from '../support/listed.ts';
import { look, wrongModes } from '../support/site-law.ts';
import {
  changingUpstream,
  createWorld,
  DEAD,
  must,
  QUICK,
  recordsOf,
  type Variant,
  type World,
} from '../support/steps-world.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { sharedFolder, temporaryFolder } from '../support/temporary.ts';
import { itemAnswer, moveAnswer, upstreamOf } from '../support/upstream-data.ts';

const folder = sharedFolder();
let world: World;
let commands: Commands;
beforeAll(async () => {
  world = await createWorld(folder);
  commands = startCommands(world.cli);
});
afterAll(async () => {
  commands.close();
  await world.close();
});

const BASE = 'https://site.test';
const other = (name: string) => world.others.find((site) => site.name === name) ?? { folder: '', url: '' };
const data = (name: string) => path.join(folder, 'data', name);
const build = (...source: string[]) => ['build', ...source, ...QUICK, '--base-url', BASE, '--out', 'site'];
const buildOf = (name: string) => build('--source', 'snapshot', '--upstream', data(name));

/** A site of variants that were built one after the other. */
async function siteOf(...variants: Variant[]) {
  const cwd = temporaryFolder();
  const out = path.join(cwd, 'site');
  const run = (args: readonly string[], options: { umask?: number; env?: Record<string, string> } = {}) =>
    commands.run(args, { cwd, ...options });
  const succeed = (args: readonly string[], umask = 0o022) => must(commands, args, { cwd, umask });
  for (const variant of variants) await succeed(buildOf(variant));
  return {
    cwd,
    out,
    run,
    succeed,
    redirects: () => JSON.parse(readFileSync(path.join(out, 'moved.json'), 'utf8')) as Record<string, string>,
    async expectWhole(): Promise<void> {
      expect([...look(out).wrong]).toEqual([]);
      expect(await run(['verify', 'site'])).toMatchObject({ code: 0 });
    },
    /** Expects that a guard refuses a command, changes nothing, and says all of this. */
    async expectRefused(args: readonly string[], ...says: string[]): Promise<void> {
      const before = fingerprint(out);
      const { code, stdout, stderr } = await run([...args, '--json']);
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(/^hint: /m) });
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'guard' } });
      for (const words of says) expect(stderr).toContain(words);
      expect(fingerprint(out)).toEqual(before);
    },
  };
}

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
  'rebase --out': (name) => ['rebase', other(name).folder, '--base-url', BASE, '--out', 'site'],
  'mirror of a URL': (name) => ['mirror', other(name).url, 'site'],
  'mirror of an archive': (name) => ['mirror', path.join(folder, `archives/${name}/gamedata.tar.gz`), 'site'],
};

/** Archives of a world's site, rebased to the base URL of the sites here. */
async function archiveOf(name: string): Promise<void> {
  const rebased = `rebased/${name}`;
  const rebase = ['rebase', other(name).folder, '--base-url', BASE, '--out', rebased];
  await must(commands, rebase, { cwd: folder });
  await must(commands, ['archive', rebased, '--out', `archives/${name}`], { cwd: folder });
}

beforeAll(() => Promise.all(['shrunk', 'followed'].map(archiveOf)));

describe('after a build that was killed while it renames', () => {
  /** A folder where such a build was killed, and the copy of before. */
  async function killed() {
    const site = await siteOf('plain');
    const copy = `${site.out}-copy`;
    cpSync(site.out, copy, { recursive: true, preserveTimestamps: true });
    expect(
      await killAtFile(world.cli, buildOf('renamed-again'), { cwd: site.cwd, folder: site.out, nth: 4 }),
    ).toMatchObject({ code: null });
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

  it('serve stays up and answers 503, and the site once it is whole', async () => {
    const { out, succeed } = await killed();
    const problems: string[] = [];
    const server = await serve({ dir: out, port: 0, onProblem: (line) => problems.push(line) });
    const get = (slug: string) => fetch(`${server.url}/api/gamedata/move/${slug}/`);
    try {
      const { status, headers } = await get('move-5');
      expect([status, headers.has('retry-after')]).toEqual([503, true]);
      await succeed(buildOf('renamed-again'));
      await expect.poll(async () => (await get('premier')).status, { timeout: 10_000 }).toBe(200);
    } finally {
      await server.close();
    }
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

  it('is refused for a snapshot as well', async () => {
    const { cwd, run, succeed } = await siteOf();
    const source = ['snapshot', '--source', 'snapshot', '--data', 'data', '--upstream'];
    const snapshot = (name: string) => [...source, data(name)];
    await succeed(snapshot('plain'));
    const before = fingerprint(cwd);
    expect(await run(snapshot('shrunk'))).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('move-19'),
    });
    expect(fingerprint(cwd)).toEqual(before);
  });
});

describe('another base URL', () => {
  const unnamed = () => buildOf('plain').filter((word) => word !== '--base-url' && word !== BASE);

  it('is refused if nothing names it', async () => {
    const { expectRefused } = await siteOf('plain');
    const archive = ['archive', other('elsewhere').folder, '--out', 'foreign/elsewhere'];
    await must(commands, archive, { cwd: folder });
    await expectRefused(unnamed(), BASE, 'http://localhost:3000');
    await expectRefused(['mirror', other('elsewhere').url, 'site'], BASE, 'https://elsewhere.test');
    const restore = ['mirror', path.join(folder, 'foreign/elsewhere/gamedata.tar.gz'), 'site'];
    await expectRefused(restore, 'build --source site --upstream', '--base-url');
  });

  it('is that which the environment, the configuration or the address names', async () => {
    const { cwd, out, run, succeed } = await siteOf('plain');
    const base = () => look(out).baseUrl;
    expect(await run(unnamed(), { env: { BASE_URL: 'https://variable.test' } })).toMatchObject({ code: 0 });
    expect(base()).toBe('https://variable.test');
    writeFileSync(path.join(cwd, 'own.json'), '{"build":{"base-url":"https://configured.test"}}');
    await succeed([...unnamed(), '--config', 'own.json']);
    expect(base()).toBe('https://configured.test');
    await succeed(['mirror', other('here').url, 'site']);
    expect(base()).toBe(other('here').url);
  });
});

describe('redirects of renamed records outlive', () => {
  const lasting = { '/api/gamedata/move/move-1/': '/api/gamedata/move/premier/' };

  const damages: Record<string, (file: string) => void> = {
    'a removed changes.json': (file) => rmSync(file),
    'half of a changes.json': (file) => writeFileSync(file, '{"steps":['),
    'an empty history': (file) => writeFileSync(file, '{"steps":[]}'),
    'an older copy of it': (file) => cpSync(path.join(other('here').folder, 'changes.json'), file),
    'the same, with its time': (file) =>
      execFileSync('cp', ['-a', path.join(other('here').folder, 'changes.json'), file]),
  };
  it.each(Object.keys(damages))('%s', async (name) => {
    const { out, succeed, redirects, expectWhole } = await siteOf('plain', 'renamed', 'renamed-again');
    damages[name]?.(path.join(out, 'changes.json'));
    await succeed(buildOf('grown'));
    await succeed([...buildOf('renamed-again'), '--max-shrink', '100']);
    expect(redirects()).toMatchObject({
      ...lasting,
      '/api/gamedata/move/first/': '/api/gamedata/move/premier/',
    });
    await expectWhole();
  });

  /** The bundled data and the snapshot know of renames since `renamed` only. */
  it.each([
    ['a night without upstream', build('--upstream', DEAD)],
    ['a snapshot whose history is younger', buildOf('followed-late')],
    ['a snapshot without any', buildOf('renamed-again')],
  ])('%s', async (_, args) => {
    const { succeed, redirects, expectWhole } = await siteOf('plain', 'renamed');
    await succeed(args);
    expect(redirects()).toMatchObject(lasting);
    await expectWhole();
  });

  it('data that is merged late', async () => {
    const { succeed, redirects, expectWhole } = await siteOf('plain', 'renamed', 'renamed-again');
    await succeed(buildOf('followed-late'));
    await succeed(buildOf('renamed'));
    const first = '/api/gamedata/move/first/';
    expect(redirects()).toMatchObject({
      '/api/gamedata/move/move-1/': first,
      '/api/gamedata/move/premier/': first,
    });
    await expectWhole();
  });

  it('a stateless build from another address than the bundled data’s', async () => {
    const { succeed, redirects } = await siteOf();
    const upstream = await changingUpstream();
    upstream.now.variant = 'renamed-again';
    await succeed(build('--source', 'rest', '--upstream', upstream.url));
    await upstream.close();
    expect(redirects()).toMatchObject({ '/api/gamedata/move/first/': '/api/gamedata/move/premier/' });
  });

  it('glitches that change every name, until the feed has no place for what was renamed before', async () => {
    const { cwd, succeed, redirects } = await siteOf();
    const items = Array.from({ length: 10 }, (_, at) => itemAnswer(at + 1));
    const glitches = ['old 1', 'new 1', 'new 2', 'new 1', 'new 2', 'new 1'].map((words) => words.split(' '));
    for (const [name, generation] of glitches) {
      const changed = { generation: { url: `/api/v2/generation/${generation}/` } };
      const moves = Array.from({ length: 2600 }, (_, at) => moveAnswer(at + 1, changed));
      moves[0] = moveAnswer(1, { name });
      writeTables(path.join(cwd, 'tables'), tablesOf(upstreamOf({ move: moves, item: items })));
      const source = ['--source', 'csv', '--upstream', 'tables', '--no-names', '--max-shrink', '100'];
      await succeed(['snapshot', '--data', 'data', ...source]);
    }
    await succeed([...build('--source', 'snapshot', '--upstream', 'data'), '--max-shrink', '100']);
    expect(redirects()).toEqual({ '/api/gamedata/move/old/': '/api/gamedata/move/new/' });
  });

  it.each(['former.json', 'moved.json'])(
    '%s that is not as it was published is refused or restored',
    async (file) => {
      const { out, run } = await siteOf('plain', 'renamed', 'renamed-again');
      const before = [...look(out).addresses.keys()];
      writeFileSync(path.join(out, file), '{}\n');
      const damaged = fingerprint(out);
      const { code, stderr } = await run(buildOf('grown'));
      if (code === 0) return expect([...look(out).addresses.keys()]).toEqual(expect.arrayContaining(before));
      expect(stderr).toContain('--forget-history');
      expect(fingerprint(out)).toEqual(damaged);
      expect(await run([...buildOf('grown'), '--forget-history'])).toMatchObject({ code: 0 });
    },
  );
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

describe('what somebody else has prepared', () => {
  /** Adds files to a site, and to its manifest. */
  function prepare(site: string, files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(site, name)), { recursive: true });
      writeFileSync(path.join(site, name), text);
    }
    listAsTheyAre(site);
  }
  const evil = { 'evil.html': '<script>', 'evil.js': '0', 'functions/index.js': '0', 'web.config': '<x/>' };

  it('does not survive the rebase of a hostile copy, and is listed', async () => {
    const { cwd, succeed } = await siteOf();
    const hostile = path.join(folder, 'sites/hostile');
    cpSync(other('here').folder, hostile, { recursive: true });
    prepare(hostile, evil);
    await succeed(['mirror', other('here').url.replace('/here', '/hostile'), 'copy']);
    const said = await succeed(['rebase', 'copy', '--base-url', BASE]);
    for (const name of Object.keys(evil)) {
      expect([name, existsSync(path.join(cwd, 'copy', name))]).toEqual([name, false]);
      expect(said).toContain(name);
    }
    expect([...look(path.join(cwd, 'copy')).wrong]).toEqual([]);
  });

  it('configures no web server: archives have no _hosts/, and a restored site has its own', async () => {
    const { cwd, out, succeed } = await siteOf();
    const nginx = [...buildOf('plain'), '--host', 'nginx'];
    const conf = path.join(out, '_hosts/nginx.conf');
    await succeed([...nginx, '--keep', '1']);
    await succeed(['archive', 'site', '--out', 'archives']);
    const own = readFileSync(conf, 'utf8');
    const list = (file: string) => execFileSync('tar', ['tzf', file], { cwd, encoding: 'utf8' });
    const [kept = ''] = readdirSync(path.join(cwd, 'site-archives'));
    for (const file of ['archives/gamedata.tar.gz', `site-archives/${kept}`])
      expect(list(file)).not.toContain('_hosts');
    const [top = ''] = list('archives/gamedata.tar.gz').split('/');
    execFileSync('tar', ['xzf', 'archives/gamedata.tar.gz'], { cwd });
    prepare(path.join(cwd, top), { '_hosts/nginx.conf': 'access_log /etc/passwd;', ...evil });
    execFileSync('tar', ['czf', 'evil.tar.gz', top], { cwd });
    const said = await succeed(['mirror', 'evil.tar.gz', 'site']);
    expect(readFileSync(conf, 'utf8')).toBe(own);
    expect(said).toContain('evil.html');
    expect(existsSync(path.join(out, 'evil.html'))).toBe(false);
  });
});

it('a fallback replaces data of an earlier day, and never newer data', async () => {
  const { out, succeed, expectRefused } = await siteOf('renamed');
  const fallback = build('--upstream', DEAD);
  await succeed(fallback);
  expect(look(out).records).toEqual(recordsOf('renamed-again'));
  await succeed(buildOf('swapped'));
  await expectRefused(fallback, 'the published data is newer and unchanged');
});
