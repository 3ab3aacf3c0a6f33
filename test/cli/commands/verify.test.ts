import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../../src/cli/commands/serve.ts';
import { oneOfOthers } from '../../support/kinds.ts';
import { startServer, status } from '../../support/local-server.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawRecords } from '../../support/sites.ts';
import { sharedSite } from '../../support/small-data.ts';

const { site } = sharedSite({ baseUrl: 'https://example.test' }, rawRecords(3, 2));
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
        `^(?:.* checked · .*\n|reading the lists · .*\n)*http:\\S+: 3 moves, 2 items${oneOfOthers}, host netlify: (\\d\\d) of \\1 guarantees kept, in [\\d.]+ s\n$`,
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
    expect(JSON.parse(stdout)).toMatchObject({
      address: server.url,
      level: 'static',
      failed: 6,
    });
    expect(code).toBe(1);
  });

  it('prints progress even if stderr is not a terminal', async () => {
    const { url } = await startServer((response, _, at) =>
      setTimeout(() => status(404)(response), at === 1 ? 1500 : 0),
    );
    const { stderr } = await callCli(['verify', url]);
    // The number of requests depends on the machine's load.
    expect(stderr).toMatch(/^reading the lists · \d+ requests?\/s$/m);
  });
});
