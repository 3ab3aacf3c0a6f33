import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { irregular, replaceBy } from '../support/irregular-files.ts';
import { startServer } from '../support/local-server.ts';
import { callCli, startCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe('a site', () => {
  const files = ['manifest.json', 'meta.json', 'changes.json', 'api/gamedata/move/index.json'];
  const commands = {
    verify: ['verify', 'site'],
    rebase: ['rebase', 'site', '--base-url', 'https://other.test'],
    archive: ['archive', 'site', '--out', 'archives'],
    diff: ['diff', 'site', 'site'],
  };

  async function scene() {
    const cwd = temporaryFolder();
    const run = (...args: string[]) => callCli(args, { cwd });
    const build = () => run('build', '--source', 'snapshot', '--no-downloads', '--out', 'site');
    expect(await build()).toMatchObject({ code: 0 });
    return { cwd, run, build };
  }

  it.each(files)(
    'with anything else than a file as %s is named by every command, and waited for by none',
    async (file) => {
      const { cwd, run, build } = await scene();
      for (const [name, make] of Object.entries(irregular)) {
        const target = path.join(cwd, 'site', file);
        replaceBy(make, target);
        for (const args of Object.values(commands)) {
          if (args[0] === 'diff' && file !== 'meta.json' && !file.startsWith('api')) continue;
          const { code, stderr } = await run(...args);
          expect({ name, args, code }).toEqual({ name, args, code: 1 });
          expect(stderr).toContain(path.basename(file));
          expect(stderr).not.toMatch(/bug|^ {4}at /m);
        }
        const { code, stderr } = await build();
        expect(stderr).not.toMatch(/bug|^ {4}at /m);
        if (code === 0) expect(await run('verify', 'site')).toMatchObject({ code: 0 });
        else rmSync(path.join(cwd, 'site'), { recursive: true });
        expect(readdirSync(cwd).filter((entry) => entry.startsWith('.site'))).toEqual([]);
        await build();
      }
    },
  );
});

it('verify ends at once at a signal, whatever it is waiting for', async () => {
  const { url, requests } = await startServer(() => {});
  const { child, finished } = startCli(['verify', url]);
  await expect.poll(() => requests.length).toBe(1);
  child.kill('SIGTERM');
  expect(await finished).toMatchObject({ code: null });
});
