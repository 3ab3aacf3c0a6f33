import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { diff } from '../../../src/cli/commands/diff.ts';
import { serve } from '../../../src/cli/commands/serve.ts';
import { comparisonSchema } from '../../../src/contract/changes.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawMove, rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const raw = rawRecords(3, 2);
const [first, second, third] = raw.move;
const renamed = second && { ...second, slug: 'renamed' };
const later = { ...raw, move: [first, renamed, third, rawMove(9)].filter((move) => move !== undefined) };

const folder = sharedFolder();
const editionNamed = (name: string) => ({
  data: path.join(folder, `${name}-data`),
  out: path.join(folder, `${name}-site`),
});
const before = editionNamed('before');
const after = editionNamed('after');
beforeAll(async () => {
  for (const [records, { data, out }] of [
    [raw, before],
    [later, after],
  ] as const)
    await build({ ...(await smallSource(records, data)), out, baseUrl: 'https://example.test' });
});

async function served(dir: string): Promise<string> {
  const server = await serve({ dir, port: 0 });
  onTestFinished(() => server.close());
  return server.url;
}

describe('diff', () => {
  it('compares snapshots, sites and deployments', async () => {
    const expected = await diff({ from: before.data, to: after.data });
    expect(expected.changes.move).toMatchObject({
      added: [{ id: 9, slug: 'move-9', name: 'Move 9' }],
      renamed: [{ id: 2, from: 'move-2', to: 'renamed', fields: [] }],
    });
    expect(expected.totals).toEqual({ added: 1, removed: 0, renamed: 1, changed: 0 });

    expect(await diff({ from: before.out, to: after.data })).toEqual(expected);
    expect(await diff({ from: before.data, to: after.out })).toEqual(expected);
    expect(await diff({ from: await served(before.out), to: `${await served(after.out)}/` })).toEqual(
      expected,
    );
  });
});

describe('gamedata diff', () => {
  it('prints text, JSON or Markdown, and exits with 3 only with --exit-code', async () => {
    const run = (...args: string[]) => callCli(['diff', before.data, after.out, ...args]);

    const text = await run();
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^1 move added, 1 renamed\n\n\d{4}-/);
    const json = await run('--format', 'json', '--exit-code');
    expect(json).toMatchObject({ code: 3, stderr: '' });
    expect(comparisonSchema.parse(JSON.parse(json.stdout)).totals).toMatchObject({ added: 1, renamed: 1 });
    const markdown = await run('--format', 'markdown');
    expect(markdown.stdout).toContain('- `move-2` → `renamed` (id 2)\n');
    expect(await callCli(['diff', before.data, before.out, '--exit-code'])).toMatchObject({ code: 0 });
  });
});
