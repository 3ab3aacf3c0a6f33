import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import type { BuildReport } from '../../src/cli/report.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/** In seconds. */
const NEXT_CENTURY = 4_102_444_800;

const BASE = 'https://example.test';

/** A working folder with a configuration and a first site. */
async function operator(settings: object = {}) {
  const answers = tinyUpstream();
  const state: { broken: RegExp | undefined } = { broken: undefined };
  const upstream = await serveUpstream(upstreamOf(answers), {
    fault: ({ url = '' }, response) =>
      state.broken?.test(url) === true && Boolean(response.writeHead(404).end()),
  });
  const cwd = temporaryFolder();
  const config = { source: 'rest', upstream: upstream.url, retries: 0, ...settings };
  writeFileSync(path.join(cwd, 'gamedata.config.json'), JSON.stringify({ build: config }));
  const build = (...args: string[]) => callCli(['build', ...args], { cwd });
  expect(await build('--max-shrink', '100')).toMatchObject({ code: 0 });
  return { answers, state, cwd, build, at: (name: string) => path.join(cwd, name) };
}

const rename = (answers: { move: Answer[] }, at: number, name: string) =>
  Object.assign(answers.move[at] as Answer, { name });

describe('the report', () => {
  it('prints how to install a web server configuration once, then only its changes', async () => {
    const { answers, build } = await operator({
      ...{ host: ['nginx', 'caddy', 'apache'], 'base-url': BASE, out: 'old' },
    });
    const next = async (...args: string[]) =>
      (await build('--out', 'site', '--max-shrink', '100', ...args)).stderr.match(/(?<=^next: ).*/gm);
    const [nginx, caddy] = ['/etc/nginx/conf.d/gamedata.conf', '/etc/caddy/Caddyfile'];
    const apache = '/etc/apache2/sites-available/gamedata.conf';
    expect(await next()).toEqual([
      `cp -i site/_hosts/nginx.conf ${nginx} && nginx -s reload`,
      `cp -i site/_hosts/Caddyfile ${caddy} && systemctl reload caddy`,
      `cp -i site/_hosts/apache.conf ${apache} && a2enmod rewrite headers && a2ensite gamedata && systemctl reload apache2`,
    ]);
    answers.move.push(moveAnswer(7));
    expect(await next()).toBeNull();
    rename(answers, 1, 'renamed');
    expect(await next()).toEqual(['nginx -s reload', 'systemctl reload caddy']);
    const merge = '# the template has changed: merge it into your copy, then';
    expect(await next('--base-url', 'https://x.test')).toEqual([
      `diff -u ${nginx} site/_hosts/nginx.conf  ${merge} nginx -s reload`,
      `diff -u ${caddy} site/_hosts/Caddyfile  ${merge} systemctl reload caddy`,
      `diff -u ${apache} site/_hosts/apache.conf  ${merge} systemctl reload apache2`,
    ]);
  });

  it('describes the folder and the cache after a failure', async () => {
    const { answers, state, build } = await operator();
    const resumable =
      /\nbuild: unchanged\nresponses remain in .cache.gamedata: the same command continues from there\n$/;
    state.broken = /move\/2/;
    const failed = await build();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(resumable);
    expect((await build('--no-cache')).stderr).toMatch(/\nbuild: unchanged\n$/);
    state.broken = undefined;
    answers.move.pop();
    const refused = await build();
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/error: move: got 1 of 3 records missing[\s\S]*\nbuild: unchanged\n$/);
    const fresh = await build('--out', 'new', '--source', 'csv', '--upstream', 'nowhere');
    expect(fresh.stderr).toMatch(/\nnew: nothing was published\n$/);
  });
});

describe('--keep', () => {
  it('keeps archives of the latest data, with checksums, next to the site', async () => {
    const { answers, build, at } = await operator({ keep: 2, out: 'site' });
    const kept = () => readdirSync(at('site-archives')).sort();
    const first = kept();
    const name = String.raw`gamedata-\d{4}-\d\d-\d\dT\d{6}Z-[0-9a-f]{12}-[0-9a-f]{12}\.tar\.gz`;
    expect(first.join(' ')).toMatch(new RegExp(`^${name} ${name}\\.sha256$`));
    await build();
    expect(kept()).toEqual(first);
    for (const name of ['once', 'twice']) {
      rename(answers, 1, name);
      const { stderr, stdout } = await build('--json');
      const { kept: made } = JSON.parse(stdout) as BuildReport;
      expect(stderr).toContain(`\narchive: ${made}\n`);
      expect(kept()).toContain(path.basename(made ?? ''));
    }
    expect(kept()).toHaveLength(4);
    expect(kept()).not.toContain(first[0]);
    for (const name of kept())
      if (name.endsWith('.sha256')) execFileSync('sha256sum', ['-c', name], { cwd: at('site-archives') });
    for (const name of kept()) utimesSync(at(`site-archives/${name}`), NEXT_CENTURY, NEXT_CENTURY);
    writeFileSync(at('site-archives/notes.txt'), 'mine');
    writeFileSync(at('site-archives/gamedata-2001-02-03-0123456789ab.tar.gz.sha256'), '');
    rename(answers, 1, 'later');
    const { kept: last } = JSON.parse((await build('--json', '--keep', '1')).stdout) as BuildReport;
    const current = path.basename(last ?? '');
    expect(kept(), 'regardless of the clock').toEqual([current, `${current}.sha256`, 'notes.txt']);
  });

  it('adds an archive only if records or names changed', async () => {
    const { answers, build, at } = await operator({ keep: 2, out: 'site' });
    const kept = () => readdirSync(at('site-archives')).filter((name) => name.endsWith('.gz'));
    const [yesterday] = kept();
    rename(answers, 1, 'today');
    for (const host of ['a', 'b']) await build('--base-url', `https://${host}.test`);
    expect(kept()).toEqual([yesterday, expect.any(String)]);
    const [, today] = kept();
    const names = Object.entries({ en: 'Item 1', fr: 'Objet' });
    const translated = names.map(([language, name]) => ({ language: { name: language }, name }));
    Object.assign(answers.item[0] as Answer, { names: translated });
    await build('--base-url', 'https://d.test');
    expect(kept()).toEqual([today, expect.any(String)]);
  });

  it("replaces only symlinks, FIFOs and empty folders that have the archive's name", async () => {
    const { build, at } = await operator({ keep: 1 });
    const archives = at('build-archives');
    const [name = ''] = readdirSync(archives);
    const file = path.join(archives, name);
    writeFileSync(at('profile'), 'mine');
    const others = ['2001-02-03', '2001-02-04'].map((day) => `gamedata-${day}-0123456789ab.tar.gz`);
    symlinkSync('nothing', path.join(archives, others[0] ?? ''));
    fsExtra.outputFileSync(path.join(archives, others[1] ?? '', 'mine'), '');
    for (const obstruct of [
      () => symlinkSync(at('profile'), file),
      () => execFileSync('mkfifo', [file]),
      () => mkdirSync(file),
    ]) {
      rmSync(file);
      obstruct();
      expect(await build()).toMatchObject({ code: 0 });
      expect(lstatSync(file).isFile()).toBe(true);
    }
    expect(readFileSync(at('profile'), 'utf8')).toBe('mine');
    expect(readdirSync(archives)).toEqual(expect.arrayContaining(others));
  });

  it('removes drafts left by killed runs after a day', async () => {
    const { build, at } = await operator({ keep: 1 });
    const drafts = ['old', 'new'].map((age) => at(`build-archives/gamedata-x.tar.gz.${age}.part`));
    for (const draft of drafts) writeFileSync(draft, '');
    utimesSync(drafts[0] ?? '', 0, 0);
    expect(await build()).toMatchObject({ code: 0 });
    expect(drafts.map((draft) => existsSync(draft))).toEqual([false, true]);
  });

  it.each<[string, (folder: string) => void, RegExp]>([
    [
      'a site',
      (folder) => fsExtra.outputFileSync(path.join(folder, 'manifest.json'), '{}'),
      /: is a site, so/,
    ],
    ['a file', (folder) => writeFileSync(folder, ''), /: cannot be written \(E\w+\)/],
  ])('publishes and reports a problem if the archive folder is %s', async (_, make, problem) => {
    const { answers, build, at } = await operator();
    make(at('build-archives'));
    rename(answers, 1, 'renamed');
    const { code, stderr } = await build('--keep', '1');
    expect(code).toBe(5);
    expect(stderr).toMatch(problem);
    expect(existsSync(at('build/api/gamedata/move/renamed/index.json'))).toBe(true);
    if (lstatSync(at('build-archives')).isDirectory())
      expect(readdirSync(at('build-archives'))).toEqual(['manifest.json']);
  });
});

describe('--verify', () => {
  it('repairs a damaged file even if its size and mtime are unchanged', async () => {
    const { build, at } = await operator({ verify: true });
    const file = at('build/api/gamedata/move/move-1/index.json');
    const text = readFileSync(file, 'utf8');
    expect((await build()).code).toBe(0);
    writeFileSync(file, text.replace('Move 1', 'Movf 1'));
    utimesSync(file, 0, 0);
    const repaired = await build('--json');
    expect(repaired.code).toBe(0);
    expect(repaired.stderr).toMatch(/\nverified \d+ files\n/);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(JSON.parse(repaired.stdout)).toMatchObject({ changed: true });
    expect((await build()).stderr).toContain('nothing changed');
  });

  it('keeps no archive if it finds an unknown file', async () => {
    const { build, at } = await operator({ verify: true });
    writeFileSync(at('build/diary.txt'), 'mine');
    const found = await build('--keep', '1');
    expect(found.code).toBe(5);
    expect(found.stderr).toMatch(/diary.txt: is not in the manifest\nbuild: 1 problem found\n$/);
    expect(existsSync(at('build-archives'))).toBe(false);
  });
});

describe('a data set', () => {
  it('is written to the working folder by default', async () => {
    const upstream = await serveUpstream(upstreamOf(tinyUpstream()));
    const cwd = temporaryFolder();
    const args = ['snapshot', '--upstream', upstream.url, '--no-cache', '--max-shrink', '100'];
    expect(await callCli(args, { cwd })).toMatchObject({ code: 0 });
    expect(existsSync(path.join(cwd, 'data/provenance.json'))).toBe(true);
  });
});
