import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MirrorOptions, mirror } from '../../../src/cli/commands/mirror.ts';
import { withOutput } from '../../../src/publish/publish.ts';
import { workFolders } from '../../../src/publish/work-folders.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { renamedSite } from '../../support/data-set-versions.ts';
import { deploy } from '../../support/deployed.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { modeOf } from '../../support/modes.ts';
import { readTree } from '../../support/publishing.ts';
import { rawMove, rawRecords, type SomeRecords, siteOf } from '../../support/sites.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const HOST_FILES = [
  { path: '_redirects', body: '/a /b 200' },
  { path: '.htaccess', body: 'Options -Indexes' },
];

/** A site that is deployed, and if its copy goes. */
async function ground(raw = rawRecords(7, 3)) {
  const parent = temporaryFolder();
  const site = path.join(parent, 'site');
  const out = path.join(parent, 'copies', 'copy');
  const publish = (records: SomeRecords) =>
    withOutput(site, ({ publish }) => publish(siteOf(records, { extras: HOST_FILES }).files()));
  await publish(raw);
  const server = await deploy(site);
  const run = (options: MirrorOptions = {}, watchers?: Parameters<typeof mirror>[2]) =>
    mirror(server.url, { out, retries: 0, ...options }, watchers);
  const { received } = workFolders(out);
  return { raw, parent, site, out, received, server, publish, run };
}

const withoutHostFiles = (folder: string) => {
  const { _redirects, '.htaccess': _, ...tree } = readTree(folder);
  return tree;
};

describe('a mirror', () => {
  it('names the redirects that the deployment has lost, also where the copy’s former slugs are damaged', async () => {
    const { site, out, publish, run } = await ground();
    await withOutput(site, (output) => output.publish(renamedSite().files()));
    await run({ maxShrink: 100 });
    writeFileSync(path.join(out, 'former.json'), '{}');
    await publish({ move: [rawMove(1, { slug: 'new' })], item: rawRecords(0, 3).item });
    expect(await run({ maxShrink: 100 })).toMatchObject({ lostRedirects: ['move/move-1'] });
  });

  it("has every file of the site but hosts' configuration, and a manifest that fits", async () => {
    const { site, out, run } = await ground();
    const report = await run();
    expect(readTree(out)).toEqual(withoutHostFiles(site));
    expect(verifyFolder(out).problems).toEqual([]);
    const count = Object.keys(readTree(out)).length;
    expect(report).toMatchObject({
      changed: true,
      downloaded: { files: count },
      removed: [],
      leftBehind: [],
    });
    expect(report.excluded).toEqual(['.htaccess', '_redirects']);
    expect(readdirSync(path.dirname(out))).toEqual(['copy']);
  });

  it('asks for nothing but the manifest if nothing has changed, and touches nothing', async () => {
    const { out, server, run } = await ground();
    await run();
    const before = fingerprint(path.dirname(out));
    const asked = server.requests.length;
    const report = await run();
    expect(report).toMatchObject({ changed: false, downloaded: { files: 0, bytes: 0 }, requests: 1 });
    expect(server.paths().slice(asked)).toEqual(['manifest.json']);
    expect(fingerprint(path.dirname(out))).toEqual(before);
  });

  it('fetches just what has changed, removes what is gone, and keeps all else as the same files', async () => {
    const { raw, site, out, server, publish, run } = await ground(rawRecords(120, 5));
    await run();
    const before = fingerprint(out);
    const move = raw.move
      .slice(0, -1)
      .map((record) => (record.id === 7 ? { ...record, englishName: 'Seven' } : record));
    await publish({ ...raw, move });
    const asked = server.requests.length;
    const report = await run();
    const changed = [
      'api/gamedata/move/index.json',
      'api/gamedata/move/move-7/index.json',
      'api/gamedata/move/offset/100/index.json',
      'meta.json',
    ];
    expect(report.fetched).toEqual(changed);
    expect(report.downloaded.files).toBe(changed.length);
    expect(report.removed).toEqual(['api/gamedata/move/move-120/index.json']);
    expect(server.paths().slice(asked).sort()).toEqual([...changed, 'manifest.json'].sort());
    expect(readTree(out)).toEqual(withoutHostFiles(site));
    const after = fingerprint(out);
    const kept = Object.keys(readTree(out)).filter((name) => !changed.includes(name));
    expect(kept.filter((name) => after.get(name) !== before.get(name))).toEqual([]);
  });

  it('follows a redirect on the same host', async () => {
    const { site, out, server, run } = await ground();
    for (const [from, to] of [
      ['404.json', '1'],
      ['1', '2'],
      ['2', 'moved'],
    ] as const)
      server.faults.set(from, (response) => response.writeHead(301, { location: `/${to}` }).end());
    server.faults.set('moved', (response) => response.end(readFileSync(path.join(site, '404.json'))));
    await run();
    expect(readTree(out)).toEqual(withoutHostFiles(site));
  });

  it('tells how far it is, and requests only what an interrupted run has not received', async () => {
    const { site, server, run } = await ground();
    const files = JSON.parse(readFileSync(path.join(site, 'manifest.json'), 'utf8')).files.filter(
      ({ path }: { path: string }) => !HOST_FILES.some((own) => own.path === path),
    );
    const last = files.at(-1);
    server.faults.set(last.path, (response) => response.writeHead(404).end());
    await expect(run({ concurrency: 1 })).rejects.toThrow(last.path);
    server.faults.clear();
    const asked = server.requests.length;
    const told: [done: number, total: number][] = [];
    const report = await run(
      {},
      {
        onProgress({ done, total, requests }) {
          told.push([done, total]);
          expect(requests).toMatchObject({ requests: done === total ? 2 : 1, cacheHits: 0 });
        },
      },
    );
    const total = report.downloaded.resumed + 1;
    expect(report.downloaded).toEqual({ files: 1, bytes: last.bytes, resumed: report.fetched.length - 1 });
    expect(told).toEqual([
      [total - 1, total],
      [total, total],
    ]);
    expect(server.paths().slice(asked)).toEqual(['manifest.json', last.path]);
  });

  it('requests nothing more once a file has failed', async () => {
    const { server, run } = await ground();
    server.faults.set('400.json', (response) => response.writeHead(404).end());
    await expect(run({ concurrency: 1 })).rejects.toThrow('400.json: got 404');
    expect(server.paths().filter((name) => name !== 'manifest.json')).toEqual(['400.json']);
  });

  it('does not believe what a crash left half received', async () => {
    const { out, received, server, run } = await ground();
    server.faults.set('meta.json', (response) => response.destroy());
    await expect(run()).rejects.toThrow('meta.json');
    for (const name of readdirSync(received)) {
      const body = readFileSync(path.join(received, name));
      writeFileSync(path.join(received, name), Buffer.alloc(body.length));
    }
    server.faults.clear();
    expect((await run()).downloaded.resumed).toBe(0);
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('starts again with the new site if one is deployed meanwhile', async () => {
    const { raw, site, out, server, publish, run } = await ground();
    server.faults.set('meta.json', async (response) => {
      server.faults.clear();
      await publish({ ...raw, move: raw.move.slice(0, 5) });
      response.end(readFileSync(path.join(site, 'meta.json')));
    });
    await run();
    expect(readTree(out)).toEqual(withoutHostFiles(site));
    expect(verifyFolder(out).counts.move).toBe(5);
  });

  it.skipIf(process.platform === 'win32')(
    'lets whoever may read the copy read what is received for it, and nobody else',
    async () => {
      const { raw, out, received, server, publish, run } = await ground();
      await run();
      chmodSync(out, 0o2770);
      await publish({ ...raw, move: raw.move.slice(0, 6) });
      server.faults.set('meta.json', (response) => response.writeHead(404).end());
      await expect(run({ concurrency: 1 })).rejects.toThrow('meta.json');
      expect(modeOf(received)).toBe('2770');
      const files = readdirSync(received).map((name) => modeOf(path.join(received, name)));
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((mode) => mode !== '660')).toEqual([]);
    },
  );

  it('says where it cannot keep what it receives', async () => {
    const { out, received, run } = await ground();
    mkdirSync(path.dirname(out));
    writeFileSync(received, 'mine');
    await expect(run()).rejects.toThrow(`${received}: cannot be written (EEXIST)`);
    expect(readFileSync(received, 'utf8')).toBe('mine');
  });

  it('stops if it is told to, and keeps what it has', async () => {
    const { out, server, run } = await ground();
    const stop = new AbortController();
    server.faults.set('meta.json', () => stop.abort());
    await expect(run({ signal: stop.signal })).rejects.toThrow('aborted');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(path.dirname(out))).toEqual(['.copy.gamedata-received']);
  });
});

describe('a mirror rejects', () => {
  const to = (location: string) => (response: ServerResponse) => {
    response.writeHead(302, { location }).end();
  };

  it.each<[string, Fault, RegExp]>([
    [
      'other bytes of the same number',
      (response, own) => response.end(own.fill('x')),
      /got SHA-256 .* expected/,
    ],
    ['fewer bytes', (response) => response.end('{}'), /got 2 bytes, expected \d+, as in the manifest/],
    [
      'more bytes than the manifest says',
      (response) => response.end('x'.repeat(100_000)),
      /got more than \d+ bytes/,
    ],
    ['an endless body', endless, /got more than \d+ bytes/],
    ['a file that is not there', (response) => response.writeHead(404).end(), /got 404, expected 200/],
    [
      'a redirect to another host',
      to('http://other.test/'),
      /a redirect to "http:\/\/other\.test\/", expected 200/,
    ],
    ['a redirect to nowhere', to('http://['), /a redirect to "http:\/\/\[", expected 200/],
    ['redirects in a circle', to('/meta.json'), /a redirect to "\/meta\.json", expected 200/],
  ])('%s, and leaves the copy as it was', async (_, fault, message) => {
    const { raw, site, out, server, publish, run } = await ground();
    await run();
    const before = fingerprint(out);
    await publish({ ...raw, move: raw.move.slice(0, 2) });
    server.faults.set('meta.json', (response) => fault(response, readFileSync(path.join(site, 'meta.json'))));
    await expect(run()).rejects.toThrow(message);
    expect(fingerprint(out)).toEqual(before);
  });

  it('more than three redirects, and says what to do', async () => {
    const { server, run } = await ground();
    server.faults.set('404.json', to('/404.json'));
    await expect(run()).rejects.toMatchObject({ hint: expect.stringContaining('use the final URL') });
    expect(server.paths().filter((name) => name === '404.json')).toHaveLength(4);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '<!doctype html>', /manifest\.json: got "<!doctype html>", expected JSON/],
    ['a manifest of something else', '{"name":"app","icons":[]}', /generator/],
    ['a newer format', '{"format":99}', /manifest\.json has format 99/],
    ['a way out of the folder', listing('../escape'), /files\[0\]\.path: got "\.\.\/escape"/],
  ])('%s as the manifest, and writes nothing', async (_, manifest, message) => {
    const { parent, server, run } = await ground();
    server.faults.set('manifest.json', (response) => response.end(manifest));
    await expect(run()).rejects.toThrow(message);
    expect(existsSync(path.join(parent, 'copies', 'copy'))).toBe(false);
    expect(existsSync(path.join(parent, 'copies', 'escape'))).toBe(false);
  });

  it('a deployment that is no site any more, or lacks what it counts', async () => {
    const { site, out, run } = await ground();
    await run();
    const before = fingerprint(out);
    const manifest = path.join(site, 'manifest.json');
    const deployed = JSON.parse(readFileSync(manifest, 'utf8'));
    const list = (files: { path: string }[]) =>
      writeFileSync(manifest, JSON.stringify({ generator: 'gamedata/0.1.0', files }));
    list([]);
    await expect(run()).rejects.toThrow('has no valid meta.json: ENOENT');
    list(deployed.files.filter((entry: { path: string }) => !entry.path.includes('/move-7/')));
    await expect(run({ maxShrink: 100 })).rejects.toThrow(
      'move: got files of 6 records: expected 7, as in meta.json',
    );
    expect(fingerprint(out)).toEqual(before);
  });

  it('a deployment that has other records than it counts, or a list that is none', async () => {
    const { site, out, server, run } = await ground();
    await run();
    const before = fingerprint(out);
    const refused = async (problem: string) => {
      listAsTheyAre(site);
      await expect(run({ maxShrink: 100 })).rejects.toThrow(problem);
    };
    const record = (id: number): string => path.join(site, `api/gamedata/move/move-${id}`);
    cpSync(record(7), record(9), { recursive: true });
    await refused('move: got files of 8 records: expected 7');
    rmSync(record(7), { recursive: true });
    await refused('move: got files of 7 records: expected 7');
    const page = 'api/gamedata/move/index.json';
    writeFileSync(path.join(site, page), '{}');
    await refused(`${server.url}/${page} › results: got nothing`);
    expect(fingerprint(out)).toEqual(before);
  });

  it.each([
    [2 ** 52, 'files[0].bytes: '],
    [2 ** 28, 'got files of 8858370048 bytes in all, expected at most 8589934592'],
  ])('a manifest with files of %i bytes, of which it asks for none', async (bytes, problem) => {
    const { server, run } = await ground();
    const entry = (at: number) => ({ path: `${at}.json`, bytes, sha256: '0'.repeat(64) });
    const files = Array.from({ length: 33 }, (_, at) => entry(at));
    const manifest = JSON.stringify({ format: 1, generator: 'gamedata/1', files });
    server.faults.set('manifest.json', (response) => response.end(manifest));
    await expect(run()).rejects.toThrow(problem);
    expect(server.paths()).toEqual(['manifest.json']);
  });
});

/** How the host answers instead of what it has. */
type Fault = (response: ServerResponse, own: Buffer) => unknown;

function endless(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
  response.on('close', () => clearInterval(timer));
}

function listing(file: string): string {
  return `{"generator":"gamedata/1","files":[{"path":"${file}","bytes":1,"sha256":"${'0'.repeat(64)}"}]}`;
}
