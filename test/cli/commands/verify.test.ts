import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../../src/cli/commands/serve.ts';
import { oneOfOthers } from '../../support/kinds.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawRecords } from '../../support/sites.ts';
import { sharedSite } from '../../support/small-data.ts';

const { site, copied } = sharedSite(
  { baseUrl: 'https://example.test' },
  rawRecords(3, 2),
);
let server: SiteServer;
beforeAll(async () => {
  server = await serve({ dir: site, port: 0 });
});
afterAll(() => server.close());

describe('verify <url>', () => {
  it('prints a single result line for a correct deployment', async () => {
    const { code, stderr, stdout } = await callCli([
      'verify',
      server.url,
      '--like',
      site,
    ]);
    expect(stderr).toMatch(
      new RegExp(
        `^(?:.* done\n|waiting .*\n)*http:\\S+: 3 moves, 2 items${oneOfOthers}, host netlify: (\\d\\d) of \\1 guarantees kept, in [\\d.]+ s\n$`,
      ),
    );
    expect(stdout).toBe('');
    expect(code).toBe(0);
  });

  it('prints a failed request for each guarantee that a deployment breaks', async () => {
    const { code, stderr, stdout } = await callCli(['verify', server.url, '--json']);
    expect(stderr).toContain(
      'FAIL root: the API root lists the kinds: GET /api/gamedata/: got {"move":',
    );
    expect(stderr).toMatch(
      /FAIL lists: .*: GET \/api\/gamedata\/move\/\?format=api: .* \(and \d+ more\)\n/,
    );
    const { address, hosts, failed } = JSON.parse(stdout);
    expect({ address, hosts }).toEqual({ address: server.url, hosts: ['netlify'] });
    expect(failed).toBeGreaterThan(2);
    expect(code).toBe(1);
  });
});

describe('verify <folder>', () => {
  it('succeeds with a note about files that the manifest does not list', async () => {
    const folder = copied();
    writeFileSync(path.join(folder, '.DS_Store'), '');
    const { code, stderr } = await callCli(['verify', folder]);
    expect(stderr).toMatch(
      /^note: 1 file that the manifest does not list: \.DS_Store\n.*: no problems found\n$/,
    );
    expect(code).toBe(0);
  });
});
