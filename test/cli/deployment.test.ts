/** The command line against a deployment: serve a site, verify it by its address, list the hosts. */

import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { hostNames } from '../../src/hosts/names.ts';
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
      const { code, stderr, stdout } = await callCli([
        'verify',
        url,
        '--level',
        'full',
        '--link-base',
        'https://example.test',
      ]);
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

  it.each([
    [['verify', 'https://x.test/?a'], 'got a URL with credentials, a query or a fragment'],
    [['verify', 'https://x.test', '--level', 'half'], "argument 'half' is invalid"],
    [['verify', 'https://x.test', '--concurrency', '0'], 'expected an integer from 1 to 256'],
    [['verify'], "missing required argument 'dir|url'"],
  ])('rejects %j with exit code 2 and the usage line', async (parameters, problem) => {
    const { code, stderr } = await callCli(parameters);
    expect(stderr).toContain(problem);
    expect(stderr).toContain('usage: gamedata verify [options] <dir|url>');
    expect(code).toBe(2);
  });
});

describe('hosts', () => {
  it('lists what each host does not support', async () => {
    const { code, stdout } = await callCli(['hosts']);
    for (const name of hostNames) expect(stdout).toMatch(new RegExp(`^${name} \\((?:full|static)\\): `, 'm'));
    expect(stdout).toContain('  unsupported windows: any limit and offset work');
    expect(code).toBe(0);
  });

  it('prints one JSON object with --json', async () => {
    const { stdout } = await callCli(['hosts', '--json']);
    const { hosts } = JSON.parse(stdout) as {
      hosts: { name: string; level: string; unsupported: string[] }[];
    };
    expect(hosts.map(({ name }) => name)).toEqual(hostNames);
    for (const { level, unsupported } of hosts)
      expect(level).toBe(unsupported.length === 0 ? 'full' : 'static');
  });
});
