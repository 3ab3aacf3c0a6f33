import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { UsageError } from '../../src/errors.ts';
import { stateNumber, withoutEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import type { UpstreamOptions } from '../support/upstream-server.ts';

/** Serves an upstream, by default with one edition. */
async function scene(options: UpstreamOptions = {}) {
  const answers = tinyUpstream();
  const data = upstreamOf(answers);
  const server = await serveUpstream(data, { stateOf: () => stateNumber(1, data), ...options });
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  const reading = { upstream: server.url, cache: at('cache'), retries: 0, maxShrink: 100 } as const;
  const rest = { ...reading, source: 'rest', out: at('site') } as const;
  const readMeta = (name = 'site') => JSON.parse(readFileSync(at(`${name}/meta.json`), 'utf8'));
  return { answers, data, server, at, reading, rest, readMeta };
}

describe('--skip', () => {
  it('prevents requests for a record, and is listed in meta.json', async () => {
    const { rest, server, readMeta } = await scene({
      fault: ({ url }, response) => url === '/api/v2/item/2/' && Boolean(response.writeHead(500).end()),
    });
    await expect(build(rest)).rejects.toThrow('got 500');
    const from = server.log.length;
    await build({ ...rest, skip: ['item/2', 'item/2'] });
    const skipped = { move: [], item: [2] };
    expect(readMeta()).toMatchObject({ counts: { move: 3, item: 1 }, skipped });
    expect(server.log.slice(from).map((request) => request.path)).not.toContain('/api/v2/item/2/');
  });

  it('does not report the record as missing, and includes it again without the option', async () => {
    const { rest, readMeta } = await scene();
    await build(rest);
    const strict = { ...rest, maxShrink: 0 };
    const without = await build({ ...strict, skip: ['item/2'] });
    expect(without).toMatchObject({ changed: true, missing: { move: [], item: [] }, counts: { item: 1 } });
    expect((await build(strict)).counts.item).toBe(2);
    expect(readMeta()).not.toHaveProperty('skipped');
    expect((await build({ ...strict, skip: ['item/2'] })).counts.item).toBe(1);
  });

  it('removes records from a snapshot that already lacks other records', async () => {
    const { at, reading, readMeta } = await scene();
    await snapshot({ ...reading, skip: ['item/2', 'move/3'], data: at('data') });
    const copy = { source: 'snapshot', upstream: at('data') } as const;
    const rows: [skip: string[], move: number[]][] = [
      [[], [3]],
      [
        ['move/1', 'move/3'],
        [1, 3],
      ],
    ];
    for (const [skip, move] of rows) {
      await build({ ...copy, skip, out: at('site') });
      expect(readMeta().skipped).toEqual(everyKind({ move, item: [2] }, () => []));
    }
  });

  it("removes the record's warnings, and all history", async () => {
    const { answers, at, reading } = await scene();
    Object.assign(answers.item[0] ?? {}, { names: [] });
    await snapshot({ ...reading, cache: false, data: at('data') });
    Object.assign(answers.move[0] ?? {}, { name: 'renamed' });
    await snapshot({ ...reading, cache: false, data: at('data') });
    for (const [skip, codes, steps] of [
      [[], ['missing-name'], 1],
      [['item/2'], ['missing-name'], 0],
      [['item/1'], [], 0],
    ] as const) {
      const out = at(`without-${skip.join().replace('/', '-')}`);
      const { warnings } = await build({ source: 'snapshot', upstream: at('data'), skip, out });
      const changes = JSON.parse(readFileSync(path.join(out, 'changes.json'), 'utf8'));
      expect([warnings.map(({ code }) => code), changes.steps.length]).toEqual([codes, steps]);
    }
  });

  it('requires the record to exist in any source', async () => {
    const { at, data, reading, rest } = await scene();
    const unknown = (id: string) => new UsageError(`--skip: got ${id}, expected an existing record`);
    await expect(build({ ...rest, skip: ['item/2', 'move/99'] })).rejects.toThrow(unknown('move/99'));
    await build(rest);
    // The edition is cached.
    await expect(build({ ...rest, skip: ['item/77'] })).rejects.toThrow(unknown('item/77'));
    await snapshot({ ...reading, skip: ['item/2'], data: at('data') });
    const copy = { source: 'snapshot', upstream: at('data'), out: at('other') } as const;
    await expect(build({ ...copy, skip: ['item/3'] })).rejects.toThrow(unknown('item/3'));
    await build({ ...copy, skip: ['item/2'] });
    writeTables(at('tables'), tablesOf(data));
    const tables = { source: 'csv', upstream: at('tables'), out: at('csv') } as const;
    await expect(build({ ...tables, skip: ['move/999'] })).rejects.toThrow(unknown('move/999'));
  });

  it.each(['item', 'item/', 'item/potion', 'item/0', 'thing/1', 'item/1/2'])('rejects %s', async (name) => {
    await expect(build({ source: 'snapshot', skip: [name] })).rejects.toThrow(
      `--skip: got "${name}", expected <kind>/<id>, such as item/17`,
    );
  });

  it('is suggested in the hint for an invalid record', async () => {
    const { answers, rest } = await scene();
    Object.assign(answers.item[1] ?? {}, { name: 'a/b' });
    const hint = 'To build without this record, add --skip item/2.';
    await expect(build(rest)).rejects.toMatchObject({ hint });
  });

  it.each([
    ['/item/2/', 'To build without this record, add --skip item/2.'],
    [
      '/item/?limit=100000&offset=0',
      'Try again later, or choose another --upstream. --skip cannot skip a list.',
    ],
  ])(
    'is suggested in the hint if the upstream refuses a record, but not a list: %s',
    async (refused, hint) => {
      const { rest, server } = await scene({
        fault: ({ url = '' }, response) =>
          withoutEdition(url) === `/api/v2${refused}` && Boolean(response.writeHead(403).end()),
      });
      const message = `GET ${server.url}${refused}: got 403, expected 200 (2 attempts)`;
      await expect(build(rest)).rejects.toMatchObject({ message, hint });
    },
  );
});
