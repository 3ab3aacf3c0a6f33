import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { serve } from '../../../src/cli/commands/serve.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { API_PREFIX, listPageFile } from '../../../src/contract/paths.ts';
import { digestLines, encodeLine, removeUrl } from '../../../src/dataset/data-set.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { deploy } from '../../support/deployed.ts';
import { everyKind } from '../../support/kinds.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { rawRecords } from '../../support/sites.ts';
import { sharedSite, smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { itemAnswer, moveAnswer, tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

const BASE_URL = 'https://example.test';

type Json = Record<string, unknown>;

function edit(file: string, change: (json: Json) => unknown): void {
  const json: Json = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify(change(json) ?? json));
}

const { described, copied } = sharedSite({ baseUrl: BASE_URL }, rawRecords(8, 5));

function builtSite() {
  const out = copied();
  return { out, rebuild: () => build({ ...described, out }), file: (name: string) => path.join(out, name) };
}

describe('a site from another gamedata version', () => {
  it('is replaced, mirrored and served despite unknown fields', async () => {
    const { out, rebuild, file } = builtSite();
    edit(file('meta.json'), (json) => ({ ...json, power: 9000 }));
    listAsTheyAre(out);
    edit(file('manifest.json'), ({ files, ...json }) => ({
      ...json,
      power: 9000,
      files: (files as Json[]).map((entry) => ({ ...entry, mode: 'rw' })),
    }));
    const server = await deploy(out);
    const copy = await mirror({ from: server.url, out: path.join(temporaryFolder(), 'copy') });
    expect(copy.changed).toBe(true);
    await (await serve({ dir: out, port: 0 })).close();
    edit(file('meta.json'), (json) => ({ ...json, power: 9000 }));
    expect((await rebuild()).changed).toBe(true);
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('is compared field by field', async () => {
    const { out, rebuild, file } = builtSite();
    const digest = rewriteRecords(file);
    edit(file('meta.json'), (json) => ({ ...json, digest }));
    listAsTheyAre(out);
    await rebuild();
    const { steps } = JSON.parse(readFileSync(file('changes.json'), 'utf8'));
    expect(steps[0].totals).toEqual({ added: 0, removed: 0, renamed: 0, changed: 8 });
    expect(steps[0].changes.move.changed[0].fields).toEqual([
      { field: 'generation', from: null, to: 1 },
      { field: 'power', from: 40, to: null },
    ]);
  });

  it('keeps its history and old slugs if it lacks a kind', async () => {
    const answers = tinyUpstream(3, 0);
    const { url: upstream } = await serveUpstream(upstreamOf(answers));
    const out = path.join(temporaryFolder(), 'site');
    const rebuild = () =>
      build({ source: 'rest', upstream, baseUrl: BASE_URL, out, cache: false, maxShrink: 100 });
    await rebuild();
    answers.move[0] = moveAnswer(1, { name: 'renamed' });
    await rebuild();
    for (const name of ['meta.json', 'changes.json', 'former.json', 'names/index.json', 'names/fr.json']) {
      const without = (json: Json) =>
        JSON.parse(JSON.stringify(json, (key, own) => (key === 'item' ? undefined : own)));
      edit(path.join(out, name), without);
    }
    rmSync(path.join(out, API_PREFIX, 'item'), { recursive: true });
    listAsTheyAre(out);
    answers.item.push(itemAnswer(1));
    await rebuild();
    expect(verifyFolder(out).problems).toEqual([]);
    const read = (name: string) => JSON.parse(readFileSync(path.join(out, name), 'utf8'));
    expect(read('former.json')).toEqual(everyKind<object>({ move: { 'move-1': 1 } }, () => ({})));
    expect(read('changes.json').steps).toMatchObject([
      { from: { counts: { move: 3, item: 0 } }, totals: { added: 1, removed: 0, renamed: 0, changed: 0 } },
      { totals: { added: 0, removed: 0, renamed: 1, changed: 0 }, changes: { item: { added: [] } } },
    ]);
  });

  it('is rejected with a hint if its format is newer', async () => {
    const { out, rebuild, file } = builtSite();
    const refusal = {
      message: expect.stringContaining('has format 2, but this version of gamedata reads format 1'),
      hint: expect.stringContaining('Upgrade gamedata'),
    };
    for (const name of ['meta.json', 'manifest.json']) {
      edit(file(name), (json) => ({ ...json, format: 2 }));
      expect(() => verifyFolder(out)).toThrow(expect.objectContaining(refusal));
      edit(file(name), (json) => ({ ...json, format: name === 'meta.json' ? 1 : 2 }));
    }
    await expect(rebuild()).rejects.toMatchObject(refusal);
    const { url } = await deploy(out);
    await expect(mirror({ from: url, out: temporaryFolder() })).rejects.toMatchObject(refusal);
  });
});

/** Adds a field to every move and removes one. Returns the digest. */
const rewriteRecords = (file: (name: string) => string): string =>
  digestLines((kind) => {
    const page = file(listPageFile(kind, 0));
    const text = readFileSync(page, 'utf8').replaceAll(/"generation":1/g, '"power":40');
    writeFileSync(page, text);
    return JSON.parse(text).results.map(removeUrl).map(encodeLine).join('');
  });

it('replaces a snapshot from another gamedata version, and continues its history', async () => {
  const { upstream: data } = await smallSource(rawRecords(8, 5));
  const file = path.join(data, 'move.ndjson');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/,"generation":\d+/g, ''));
  const digest = digestLines((kind) => readFileSync(path.join(data, `${kind}.ndjson`)));
  edit(path.join(data, 'provenance.json'), (json) => ({ ...json, digest, tool: 'old' }));
  const { url } = await serveUpstream(upstreamOf(tinyUpstream()));
  await snapshot({ upstream: url, data, cache: false, maxShrink: 100 });
  const { steps } = JSON.parse(readFileSync(path.join(data, 'changes.json'), 'utf8'));
  expect(steps[0].totals).toMatchObject({ removed: 5 + 3, changed: 3 });
});
