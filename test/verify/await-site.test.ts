import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { type VerifyOptions, verify } from '../../src/cli/commands/verify.ts';
import { openSite } from '../../src/site-folder.ts';
import { awaitSite } from '../../src/verify/await-site.ts';
import type { VerifyProgress } from '../../src/verify/progress.ts';
import { deploy } from '../support/deployed.ts';
import { handler } from '../support/engines/engine.ts';
import { oneOfOthers } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { PAGE, publishNewSite } from '../support/serving.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { sharedFolder } from '../support/temporary.ts';

const raw = rawRecords(120, 5);
const changed = {
  ...raw,
  move: raw.move.map((record) =>
    record.id === 7 ? { ...record, slug: 'seven' } : record,
  ),
};

const folder = sharedFolder();
const at = (name: string): string => path.join(folder, name);

/** Builds an old and a new version of a site. */
beforeAll(async () => {
  const options = { baseUrl: 'https://x.test', hosts: ['nginx'] } as const;
  await build({
    ...options,
    out: at('old'),
    ...(await smallSource(raw, at('old-data'))),
  });
  await build({
    ...options,
    out: at('new'),
    ...(await smallSource(changed, at('new-data'))),
  });
});

/** Compares a deployment with the new version of the site. */
const compare = (target: string, options?: Omit<VerifyOptions, 'target'>) =>
  verify({ target, like: at('new'), ...options });

describe('verify --like', () => {
  it('checks the guarantees for the hosts that the site was built for', async () => {
    const { url, close } = await serve({ dir: at('new'), port: 0 });
    onTestFinished(close);
    const report = await compare(url);
    expect(report).toMatchObject({ failed: 0 });
    const checked =
      'guarantees' in report
        ? report.guarantees.map(({ guarantee }) => guarantee)
        : [];
    // nginx does not support page ranges.
    expect([checked.includes('cors'), checked.includes('windows')]).toEqual([
      true,
      false,
    ]);
  });

  it('describes both data sets if the deployment serves a different build', async () => {
    const server = await deploy(at('old'));
    const data = `sha256:\\w{12}… from \\S+, 120 moves, 5 items${oneOfOthers}`;
    const problem = `serves ${data}, expected ${data}$`;
    await expect(compare(server.url)).rejects.toThrow(
      new RegExp(`^http\\S+: does not serve the site in \\S+new: ${problem}`),
    );
    expect(server.paths()).toEqual(['manifest.json', 'meta.json']);
    const controller = new AbortController();
    const onWait = vi.fn(() => controller.abort());
    const waiting = compare(server.url, {
      wait: '1h',
      onWait,
      signal: controller.signal,
    });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(onWait.mock.calls).toEqual([
      [expect.stringMatching(`^waiting for http\\S+: ${problem}`)],
    ]);
  });

  it.each<[string, file: string, body: string | undefined, problem: string]>([
    [
      'a missing manifest',
      'manifest.json',
      undefined,
      'manifest.json: got status 404, expected 200',
    ],
    [
      'a build of the same data with other options',
      'manifest.json',
      '{}',
      'manifest.json: is from a different build',
    ],
    [
      'a different meta.json',
      'meta.json',
      '{}',
      'meta.json: has 2 bytes, expected ',
    ],
    [
      'a missing page',
      'docs/index.html',
      undefined,
      'docs/index.html: got status 404, expected 200',
    ],
    [
      'an old list page',
      'api/gamedata/move/index.json',
      'old',
      'api/gamedata/move/index.json: has ',
    ],
  ])('rejects a deployment with %s', async (_, file, body, problem) => {
    const { url, faults } = await deploy(at('new'));
    faults.set(file, (response) =>
      body ? response.end(body) : response.writeHead(404).end(),
    );
    await expect(compare(url)).rejects.toThrow(`new: ${problem}`);
  });

  it.each([
    ['https://x.test', /\.well-known\/security\.txt: got status 404/],
    ['https://x.test/games', undefined],
  ])(
    'expects files in .well-known/ only if the base URL has no path: %s',
    async (baseUrl, problem) => {
      const extras = [
        PAGE,
        { path: '.well-known/security.txt', body: 'Contact: x' },
      ];
      const dir = await publishNewSite({ baseUrl, extras });
      const { url, faults } = await deploy(dir);
      faults.set('.well-known/security.txt', (response) =>
        response.writeHead(404).end(),
      );
      const comparison = awaitSite(url, {
        site: openSite(dir),
        concurrency: 4,
        deadline: 0,
      });
      if (problem) await expect(comparison).rejects.toThrow(problem);
      else await comparison;
    },
  );

  it('finds an outdated record even if the manifest is new', async () => {
    const file = path.join(at('mixed'), 'api/gamedata/move/move-8/index.json');
    cpSync(at('new'), at('mixed'), { recursive: true });
    writeFileSync(file, readFileSync(file, 'utf8').replace('Move 8', 'Move 0'));
    const { url, stop } = await handler.start(at('mixed'));
    onTestFinished(stop);
    const report = await compare(url, { level: 'static' });
    if (!('guarantees' in report)) {
      throw new Error('expected the report of a deployment');
    }
    const broken = report.guarantees.filter(({ failures }) => failures.length > 0);
    const problem = expect.stringContaining('"Move 0"');
    const failures = [
      { request: 'GET /api/gamedata/move/move-8/?format=api', problem },
    ];
    expect(broken).toMatchObject([{ guarantee: 'records', failures }]);
  });

  it('follows a redirect only within the deployment', async () => {
    const { url, faults } = await deploy(at('new'));
    const redirect = (location: string) => (response: ServerResponse) => {
      response.writeHead(301, { location }).end();
    };
    const page = readFileSync(path.join(at('new'), 'docs/index.html'));
    faults.set('docs/index.html', redirect('/docs/'));
    faults.set('docs/', (response) => response.end(page));
    faults.set('browse.html', redirect('https://x.test/browse'));
    await expect(compare(url)).rejects.toThrow(
      /new: browse.html: got status 301, expected 200$/,
    );
  });

  it('reports an unreachable deployment in one message', async () => {
    const { url } = await startServer((response) => response.end());
    await expect(compare(url.replace('http:', 'https:'))).rejects.toMatchObject({
      message: expect.stringMatching(
        /: does not serve the site in [^:]*: GET \S+\/manifest\.json: wrong version [^:,]*$/,
      ),
    });
  });
});

it('awaitSite reports each difference once, and only repeats requests for files that differ', async () => {
  cpSync(at('old'), at('live'), { recursive: true });
  const server = await deploy(at('live'));
  // The last file fails, so no other request is pending at that time.
  server.faults.set('types.d.ts', (response) => response.writeHead(503).end());
  const lines: string[] = [];
  function onWait(line: string): void {
    lines.push(line);
    if (lines.length > 1) server.faults.clear();
    else cpSync(at('new'), at('live'), { recursive: true });
  }
  const site = openSite(at('new'));
  const seen: number[] = [];
  const onProgress = ({ done, total }: VerifyProgress) => seen.push(total - done);
  const deadline = Date.now() + 60_000;
  await awaitSite(server.url, {
    site,
    concurrency: 1,
    deadline,
    onWait,
    onProgress,
  });
  expect(seen, 'the number of files that are left').toEqual(
    [...seen].sort((one, other) => other - one),
  );
  expect(seen.at(-1)).toBe(1);
  const starts = ['serves sha256:', 'types.d.ts: got status 503'];
  expect(lines).toEqual(
    starts.map((start) => expect.stringContaining(`${server.url}: ${start}`)),
  );
  const [, , , ...requested] = server.paths();
  expect(requested.slice(-2)).toEqual(['manifest.json', 'types.d.ts']);
  expect(new Set(requested).size).toBe(requested.length - 1);
  expect(requested).not.toContain('api/gamedata/move/move-8/index.json');
});

it('awaitSite gives up at the deadline even if data still arrives', async () => {
  const { url } = await startServer((response) => response.write('{'));
  const site = openSite(at('new'));
  const deadline = Date.now() + 100;
  await expect(
    awaitSite(url, { site, concurrency: 1, deadline, minRequestMs: 50 }),
  ).rejects.toThrow(
    /does not serve the site in .*: no complete response within 0\.\d+ s$/,
  );
});

it.each<[unknown, string]>([
  [undefined, 'options: got nothing, expected an object'],
  ['site', 'options: got "site", expected an object'],
  [{}, 'target: got nothing, expected a folder or a URL'],
  [{ target: 1 }, 'target: got 1, expected a folder or a URL'],
])('verify rejects the options %j', async (options, problem) => {
  const rejected = expect(verify(options as VerifyOptions)).rejects;
  await rejected.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(problem),
  });
});

it.each(['1', '1d', '-1s', 's', '1.5h'])(
  'verify rejects the value %s for --wait',
  async (wait) => {
    await expect(
      verify({ target: 'http://127.0.0.1:1', like: 'x', wait }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: `--wait: got "${wait}", expected a time such as 90s, 10m or 1h`,
    });
  },
);
