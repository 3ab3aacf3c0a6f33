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
import { moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/** Builds of an upstream whose answers may be changed, and whose item 2 cannot be read at all. */
async function broken() {
  const answers = tinyUpstream();
  const upstream = await serveUpstream(upstreamOf(answers), {
    fault: ({ url }, response) => url === '/api/v2/item/2/' && Boolean(response.writeHead(500).end()),
  });
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  const common = { upstream: upstream.url, cache: at('cache'), retries: 0 };
  return { answers, at, common, upstream };
}
const metaOf = (folder: string) => JSON.parse(readFileSync(path.join(folder, 'meta.json'), 'utf8'));

describe('a skipped record', () => {
  it('is not even asked for, and meta.json says so', async () => {
    const { at, common, upstream } = await broken();
    const rest = { ...common, source: 'rest', out: at('site'), maxShrink: 100 } as const;
    await expect(build(rest)).rejects.toThrow('got 500');
    const asked = upstream.log.length;
    await build({ ...rest, skip: ['item/2', 'item/2'] });
    const skipped = { move: [], item: [2] };
    expect(metaOf(at('site'))).toMatchObject({ counts: { move: 3, item: 1 }, skipped });
    expect(upstream.log.slice(asked).map((request) => request.path)).not.toContain('/api/v2/item/2/');
  });

  it('does not count as gone, and comes back as added', async () => {
    const { answers, at } = await broken();
    const whole = await serveUpstream(upstreamOf(answers));
    const rest = { source: 'rest', upstream: whole.url, cache: at('cache'), out: at('site') } as const;
    await build({ ...rest, maxShrink: 100 });
    const without = await build({ ...rest, skip: ['item/2'] });
    expect(without).toMatchObject({ changed: true, missing: { move: [], item: [] }, counts: { item: 1 } });
    const again = await build(rest);
    expect(again.counts.item).toBe(2);
    expect(metaOf(at('site'))).not.toHaveProperty('skipped');
  });

  it('stays left out of a snapshot, and is left out of one that has it', async () => {
    const { answers, at, common } = await broken();
    await snapshot({ ...common, skip: ['item/2', 'move/3'], data: at('data'), maxShrink: 100 });
    await build({ source: 'snapshot', upstream: at('data'), out: at('site') });
    expect(metaOf(at('site')).skipped).toEqual(everyKind({ move: [3], item: [2] }, () => []));
    await build({ source: 'snapshot', upstream: at('data'), skip: ['move/1', 'move/3'], out: at('both') });
    expect(metaOf(at('both')).skipped).toEqual(everyKind({ move: [1, 3], item: [2] }, () => []));

    const whole = await serveUpstream(upstreamOf(answers));
    await snapshot({ upstream: whole.url, cache: false, data: at('whole'), maxShrink: 100 });
    await build({ source: 'snapshot', upstream: at('whole'), skip: ['move/1'], out: at('other') });
    const skipped = { move: [1], item: [] };
    expect(metaOf(at('other'))).toMatchObject({ counts: { move: 2, item: 2 }, skipped });
  });

  it('takes its warnings and the history of the whole data along', async () => {
    const { answers, at } = await broken();
    Object.assign(answers.item[0] ?? {}, { names: [] });
    const whole = await serveUpstream(upstreamOf(answers));
    const reading = { upstream: whole.url, cache: false, data: at('data') } as const;
    await snapshot({ ...reading, maxShrink: 100 });
    Object.assign(answers.move[0] ?? {}, { name: 'renamed' });
    await snapshot(reading);
    const copy = async (...skip: string[]) => {
      const out = at(`without-${skip.join()}`.replace('/', '-'));
      const { warnings } = await build({ source: 'snapshot', upstream: at('data'), skip, out });
      const { steps } = JSON.parse(readFileSync(path.join(out, 'changes.json'), 'utf8'));
      return [warnings.map(({ code }) => code), steps.length];
    };
    expect(await copy()).toEqual([['missing-name'], 1]);
    expect(await copy('item/2')).toEqual([['missing-name'], 0]);
    expect(await copy('item/1')).toEqual([[], 0]);
  });

  it('has to exist, wherever the data comes from', async () => {
    const { answers, at } = await broken();
    const data = upstreamOf(answers);
    const whole = await serveUpstream(data, { stateOf: () => stateNumber(1, data) });
    const unknown = (id: string) =>
      new UsageError(`--skip: got ${id}, which does not exist, expected another record`);
    const reading = { upstream: whole.url, cache: at('cache'), maxShrink: 100 };
    const rest = { ...reading, source: 'rest', out: at('site') } as const;
    await expect(build({ ...rest, skip: ['item/2', 'move/99'] })).rejects.toThrow(unknown('move/99'));
    await build(rest);
    // Of the same edition, nothing is asked for.
    await expect(build({ ...rest, skip: ['item/77'] })).rejects.toThrow(unknown('item/77'));
    await snapshot({ ...reading, skip: ['item/2'], data: at('data') });
    const copy = { source: 'snapshot', upstream: at('data'), out: at('other') } as const;
    await expect(build({ ...copy, skip: ['item/3'] })).rejects.toThrow(unknown('item/3'));
    // It is left out there already.
    await build({ ...copy, skip: ['item/2'] });
    writeTables(at('tables'), tablesOf(data));
    const tables = { source: 'csv', upstream: at('tables'), out: at('csv') } as const;
    await expect(build({ ...tables, skip: ['move/999'] })).rejects.toThrow(unknown('move/999'));
  });

  it('is asked for again once it is not, even if the edition is the same', async () => {
    const answers = tinyUpstream();
    answers.move.push(moveAnswer(4));
    const data = upstreamOf(answers);
    const upstream = await serveUpstream(data, { stateOf: () => stateNumber(1, data) });
    const [cache, out] = [path.join(temporaryFolder(), 'cache'), path.join(temporaryFolder(), 'site')];
    const options = { source: 'rest', upstream: upstream.url, cache, out, maxShrink: 100 } as const;
    for (const [skip, count] of [
      [['move/4'], 3],
      [undefined, 4],
      [['move/4'], 3],
    ] as const)
      expect((await build({ ...options, skip })).counts.move).toBe(count);
  });

  it.each(['item', 'item/', 'item/potion', 'item/0', 'thing/1', 'item/1/2'])(
    'has to be named by kind and id: %s is refused',
    async (name) => {
      await expect(build({ source: 'snapshot', skip: [name] })).rejects.toThrow(
        `--skip: got "${name}", expected <kind>/<id>, such as item/17`,
      );
    },
  );

  it('is what the error about a record suggests', async () => {
    const { answers, at } = await broken();
    Object.assign(answers.item[1] ?? {}, { name: 'a/b' });
    const whole = await serveUpstream(upstreamOf(answers));
    const building = build({ source: 'rest', upstream: whole.url, cache: false, out: at('site') });
    await expect(building).rejects.toMatchObject({
      hint: 'To build without this record, add --skip item/2.',
    });
  });

  it.each([
    ['a record', '/item/2/', 'To build without this record, add --skip item/2.'],
    [
      'a list',
      '/item/?limit=100000&offset=0',
      'Try again later, or name another --upstream: --skip leaves out records, not lists.',
    ],
  ])('is what the error about %s suggests that the upstream keeps refusing', async (_, asked, hint) => {
    const data = upstreamOf(tinyUpstream());
    const refused = await serveUpstream(data, {
      stateOf: () => stateNumber(1, data),
      fault: ({ url = '' }, response) =>
        withoutEdition(url) === `/api/v2${asked}` && Boolean(response.writeHead(403).end()),
    });
    const out = path.join(temporaryFolder(), 'site');
    const building = build({ source: 'rest', upstream: refused.url, cache: false, retries: 0, out });
    await expect(building).rejects.toMatchObject({
      message: `GET ${refused.url}${asked}: got 403, expected 200 (2 attempts)`,
      hint,
    });
  });
});
