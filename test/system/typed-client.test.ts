import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { declareResponses } from '../../scripts/type-declarations.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { everyKind } from '../support/kinds.ts';
import { runProgram } from '../support/run-cli.ts';
import { fullSizeRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { compile, userProject } from '../support/typescript.ts';

const GENERATOR = 'openapi-typescript/bin/cli.js';
const missing = missingEngine(GENERATOR);
const reason = missing === undefined || process.env.ENGINES === 'all' ? '' : ` (skipped: ${missing})`;

/** Counts the records of each list that are the same at their own URLs. */
const program = `
import createClient from 'openapi-fetch';
import type { Item, Move } from './types.js';
import type { paths } from './api.js';
declare const process: { readonly argv: readonly string[]; readonly stdout: { write(text: string): void } };
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

async function count(kind: 'move' | 'item'): Promise<number> {
  let same = 0;
  for (let offset = 0; ; offset += 100) {
    const { data } = await client.GET(\`/api/gamedata/\${kind}/\`, { params: { query: { limit: 100, offset } } });
    const results: readonly (Item | Move)[] = data?.results ?? [];
    const read = (slug: string) => client.GET(\`/api/gamedata/\${kind}/{slug}/\`, { params: { path: { slug } } });
    const records = await Promise.all(results.map(({ slug }) => read(slug)));
    same += records.filter((one, at) => JSON.stringify(one.data) === JSON.stringify(results[at])).length;
    if (data?.next === null) return same;
  }
}

const missing = await client.GET('/api/gamedata/move/{slug}/', { params: { path: { slug: 'no-such-move' } } });
const { data } = await client.GET('/meta.json');
const printed = { move: await count('move'), item: await count('item'), counts: data?.counts, error: missing.error?.detail };
process.stdout.write(JSON.stringify(printed));
`;

it.skipIf(reason !== '')(`reads records and errors with a generated client${reason}`, async () => {
  const full = fullSizeRecords();
  // Three pages of each kind with the newest records.
  const { plan, files } = siteOf({ move: full.move.slice(-250), item: full.item.slice(-250) });
  const site = path.join(temporaryFolder(), 'site');
  await withOutput(site, (output) =>
    output.publish([...files(), ...createSpecification(plan.records, plan.meta, plan)]),
  );
  const server = await serve({ dir: site, port: 0 });
  onTestFinished(server.close);
  const types = declareResponses();
  const folder = userProject({ 'client.ts': program, 'types.d.ts': types });
  const args = [engineFile(GENERATOR), path.join(site, 'openapi.json')];
  writeFileSync(path.join(folder, 'api.d.ts'), execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(compile(folder)).toBe('');
  const { stdout, stderr } = await runProgram([process.execPath, path.join(folder, 'client.js'), server.url]);
  expect(stderr).toBe('');
  const counts = { move: 250, item: 250 };
  const expected = { ...counts, counts: everyKind(counts, () => 1), error: 'Not found.' };
  expect(JSON.parse(stdout)).toEqual(expected);
});
