import { hash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { bulkFiles } from '../../../src/contract/files.ts';
import { listFiles } from '../../../src/files.ts';
import { BUNDLED_DATA, codeDigest } from '../../../src/package.ts';
import { openSnapshot } from '../../../src/sources/snapshot.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { stateNumber } from '../../support/editions.ts';
import { expectedFiles } from '../../support/expected.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { otherKinds } from '../../support/kinds.ts';
import { rawMove, rawRecords } from '../../support/sites.ts';
import { sharedSite, smallSource } from '../../support/small-data.ts';
import { tablesOf, writeClone } from '../../support/tables.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import {
  handMadeUpstream,
  itemAnswer,
  moveAnswer,
  range,
  tinyUpstream,
  upstreamOf,
} from '../../support/upstream-data.ts';

const BASE_URL = 'https://example.test';

function buildOptions(upstream: string) {
  const folder = temporaryFolder();
  return {
    source: 'rest',
    upstream,
    baseUrl: BASE_URL,
    out: path.join(folder, 'site'),
    cache: path.join(folder, 'cache'),
    // The bundled data set has more records than this upstream, so the guard would
    // reject the build.
    maxShrink: 100,
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

it('writes exactly the expected files below /api/', async () => {
  const { data, server, options, report } = await buildHandMade();
  expect(report).toMatchObject({
    changed: true,
    data: { source: 'rest', upstream: server.url, counts: { move: 4, item: 11 } },
  });
  const api = path.join(options.out, 'api', 'gamedata');
  const expected = expectedFiles(data, BASE_URL);
  expect(listFiles(api).sort()).toEqual([...expected.keys()].sort());
  for (const [file, text] of expected) {
    expect(readFileSync(path.join(api, file), 'utf8')).toBe(text);
  }
  expect(verifyFolder(options.out)).toMatchObject({ problems: [] });
});

it('sends one request and changes no file if the edition is still the same', async () => {
  const { server, options } = await buildHandMade();
  const before = fingerprint(options.out);
  const sent = server.log.length;

  expect(await build(options)).toMatchObject({
    changed: false,
    data: {
      isCached: true,
      requests: {
        bodies: 1,
        notModified: 0,
        cacheHits: 2 + 4 + 11 + 2 * otherKinds.length,
      },
    },
    files: { written: 0, removed: 0 },
  });
  expect(server.log.slice(sent).map(({ status }) => status)).toEqual([200]);
  expect(fingerprint(options.out)).toEqual(before);
});

describe('build', () => {
  it('continues an aborted build by requesting only the missing records', async () => {
    const controller = new AbortController();
    const server = await serveUpstream(upstreamOf(tinyUpstream()), {
      maxAge: 86_400,
      fault(_, __, at) {
        if (at === 6) controller.abort();
        return at === 6;
      },
    });
    const options = { ...buildOptions(server.url), concurrency: 1 };
    await expect(build({ ...options, signal: controller.signal })).rejects.toThrow(
      'aborted',
    );
    expect(server.log).toHaveLength(6);
    await build(options);
    const records = server.log
      .map((request) => request.path)
      .filter((asked) => /\/\d+\/$/.test(asked));
    expect(new Set(records).size).toBe(3 + 2 + otherKinds.length);
    expect(records).toHaveLength(3 + 2 + otherKinds.length + 1);
  });

  it('rewrites only the files that a changed record affects', async () => {
    const answers = tinyUpstream();
    const options = buildOptions((await serveUpstream(upstreamOf(answers))).url);
    await build(options);
    const before = fingerprint(options.out);
    Object.assign(answers.move[1] ?? {}, {
      generation: { url: '/api/v2/generation/2/' },
    });
    const report = await build(options);
    const after = fingerprint(options.out);
    const changed = listFiles(options.out).filter(
      (file) => before.get(file) !== after.get(file),
    );
    const bulk = ['gamedata.json', 'move.csv', 'move.ndjson'].flatMap((file) => [
      file,
      `${file}.gz`,
    ]);
    expect(changed.sort()).toEqual([
      ...['api/gamedata/move/index.json', 'api/gamedata/move/move-2/index.json'],
      ...['changes.atom', 'changes.json', 'docs/index.html'],
      ...bulk.map((file) => `download/${file}`),
      ...['index.html', 'manifest.json', 'meta.json', 'openapi.json'],
    ]);
    expect(report.files).toMatchObject({ written: 15, removed: 0 });
  });

  const { described, copied } = sharedSite({ baseUrl: BASE_URL }, rawRecords(3, 2));

  it('removes the bulk files with --no-downloads', async () => {
    const out = copied();
    expect(
      (await build({ ...described, out, downloads: false })).files.removed,
    ).toBe(bulkFiles.length);
    expect(listFiles(out).filter((file) => file.startsWith('download/'))).toEqual(
      [],
    );
    expect(readFileSync(path.join(out, 'openapi.json'), 'utf8')).not.toContain(
      '/download/',
    );
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it("warns once that it removed a host's configuration because no host was named", async () => {
    const out = copied();
    await build({ ...described, out, hosts: ['nginx'] });
    const { notices } = await build({ ...described, out });
    expect(notices).toEqual([
      expect.stringMatching(/^the configuration for nginx was removed/),
    ]);
    expect((await build({ ...described, out })).notices).toEqual([]);
  });

  it('generates all files again after the code of gamedata has changed', async () => {
    const out = copied();
    expect(await build({ ...described, out })).toMatchObject({
      changed: false,
      files: { written: 0 },
    });
    const manifest = path.join(out, 'manifest.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(codeDigest(), hash('sha256', 'other')));
    expect(await build({ ...described, out })).toMatchObject({ changed: true });
    expect(readFileSync(manifest, 'utf8')).toBe(text);
  });
});

it('builds a valid site even if the staging folder of an interrupted build is lost', async () => {
  const raw = rawRecords(3, 1);
  const old = await smallSource(raw);
  const others = raw.move.slice(1);
  const renamed = await smallSource({
    ...raw,
    move: [rawMove(1, { slug: 'new' }), ...others],
  });
  const options = { baseUrl: BASE_URL, maxShrink: 100 } as const;
  const out = path.join(temporaryFolder(), 'site');
  const complete = path.join(temporaryFolder(), 'site');
  for (const folder of [out, complete]) {
    await build({ ...old, ...options, out: folder });
  }
  await build({ ...renamed, ...options, out: complete });
  // These files were moved into place before the build was interrupted.
  for (const file of ['changes.json', 'former.json']) {
    copyFileSync(path.join(complete, file), path.join(out, file));
  }

  const { changes, notices } = await build({ ...renamed, ...options, out });
  expect(changes.steps).toHaveLength(1);
  expect(notices).toEqual([
    expect.stringMatching(/^changes\.json differs from the manifest/),
    expect.stringMatching(/^former\.json differs from the manifest/),
  ]);
  for (const file of ['changes.json', 'former.json', 'moved.json']) {
    expect(readFileSync(path.join(out, file), 'utf8')).toBe(
      readFileSync(path.join(complete, file), 'utf8'),
    );
  }
  expect(verifyFolder(out)).toMatchObject({ problems: [] });
});

it('requires --max-shrink only for the build in which most icons disappear', async () => {
  const names = range(1, 30).map((id) => `item-${id}`);
  const item = names.map((name, at) => itemAnswer(at + 1, { name }));
  const bundled = openSnapshot(BUNDLED_DATA).data().records.item;
  const bundledIcons = bundled.map((record) =>
    'icon' in record ? record.icon : '',
  );
  const icons = [...bundledIcons, ...names.map((name) => `${name}.png`)];
  const clone = temporaryFolder();
  const tables = tablesOf(upstreamOf({ move: [moveAnswer(1)], item }));
  const upstream = writeClone(clone, tables, icons);
  const { maxShrink, ...options } = {
    ...buildOptions(upstream),
    source: 'csv',
  } as const;
  expect((await build({ ...options, maxShrink })).data.counts.item).toBe(30);

  for (const name of names) {
    rmSync(path.join(clone, 'sprites', 'sprites', 'items', `${name}.png`));
  }
  await expect(build(options)).rejects.toThrow(
    'got 30 of 30 records with a new no-icon',
  );
  await build({ ...options, maxShrink });
  expect((await build(options)).changed).toBe(false);
});
