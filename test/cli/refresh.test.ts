import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BuildReport } from '../../src/cli/report.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

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
  const first = await build('--max-shrink', '100');
  expect(first.code).toBe(0);
  return { answers, state, build, first, at: (name: string) => path.join(cwd, name) };
}

const rename = (answers: { move: Answer[] }, at: number, name: string) =>
  Object.assign(answers.move[at] as Answer, { name });

describe('the report', () => {
  it('prints how to install a web server configuration once, then only its changes', async () => {
    const host = ['nginx', 'caddy', 'apache'];
    const { answers, build, first } = await operator({ host, 'base-url': BASE, out: 'site' });
    const listNext = ({ stderr }: { stderr: string }) => stderr.match(/(?<=^next: ).*/gm);
    const next = async (...args: string[]) => listNext(await build(...args));
    const [nginx, caddy] = ['/etc/nginx/conf.d/gamedata.conf', '/etc/caddy/Caddyfile'];
    const apache = '/etc/apache2/sites-available/gamedata.conf';
    expect(listNext(first)).toEqual([
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

it('--keep reports the archive, or publishes and reports a problem', async () => {
  const { answers, build, at } = await operator({ keep: 1 });
  const name = String.raw`build-archives/gamedata-\d{4}-\d\d-\d\dT\d{6}Z-[0-9a-f]{12}-[0-9a-f]{12}\.tar\.gz`;
  rename(answers, 1, 'renamed');
  const { stdout, stderr } = await build('--json');
  const { kept } = JSON.parse(stdout) as BuildReport;
  expect(kept).toMatch(new RegExp(`^${name}$`));
  expect(stderr).toContain(`\narchive: ${kept}\n`);
  rmSync(at('build-archives'), { recursive: true });
  writeFileSync(at('build-archives'), '');
  rename(answers, 1, 'again');
  const failed = await build();
  expect(failed.code).toBe(5);
  expect(failed.stderr).toMatch(/build-archives: cannot be written \(E\w+\)/);
  expect(existsSync(at('build/api/gamedata/move/again/index.json'))).toBe(true);
});

it('--verify repairs files whose size and mtime are unchanged, and rejects unknown files', async () => {
  const { build, at } = await operator({ verify: true });
  const file = at('build/api/gamedata/move/move-1/index.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('Move 1', 'Movf 1'));
  utimesSync(file, 0, 0);
  const repaired = await build('--json');
  expect(repaired).toMatchObject({ code: 0, stderr: expect.stringMatching(/\nverified \d+ files\n/) });
  expect(JSON.parse(repaired.stdout)).toMatchObject({ changed: true });
  expect(readFileSync(file, 'utf8')).toBe(text);
  writeFileSync(at('build/diary.txt'), 'mine');
  const found = await build('--keep', '1');
  expect(found.code).toBe(5);
  expect(found.stderr).toMatch(/diary.txt: is not in the manifest\nbuild: 1 problem found\n$/);
  expect(existsSync(at('build-archives'))).toBe(false);
});
