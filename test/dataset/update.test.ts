import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DataSetSummary } from '../../src/contract/changes.ts';
import { encodeOldSlugs, noOldSlugs } from '../../src/dataset/old-slugs.ts';
import type { RawRecord } from '../../src/sources/normalize.ts';
import { readPreviousSnapshot } from '../../src/sources/snapshot.ts';
import { encodeDataSet } from '../support/decode.ts';
import { namedEdition, stateNumber } from '../support/editions.ts';
import { type Captured, type CaptureOptions, captured, snapshotFolder } from '../support/reading.ts';
import { dataSetOf, rawItem, rawMove, rawRecords } from '../support/sites.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

function createSnapshot(moves: number, captured = '2026-01-02'): string {
  const data = encodeDataSet(dataSetOf(rawRecords(moves, 2)));
  return snapshotFolder({ ...data, provenance: { ...data.provenance, captured } });
}

async function serveTiny(moves = 3, items = 2) {
  const answers = tinyUpstream(moves, items);
  const { url } = await serveUpstream(upstreamOf(answers));
  return { answers, rest: { source: 'rest', upstream: url } as const };
}
const rename = ({ move: [first] }: { move: Answer[] }) => Object.assign(first ?? {}, { name: 'renamed' });

/** Returns a data set as if it had been published with another description. */
const publish = ({ records, oldSlugs, history, ...data }: Captured, about: Partial<DataSetSummary> = {}) => ({
  ...{ ...data, captured: '2025-05-05', edition: null, ...about, names: undefined },
  ...{ records: () => records, oldSlugs: () => oldSlugs, history: () => history },
});

describe('the capture date', () => {
  it('stays the same for a snapshot', async () => {
    const published = readPreviousSnapshot(createSnapshot(3, '2025-05-05'));
    const { provenance } = await captured({ dataFolder: createSnapshot(3), published });
    expect(provenance.captured).toBe('2026-01-02');
  });

  it('stays the same for unchanged data, and becomes today for changed data', async () => {
    const { rest } = await serveTiny();
    const first = await captured(rest);
    expect(first.provenance.captured).toBe('2026-03-04');
    for (const [about, date] of [
      [{}, '2025-05-05'],
      [{ digest: 'sha256:0' }, '2026-03-04'],
    ] as const) {
      const { provenance } = await captured({ ...rest, published: publish(first, about) });
      expect(provenance.captured).toBe(date);
    }
  });

  it('never moves back, even if the clock is behind', async () => {
    const { answers, rest } = await serveTiny(30, 10);
    const first = await captured({ ...rest, today: '2026-03-04' });
    const published = publish(first, { captured: '2026-03-04' });
    for (const today of ['1970-01-01', '2025-12-04']) {
      const same = await captured({ ...rest, published, today });
      expect([same.provenance.captured, same.history]).toEqual(['2026-03-04', first.history]);
      expect(same.notices).toEqual([expect.stringMatching(`at ${today}, before .* of 2026-03-04, .* empty`)]);
    }
    rename(answers);
    const second = await captured({ ...rest, published, today: '1970-01-01' });
    expect(second.provenance.captured).toBe('2026-03-04');
    const step = { from: { captured: '2026-03-04' }, to: { captured: '2026-03-04' } };
    expect(second.history.steps).toMatchObject([step]);
  });

  it("determines the data's age, unless the upstream names a deployment", async () => {
    const data = upstreamOf(tinyUpstream());
    const named = await serveUpstream(data, { stateOf: () => stateNumber(7, data) });
    const deployed = { source: 'rest', upstream: named.url, today: '2026-04-17' } as const;
    const first = await captured({ ...deployed, maxAge: 10 });
    await expect(captured({ ...deployed, maxAge: 9 })).rejects.toThrow(
      'got data deployed on 2026-04-07, 10 days ago, expected at most 9',
    );
    const published = publish(first, { edition: namedEdition(1) });
    expect(await captured({ ...deployed, maxAge: 10, published })).toMatchObject({
      provenance: { captured: '2025-05-05', edition: namedEdition(1) },
    });
    const { rest } = await serveTiny();
    expect(await captured({ ...rest, maxAge: 30 })).toMatchObject({ provenance: { captured: '2026-03-04' } });
    await expect(captured({ ...rest, maxAge: 30, published })).rejects.toThrow(
      'got data captured on 2025-05-05, 303 days ago, expected at most 30',
    );
    await expect(captured({ dataFolder: createSnapshot(3), maxAge: 60 })).rejects.toThrow(
      'captured on 2026-01-02',
    );
  });
});

describe('the bundled data set', () => {
  async function bundle() {
    const { answers, rest } = await serveTiny();
    const dataFolder = snapshotFolder(await captured(rest));
    return { answers, rest, bundled: { ...rest, dataFolder }, dataFolder };
  }

  it('guards a first build, which prints a notice if no data is bundled', async () => {
    const { rest, bundled, dataFolder } = await bundle();
    const notices = [expect.stringMatching(/^neither published nor bundled data exists/)];
    expect(await captured(rest)).toMatchObject({ notices, isCached: false, fallback: null });
    expect((await captured(bundled)).notices).toEqual([]);
    expect((await captured({ upstream: dataFolder })).notices).toEqual([]);
  });

  it('provides the history for the same upstream, unless --forget-history is set', async () => {
    const { answers, bundled } = await bundle();
    rename(answers);
    const next = await captured(bundled);
    expect(next.history.steps).toMatchObject([{ totals: { renamed: 1 } }]);
    expect(next.steps).toEqual(next.history.steps);
    expect([...next.oldSlugs.move]).toEqual([['move-1', 1]]);
    answers.move.pop();
    await expect(captured(bundled)).rejects.toThrow('got 1 of 3 records missing');
    const forgetful = await captured({ ...bundled, maxShrink: 50, forgetHistory: true });
    expect(forgetful.history.steps).toMatchObject([{ totals: { renamed: 1, removed: 1 } }]);
  });

  it('provides only its record counts and the old slugs of equal records for another upstream', async () => {
    const { dataFolder } = await bundle();
    const old = { ...noOldSlugs, move: new Map(Object.entries({ 'old-1': 1, 'old-2': 2 })) };
    writeFileSync(path.join(dataFolder, 'former.json'), encodeOldSlugs(old));
    const { answers, rest } = await serveTiny();
    rename(answers);
    const first = await captured({ ...rest, dataFolder });
    expect([first.history.steps, first.notices]).toEqual([[], []]);
    expect(first.oldSlugs).toEqual({ ...noOldSlugs, move: new Map([['old-2', 2]]) });
    answers.move.pop();
    await expect(captured({ ...rest, dataFolder })).rejects.toThrow('got 1 of 3 records missing');
  });
});

describe('names', () => {
  const writeNamed = (...move: RawRecord<'move'>[]) =>
    snapshotFolder(encodeDataSet(dataSetOf({ move, item: [rawItem(1)] })));
  const writeAll = () => ({
    before: writeNamed(rawMove(1, { names: { fr: 'Un' } }), rawMove(2, { names: { fr: 'Deux' } })),
    after: writeNamed(rawMove(1, { names: { fr: 'UN' } }), rawMove(2)),
  });

  it.each<[what: string, upstream: 'before' | 'after', options: CaptureOptions, nameChanges: object[]]>([
    ['changed', 'after', { maxShrink: 50 }, [{ language: 'fr', before: 2, lost: 1, changed: 2 }]],
    ['unchanged', 'before', {}, []],
    ['omitted', 'after', { hasNames: false }, []],
    ['new', 'after', { published: undefined }, []],
  ])('are compared with the published names: %s', async (_, upstream, options, nameChanges) => {
    const folders = writeAll();
    const published = readPreviousSnapshot(folders.before);
    const next = await captured({ upstream: folders[upstream], published, ...options });
    expect(next).toMatchObject({ nameChanges });
  });
});
