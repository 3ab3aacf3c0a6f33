import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { describeAsItIs, listAsTheyAre } from '../support/listed.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

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
    cache: temporaryFolder(),
    maxShrink: 100,
  } as const;
  const run = () => build({ ...options, baseUrl: 'https://example.test', out });
  await run();
  return { run, file: (name: string) => path.join(out, name), out };
}

describe('build, for a site from another version of gamedata,', () => {
  it('compares records field by field if another version wrote the published data', async () => {
    const { run, file, out } = await operator();
    const records = file('data/move.ndjson');
    const text = readFileSync(records, 'utf8');
    writeFileSync(records, text.replaceAll('"generation":1', '"unknown_field":40'));
    edit(file('data/dataset.json'), (json) => ({ ...json, unknown_field: 9000 }));
    describeAsItIs(file('data'));
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
      { field: 'unknown_field', from: 40, to: null },
    ]);
  });
});
