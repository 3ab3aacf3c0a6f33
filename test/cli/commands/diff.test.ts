import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { diff } from '../../../src/cli/commands/diff.ts';
import { serve } from '../../../src/cli/commands/serve.ts';
import { comparisonSchema } from '../../../src/contract/changes.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawMove, rawRecords, type SomeRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const raw = rawRecords(3, 2);
const [first, second, third] = raw.move;
const renamed = second && { ...second, slug: 'renamed' };
const later = {
  ...raw,
  move: [first, renamed, third, rawMove(9)].filter((move) => move !== undefined),
};

const folder = sharedFolder();
const createVersion = (name: string, records: SomeRecords) => ({
  records,
  data: path.join(folder, `${name}-data`),
  out: path.join(folder, `${name}-site`),
});
const before = createVersion('before', raw);
const after = createVersion('after', later);
beforeAll(async () => {
  for (const { records, data, out } of [before, after]) {
    await build({
      ...(await smallSource(records, data)),
      out,
      baseUrl: 'https://example.test',
    });
  }
});

async function served(dir: string): Promise<string> {
  const server = await serve({ dir, port: 0 });
  onTestFinished(() => server.close());
  return server.url;
}

describe('diff', () => {
  it('finds the same differences whether it compares snapshots, sites or deployments', async () => {
    const expected = await diff({ from: before.data, to: after.data });
    expect(expected.changes.move).toMatchObject({
      added: [{ id: 9, slug: 'move-9', name: 'Move 9' }],
      renamed: [{ id: 2, from: 'move-2', to: 'renamed', fields: [] }],
    });
    expect(expected.totals).toEqual({
      added: 1,
      removed: 0,
      renamed: 1,
      changed: 0,
    });

    expect(await diff({ from: before.out, to: after.data })).toEqual(expected);
    expect(await diff({ from: before.data, to: after.out })).toEqual(expected);
    expect(
      await diff({
        from: await served(before.out),
        to: `${await served(after.out)}/`,
      }),
    ).toEqual(expected);
  });

  const run = (...args: string[]) =>
    callCli(['diff', before.data, after.out, ...args]);

  it('prints the differences as JSON with --format json', async () => {
    const json = await run('--format', 'json');
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(comparisonSchema.parse(JSON.parse(json.stdout)).totals).toMatchObject({
      added: 1,
      renamed: 1,
    });
  });

  it('prints the differences as Markdown with --format markdown', async () => {
    const markdown = await run('--format', 'markdown');
    expect(markdown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('- `move-2` → `renamed` '),
    });
  });

  it('exits with 3 if there are differences and --exit-code is set', async () => {
    expect(await run('--exit-code')).toMatchObject({ code: 3, stderr: '' });
    expect(
      await callCli(['diff', before.data, before.out, '--exit-code']),
    ).toMatchObject({
      code: 0,
    });
  });
});
