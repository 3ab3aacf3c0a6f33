/** The contract, guarantee by guarantee, on every real engine: each keeps exactly what the table of hosts says. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { type GuaranteeName, guarantees } from '../../../src/contract/guarantees.ts';
import { isExpected, verifyDeployment } from '../../../src/verify/deployment.ts';
import { engines } from '../../support/engines/index.ts';
import { serve } from '../../support/engines/serve.ts';
import { guaranteeTable } from '../../support/guarantee-table.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Set if all engines have to be there, as they are after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';
const BASE_URL = 'https://example.test';
/** Where a site below a path is served. */
const BELOW = '/games/v2.1';

const results = new Map<string, GuaranteeName[]>();

for (const { engine, links, unsupported, fallback } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '')(`${engine.name}${reason}`, () => {
    // Below a path, with two and a half pages of each kind: more would show nothing new.
    const places: [where: string, below: string, records?: number][] = [['below a path', BELOW, 250]];
    // With a fallback, the root would show nothing new either.
    if (!fallback) places.unshift(['at the root', '']);
    test.each(places)(
      'keeps every guarantee that it can, and names those that it cannot: %s',
      async (_, below, records) => {
        expect(missing).toBeUndefined();
        const out = temporaryFolder();
        const baseUrl = BASE_URL + below;
        const site = {
          source: 'snapshot',
          upstream: renamedSnapshot(path.join(temporaryFolder(), 'data'), records),
          baseUrl,
          out,
          links,
          maxShrink: 100,
          hosts: engine.host ? [engine.host] : [],
        } as const;
        await build(site);
        const beside = fallback ? await serve.start(out) : undefined;
        if (beside) await build({ ...site, fallback: new URL(beside.url).origin });
        const { url, stop } = await engine.start(out);
        try {
          const full = await verifyDeployment(url, { level: 'full', concurrency: 16, linkBase: baseUrl });
          const failed = full.guarantees.filter(({ failures }) => failures.length > 0);
          const unexpected = failed.filter(({ guarantee }) => !unsupported.includes(guarantee));
          expect(unexpected).toEqual([]);
          expect(failed.map(({ guarantee }) => guarantee)).toEqual(
            full.guarantees
              .map(({ guarantee }) => guarantee)
              .filter((guarantee) => unsupported.includes(guarantee)),
          );
          expect(full.counts).toEqual({ move: records ?? 746, item: records ?? 954 });
          results.set(
            engine.name,
            failed.map(({ guarantee }) => guarantee),
          );

          const promised = failed.filter(({ guarantee }) =>
            isExpected(guarantees[guarantee].needs, 'static', links),
          );
          expect(promised).toEqual([]);
        } finally {
          await stop();
          await beside?.stop();
        }
      },
    );
  });
}

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  'HOSTS.md is generated from these results: npm run readme:guarantees',
  async () => {
    await expect(guaranteeTable(results)).toMatchFileSnapshot('../../../docs/HOSTS.md');
  },
);
