import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { type CaptureOptions, capture } from '../../src/sources/capture.ts';
import { previousOfSnapshot, snapshotFiles } from '../../src/sources/snapshot.ts';
import { encodeDataSet } from '../support/decode.ts';
import { namedEdition, stateNumber } from '../support/editions.ts';
import { dataSetOf, rawRecords } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/** A folder with so many moves, captured on a day. */
function snapshot(moves: number, captured = '2026-01-02'): string {
  const folder = path.join(temporaryFolder(), 'data');
  const data = dataSetOf(rawRecords(moves, 2));
  const encoded = encodeDataSet({ ...data, provenance: { ...data.provenance, captured } });
  for (const file of snapshotFiles(encoded)) fsExtra.outputFileSync(path.join(folder, file.path), file.body);
  return folder;
}

const captured = (options: Partial<CaptureOptions>) =>
  capture({
    source: 'snapshot',
    upstream: undefined,
    concurrency: 2,
    retries: 0,
    dataFolder: 'unused',
    cacheFolder: undefined,
    today: '2026-03-04',
    maxShrink: 0,
    allowMissing: [],
    published: undefined,
    ...options,
  });

describe('capturing', () => {
  it('reads the bundled snapshot, or the one that is named', async () => {
    const [bundled, named] = [snapshot(3), snapshot(4)];
    expect(await captured({ dataFolder: bundled })).toMatchObject({ counts: { move: 3 }, fallback: null });
    expect(await captured({ dataFolder: bundled, upstream: named })).toMatchObject({ counts: { move: 4 } });
  });

  it('keeps the day of a snapshot, whatever was published before', async () => {
    const previous = previousOfSnapshot(snapshot(3, '2025-05-05'));
    const { provenance } = await captured({ dataFolder: snapshot(3), published: previous });
    expect(provenance.captured).toBe('2026-01-02');
  });

  it('keeps the day of what was published where nothing has changed', async () => {
    const server = await serveUpstream(upstreamOf(tinyUpstream()));
    const rest = { source: 'rest', upstream: server.url } as const;
    const first = await captured(rest);
    expect(first.provenance.captured).toBe('2026-03-04');
    const previous = (digest: string) => ({
      ...first,
      digest,
      captured: '2025-05-05',
      edition: null,
      names: undefined,
      records: () => first.records,
      former: () => first.former,
      history: () => first.history,
    });
    const same = await captured({ ...rest, published: previous(first.digest) });
    expect(same.provenance.captured).toBe('2025-05-05');
    const other = await captured({ ...rest, published: previous('sha256:0') });
    expect(other.provenance.captured).toBe('2026-03-04');
  });

  it('of data that is too old fails, from an upstream as from a snapshot', async () => {
    const data = upstreamOf(tinyUpstream());
    const named = await serveUpstream(data, { stateOf: () => stateNumber(7, data) });
    const deployed = { source: 'rest', upstream: named.url, today: '2026-04-17' } as const;
    const first = await captured({ ...deployed, maxAge: 10 });
    await expect(captured({ ...deployed, maxAge: 9 })).rejects.toThrow(
      'got data deployed on 2026-04-07, 10 days ago: expected at most 9',
    );
    // First seen long ago, and deployed anew since without a change.
    const published = {
      ...first,
      captured: '2025-05-05',
      edition: namedEdition(1),
      names: undefined,
      records: () => first.records,
      former: () => first.former,
      history: () => first.history,
    };
    expect(await captured({ ...deployed, maxAge: 10, published })).toMatchObject({
      provenance: { captured: '2025-05-05', edition: namedEdition(1) },
    });

    const nameless = { source: 'rest', upstream: (await serveUpstream(data)).url, maxAge: 30 } as const;
    expect(await captured(nameless)).toMatchObject({ provenance: { captured: '2026-03-04' } });
    await expect(captured({ ...nameless, published })).rejects.toThrow(
      'got data captured on 2025-05-05, 303 days ago: expected at most 30',
    );
    await expect(captured({ dataFolder: snapshot(3), maxAge: 60 })).rejects.toThrow('captured on 2026-01-02');
  });
});
