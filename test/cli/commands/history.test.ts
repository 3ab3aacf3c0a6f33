import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { type History, historySchema } from '../../../src/contract/changes.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { feedProblems } from '../../support/atom.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { type Answer, tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Sites and snapshots of an upstream that changes from day to day. */
async function operator() {
  const answers = tinyUpstream();
  const server = await serveUpstream(upstreamOf(answers));
  const folder = temporaryFolder();
  const shared = {
    source: 'rest',
    upstream: server.url,
    cache: false,
    baseUrl: 'https://example.test',
  } as const;
  const on = (day: string) => vi.stubEnv('SOURCE_DATE_EPOCH', String(Date.parse(day) / 1000));
  on('2026-01-01');
  return {
    answers,
    on,
    rename: (name: string) => Object.assign(answers.move[1] as Answer, { name }),
    report: (name: string) => build({ ...shared, out: path.join(folder, name) }),
    build: async (name = 'site', options: Parameters<typeof build>[0] = {}) => {
      const out = path.join(folder, name);
      // The bundled data set has more records.
      const maxShrink = existsSync(out) ? undefined : 100;
      await build({ ...shared, maxShrink, ...options, out });
      return out;
    },
    snapshot: async (name = 'data') => {
      const data = path.join(folder, name);
      const { baseUrl: _, ...reading } = shared;
      await snapshot({ ...reading, maxShrink: existsSync(data) ? undefined : 100, data });
      return data;
    },
  };
}

const read = (folder: string, file: string): string => readFileSync(path.join(folder, file), 'utf8');
const historyIn = (folder: string): History => historySchema.parse(JSON.parse(read(folder, 'changes.json')));
/** The days and renamed records of each step. */
const stepsIn = (folder: string) =>
  historyIn(folder).steps.map(({ from, to, changes }) => {
    const renamed = changes.move.renamed.map((one) => `${one.from} → ${one.to}`);
    return [from.captured, to.captured, ...renamed].join(' ');
  });

describe('a site', () => {
  it('continues the history of the published site', async () => {
    const { build, rename, on } = await operator();
    const site = await build();
    expect(stepsIn(site)).toEqual([]);
    expect(read(site, 'moved.json')).toBe('{}');
    expect(await feedProblems(read(site, 'changes.atom'))).toEqual([]);
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
    expect(await feedProblems(read(site, 'changes.atom'))).toEqual([]);
    expect(verifyFolder(site)).toMatchObject({ problems: [] });
  });

  it('keeps its dates if the clock is behind', async () => {
    const { build, rename, report } = await operator();
    vi.stubEnv('SOURCE_DATE_EPOCH', undefined);
    onTestFinished(() => void vi.useRealTimers());
    const today = new Date().toISOString().slice(0, 10);
    const site = await build();
    rename('second-name');
    await build();
    const before = fingerprint(site);
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const { captured, changed, notices } = await report('site');
    expect({ captured, changed }).toEqual({ captured: today, changed: false });
    expect(notices).toEqual([expect.stringContaining(`before the published data of ${today}`)]);
    expect(fingerprint(site)).toEqual(before);
    rename('third-name');
    await build();
    expect(stepsIn(site)[0]).toBe(`${today} ${today} second-name → third-name`);
  });

  it.each([
    ['a history', ['changes.json'], ['2026-01-01 2026-01-01 second-name → third-name']],
    ['a description and a history', ['meta.json', 'changes.json'], []],
  ])('starts a new history but keeps redirects if %s is damaged', async (_, files, steps) => {
    const { build, report, rename } = await operator();
    await build();
    rename('second-name');
    const site = await build();
    for (const file of files) writeFileSync(path.join(site, file), '{');
    rename('third-name');
    expect((await report('site')).notices).toEqual([expect.stringContaining('starts again')]);
    expect(stepsIn(site)).toEqual(steps);
    expect(Object.keys(JSON.parse(read(site, 'moved.json')))).toEqual([
      '/api/gamedata/move/move-2/',
      '/api/gamedata/move/second-name/',
    ]);
    expect(verifyFolder(site)).toMatchObject({ problems: [] });
  });
});

describe('a snapshot', () => {
  it('provides its history to every site', async () => {
    const { build, snapshot, rename, on } = await operator();
    await snapshot();
    on('2026-01-02');
    rename('second-name');
    const data = await snapshot();
    expect(stepsIn(data)).toEqual(['2026-01-01 2026-01-02 move-2 → second-name']);

    const options = { source: 'snapshot', upstream: data } as const;
    const fresh = await build('fresh', options);
    expect(read(fresh, 'changes.json')).toBe(read(data, 'changes.json'));
    expect(verifyFolder(fresh)).toMatchObject({ problems: [] });
    // This machine built an earlier data set and then the snapshot.
    rename('move-2');
    const used = await build('used');
    await build('used', options);
    expect(read(used, 'manifest.json')).toBe(read(fresh, 'manifest.json'));
  });
});
