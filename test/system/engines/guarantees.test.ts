/** Every real engine: what it keeps of the contract, guarantee by guarantee, and whether it serves every file as it was built. */

import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { archiveFiles, bulkFiles } from '../../../src/contract/files.ts';
import { type GuaranteeName, guarantees } from '../../../src/contract/guarantees.ts';
import { commonHeaders, downloadHeaders, mediaTypeOf } from '../../../src/contract/headers.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { createClient } from '../../../src/http/client.ts';
import { findDifferences } from '../../../src/publish/mirror/differences.ts';
import { folderPlace } from '../../../src/sources/site/place.ts';
import { openSite } from '../../../src/sources/site/read.ts';
import { isExpected, verifyDeployment } from '../../../src/verify/deployment.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { engines } from '../../support/engines/index.ts';
import { serveStatic } from '../../support/engines/static.ts';
import { guaranteeTable } from '../../support/guarantee-table.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** Set if all engines have to be there, as they are after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';
/** Two pages of each kind and the beginning of another: more would show nothing new. */
const RECORDS = 205;

/** By column of HOSTS.md. */
const results = new Map<string, Set<GuaranteeName>>();
const folder = sharedFolder();
const upstream = path.join(folder, 'data');
beforeAll(() => {
  renamedSnapshot(upstream, RECORDS);
});

for (const { engine, links, unsupported, column = engine.name } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '').each(['', '/games/v2.1'])(
    `${engine.name}${reason} at https://example.test%s`,
    (below) => {
      const baseUrl = `https://example.test${below}`;
      // A folder that a build makes is public.
      const out = path.join(mkdtempSync(path.join(folder, 'site-')), 'site');
      let running: RunningEngine;
      beforeAll(async () => {
        expect(missing).toBeUndefined();
        const hosts = engine.host ? [engine.host] : [];
        const made = { links, hosts, maxShrink: 100, archive: below === '' };
        await build({ source: 'snapshot', upstream, baseUrl, out, ...made });
        running = await engine.start(out);
      });
      afterAll(() => running?.stop());

      test('keeps every guarantee that it can, and names those that it cannot', async () => {
        const { guarantees: checked, counts } = await verifyDeployment(running.url, {
          level: 'full',
          concurrency: engine.concurrency ?? 16,
          linkBase: baseUrl,
        });
        const failed = checked.filter(({ failures }) => failures.length > 0);
        const names = failed.map(({ guarantee }) => guarantee);
        expect(failed.filter(({ guarantee }) => !unsupported.includes(guarantee))).toEqual([]);
        expect(names).toEqual(
          checked.map(({ guarantee }) => guarantee).filter((guarantee) => unsupported.includes(guarantee)),
        );
        expect(counts).toEqual(mapKinds(() => RECORDS));
        expect(names.filter((name) => isExpected(guarantees[name].needs, 'static', links))).toEqual([]);
        results.set(column, new Set([...(results.get(column) ?? []), ...names]));
      });

      // npm's serve has one address for `browse.html` and `browse/index.html`.
      test.runIf(below === '' && engine !== serveStatic)(
        'serves every file as it was built, so that verify --like recognizes the site',
        async () => {
          const site = openSite(folderPlace(out));
          const concurrency = engine.concurrency ?? 8;
          const client = createClient({ concurrency, retries: 1 });
          try {
            for (let offset = 0; offset < site.manifest.files.length / 100; offset++)
              expect(await findDifferences(client, running.url, { site, concurrency, offset })).toEqual([]);
          } finally {
            await client.close();
          }
        },
      );

      // Who knows nothing but files is told nothing of types and headers.
      test
        .runIf(below === '' && links === 'query')
        .each([
          ...[...bulkFiles, ...archiveFiles],
          ...['types.d.ts', 'schemas/move.json', 'openapi.json', 'changes.atom', 'mark.svg'],
        ])('sends %s by its type', async (file) => {
        const asked = { headers: { Accept: 'text/html' } };
        const response = await fetch(`${running.url}/${file}`, asked);
        const { status, headers } = response;
        // Not cancelled: workerd would complain of a broken pipe.
        await response.arrayBuffer();
        expect(status).toBe(200);
        expect({
          // Hosts may pack text on the way, and may say in what letters JSON is; what is packed stays so.
          type: headers.get('Content-Type')?.replace(/^(application\/json);.*$/, '$1'),
          encoding: /\.(?:gz|br)$/.test(file) ? headers.get('Content-Encoding') : null,
          language: headers.get('Content-Language'),
          disposition: headers.get('Content-Disposition'),
          origin: headers.get('Access-Control-Allow-Origin'),
          nosniff: headers.get('X-Content-Type-Options'),
        }).toEqual({
          type: mediaTypeOf(file),
          encoding: null,
          language: null,
          disposition: file.startsWith('download/') ? downloadHeaders['Content-Disposition'] : null,
          origin: commonHeaders['Access-Control-Allow-Origin'],
          nosniff: commonHeaders['X-Content-Type-Options'],
        });
      });
    },
  );
}

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  'HOSTS.md is generated from these results: npm run readme:guarantees',
  async () => {
    await expect(guaranteeTable(results)).toMatchFileSnapshot('../../../docs/HOSTS.md');
  },
);
