import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../src/cli/commands/serve.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { everyKind } from '../support/kinds.ts';
import { runProgram } from '../support/run-cli.ts';
import { fullSizeRecords, siteOf } from '../support/sites.ts';
import { sharedFolder } from '../support/temporary.ts';
import { compile, userProject } from '../support/typescript.ts';

const generators = {
  types: 'openapi-typescript/bin/cli.js',
  heyApi: '@hey-api/openapi-ts/bin/run.js',
} as const;
const [missing] = Object.values(generators)
  .map(missingEngine)
  .filter((problem) => problem !== undefined);
const demandsAll = process.env.ENGINES === 'all';
const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

const generate = (generator: keyof typeof generators, ...args: string[]): string =>
  execFileSync(process.execPath, [engineFile(generators[generator]), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Counts the records of a list that are the same at their own URLs. */
const counting = `
declare const process: { readonly argv: readonly string[]; readonly stdout: { write(text: string): void } };
const base = process.argv[2] ?? '';

interface Page { readonly next: string | null; readonly results: readonly { readonly slug: string }[] }
async function count(
  readPage: (query: { limit: number; offset: number }) => Promise<unknown>,
  readRecord: (slug: string) => Promise<unknown>,
  [page, record]: readonly { parse(value: unknown): unknown }[] = [],
): Promise<number> {
  let same = 0;
  for (let offset = 0; ; offset += 100) {
    const read = await readPage({ limit: 100, offset });
    const { next, results } = (page ? page.parse(read) : read) as Page;
    const records = await Promise.all(results.map(({ slug }) => readRecord(slug)));
    for (const one of records) record?.parse(one);
    same += records.filter((one, at) => JSON.stringify(one) === JSON.stringify(results[at])).length;
    if (next === null) return same;
  }
}
`;

const program = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';
${counting}
const client = createClient<paths>({ baseUrl: base });
const missing = await client.GET('/api/gamedata/move/{slug}/', { params: { path: { slug: 'no-such-move' } } });
const everything = await client.GET('/meta.json');
process.stdout.write(
  JSON.stringify({
    move: await count(
      async (query) => (await client.GET('/api/gamedata/move/', { params: { query } })).data,
      async (slug) => (await client.GET('/api/gamedata/move/{slug}/', { params: { path: { slug } } })).data,
    ),
    item: await count(
      async (query) => (await client.GET('/api/gamedata/item/', { params: { query } })).data,
      async (slug) => (await client.GET('/api/gamedata/item/{slug}/', { params: { path: { slug } } })).data,
    ),
    missing: missing.error?.detail,
    counts: everything.data?.counts,
  }),
);
`;

/** Validates responses with the generated schemas. */
const validatingProgram = `
import { client } from './hey/client.gen';
import * as hey from './hey/sdk.gen';
import * as heyZod from './hey/zod.gen';
${counting}
client.setConfig({ baseUrl: base });
const valid = await count(
  async (query) => (await hey.getItemPage({ query })).data,
  async (slug) => (await hey.getItem({ path: { slug } })).data,
  [heyZod.zGetItemPageResponse, heyZod.zGetItemResponse],
);
const invalid = { url: 'x', id: 1, slug: 'No Slug', name: 'x', generation: 1 };
process.stdout.write(JSON.stringify([valid, heyZod.zGetMoveResponse.safeParse(invalid).success]));
`;

describe.skipIf(reason !== '')(`a client generated from the OpenAPI document${reason}`, () => {
  /** Three pages of each kind with the newest records. */
  const full = fullSizeRecords();
  const raw = { move: full.move.slice(-250), item: full.item.slice(-250) };
  const counts = { move: 250, item: 250 };
  const document = path.join(sharedFolder(), 'site/openapi.json');
  let server: SiteServer;
  beforeAll(async () => {
    expect(missing).toBeUndefined();
    const { plan, files } = siteOf(raw);
    await withOutput(path.dirname(document), (output) =>
      output.publish([...files(), ...createSpecification(plan.records, plan.meta, plan)]),
    );
    server = await serve({ dir: path.dirname(document), port: 0 });
  });
  afterAll(() => server.close());

  async function run(...args: string[]): Promise<{ printed: unknown; problems: string }> {
    const { stdout, stderr } = await runProgram([process.execPath, ...args]);
    return { printed: stdout && JSON.parse(stdout), problems: stderr };
  }

  it('reads every record and errors with openapi-typescript', async () => {
    const folder = userProject({ 'client.ts': program });
    writeFileSync(path.join(folder, 'api.d.ts'), generate('types', document));
    expect(readFileSync(path.join(folder, 'api.d.ts'), 'utf8')).toContain('"/api/gamedata/move/{slug}/"');
    expect(compile(folder)).toBe('');

    const { printed, problems } = await run(path.join(folder, 'client.js'), server.url);
    expect(problems).toBe('');
    expect(printed).toEqual({ ...counts, missing: 'Not found.', counts: everyKind(counts, () => 1) });
  });

  it('reads and validates every item with Hey API', async () => {
    const folder = userProject({ 'client.ts': validatingProgram });
    const inFolder = (name: string): string => path.join(folder, name);
    const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod'];
    generate('heyApi', '-i', document, '-o', inFolder('hey'), '-p', ...plugins);
    const bundled = { module: 'esnext', moduleResolution: 'bundler', noEmit: true };
    expect(compile(folder, { ...bundled, exactOptionalPropertyTypes: false })).toBe('');

    const loader = ['--import', import.meta.resolve('tsx')];
    expect(await run(...loader, inFolder('client.ts'), server.url)).toEqual({
      printed: [250, false],
      problems: '',
    });
  });
});
