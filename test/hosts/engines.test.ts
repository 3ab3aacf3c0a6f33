/** The contract, clause by clause, on every real engine: each keeps exactly what the table of hosts says. */

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../src/build.ts';
import { type ClauseName, clauses } from '../../src/contract/clauses.ts';
import { isPromised, verifyDeployment } from '../../src/verify/deployment.ts';
import { clauseTable, readmeTable, writeReadmeTable } from '../support/clause-table.ts';
import { engines } from '../support/engines/index.ts';
import { renamedSnapshot } from '../support/renamed-snapshot.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Set where all engines have to be there, as they are after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';
const BASE_URL = 'https://example.test';

const results = new Map<string, ClauseName[]>();

for (const { engine, links, cannot } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '')(`${engine.name}${reason}`, () => {
    test('keeps every clause that it can, and names those that it cannot', async () => {
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
        const failed = full.clauses.filter(({ failures }) => failures.length > 0);
        const unexpected = failed.filter(({ clause }) => !cannot.includes(clause));
        expect(unexpected).toEqual([]);
        expect(failed.map(({ clause }) => clause)).toEqual(
          full.clauses.map(({ clause }) => clause).filter((clause) => cannot.includes(clause)),
        );
        expect(full.counts).toEqual({ move: 746, item: 954 });
        results.set(
          engine.name,
          failed.map(({ clause }) => clause),
        );

        const promised = failed.filter(({ clause }) => isPromised(clauses[clause].needs, 'static', links));
        expect(promised).toEqual([]);
      } finally {
        await stop();
      }
    });
  });
}

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  "the README's table is what the engines did",
  () => {
    const table = clauseTable(results);
    if (process.env.UPDATE_README) writeReadmeTable(table);
    expect(readmeTable()).toBe(table);
  },
);
