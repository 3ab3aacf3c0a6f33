import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MirrorReport } from '../../src/cli/commands/mirror.ts';
import type { Report } from '../../src/cli/commands/report.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import type { Comparison } from '../../src/contract/changes.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { type Manifest, manifestSchema } from '../../src/contract/meta.ts';
import { isHostFile } from '../../src/contract/paths.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, itemAnswer, moveAnswer, upstreamOf } from '../support/upstream-data.ts';

const range = (length: number) => Array.from({ length }, (_, at) => at + 1);

const manifestOf = (folder: string): Manifest =>
  manifestSchema.parse(JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')));

/** Path → content of what a mirror copies, the manifest included. */
function copiedFiles(folder: string): Map<string, string> {
  const files = manifestOf(folder).files.filter((file) => !isHostFile(file.path));
  return new Map(files.map((file) => [file.path, file.sha256]));
}

const differing = (before: Map<string, string>, after: Map<string, string>): string[] =>
  [...after].filter(([file, sha256]) => before.get(file) !== sha256).map(([file]) => file);

const isRecord = (file: string): boolean => /^api\/gamedata\/\w+\/[^/]+\/index\.json$/.test(file);

describe('a year of a mirror', () => {
  it('builds, deploys, is mirrored, refreshes, redeploys, is mirrored again, goes offline and rolls back', async () => {
    const folder = temporaryFolder();
    const at = (name: string): string => path.join(folder, name);
    const answers = {
      move: range(120).map((id) => moveAnswer(id)),
      item: range(120).map((id) => itemAnswer(id)),
    };
    const upstream = await serveUpstream(upstreamOf(answers));
    const start = (line: string) => callCli(line.split(' '), { cwd: folder, env: { NO_PROXY: '127.0.0.1' } });
    /** Runs a command that has to succeed, and reads the object that it prints. */
    async function run<T>(line: string): Promise<T> {
      const { code, stdout, stderr } = await start(line);
      expect(code, `${line}\n${stderr}`).toBe(0);
      return JSON.parse(stdout);
    }
    const building = 'build --source snapshot --upstream data --base-url https://gamedata.test --out site';
    async function build(more = ''): Promise<Report> {
      const report = await run<Report>(`${building} --json${more}`);
      // A server looks for a new site once a second.
      await setTimeout(1000);
      return report;
    }

    const capture = (shrink: number) =>
      run(`snapshot --upstream ${upstream.url} --data data --cache cache --json --max-shrink ${shrink}`);

    // January: the first build, deployed to a folder that is served.
    await capture(100);
    await build();
    const server = await serve({ dir: at('site'), port: 0 });
    onTestFinished(() => server.close());
    const mirroring = `mirror ${server.url} copy --json`;
    const mirror = (more = ''): Promise<MirrorReport> => run(mirroring + more);
    const first = await mirror();
    expect(first.downloaded.files).toBe(copiedFiles(at('site')).size);
    expect(await mirror()).toMatchObject({ changed: false, downloaded: { files: 0 } });

    // June: the upstream has changed, and the data set is refreshed from it.
    cpSync(at('data'), at('data-january'), { recursive: true });
    cpSync(at('copy'), at('copy-january'), { recursive: true });
    answers.move.push(...[121, 122, 123].map((id) => moveAnswer(id)));
    Object.assign(answers.move[4] as Answer, { name: 'renamed' });
    Object.assign(answers.move[5] as Answer, { generation: { url: '/api/v2/generation/4/' } });
    answers.item.splice(20, 1);
    const allowed = ' --max-shrink 5';
    await capture(5);
    const { totals, changes } = await run<Comparison>('diff data-january data --format json');
    expect(totals).toEqual({ added: 3, removed: 1, renamed: 1, changed: 1 });

    // Rebuilt and redeployed: the mirror fetches what differs, and nothing else.
    const january = copiedFiles(at('site'));
    const rebuilt = await build(allowed);
    const june = copiedFiles(at('site'));
    const second = await mirror();
    expect([...second.fetched].sort()).toEqual(differing(january, june).sort());
    expect(second.downloaded.files).toBe(second.fetched.length);
    // Of the records just those travel that the comparison names.
    expect(second.fetched.filter(isRecord)).toHaveLength(totals.added + totals.renamed + totals.changed);
    expect(second.removed.filter(isRecord)).toHaveLength(totals.removed + totals.renamed);
    expect(rebuilt.files.written).toBeGreaterThanOrEqual(second.downloaded.files);
    expect(copiedFiles(at('copy'))).toEqual(june);

    // What the site says of it is what the comparison says, and an old address leads to the new one.
    const [step] = JSON.parse(readFileSync(path.join(at('copy'), 'changes.json'), 'utf8')).steps;
    expect(step.totals).toEqual(totals);
    for (const kind of kindNames) {
      for (const { from, to } of changes[kind].renamed) {
        const answer = await fetch(`${server.url}/api/gamedata/${kind}/${from}/`, { redirect: 'manual' });
        expect([answer.status, answer.headers.get('location')]).toEqual([
          301,
          `/api/gamedata/${kind}/${to}/`,
        ]);
      }
    }

    // The copy goes offline: under another address, with links that lead to files.
    await run('rebase copy --base-url http://localhost:8000 --links file --out offline --json');
    await run('verify offline --json');
    const offline = await serve({ dir: at('offline'), port: 0 });
    onTestFinished(() => offline.close());
    await run(`verify ${offline.url} --link-base http://localhost:8000 --json`);
    const same = await start('diff site offline --exit-code');
    expect([same.code, same.stderr]).toEqual([0, '']);

    // December: June's data was wrong. The old data set is restored, and the guard is told that records may go.
    cpSync(at('data-january'), at('data'), { recursive: true });
    const refused = await start(building);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('--max-shrink') });
    expect(copiedFiles(at('site'))).toEqual(june);
    await build(' --max-shrink 100');
    // A guarded mirror does not follow a rollback to fewer records by itself.
    expect((await start(mirroring)).stderr).toContain('at most 1 % to disappear');
    await mirror(' --max-shrink 100');
    const back = await start(`diff data-january ${server.url} --exit-code`);
    expect([back.code, back.stderr]).toEqual([0, '']);
    const records = (files: Map<string, string>) => [...files].filter(([file]) => isRecord(file));
    expect(records(copiedFiles(at('copy')))).toEqual(records(copiedFiles(at('copy-january'))));
    await run('verify copy --json');
  });
});
