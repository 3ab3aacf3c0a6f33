import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { type VerifyOptions, verify } from '../../src/cli/commands/verify.ts';
import { UsageError } from '../../src/errors.ts';
import { openSite } from '../../src/sources/site/read.ts';
import { folderStorage } from '../../src/sources/site/storage.ts';
import { awaitSite } from '../../src/verify/await-site.ts';
import { deploy } from '../support/deployed.ts';
import { handler } from '../support/engines/engine.ts';
import { oneOfOthers } from '../support/kinds.ts';
import { deserted, startServer } from '../support/local-server.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { sharedFolder } from '../support/temporary.ts';

const raw = rawRecords(120, 5);
const changed = {
  ...raw,
  move: raw.move.map((record) => (record.id === 7 ? { ...record, slug: 'seven' } : record)),
};

const folder = sharedFolder();
const at = (name: string): string => path.join(folder, name);

/** Two editions of a site, each in a folder of its own. */
beforeAll(async () => {
  const options = { baseUrl: 'https://x.test', hosts: ['nginx'] } as const;
  await build({ ...options, out: at('old'), ...(await smallSource(raw, at('old-data'))) });
  await build({ ...options, out: at('new'), ...(await smallSource(changed, at('new-data'))) });
});

async function served(name: string): Promise<string> {
  const { url, close } = await serve({ dir: at(name), port: 0 });
  onTestFinished(close);
  return url;
}

describe('verify --like', () => {
  it('accepts the same build and checks the guarantees of its hosts', async () => {
    const report = await verify({ target: await served('new'), like: at('new') });
    expect(report).toMatchObject({ failed: 0 });
    const checked = 'guarantees' in report ? report.guarantees.map(({ guarantee }) => guarantee) : [];
    expect(checked).toContain('cors');
    // nginx supports no page ranges.
    expect(checked).not.toContain('windows');
  });

  it('rejects another build immediately or after the time, and compares the data', async () => {
    const server = await deploy(at('old'));
    const data = `sha256:\\w{12}… of \\S+, 120 moves, 5 items${oneOfOthers}`;
    const problem = new RegExp(
      `^http\\S+: does not serve the site in \\S+new: serves ${data}, expected ${data}$`,
    );
    await expect(verify({ target: server.url, like: at('new') })).rejects.toThrow(problem);
    expect(server.paths()).toEqual(['manifest.json', 'meta.json']);
    await expect(verify({ target: server.url, like: at('new'), wait: '1s' })).rejects.toThrow(problem);
    expect(server.requests.length).toBeGreaterThan(4);
  });

  it('rejects a build of the same data with other options', async () => {
    const source = await smallSource(changed, at('new-data'));
    await build({ baseUrl: 'https://y.test', out: at('moved'), ...source });
    const server = await deploy(at('moved'));
    await expect(verify({ target: server.url, like: at('new') })).rejects.toThrow(
      /new: manifest.json: is from another build$/,
    );
  });

  it.each<[what: string, file: string, body: string | undefined, problem: string]>([
    ['a missing manifest', 'manifest.json', undefined, 'manifest.json: got status 404, expected 200'],
    ['another description', 'meta.json', '{}', 'meta.json: has 2 bytes, expected '],
    ['a missing page', 'docs/index.html', undefined, 'docs/index.html: got status 404, expected 200'],
    ['an old list page', 'api/gamedata/move/index.json', 'old', 'api/gamedata/move/index.json: has '],
  ])('rejects %s', async (_, file, body, problem) => {
    const server = await deploy(at('new'));
    const old = body === 'old' ? readFileSync(path.join(at('old'), file)) : body;
    server.faults.set(file, (response) => (old ? response.end(old) : response.writeHead(404).end()));
    await expect(verify({ target: server.url, like: at('new') })).rejects.toThrow(`new: ${problem}`);
  });

  it('finds an old record below a new manifest', async () => {
    const file = 'api/gamedata/move/move-8/index.json';
    cpSync(at('new'), at('mixed'), { recursive: true });
    const record = readFileSync(path.join(at('new'), file), 'utf8');
    writeFileSync(path.join(at('mixed'), file), record.replace('Move 8', 'Move 0'));
    const { url, stop } = await handler.start(at('mixed'));
    onTestFinished(stop);
    const report = await verify({ target: url, like: at('new'), level: 'static' });
    expect(report).toMatchObject({ failed: 1 });
    const { failures = [] } =
      'guarantees' in report
        ? (report.guarantees.find(({ guarantee }) => guarantee === 'records') ?? {})
        : {};
    expect(failures).toEqual([
      {
        request: 'GET /api/gamedata/move/move-8/?format=api',
        problem: expect.stringContaining('"Move 0"'),
      },
    ]);
  });

  it('follows a redirect within the deployment, and none to elsewhere', async () => {
    const server = await deploy(at('new'));
    const redirect = (location: string) => (response: ServerResponse) =>
      void response.writeHead(301, { location }).end();
    server.faults.set('docs/index.html', redirect('/docs/'));
    server.faults.set('docs/', (response) =>
      response.end(readFileSync(path.join(at('new'), 'docs/index.html'))),
    );
    server.faults.set('browse.html', redirect('https://x.test/browse'));
    await expect(verify({ target: server.url, like: at('new') })).rejects.toThrow(
      /new: browse.html: got status 301, expected 200$/,
    );
  });

  it('reports an unreachable deployment once, with a hint', async () => {
    const closed = await deserted();
    await expect(verify({ target: closed, like: at('new') })).rejects.toThrow(
      new RegExp(`^${closed}: does not serve the site in [^:]*: GET [^:]*://[^ ]*/manifest.json: [^,]*$`),
    );
    const server = await startServer((response) => response.end());
    await expect(
      verify({ target: server.url.replace('http:', 'https:'), like: at('new') }),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/: GET \S+\/manifest\.json: wrong version [^:,]*$/),
      hint: expect.stringContaining('does not seem to use TLS'),
    });
  });

  it('waits for a deployment and reports the difference', async () => {
    cpSync(at('old'), at('live'), { recursive: true, preserveTimestamps: true });
    const lines: string[] = [];
    const onWait = (line: string): void => {
      lines.push(line);
      rmSync(at('live'), { recursive: true });
      cpSync(at('new'), at('live'), { recursive: true, preserveTimestamps: true });
    };
    const report = await verify({ target: await served('live'), like: at('new'), wait: '2s', onWait });
    expect(report).toMatchObject({ failed: 0 });
    expect(lines).toEqual([expect.stringMatching(/^waiting for http\S+: serves sha256:/)]);
  });

  it('requests only the files again that differed', async () => {
    const server = await deploy(at('new'));
    server.faults.set('docs/index.html', (response) => {
      server.faults.clear();
      response.writeHead(503).end();
    });
    const site = openSite(folderStorage(at('new')));
    await awaitSite(server.url, { site, concurrency: 4, deadline: Date.now() + 2000 });
    const requested = server.paths();
    expect(requested.slice(-2)).toEqual(['manifest.json', 'docs/index.html']);
    expect(new Set(requested).size).toBe(requested.length - 2);
    expect(requested).not.toContain('api/gamedata/move/move-8/index.json');
  });

  it('rejects a base URL for links, which the site has', async () => {
    await expect(
      verify({ target: 'http://127.0.0.1:1', like: 'x', linkBase: 'https://x.test' }),
    ).rejects.toThrow(/^--link-base: /);
  });

  it.each(['1', '1d', '-1s', 's', '1.5h'])('rejects %s as a time', async (wait) => {
    await expect(verify({ target: 'http://127.0.0.1:1', like: 'x', wait })).rejects.toThrow(
      `--wait: got "${wait}", expected a time such as 90s, 10m or 1h`,
    );
  });
});

it.each<[unknown, string]>([
  [undefined, 'options: got nothing, expected an object'],
  ['site', 'options: got "site", expected an object'],
  [{}, 'target: got nothing, expected a folder, an archive or a URL'],
  [{ target: 1 }, 'target: got 1, expected a folder, an archive or a URL'],
])('verify(%j) is rejected', async (options, problem) => {
  await expect(verify(options as VerifyOptions)).rejects.toThrow(new UsageError(problem));
});
