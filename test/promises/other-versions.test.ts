import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { API_PREFIX, listPageFile } from '../../src/contract/paths.ts';
import { digestLines, encodeLine, removeUrl } from '../../src/dataset/data-set.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { everyKind } from '../support/kinds.ts';
import { listAsTheyAre } from '../support/listed.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  itemAnswer,
  moveAnswer,
  tinyUpstream,
  upstreamOf,
} from '../support/upstream-data.ts';

type Json = Record<string, unknown>;

const read = (file: string): Json => JSON.parse(readFileSync(file, 'utf8'));
const edit = (file: string, change: (json: Json) => unknown): void =>
  writeFileSync(file, JSON.stringify(change(read(file))));

async function operator() {
  const answers = tinyUpstream(3, 0);
  const { url: upstream } = await serveUpstream(upstreamOf(answers));
  const out = path.join(temporaryFolder(), 'site');
  const options = {
    source: 'rest',
    upstream,
    cache: false,
    maxShrink: 100,
  } as const;
  const run = () => build({ ...options, baseUrl: 'https://example.test', out });
  await run();
  return { answers, run, file: (name: string) => path.join(out, name), out };
}

describe('build, for a site from another version of gamedata,', () => {
  it('compares records field by field if another version wrote them', async () => {
    const { run, file, out } = await operator();
    const digest = digestLines((kind) => {
      const page = file(listPageFile(kind, 0));
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replaceAll(
          '"generation":1',
          '"unknown-field":40',
        ),
      );
      return (read(page).results as never[]).map(removeUrl).map(encodeLine).join('');
    });
    edit(file('meta.json'), (json) => ({ ...json, digest, 'unknown-field': 9000 }));
    listAsTheyAre(out);
    const { steps } = (await run()).changes;
    expect(steps[0]?.totals).toEqual({
      added: 0,
      removed: 0,
      renamed: 0,
      changed: 3,
    });
    expect(steps[0]?.changes.move.changed[0]?.fields).toEqual([
      { field: 'generation', from: null, to: 1 },
      { field: 'unknown-field', from: 40, to: null },
    ]);
  });

  it('keeps the history and old slugs if the published site lacks some kinds of records', async () => {
    const { answers, run, file, out } = await operator();
    answers.move[0] = moveAnswer(1, { name: 'renamed' });
    await run();
    for (const name of [
      'meta.json',
      'changes.json',
      'former.json',
      'names/index.json',
      'names/fr.json',
    ]) {
      const without = (json: Json) =>
        JSON.parse(
          JSON.stringify(json, (key, own) => (key === 'item' ? undefined : own)),
        );
      edit(file(name), without);
    }
    rmSync(file(`${API_PREFIX}/item`), { recursive: true });
    listAsTheyAre(out);
    answers.item.push(itemAnswer(1));
    await run();
    expect(verifyFolder(out).problems).toEqual([]);
    expect(read(file('former.json'))).toEqual(
      everyKind<object>({ move: { 'move-1': 1 } }, () => ({})),
    );
    expect(read(file('changes.json')).steps).toMatchObject([
      {
        from: { counts: { move: 3, item: 0 } },
        totals: { added: 1, removed: 0, renamed: 0, changed: 0 },
      },
      {
        totals: { added: 0, removed: 0, renamed: 1, changed: 0 },
        changes: { item: { added: [] } },
      },
    ]);
  });
});

it('continues the history of a snapshot from another version of gamedata', async () => {
  const { upstream: data } = await smallSource(rawRecords(8, 5));
  const file = path.join(data, 'move.ndjson');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll(/,"generation":\d+/g, ''),
  );
  const digest = digestLines((kind) =>
    readFileSync(path.join(data, `${kind}.ndjson`)),
  );
  edit(path.join(data, 'provenance.json'), (json) => ({
    ...json,
    digest,
    tool: 'old',
  }));
  const { url } = await serveUpstream(upstreamOf(tinyUpstream()));
  const report = await snapshot({
    upstream: url,
    data,
    cache: false,
    maxShrink: 100,
  });
  expect(report.changes.steps[0]?.totals).toMatchObject({
    removed: 5 + 3,
    changed: 3,
  });
});
