/** Whether each host serves a site so that `verify --like` recognizes it, every file of it. */

import { describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { createClient } from '../../../src/http/client.ts';
import { findDifferences } from '../../../src/publish/mirror/differences.ts';
import { readDescriptions } from '../../../src/sources/site-folder.ts';
import { engines } from '../../support/engines/index.ts';
import { serveStatic } from '../../support/engines/static.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const demandsAll = process.env.ENGINES === 'all';

/** npm's serve has one address for `browse.html` and `browse/index.html`. */
const faithful = engines.filter(({ engine, fallback }) => !fallback && engine !== serveStatic);

for (const { engine, links } of faithful) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '')(`${engine.name}${reason}`, () => {
    test('serves exactly what was built', async () => {
      expect(missing).toBeUndefined();
      const out = temporaryFolder();
      const hosts = engine.host ? [engine.host] : [];
      await build({ ...(await smallSource()), baseUrl: 'https://example.test', out, hosts, links });
      const { manifest: site } = readDescriptions(out);
      const { url, stop } = await engine.start(out);
      const client = createClient({ concurrency: 8, retries: 1 });
      try {
        for (const offset of [0, 1, 2, 3])
          expect(await findDifferences(client, url, { site, concurrency: 8, offset })).toEqual([]);
      } finally {
        await client.close();
        await stop();
      }
    });
  });
}
