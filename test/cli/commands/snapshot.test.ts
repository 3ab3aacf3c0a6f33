import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { readDataSet } from '../../../src/data/data-set-folder.ts';
import { openDataSet } from '../../../src/site-folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { everyKind } from '../../support/kinds.ts';
import { startServer, status } from '../../support/local-server.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';

const createOptions = (upstream: string) =>
  ({
    upstream,
    data: path.join(temporaryFolder(), 'data'),
    cache: temporaryFolder(),
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
    expect(await readDataSet(openDataSet(options.data))).toMatchObject({
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

  it('reads a data set whose publication was interrupted', async () => {
    const source = await smallSource();
    const next = path.join(source.upstream, '.gamedata/next');
    mkdirSync(next, { recursive: true });
    // The description is moved last, so this change is committed but not complete.
    const description = path.join(source.upstream, 'dataset.json');
    renameSync(description, path.join(next, 'dataset.json'));
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
