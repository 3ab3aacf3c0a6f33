import { describe, expect, it } from 'vitest';
import type { DataSetSummary } from '../../src/contract/changes.ts';
import type { RawMove } from '../../src/sources/normalize.ts';
import { readPreviousSnapshot } from '../../src/sources/snapshot.ts';
import { encodeDataSet } from '../support/decode.ts';
import { namedEdition, stateNumber } from '../support/editions.ts';
import { deserted } from '../support/local-server.ts';
import { type Captured, type CaptureOptions, captured, snapshotFolder } from '../support/reading.ts';
import { dataSetOf, rawItem, rawMove, rawRecords } from '../support/sites.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/** A folder with so many moves, captured on a day. */
function snapshot(moves: number, captured = '2026-01-02'): string {
  const data = encodeDataSet(dataSetOf(rawRecords(moves, 2)));
  return snapshotFolder({ ...data, provenance: { ...data.provenance, captured } });
}

/** What was captured, as if it had been published with another description. */
const publishedAs = ({ records, former, history, ...data }: Captured, about: Partial<DataSetSummary>) => ({
  ...{ ...data, captured: '2025-05-05', edition: null, ...about, names: undefined },
  ...{ records: () => records, former: () => former, history: () => history },
});

describe('capturing', () => {
  it('reads the bundled snapshot, or the one that is named', async () => {
    const [bundled, named] = [snapshot(3), snapshot(4)];
    expect(await captured({ dataFolder: bundled })).toMatchObject({ counts: { move: 3 }, fallback: null });
    expect(await captured({ dataFolder: bundled, upstream: named })).toMatchObject({ counts: { move: 4 } });
  });

  it('keeps the day of a snapshot, whatever was published before', async () => {
    const previous = readPreviousSnapshot(snapshot(3, '2025-05-05'));
    const { provenance } = await captured({ dataFolder: snapshot(3), published: previous });
    expect(provenance.captured).toBe('2026-01-02');
  });

  it('keeps the day of what was published where nothing has changed', async () => {
    const server = await serveUpstream(upstreamOf(tinyUpstream()));
    const rest = { source: 'rest', upstream: server.url } as const;
    const first = await captured(rest);
    expect(first.provenance.captured).toBe('2026-03-04');
    const same = await captured({ ...rest, published: publishedAs(first, {}) });
    expect(same.provenance.captured).toBe('2025-05-05');
    const other = await captured({ ...rest, published: publishedAs(first, { digest: 'sha256:0' }) });
    expect(other.provenance.captured).toBe('2026-03-04');
  });

  it('never rewrites published dates, and dates a new step no earlier than the step before', async () => {
    const answers = tinyUpstream(30, 10);
    const server = await serveUpstream(upstreamOf(answers));
    const rest = { source: 'rest', upstream: server.url, today: '2026-03-04' } as const;
    const first = await captured(rest);
    for (const today of ['1970-01-01', '2025-12-04']) {
      const published = publishedAs(first, { captured: '2026-03-04' });
      const same = await captured({ ...rest, published, today });
      expect([same.provenance.captured, same.history]).toEqual(['2026-03-04', first.history]);
      expect(same.notices).toEqual([expect.stringMatching(`at ${today}, before .* of 2026-03-04, .* empty`)]);
    }
    Object.assign(answers.move[0] as Answer, { name: 'renamed' });
    const published = publishedAs(first, { captured: '2026-03-04' });
    const second = await captured({ ...rest, published, today: '1970-01-01' });
    expect(second.provenance.captured).toBe('2026-03-04');
    expect(second.history.steps).toMatchObject([
      { from: { captured: '2026-03-04' }, to: { captured: '2026-03-04' } },
    ]);
  });

  it('of data that is too old fails, from an upstream as from a snapshot', async () => {
    const data = upstreamOf(tinyUpstream());
    const named = await serveUpstream(data, { stateOf: () => stateNumber(7, data) });
    const deployed = { source: 'rest', upstream: named.url, today: '2026-04-17' } as const;
    const first = await captured({ ...deployed, maxAge: 10 });
    await expect(captured({ ...deployed, maxAge: 9 })).rejects.toThrow(
      'got data deployed on 2026-04-07, 10 days ago, expected at most 9',
    );
    // First seen long ago, and deployed anew since without a change.
    const published = publishedAs(first, { edition: namedEdition(1) });
    expect(await captured({ ...deployed, maxAge: 10, published })).toMatchObject({
      provenance: { captured: '2025-05-05', edition: namedEdition(1) },
    });

    const nameless = { source: 'rest', upstream: (await serveUpstream(data)).url, maxAge: 30 } as const;
    expect(await captured(nameless)).toMatchObject({ provenance: { captured: '2026-03-04' } });
    await expect(captured({ ...nameless, published })).rejects.toThrow(
      'got data captured on 2025-05-05, 303 days ago, expected at most 30',
    );
    await expect(captured({ dataFolder: snapshot(3), maxAge: 60 })).rejects.toThrow('captured on 2026-01-02');
  });
});

describe('capturing where nothing is published', () => {
  const unguarded = [expect.stringMatching(/^no earlier data is known, not even a bundled data set/)];

  async function upstream() {
    const answers = tinyUpstream(3, 2);
    const server = await serveUpstream(upstreamOf(answers));
    const rest = { source: 'rest', upstream: server.url } as const;
    const bundled = snapshotFolder(await captured(rest));
    return { answers, rest, bundled };
  }

  it('says that it is unguarded if there is no bundled data set either', async () => {
    const { rest, bundled } = await upstream();
    expect(await captured(rest)).toMatchObject({ notices: unguarded, isCached: false, fallback: null });
    expect((await captured({ ...rest, dataFolder: bundled })).notices).toEqual([]);
    expect((await captured({ upstream: bundled })).notices).toEqual([]);
  });

  it('goes on from the bundled data set of the same upstream, unless its history is to be forgotten', async () => {
    const { answers, rest, bundled } = await upstream();
    Object.assign(answers.move[0] as Answer, { name: 'renamed' });
    const next = await captured({ ...rest, dataFolder: bundled });
    expect(next.history.steps).toMatchObject([{ totals: { renamed: 1 } }]);
    expect(next.steps).toEqual(next.history.steps);
    expect([...next.former.move]).toEqual([['move-1', 1]]);
    answers.move.pop();
    await expect(captured({ ...rest, dataFolder: bundled })).rejects.toThrow('got 1 of 3 records missing');
    const anew = await captured({ ...rest, dataFolder: bundled, maxShrink: 50, forgetHistory: true });
    expect(anew.history.steps).toMatchObject([{ totals: { renamed: 1, removed: 1 } }]);
  });

  it('takes no more than the size of that of another upstream', async () => {
    const { answers, bundled } = await upstream();
    Object.assign(answers.move[0] as Answer, { name: 'renamed' });
    const other = await serveUpstream(upstreamOf(answers));
    const rest = { source: 'rest', upstream: other.url, dataFolder: bundled } as const;
    const first = await captured(rest);
    expect([first.history.steps, first.notices, first.former.move.size]).toEqual([[], [], 0]);
    answers.move.pop();
    await expect(captured(rest)).rejects.toThrow('got 1 of 3 records missing');
  });

  it('tells whoever wants to know that it fell back, and why', async () => {
    const { bundled } = await upstream();
    const gone = { source: 'auto', upstream: await deserted(), dataFolder: bundled } as const;
    const told: (string | Error | undefined)[] = [];
    const { fallback } = await captured({ ...gone, onFallback: (...all) => told.push(...all) });
    expect(told).toEqual([fallback, expect.objectContaining({ code: 'upstream' })]);
    expect(fallback).toMatch(/ could not be reached: built from bundled data of /);
    expect(await captured(gone)).toMatchObject({ fallback });
    await captured({ dataFolder: bundled, onFallback: () => expect.unreachable() });
  });
});

describe('capturing names', () => {
  const named = (...move: RawMove[]) =>
    snapshotFolder(encodeDataSet(dataSetOf({ move, item: [rawItem(1)] })));
  const both = () => ({
    before: named(rawMove(1, { names: { fr: 'Un' } }), rawMove(2, { names: { fr: 'Deux' } })),
    after: named(rawMove(1, { names: { fr: 'UN' } }), rawMove(2)),
  });
  const over = (upstream: string, before: string, options: CaptureOptions = {}) =>
    captured({ upstream, published: readPreviousSnapshot(before), ...options });

  it('compares them with the previous ones', async () => {
    const { before, after } = both();
    const nameChanges = [{ language: 'fr', before: 2, lost: 1, changed: 2 }];
    expect(await over(after, before, { maxShrink: 50 })).toMatchObject({ nameChanges });
  });

  it('finds no change where there is none, where nothing is known of before, or where none are wanted', async () => {
    const { before, after } = both();
    expect(await over(before, before)).toMatchObject({ nameChanges: [] });
    expect(await captured({ upstream: after })).toMatchObject({ nameChanges: [], notices: [] });
    expect(await over(after, before, { hasNames: false })).toMatchObject({ nameChanges: [] });
  });
});
