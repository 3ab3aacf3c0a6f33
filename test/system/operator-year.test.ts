/** A year of an operator, by `gamedata.config.json` and `gamedata build` alone. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BuildReport } from '../../src/cli/commands/build.ts';
import type { Finished } from '../support/processes.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, itemAnswer, moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/**
 * The working folder after two builds by version 0.1.0, between which move 2 was renamed: the site, and the cache. Of the site's
 * files those that depend on no record are missing, scripts, styles and specification, to keep the archive small.
 */
const VERSION_0_1_0 = fileURLToPath(new URL('version-0.1.0.tar.gz', import.meta.url));

/** Where that version was told that the upstream is. A proxy leads there. */
const UPSTREAM = 'http://upstream.test/api/v2';
const DAY = 86_400;

/** The upstream as it was when version 0.1.0 read it, and a proxy to which its name is this machine. */
async function startUpstream() {
  const answers = tinyUpstream();
  answers.move.push(...[4, 5, 6, 7, 8].map((id) => moveAnswer(id)));
  Object.assign(answers.move[1] as Answer, { name: 'renamed' });
  const upstream = await serveUpstream(upstreamOf(answers));
  const port = Number(new URL(upstream.url).port);
  const proxy = createServer().on('connect', (_, client) => {
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close().closeAllConnections());
  return { answers, proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

/** An operator's machine: the folder that version 0.1.0 left, a configuration, and a day for each build. */
async function machine() {
  const upstream = await startUpstream();
  const cwd = temporaryFolder();
  const at = (name: string): string => path.join(cwd, name);
  execFileSync('tar', ['xzf', VERSION_0_1_0, '-C', cwd]);
  const settings = {
    source: 'rest',
    upstream: UPSTREAM,
    retries: 0,
    'base-url': 'https://gamedata.test',
    host: ['nginx'],
    root: '/srv/gamedata',
    verify: true,
    keep: 3,
    'on-change': 'cat >> log',
  };
  writeFileSync(at('gamedata.config.json'), JSON.stringify({ build: settings }));
  let day = Date.parse('2027-01-01') / 1000;
  const run = (...args: string[]): Promise<Finished> =>
    callCli(args, {
      cwd,
      env: { HTTP_PROXY: upstream.proxy, NO_PROXY: '127.0.0.1', SOURCE_DATE_EPOCH: `${day}` },
    });
  /** A run of cron. */
  const tomorrow = (): Promise<Finished> => {
    day += DAY;
    return run('build', '--json');
  };
  const json = (file: string) => JSON.parse(readFileSync(at(file), 'utf8'));
  return {
    ...upstream,
    at,
    run,
    json,
    /** One that has to succeed. */
    async refresh(): Promise<BuildReport> {
      const { code, stdout, stderr } = await tomorrow();
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    },
    /** What has been told since the last call. */
    told(): string {
      const text = existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '';
      rmSync(at('log'), { force: true });
      const reports = text.split('\n').filter((line) => line !== '');
      return reports
        .flatMap((report) => (JSON.parse(report) as BuildReport).steps)
        .map(({ totals }) => JSON.stringify(totals))
        .join('\n');
    },
    history: () => json('build/changes.json').steps.length as number,
  };
}

type Machine = Awaited<ReturnType<typeof machine>>;
const totals = (changes: object): string =>
  JSON.stringify({ added: 0, removed: 0, renamed: 0, changed: 0, ...changes });

async function upgrade({ refresh, told, history, json }: Machine): Promise<void> {
  const upgraded = await refresh();
  expect(upgraded).toMatchObject({ changed: true, steps: [], counts: { move: 8, item: 2 }, problems: [] });
  // The cache of that version has no names in other languages: everything is fetched anew, once.
  expect(upgraded.requests).toMatchObject({ bodies: 12, notModified: 0 });
  expect((await refresh()).requests).toMatchObject({ bodies: 0, notModified: 12 });
  expect(history()).toBe(1);
  expect(json('build/moved.json')).toEqual({
    '/api/gamedata/move/move-2/': '/api/gamedata/move/renamed/',
  });
  expect(json('build/meta.json').captured).toBe('2026-11-22');
  expect(told()).toBe('');
  expect(await refresh()).toMatchObject({ changed: false });
}

async function news({ answers, refresh, told, history, json }: Machine): Promise<void> {
  answers.move.push(moveAnswer(9), moveAnswer(10));
  Object.assign(answers.move[2] as Answer, { name: 'swift' });
  await refresh();
  expect(told()).toBe(totals({ added: 2, renamed: 1 }));
  expect(history()).toBe(2);
  expect(Object.keys(json('build/moved.json'))).toHaveLength(2);
}

async function accent({ answers, refresh, told, history, json }: Machine): Promise<void> {
  answers.item.push(itemAnswer(3, { name: 'jalapeño', names: [], sprites: { default: null } }));
  const first = await refresh();
  expect(told()).toBe(totals({ added: 1 }));
  expect(first.warnings).toContainEqual({
    kind: 'item',
    code: 'adapted-slug',
    count: 1,
    examples: ['jalapeño: not a safe slug, becomes jalapeno'],
  });
  const steps = history();
  for (const name of ['jalapeno', 'jalapeño', 'jalapeno']) {
    Object.assign(answers.item[2] as Answer, { name });
    const report = await refresh();
    expect(report).toMatchObject({ steps: [], digest: first.digest });
    expect(json('build/meta.json').warnings.item['adapted-slug']).toBe(name === 'jalapeño' ? 1 : undefined);
  }
  expect(history()).toBe(steps);
}

async function rollback({ answers, at, run, refresh, told, json }: Machine): Promise<void> {
  const good = (await refresh()).kept ?? '';
  const before = json('build/meta.json').digest;
  Object.assign(answers.move[0] as Answer, { name: 'nonsense' });
  await refresh();
  expect(json('build/meta.json').digest).not.toBe(before);
  const restored = await run('mirror', good, 'build');
  expect(restored.code, restored.stderr).toBe(0);
  expect(json('build/meta.json').digest).toBe(before);
  expect(existsSync(at('build/_hosts/nginx.conf'))).toBe(true);
  expect(await run('verify', 'build')).toMatchObject({ code: 0 });
  // The upstream mends it, too, and everything goes on.
  Object.assign(answers.move[0] as Answer, { name: 'move-1' });
  expect(await refresh()).toMatchObject({ steps: [] });
  expect(json('build/meta.json').digest).toBe(before);
  told();
}

describe('a year of an operator', () => {
  it('begins with an upgrade, and survives an accent and a rollback', async () => {
    const operator = await machine();
    await upgrade(operator);
    await news(operator);
    await accent(operator);
    await rollback(operator);

    // What the first version redirected is still redirected, and nothing is left behind.
    expect(operator.json('build/moved.json')).toHaveProperty(['/api/gamedata/move/move-2/']);
    expect(readdirSync(operator.at('build-archives'))).toHaveLength(3);
    const left = ['.cache', 'build', 'build-archives', 'gamedata.config.json'];
    expect(readdirSync(operator.at('.')).sort()).toEqual(left);
  });
});
