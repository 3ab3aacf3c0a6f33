import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { irregular, replaceBy } from '../support/irregular-files.ts';
import { startServer } from '../support/local-server.ts';
import { callCli, startCli } from '../support/run-cli.ts';
import { sharedSite } from '../support/small-data.ts';

describe('irregular files', () => {
  const { copied, described } = sharedSite();
  const files = ['manifest.json', 'meta.json', 'changes.json', 'api/gamedata/move/index.json'];
  const commands = [
    ['verify', 'site'],
    ['mirror', 'site', '--base-url', 'https://other.test'],
    ['diff', 'site', 'site'],
  ];

  it.each(files)('make every command fail immediately if they replace %s', async (file) => {
    for (const [name, make] of Object.entries(irregular)) {
      const site = copied();
      const cwd = path.dirname(site);
      const run = (...args: string[]) => callCli(args, { cwd });
      replaceBy(make, path.join(site, file));
      for (const args of commands) {
        if (args[0] === 'diff' && file !== 'meta.json' && !file.startsWith('api')) continue;
        const { code, stderr } = await run(...args);
        expect({ name, args, code }).toEqual({ name, args, code: 1 });
        expect(stderr).toContain(path.basename(file));
        expect(stderr).not.toMatch(/bug|^ {4}at /m);
      }
      const source = ['--source', 'snapshot', '--upstream', described.upstream];
      const { code, stderr } = await run('build', ...source, '--out', 'site');
      expect(stderr).not.toMatch(/bug|^ {4}at /m);
      if (code === 0) expect(await run('verify', 'site')).toMatchObject({ code: 0 });
      expect(readdirSync(cwd).filter((entry) => entry.startsWith('.site'))).toEqual([]);
    }
  });
});

it('ends verify immediately on a signal', async () => {
  const { url, requests } = await startServer(() => {});
  const { child, finished } = startCli(['verify', url]);
  await expect.poll(() => requests.length).toBe(1);
  child.kill('SIGTERM');
  expect(await finished).toMatchObject({ code: null });
});
