/** The command line against a deployment: serve a site, verify it by its address. */

import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { serve } from '../support/engines/serve.ts';
import { callCli } from '../support/run-cli.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** A site from the bundled data, served by a process of its own while `use` runs. */
async function served(use: (url: string) => Promise<void>): Promise<void> {
  const out = temporaryFolder();
  await build({ ...(await smallSource()), baseUrl: 'https://example.test', out });
  const { url, stop } = await serve.start(out);
  try {
    await use(url);
  } finally {
    await stop();
  }
}

describe('verify <url>', () => {
  it('keeps quiet about what is right, sums up and exits with 0', async () => {
    await served(async (url) => {
      const options = ['--level', 'full', '--link-base', 'https://example.test'];
      const { code, stderr, stdout } = await callCli(['verify', url, ...options]);
      expect(stderr).toMatch(
        /^http:\S+: 120 moves, 5 items, full level: (\d\d) of \1 guarantees kept, in [\d.]+ s\n$/,
      );
      expect(stdout).toBe('');
      expect(code).toBe(0);
    });
  });

  it('names each guarantee that does not hold with a request that shows it, and exits with 1', async () => {
    await served(async (url) => {
      const { code, stderr, stdout } = await callCli(['verify', url, '--json']);
      expect(stderr).toContain('FAIL root: the API root lists the kinds: GET /api/gamedata/: got status 200');
      expect(stderr).toContain(
        '; if the site was built for that base URL, use --link-base https://example.test\n',
      );
      expect(stderr).toMatch(
        /FAIL lists: .*: GET \/api\/gamedata\/move\/\?format=api: .* \(and \d+ more\)\n/,
      );
      expect(JSON.parse(stdout)).toMatchObject({ address: url, level: 'static', failed: 4 });
      expect(code).toBe(1);
    });
  });
});
