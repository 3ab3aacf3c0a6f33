import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import type { Kind } from '../../src/contract/kinds.ts';
import { stateNumber } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';
import { loadFrom } from '../support/reading.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import type { UpstreamOptions } from '../support/upstream-server.ts';

/** Adds an empty list for each kind that is missing. */
const ids = (some: Partial<Record<Kind, number[]>>): Record<Kind, number[]> =>
  everyKind(some, () => []);

/** Serves an upstream that has one edition. */
async function startScene(options: UpstreamOptions = {}) {
  const answers = tinyUpstream();
  const data = upstreamOf(answers);
  const server = await serveUpstream(data, {
    stateOf: () => stateNumber(1, data),
    ...options,
  });
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  const capture = (skip: string[] = []) =>
    snapshot({
      upstream: server.url,
      cache: temporaryFolder(),
      maxShrink: 100,
      skip,
      data: at('data'),
    });
  return { answers, data, server, at, capture };
}

describe('--skip', () => {
  it('does not request a skipped record', async () => {
    const { server } = await startScene();
    const skipped = ids({ item: [2] });
    const { dataSet } = await loadFrom('rest', server.url, { skip: skipped });
    expect(dataSet).toMatchObject({
      counts: { move: 3, item: 1 },
      provenance: { skipped },
    });
    expect(server.log.map((request) => request.path)).not.toContain(
      '/api/v2/item/2/',
    );
  });

  async function startBuilds() {
    const { server, at } = await startScene();
    const common = {
      source: 'rest',
      upstream: server.url,
      cache: at('cache'),
      out: at('site'),
    } as const;
    const readMeta = () => JSON.parse(readFileSync(at('site/meta.json'), 'utf8'));
    await build({ ...common, maxShrink: 100 });
    const strictOptions = { ...common, maxShrink: 0 };
    return { strictOptions, readMeta };
  }

  it('lists a skipped record in meta.json instead of reporting it as missing', async () => {
    const { strictOptions, readMeta } = await startBuilds();
    const report = await build({ ...strictOptions, skip: ['item/2', 'item/2'] });
    expect(report).toMatchObject({
      changed: true,
      data: { counts: { item: 1 } },
    });
    expect(readMeta().skipped).toEqual(ids({ item: [2] }));
  });

  it('includes a record again in a later build without --skip', async () => {
    const { strictOptions, readMeta } = await startBuilds();
    await build({ ...strictOptions, skip: ['item/2'] });
    const report = await build(strictOptions);
    expect(report.data.counts.item).toBe(2);
    expect(readMeta()).not.toHaveProperty('skipped');
  });

  it('lists the records that were skipped when a snapshot was captured', async () => {
    const { at, capture } = await startScene();
    await capture(['item/2', 'move/3']);
    const { dataSet } = await loadFrom('snapshot', at('data'));
    expect(dataSet.provenance.skipped).toEqual(ids({ move: [3], item: [2] }));
  });

  it('reports a notice about skipped records that do not exist', async () => {
    const { at, data, server } = await startScene();
    writeTables(at('tables'), tablesOf(data));
    const skip = ids({ move: [1], item: [1, 77] });
    const sources = { rest: server.url, csv: at('tables') };
    for (const [source, upstream] of Object.entries(sources)) {
      const result = await loadFrom(source as 'rest', upstream, { skip });
      expect(result.notices?.[0]).toBe(
        '--skip names records that do not exist: item/77',
      );
      expect(result.dataSet.counts).toMatchObject({ move: 2, item: 1 });
    }
  });

  it.each(['item', 'item/potion', 'item/0', 'thing/1'])(
    'rejects the argument %s for --skip',
    async (name) => {
      await expect(build({ source: 'snapshot', skip: [name] })).rejects.toThrow(
        `--skip: got "${name}", expected <kind>/<id>, such as item/17`,
      );
    },
  );
});
