import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { type History, historySchema } from '../../src/contract/changes.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

afterEach(() => void vi.unstubAllEnvs());

/**
 * Creates functions that build a site and a snapshot of an upstream that changes
 * from day to day.
 */
async function operator() {
  const answers = tinyUpstream();
  const { url: upstream } = await serveUpstream(upstreamOf(answers));
  const folder = temporaryFolder();
  const [site, data] = [path.join(folder, 'site'), path.join(folder, 'data')];
  // The bundled data set has more records than this upstream, so the guard would
  // reject the build.
  const shared = {
    source: 'rest',
    upstream,
    cache: temporaryFolder(),
    maxShrink: 100,
  } as const;
  const on = (day: string) =>
    vi.stubEnv('SOURCE_DATE_EPOCH', String(Date.parse(day) / 1000));
  on('2026-01-01');
  return {
    ...{ site, data, on },
    rename: (name: string) => Object.assign(answers.move[1] as Answer, { name }),
    build: (options: Parameters<typeof build>[0] = {}) =>
      build({ ...shared, baseUrl: 'https://example.test', out: site, ...options }),
    snapshot: () => snapshot({ ...shared, data }),
  };
}

const read = (folder: string, file: string): string =>
  readFileSync(path.join(folder, file), 'utf8');
const historyIn = (folder: string): History =>
  historySchema.parse(JSON.parse(read(folder, 'changes.json')));
/** Returns the dates and the renamed records of each step in the history. */
const stepsIn = (folder: string) =>
  historyIn(folder).steps.map(({ from, to, changes }) => {
    const renamed = changes.move.renamed.map((one) => `${one.from} → ${one.to}`);
    return [from.captured, to.captured, ...renamed].join(' ');
  });

describe("a site's history", () => {
  it("continues the published site's history", async () => {
    const { site, build, rename, on } = await operator();
    await build();
    expect([stepsIn(site), read(site, 'moved.json')]).toEqual([[], '{}']);
    on('2026-01-02');
    rename('second-name');
    await build();
    on('2026-01-03');
    rename('third-name');
    await build();
    expect(stepsIn(site)).toEqual([
      '2026-01-02 2026-01-03 second-name → third-name',
      '2026-01-01 2026-01-02 move-2 → second-name',
    ]);
    expect(JSON.parse(read(site, 'moved.json'))).toEqual({
      '/api/gamedata/move/move-2/': '/api/gamedata/move/third-name/',
      '/api/gamedata/move/second-name/': '/api/gamedata/move/third-name/',
    });
    expect(await verifyFolder(site)).toMatchObject({ problems: [] });
  });
});

it("copies a snapshot's history into a new site", async () => {
  const { site, data, build, snapshot, rename, on } = await operator();
  await snapshot();
  on('2026-01-02');
  rename('second-name');
  await snapshot();
  expect(stepsIn(data)).toEqual(['2026-01-01 2026-01-02 move-2 → second-name']);
  await build({ source: 'snapshot', upstream: data });
  expect(read(site, 'changes.json')).toBe(read(data, 'changes.json'));
  expect(Object.keys(JSON.parse(read(site, 'moved.json')))).toEqual([
    '/api/gamedata/move/move-2/',
  ]);
});
