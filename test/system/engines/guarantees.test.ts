/** The contract, guarantee by guarantee, on every real engine: each keeps exactly what the table of hosts says. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/commands/build.ts';
import { type GuaranteeName, guarantees } from '../../../src/contract/guarantees.ts';
import { isExpected, verifyDeployment } from '../../../src/verify/deployment.ts';
import { engines } from '../../support/engines/index.ts';
import { guaranteeTable } from '../../support/guarantee-table.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Set if all engines have to be there, as they are after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';
const BASE_URL = 'https://example.test';

const results = new Map<string, GuaranteeName[]>();

for (const { engine, links, unsupported } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '')(`${engine.name}${reason}`, () => {
    test('keeps every guarantee that it can, and names those that it cannot', async () => {
      expect(missing).toBeUndefined();
      const out = temporaryFolder();
      await build({
        source: 'snapshot',
        upstream: renamedSnapshot(path.join(temporaryFolder(), 'data')),
        baseUrl: BASE_URL,
        out,
        links,
        hosts: engine.host ? [engine.host] : [],
      });
      const { url, stop } = await engine.start(out);
      try {
        const full = await verifyDeployment(url, { level: 'full', concurrency: 16, linkBase: BASE_URL });
        const failed = full.guarantees.filter(({ failures }) => failures.length > 0);
        const unexpected = failed.filter(({ guarantee }) => !unsupported.includes(guarantee));
        expect(unexpected).toEqual([]);
        expect(failed.map(({ guarantee }) => guarantee)).toEqual(
          full.guarantees
            .map(({ guarantee }) => guarantee)
            .filter((guarantee) => unsupported.includes(guarantee)),
        );
        expect(full.counts).toEqual({ move: 746, item: 954 });
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
      }
    });
  });
}

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  'HOSTS.md is generated from these results: npm run readme:guarantees',
  async () => {
    await expect(guaranteeTable(results)).toMatchFileSnapshot('../../../HOSTS.md');
  },
);
