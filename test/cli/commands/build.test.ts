import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { bulkFiles } from '../../../src/contract/files.ts';
import { listFiles } from '../../../src/files.ts';
import { codeDigest } from '../../../src/package.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { stateNumber } from '../../support/editions.ts';
import { expectedFiles } from '../../support/expected.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { otherKinds } from '../../support/kinds.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { handMadeUpstream, tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

const BASE_URL = 'https://example.test';

function buildOptions(upstream: string) {
  const folder = temporaryFolder();
  return {
    source: 'rest',
    upstream,
    baseUrl: BASE_URL,
    out: path.join(folder, 'site'),
    cache: path.join(folder, 'cache'),
    // The bundled data set has more records.
    maxShrink: 100,
  } as const;
}

it('build writes exactly the expected files, then requests no body and changes no file', async () => {
  const data = handMadeUpstream();
  const state = stateNumber(1, data);
  const server = await serveUpstream(data, { maxAge: 86_400, stateOf: () => state });
  const options = buildOptions(server.url);
  const counts = { move: 119, item: 211 };

  expect(await build(options)).toMatchObject({
    source: 'rest',
    upstream: server.url,
    counts,
    changed: true,
  });
  const api = path.join(options.out, 'api', 'gamedata');
  const expected = expectedFiles(data, BASE_URL);
  const files = listFiles(api);
  expect(files.sort()).toEqual([...expected.keys()].sort());
  for (const [file, text] of expected) expect(readFileSync(path.join(api, file), 'utf8')).toBe(text);
  const countPages = (kind: string) => files.filter((file) => isPage(kind, file)).length;
  expect(['move', 'item'].map(countPages)).toEqual([2, 3]);
  expect(verifyFolder(options.out)).toMatchObject({ problems: [] });
  const before = fingerprint(options.out);
  const sent = server.log.length;

  expect(await build(options)).toMatchObject({
    changed: false,
    isCached: true,
    files: { written: 0, removed: 0 },
    requests: { bodies: 1, notModified: 0, cacheHits: 2 + 119 + 211 + 2 * otherKinds.length },
  });
  expect(server.log.slice(sent).map(({ status }) => status)).toEqual([200]);
  expect(fingerprint(options.out)).toEqual(before);
});

const isPage = (kind: string, file: string): boolean =>
  new RegExp(`^${kind}/(?:offset/\\d+/)?index\\.json$`).test(file);

describe('build', () => {
  it('stops on a failure or an aborted signal, and requests only missing records in the next run', async () => {
    const controller = new AbortController();
    const server = await serveUpstream(upstreamOf(tinyUpstream(10, 10)), {
      maxAge: 86_400,
      fault(_, response, at) {
        if (at === 10) return Boolean(response.writeHead(500).end());
        if (at === 15) controller.abort();
        return at === 15;
      },
    });
    const options = { ...buildOptions(server.url), concurrency: 1, retries: 0 };
    await expect(build(options)).rejects.toThrow('got 500, expected 200');
    const first = server.log.length;
    await expect(build({ ...options, signal: controller.signal })).rejects.toThrow('aborted');
    const second = server.log.length;
    await build(options);
    const third = server.log.length;
    await expect(build({ ...options, signal: controller.signal })).rejects.toThrow('aborted');

    expect(server.log).toHaveLength(third);
    expect([first, second]).toEqual([10, 15]);
    const all = server.log.map((request) => request.path).filter((asked) => /\/\d+\/$/.test(asked));
    // Every record once, and two that got no answer the first time.
    const records = 10 + 10 + otherKinds.length;
    expect(all).toHaveLength(records + 2);
    expect(new Set(all).size).toBe(records);
  });

  it('rewrites only the files affected by a changed record', async () => {
    const answers = tinyUpstream();
    const options = buildOptions((await serveUpstream(upstreamOf(answers))).url);
    await build(options);
    const before = fingerprint(options.out);
    Object.assign(answers.move[1] ?? {}, { generation: { url: '/api/v2/generation/2/' } });
    const report = await build(options);
    const after = fingerprint(options.out);
    const changed = listFiles(options.out).filter((file) => before.get(file) !== after.get(file));
    const bulk = ['gamedata.json', 'move.csv', 'move.ndjson'].flatMap((file) => [file, `${file}.gz`]);
    expect(changed.sort()).toEqual([
      ...['api/gamedata/move/index.json', 'api/gamedata/move/move-2/index.json'],
      ...['changes.atom', 'changes.json', 'docs/index.html'],
      ...bulk.map((file) => `download/${file}`),
      ...['index.html', 'manifest.json', 'meta.json', 'openapi.json'],
    ]);
    expect(report.files).toMatchObject({ written: 15, removed: 0 });
  });

  it('removes the bulk files with --no-downloads', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const options = { ...(await smallSource(rawRecords(3, 2))), baseUrl: BASE_URL, out };
    await build(options);
    expect((await build({ ...options, downloads: false })).files.removed).toBe(bulkFiles.length);
    expect(listFiles(out).filter((file) => file.startsWith('download/'))).toEqual([]);
    expect(readFileSync(path.join(out, 'openapi.json'), 'utf8')).not.toContain('/download/');
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('generates every file again after a code change', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const options = { ...(await smallSource(rawRecords(3, 2))), baseUrl: BASE_URL, out };
    await build(options);
    expect(await build(options)).toMatchObject({ changed: false, files: { written: 0 } });
    const manifest = path.join(out, 'manifest.json');
    const openapi = path.join(out, 'openapi.json');
    const [good, before] = [openapi, manifest].map((file) => readFileSync(file, 'utf8'));
    const { code, inputs } = JSON.parse(before ?? '');
    expect(code).toBe(codeDigest());
    writeFileSync(openapi, `${good} `);
    listAsTheyAre(out);
    const listed = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...listed, inputs, code: hash('sha256', 'other') }));
    expect(await build(options)).toMatchObject({ changed: true, files: { written: 2 } });
    expect(readFileSync(openapi, 'utf8')).toBe(good);
  });
});
