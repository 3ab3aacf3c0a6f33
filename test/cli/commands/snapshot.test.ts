import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { openSnapshot } from '../../../src/sources/snapshot.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { everyKind } from '../../support/kinds.ts';
import { startServer, status } from '../../support/local-server.ts';
import { leaveCommitted } from '../../support/publishing.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

const createOptions = (upstream: string) =>
  ({
    upstream,
    data: path.join(temporaryFolder(), 'data'),
    cache: false,
    maxShrink: 100,
  }) as const;

describe('snapshot', () => {
  it('writes the records, their provenance and the license', async () => {
    const { url: upstream } = await serveUpstream(upstreamOf(tinyUpstream()));
    const options = createOptions(upstream);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000');
    const report = await snapshot(options);
    const { digest } = report.data;
    const counts = everyKind({ move: 3, item: 2 }, () => 1);
    const captured = '2023-11-14';
    expect(report).toMatchObject({
      out: options.data,
      changed: true,
      data: { source: 'rest', counts },
    });
    const provenance = { source: 'rest', upstream, captured, edition: null };
    expect(openSnapshot(options.data).data()).toMatchObject({
      digest,
      counts,
      provenance,
    });
    expect(readFileSync(path.join(options.data, 'LICENSE.txt'), 'utf8')).toContain(
      'Redistribution and use',
    );
  });

  it('keeps all files and the capture date if the data has not changed', async () => {
    const { url: upstream } = await serveUpstream(upstreamOf(tinyUpstream()));
    const options = createOptions(upstream);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000');
    await snapshot(options);
    const before = fingerprint(options.data);
    vi.stubEnv('SOURCE_DATE_EPOCH', '1800000000');
    const report = await snapshot(options);
    expect(report).toMatchObject({
      changed: false,
      data: { captured: '2023-11-14' },
    });
    expect(fingerprint(options.data)).toEqual(before);
  });

  it('reads a source folder that an interrupted command left incomplete', async () => {
    const source = await smallSource();
    leaveCommitted(source.upstream);
    rmSync(path.join(source.upstream, 'manifest.json'));
    const options = createOptions(source.upstream);
    expect(await snapshot({ ...options, ...source })).toMatchObject({
      changed: true,
    });
  });

  it('fails instead of using the bundled data if the upstream cannot be read', async () => {
    const { url } = await startServer(status(400));
    const options = createOptions(url);
    await expect(snapshot(options)).rejects.toThrow('got 400');
    expect(existsSync(options.data)).toBe(false);
  });
});
