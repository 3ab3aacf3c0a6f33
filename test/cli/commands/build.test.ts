import { hash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { kindNames } from '../../../src/contract/kinds.ts';
import { listFiles } from '../../../src/files.ts';
import { codeDigest } from '../../../src/package.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { stateNumber } from '../../support/editions.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { otherKinds } from '../../support/kinds.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawRecords } from '../../support/sites.ts';
import { sharedSite } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import {
  type Answer,
  handMadeUpstream,
  tinyUpstream,
  upstreamOf,
} from '../../support/upstream-data.ts';
import type { Fault } from '../../support/upstream-server.ts';

const BASE_URL = 'https://example.test';

function buildOptions(upstream: string) {
  const folder = temporaryFolder();
  return {
    source: 'rest',
    upstream,
    baseUrl: BASE_URL,
    out: path.join(folder, 'site'),
    cache: path.join(folder, 'cache'),
    // The bundled data set has more records than this upstream, and other French
    // names, so the guard would reject the build.
    maxShrink: 100,
    allowMissing: ['names/fr'],
  } as const;
}

/** Builds a site from an upstream that states its edition. */
async function buildHandMade() {
  const data = handMadeUpstream();
  const state = stateNumber(1, data);
  const server = await serveUpstream(data, { maxAge: 86_400, stateOf: () => state });
  const options = buildOptions(server.url);
  const report = await build(options);
  return { data, server, options, report };
}

it("writes an upstream's records to files below api/", async () => {
  const { server, options, report } = await buildHandMade();
  expect(report).toMatchObject({
    changed: true,
    data: { source: 'rest', upstream: server.url, counts: { move: 4, item: 11 } },
  });
  const api = path.join(options.out, 'api', 'gamedata');
  const links = `${BASE_URL}/api/gamedata`;
  const pound = `{"url":"${links}/move/pound/?format=api","id":1,"slug":"pound","name":"Pound","generation":1}`;
  const ball = `{"url":"${links}/item/poke-ball/?format=api","id":2,"id1":null,"id2":65,"id3":null,"id4":null,"id5":null,"id6":null,"id7":null,"id8":null,"id9":4,"slug":"poke-ball","name":"Poké Ball","icon":"sprites/items/poke-ball.png"}`;
  const records = { 'move/pound': pound, 'item/poke-ball': ball };
  for (const [record, text] of Object.entries(records)) {
    expect(readFileSync(path.join(api, record, 'index.json'), 'utf8')).toBe(text);
  }
  expect(await verifyFolder(options.out)).toMatchObject({ problems: [] });
});

it('builds the same site from a published data set as from the upstream', async () => {
  const { options } = await buildHandMade();
  const out = path.join(temporaryFolder(), 'site');
  const upstream = path.join(options.out, 'data');
  await build({ ...options, source: 'snapshot', upstream, out });
  const readManifest = (site: string): string =>
    readFileSync(path.join(site, 'manifest.json'), 'utf8');
  expect(readManifest(out)).toBe(readManifest(options.out));
});

it("sends only one request and changes no file if the upstream's edition is unchanged", async () => {
  const { server, options } = await buildHandMade();
  const oldFiles = fingerprint(options.out);
  const oldRequests = server.log.length;

  const report = await build(options);
  const lists = kindNames.length;
  const records = 4 + 11 + otherKinds.length;
  expect(report).toMatchObject({
    changed: false,
    data: {
      isCached: true,
      requests: { requests: 1, cacheHits: lists + records },
    },
    files: { written: 0, removed: 0 },
  });
  const newRequests = server.log.slice(oldRequests);
  expect(newRequests).toMatchObject([{ status: 200 }]);
  expect(fingerprint(options.out)).toEqual(oldFiles);
});

describe('build', () => {
  it('refuses a first build if the upstream has only 20 records', async () => {
    const server = await serveUpstream(upstreamOf(tinyUpstream(15, 5)));
    const { maxShrink: _, ...options } = buildOptions(server.url);
    await expect(build(options)).rejects.toThrow(
      /^move: \d+ of \d+ records are gone, expected at most 1%/,
    );
    expect(existsSync(options.out)).toBe(false);
  });

  it('rewrites only the files that a changed record affects', async () => {
    const answers = tinyUpstream();
    const server = await serveUpstream(upstreamOf(answers));
    const options = buildOptions(server.url);
    await build(options);
    const oldFiles = fingerprint(options.out);
    const [, secondMove] = answers.move;
    if (secondMove) secondMove.generation = { url: '/api/v2/generation/2/' };
    const report = await build(options);
    const newFiles = fingerprint(options.out);
    const changedFiles = listFiles(options.out).filter(
      (file) => oldFiles.get(file) !== newFiles.get(file),
    );
    expect(changedFiles.sort()).toEqual([
      'api/gamedata/move/index.json',
      'api/gamedata/move/move-2/index.json',
      'browse.html',
      'browse/index.html',
      'changes.atom',
      'changes.json',
      'data/changes.json',
      'data/dataset.json',
      'data/move.ndjson',
      'docs/index.html',
      'download/gamedata.json',
      'download/gamedata.json.gz',
      'download/move.csv',
      'download/move.csv.gz',
      'download/move.ndjson',
      'download/move.ndjson.gz',
      'index.html',
      'manifest.json',
      'meta.json',
      'openapi.json',
      'search.json',
    ]);
    expect(report.files).toMatchObject({ written: 21, removed: 0 });
  });

  const { described, copied } = sharedSite({ baseUrl: BASE_URL }, rawRecords(3, 2));

  it('fails without --host if the published site was built for another host', async () => {
    const out = copied();
    await build({ ...described, out, hosts: ['nginx'] });
    const publishedFiles = fingerprint(out);
    await expect(build({ ...described, out })).rejects.toThrow(
      'the published site was built with --host nginx',
    );
    expect(fingerprint(out)).toEqual(publishedFiles);
    const report = await build({ ...described, out, hosts: ['netlify'] });
    expect(report.site.changed).toEqual(['hosts nginx → netlify']);
  });

  it("regenerates all files after gamedata's code has changed", async () => {
    const out = copied();
    const unchanged = await build({ ...described, out });
    expect(unchanged).toMatchObject({ changed: false, files: { written: 0 } });
    const manifest = path.join(out, 'manifest.json');
    const text = readFileSync(manifest, 'utf8');
    const otherCode = hash('sha256', 'other');
    writeFileSync(manifest, text.replace(codeDigest(), otherCode));
    const { changed } = await build({ ...described, out });
    expect(changed).toBe(true);
    expect(readFileSync(manifest, 'utf8')).toBe(text);
  });
});

/**
 * Creates a working directory with a configuration file, and builds the first site in
 * it.
 */
async function buildInFolder(settings: object = {}) {
  const answers = tinyUpstream();
  let isBroken = false;
  const fault: Fault = (_, response) =>
    isBroken && Boolean(response.writeHead(400).end());
  const upstream = await serveUpstream(upstreamOf(answers), { fault });
  const cwd = temporaryFolder();
  const config = { source: 'rest', upstream: upstream.url, ...settings };
  writeFileSync(
    path.join(cwd, 'gamedata.config.json'),
    JSON.stringify({ build: config }),
  );
  const runBuild = (...args: string[]) => callCli(['build', ...args], { cwd });
  const first = await runBuild('--max-shrink', '100');
  expect(first.code).toBe(0);
  return {
    answers,
    breakUpstream(): void {
      isBroken = true;
    },
    runBuild,
    first,
    at: (name: string) => path.join(cwd, name),
  };
}

const rename = (answers: { move: Answer[] }, name: string) =>
  Object.assign(answers.move[1] as Answer, { name });

describe('the printed report', () => {
  it('prints the next step for each host if the site has changed', async () => {
    const { runBuild, first } = await buildInFolder({
      host: ['nginx', 'cloudflare'],
      'base-url': BASE_URL,
      out: 'site',
    });
    const listNext = ({ stderr }: { stderr: string }) =>
      stderr.match(/(?<=^next: ).*/gm);
    expect(listNext(first)).toEqual([
      'nginx -s reload  # the first time, install site/_hosts/nginx.conf: docs/SERVER.md',
      'cd site && npx wrangler deploy',
    ]);
    expect(listNext(await runBuild())).toBeNull();
  });
});

it('prints where --keep has stored the data set, even if nothing has changed', async () => {
  const { first, runBuild } = await buildInFolder({ keep: 1 });
  const findKept = ({ stderr }: { stderr: string }) =>
    /\bkept: build\.data\/[-0-9a-f]+$/m.exec(stderr)?.[0];
  expect(findKept(first)).toBeDefined();
  const unchanged = await runBuild();
  expect(unchanged.stderr).toMatch(/^build: .* nothing changed.*; kept: /m);
  expect(findKept(unchanged)).toBe(findKept(first));
});

it('keeps the published site if --keep cannot write the data set', async () => {
  const { answers, runBuild, at } = await buildInFolder({ keep: 1 });
  const publishedFiles = fingerprint(at('build'));
  rmSync(at('build.data'), { recursive: true });
  writeFileSync(at('build.data'), '');
  rename(answers, 'again');
  const failed = await runBuild();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/build\.data: cannot be used \(ENOTDIR/);
  expect(fingerprint(at('build'))).toEqual(publishedFiles);
});
