import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { resolveWorkPaths } from '../../../src/publish/work-paths.ts';
import { openSnapshot } from '../../../src/sources/snapshot.ts';
import { expectedRecords } from '../../support/expected.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { deserted } from '../../support/local-server.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

const BASE_URL = 'https://example.test';

function snapshotOptions(upstream: string) {
  return { upstream, data: path.join(temporaryFolder(), 'data'), cache: false } as const;
}

describe('snapshot', () => {
  it('writes the records, provenance and license of an upstream', async () => {
    const data = upstreamOf(tinyUpstream());
    const server = await serveUpstream(data);
    const options = snapshotOptions(server.url);

    const report = await snapshot({ ...options, maxShrink: 100 });

    const { records, provenance } = openSnapshot(options.data).data();
    for (const kind of ['move', 'item'] as const) {
      const expected = expectedRecords(data, kind, BASE_URL).map(
        ({ record: { url: _, ...record } }) => record,
      );
      expect(JSON.stringify(records[kind])).toBe(JSON.stringify(expected));
    }
    expect(provenance).toMatchObject({ source: 'rest', upstream: server.url });
    expect(report).toMatchObject({ source: 'rest', out: options.data, counts: { move: 3, item: 2 } });
    expect(readFileSync(path.join(options.data, 'LICENSE.txt'), 'utf8')).toContain('Redistribution and use');
  });

  it('changes nothing, including the date, if the data is the same', async () => {
    const server = await serveUpstream(upstreamOf(tinyUpstream()));
    const options = snapshotOptions(server.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000');
    await snapshot({ ...options, maxShrink: 100 });
    const before = fingerprint(options.data);

    vi.stubEnv('SOURCE_DATE_EPOCH', '1800000000');
    expect(await snapshot(options)).toMatchObject({ changed: false, captured: '2023-11-14' });

    expect(fingerprint(options.data)).toEqual(before);
  });

  it('rejects a source folder that an interrupted run left incomplete', async () => {
    const { upstream, ...options } = await smallSource();
    fsExtra.ensureDirSync(resolveWorkPaths(upstream).setAside);
    const data = path.join(temporaryFolder(), 'data');
    // A second passes.
    let now = 0;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 600));
    await expect(snapshot({ ...options, source: 'snapshot', upstream, data })).rejects.toThrow(
      `${upstream}: is being changed`,
    );
  });

  it('fails without falling back', async () => {
    const options = snapshotOptions(await deserted());
    await expect(snapshot({ ...options, retries: 0 })).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(options.data)).toBe(false);
  });
});
