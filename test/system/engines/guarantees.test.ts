/** Every real engine: what it keeps of the contract, guarantee by guarantee, and whether it serves every file as it was built. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { archiveFiles, bulkFiles } from '../../../src/contract/files.ts';
import { type GuaranteeName, guarantees } from '../../../src/contract/guarantees.ts';
import { commonHeaders, downloadHeaders, mediaTypeOf } from '../../../src/contract/headers.ts';
import { createClient } from '../../../src/http/client.ts';
import { findDifferences } from '../../../src/publish/mirror/differences.ts';
import { folderPlace } from '../../../src/sources/site/place.ts';
import { openSite } from '../../../src/sources/site/read.ts';
import { isExpected, verifyDeployment } from '../../../src/verify/deployment.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { engines } from '../../support/engines/index.ts';
import { serve } from '../../support/engines/serve.ts';
import { serveStatic } from '../../support/engines/static.ts';
import { guaranteeTable } from '../../support/guarantee-table.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';

/** Set if all engines have to be there, as they are after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';
/** Two pages of each kind and the beginning of another: more would show nothing new. */
const RECORDS = 205;

const results = new Map<string, GuaranteeName[]>();
const parent = mkdtempSync(path.join(tmpdir(), 'gamedata-engines-'));
const upstream = path.join(parent, 'data');
beforeAll(() => {
  renamedSnapshot(upstream, RECORDS);
});
afterAll(() => rmSync(parent, { recursive: true }));

for (const { engine, links, unsupported, fallback } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  // With a fallback, the root would show nothing new.
  describe.skipIf(reason !== '').each([...(fallback ? [] : ['']), '/games/v2.1'])(
    `${engine.name}${reason} at https://example.test%s`,
    (below) => {
      const baseUrl = `https://example.test${below}`;
      // A folder that a build makes is public.
      const out = path.join(mkdtempSync(path.join(parent, 'site-')), 'site');
      const running: RunningEngine[] = [];
      let url = '';
      beforeAll(async () => {
        expect(missing).toBeUndefined();
        const hosts = engine.host ? [engine.host] : [];
        const origin = { source: 'snapshot', upstream, baseUrl } as const;
        const site = { ...origin, out, links, maxShrink: 100, hosts, archive: below === '' };
        await build(site);
        if (fallback) {
          const beside = await serve.start(out);
          running.push(beside);
          await build({ ...site, fallback: new URL(beside.url).origin });
        }
        const started = await engine.start(out);
        running.push(started);
        url = started.url;
      });
      afterAll(() => Promise.all(running.map(({ stop }) => stop())));

      test('keeps every guarantee that it can, and names those that it cannot', async () => {
        const { guarantees: checked, counts } = await verifyDeployment(url, {
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
        expect(counts).toEqual({ move: RECORDS, item: RECORDS });
        expect(names.filter((name) => isExpected(guarantees[name].needs, 'static', links))).toEqual([]);
        results.set(engine.name, names);
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
              expect(await findDifferences(client, url, { site, concurrency, offset })).toEqual([]);
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
        ])('sends %s as it is, by its type', async (file) => {
        const { status, headers, body } = await get(`${url}/${file}`);
        expect([status, sha256(body)]).toEqual([200, sha256(readFileSync(path.join(out, file)))]);
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

async function get(url: string): Promise<{ status: number; headers: Headers; body: Uint8Array }> {
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  return {
    status: response.status,
    headers: response.headers,
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  'HOSTS.md is generated from these results: npm run readme:guarantees',
  async () => {
    await expect(guaranteeTable(results)).toMatchFileSnapshot('../../../docs/HOSTS.md');
  },
);
