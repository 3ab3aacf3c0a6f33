import {
  existsSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { callCli } from '../../support/run-cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import {
  type Answer,
  moveAnswer,
  tinyUpstream,
  upstreamOf,
} from '../../support/upstream-data.ts';
import type { Fault } from '../../support/upstream-server.ts';

const BASE = 'https://example.test';

/**
 * Creates a working folder with a configuration file, and builds the first site in
 * it.
 */
async function operator(settings: object = {}) {
  const answers = tinyUpstream();
  const upstream = await serveUpstream(upstreamOf(answers));
  const cwd = temporaryFolder();
  const config = { source: 'rest', upstream: upstream.url, retries: 0, ...settings };
  writeFileSync(
    path.join(cwd, 'gamedata.config.json'),
    JSON.stringify({ build: config }),
  );
  const build = (...args: string[]) => callCli(['build', ...args], { cwd });
  const first = await build('--max-shrink', '100');
  expect(first.code).toBe(0);
  return {
    answers,
    upstream,
    build,
    first,
    at: (name: string) => path.join(cwd, name),
  };
}

const rename = (answers: { move: Answer[] }, name: string) =>
  Object.assign(answers.move[1] as Answer, { name });

describe('the report', () => {
  it("prints a web server's installation command only if its files have changed", async () => {
    const host = ['nginx', 'caddy', 'apache'];
    const { answers, build, first } = await operator({
      host,
      'base-url': BASE,
      out: 'site',
    });
    const listNext = ({ stderr }: { stderr: string }) =>
      stderr.match(/(?<=^next: ).*/gm);
    const next = async (...args: string[]) => listNext(await build(...args));
    const [nginx, caddy] = [
      '/etc/nginx/conf.d/gamedata.conf',
      '/etc/caddy/Caddyfile',
    ];
    const apache = '/etc/apache2/sites-available/gamedata.conf';
    const elsewhere = '# on Debian; docs/OPERATING.md has other systems';
    expect(listNext(first)).toEqual([
      `cp -i site/_hosts/nginx.conf ${nginx} && nginx -s reload  ${elsewhere}`,
      `cp -i site/_hosts/Caddyfile ${caddy} && systemctl reload caddy  ${elsewhere}`,
      `cp -i site/_hosts/apache.conf ${apache} && a2enmod rewrite headers && a2ensite gamedata && systemctl reload apache2  ${elsewhere}`,
    ]);
    answers.move.push(moveAnswer(7));
    expect(await next()).toBeNull();
    rename(answers, 'renamed');
    expect(await next()).toEqual(['nginx -s reload', 'systemctl reload caddy']);
    const merge =
      '# on Debian; the template has changed: merge it into your copy, then';
    expect(await next('--base-url', 'https://x.test')).toEqual([
      `diff -u ${nginx} site/_hosts/nginx.conf  ${merge} nginx -s reload`,
      `diff -u ${caddy} site/_hosts/Caddyfile  ${merge} systemctl reload caddy`,
      `diff -u ${apache} site/_hosts/apache.conf  ${merge} systemctl reload apache2`,
    ]);
  });

  it("prints the output folder's state after a failed build", async () => {
    const { answers, upstream, build } = await operator();
    answers.move.pop();
    const refused = await build();
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(
      /error: move: got 1 of 3 records missing[\s\S]*\nbuild: unchanged\n$/,
    );
    await upstream.close();
    const failed = await build();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/\nbuild: unchanged\n$/);
    expect((await build('--no-cache')).stderr).toMatch(/\nbuild: unchanged\n$/);
    const fresh = await build(
      '--out',
      'new',
      '--source',
      'csv',
      '--upstream',
      'nowhere',
    );
    expect(fresh.stderr).toMatch(/\nnew: nothing was published\n$/);
  });

  it('reports that a failed build can continue from the cache only if responses were stored', async () => {
    const answers = tinyUpstream();
    let isBroken = true;
    const fault: Fault = ({ url }, response) =>
      isBroken &&
      url?.includes('/item/') === true &&
      Boolean(response.writeHead(400).end());
    const upstream = await serveUpstream(upstreamOf(answers), { fault });
    const cwd = temporaryFolder();
    const args = [
      'build',
      '--source',
      'rest',
      '--upstream',
      upstream.url,
      '--retries',
      '0',
    ];
    const failed = await callCli(args, { cwd });
    expect(failed.stderr).toMatch(
      /\nbuild: nothing was published\nresponses remain in .cache.gamedata: the same command continues from there\n$/,
    );
    isBroken = false;
    expect((await callCli([...args, '--max-shrink', '100'], { cwd })).code).toBe(0);
    await upstream.close();
    const unreachable = await callCli(args, { cwd });
    expect(unreachable.stderr).toMatch(/\nbuild: unchanged\n$/);
  });
});

it('prints the path of the archive with --keep, even if nothing has changed', async () => {
  const { first, build } = await operator({ keep: 1 });
  const findArchive = ({ stderr }: { stderr: string }) =>
    /\barchive: build-archives\/gamedata-.+\.tar\.gz$/m.exec(stderr)?.[0];
  expect(findArchive(first)).toBeDefined();
  const unchanged = await build();
  expect(unchanged.stderr).toMatch(/^build: .* nothing changed.*; archive: /m);
  expect(findArchive(unchanged)).toBe(findArchive(first));
});

it('publishes the site even if --keep cannot write the archive', async () => {
  const { answers, build, at } = await operator({ keep: 1 });
  rmSync(at('build-archives'), { recursive: true });
  writeFileSync(at('build-archives'), '');
  rename(answers, 'again');
  const failed = await build();
  expect(failed.code).toBe(5);
  expect(failed.stderr).toMatch(/build-archives: cannot be written \(E\w+\)/);
  expect(existsSync(at('build/api/gamedata/move/again/index.json'))).toBe(true);
});

it('repairs a damaged file with --verify even if its size and mtime are unchanged', async () => {
  const { build, at } = await operator({ verify: true });
  const file = at('build/api/gamedata/move/move-1/index.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('Move 1', 'Movf 1'));
  utimesSync(file, 0, 0);
  const repaired = await build('--json');
  expect(repaired).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/\nverified \d+ files\n/),
  });
  expect(JSON.parse(repaired.stdout)).toMatchObject({ changed: true });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('does not archive a site in which --verify finds an unknown file', async () => {
  const { build, at } = await operator({ verify: true });
  writeFileSync(at('build/diary.txt'), 'mine');
  const found = await build('--keep', '1');
  expect(found.code).toBe(5);
  expect(found.stderr).toMatch(
    /diary.txt: is not in the manifest\nhint: .*\nbuild: 1 problem found\n$/,
  );
  expect(existsSync(at('build-archives'))).toBe(false);
});
