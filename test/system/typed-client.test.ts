import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../src/commands/serve.ts';
import { withOutput } from '../../src/output/publish.ts';
import { specificationFiles } from '../../src/site/specification/files.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { fullSizeRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { compile, userProject } from '../support/typescript.ts';

const missing = missingEngine('openapi-typescript');
const demandsAll = process.env.ENGINES === 'all';
const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

/** A user's program: every page, every record by itself, and what it prints is how many were the same in both. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

declare const process: { readonly argv: readonly string[]; readonly stdout: { write(text: string): void } };
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
type Move = components['schemas']['Move'];
type Item = components['schemas']['Item'];

async function moves(): Promise<Move[]> {
  const all: Move[] = [];
  for (let offset = 0; ; offset += 100) {
    const { data } = await client.GET('/api/gamedata/move/', { params: { query: { limit: 100, offset } } });
    all.push(...(data?.results ?? []));
    if (!data?.next) return all;
  }
}
async function items(): Promise<Item[]> {
  const all: Item[] = [];
  for (let offset = 0; ; offset += 100) {
    const { data } = await client.GET('/api/gamedata/item/', { params: { query: { limit: 100, offset } } });
    all.push(...(data?.results ?? []));
    if (!data?.next) return all;
  }
}
const move = async (slug: string) => (await client.GET('/api/gamedata/move/{slug}/', { params: { path: { slug } } })).data;
const item = async (slug: string) => (await client.GET('/api/gamedata/item/{slug}/', { params: { path: { slug } } })).data;

async function same<R extends { slug: string }>(records: R[], read: (slug: string) => Promise<R | undefined>): Promise<number> {
  let count = 0;
  for (let at = 0; at < records.length; at += 16) {
    const some = records.slice(at, at + 16);
    const answers = await Promise.all(some.map(({ slug }) => read(slug)));
    count += answers.filter((answer, index) => JSON.stringify(answer) === JSON.stringify(some[index])).length;
  }
  return count;
}
const missing = await client.GET('/api/gamedata/move/{slug}/', { params: { path: { slug: 'no-such-move' } } });
const everything = await client.GET('/meta.json');
process.stdout.write(
  JSON.stringify({
    move: await same(await moves(), move),
    item: await same(await items(), item),
    missing: missing.error?.detail,
    counts: everything.data?.counts,
  }),
);
`;

describe.skipIf(reason !== '')(`a client made of the document${reason}`, () => {
  it('reads every record of a served site, and its errors', async () => {
    expect(missing).toBeUndefined();
    const raw = fullSizeRecords();
    const { plan, files } = siteOf(raw);
    const out = path.join(temporaryFolder(), 'site');
    await withOutput(out, (output) => output.publish([...files(), ...specificationFiles(plan)]));
    const server = await serve({ dir: out, port: 0 });
    onTestFinished(() => server.close());

    const folder = userProject({ 'client.ts': program });
    writeFileSync(
      path.join(folder, 'api.d.ts'),
      execFileSync(
        process.execPath,
        [engineFile('openapi-typescript/bin/cli.js'), path.join(out, 'openapi.json')],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      ),
    );
    expect(readFileSync(path.join(folder, 'api.d.ts'), 'utf8')).toContain('"/api/gamedata/move/{slug}/"');
    expect(compile(folder)).toBe('');
    const child = spawn(process.execPath, [path.join(folder, 'client.js'), server.url]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [printed, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);

    const counts = { move: raw.move.length, item: raw.item.length };
    expect(problems).toBe('');
    expect(JSON.parse(printed)).toEqual({ ...counts, missing: 'Not found.', counts });
  });
});
