import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../../src/cli/commands/serve.ts';
import { declareResponses } from '../../src/compile/type-declarations.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { everyKind } from '../support/kinds.ts';
import { publishFiles } from '../support/publishing.ts';
import { runProgram } from '../support/run-cli.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { compile, userProject } from '../support/typescript.ts';

const GENERATOR = 'openapi-typescript/bin/cli.js';
const missing = missingEngine(GENERATOR);
const reason =
  missing === undefined || process.env.ENGINES === 'all'
    ? ''
    : ` (skipped: ${missing})`;

const program = `
import createClient from 'openapi-fetch';
import type { Item, Move } from './types.js';
import type { paths } from './api.js';
declare const process: { readonly argv: readonly string[]; readonly stdout: { write(text: string): void } };
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const list = await client.GET('/api/gamedata/move/', { params: { query: { limit: 2, offset: 1 } } });
const moves: readonly Move[] = list.data?.results ?? [];
const item = await client.GET('/api/gamedata/item/{slug}/', { params: { path: { slug: 'item-1' } } });
const { name }: Partial<Item> = item.data ?? {};
const missing = await client.GET('/api/gamedata/move/{slug}/', { params: { path: { slug: 'no-such-move' } } });
const { data } = await client.GET('/meta.json');
const printed = { slugs: moves.map(({ slug }) => slug), name, error: missing.error?.detail, counts: data?.counts };
process.stdout.write(JSON.stringify(printed));
`;

it.skipIf(reason !== '')(
  `reads lists, records and errors with a generated client${reason}`,
  async () => {
    const { plan, files } = siteOf(rawRecords(3, 2));
    const site = path.join(temporaryFolder(), 'site');
    await publishFiles(site, [
      ...files(),
      ...createSpecification(plan.records, plan.meta, plan),
    ]);
    const server = await serve({ dir: site, port: 0 });
    onTestFinished(server.close);
    const folder = userProject({
      'client.ts': program,
      'types.d.ts': declareResponses(),
    });
    const args = [engineFile(GENERATOR), path.join(site, 'openapi.json')];
    writeFileSync(
      path.join(folder, 'api.d.ts'),
      execFileSync(process.execPath, args, { encoding: 'utf8' }),
    );
    expect(compile(folder)).toBe('');
    const { stdout, stderr } = await runProgram([
      process.execPath,
      path.join(folder, 'client.js'),
      server.url,
    ]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      ...{ slugs: ['move-2', 'move-3'], name: 'Item 1', error: 'Not found.' },
      counts: everyKind({ move: 3, item: 2 }, () => 1),
    });
  },
);
