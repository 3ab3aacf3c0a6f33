import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { guaranteeNames } from '../../../src/contract/guarantees.ts';
import { hosts } from '../../../src/hosts/index.ts';
import { verifyDeployment } from '../../../src/verify/deployment.ts';
import { freePort } from '../../support/engines/process.ts';
import { apache, caddy, nginx } from '../../support/engines/web-servers.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe.each([nginx, caddy, apache])('$name', (engine) => {
  test.skipIf(engine.missing())(
    'serves two sites, one of which is below a path',
    async () => {
      const folder = temporaryFolder();
      const upstream = await renamedSnapshot(path.join(folder, 'data'), 105);
      const port = await freePort();
      const addresses = [
        `http://127.0.0.1:${port}`,
        `http://localhost:${port}/games`,
      ];
      const sites = addresses.map((_, at) => path.join(folder, `site-${at}`));
      for (const [at, baseUrl] of addresses.entries()) {
        const options = {
          baseUrl,
          out: sites[at],
          hosts: [engine.host],
          maxShrink: 100,
        };
        await build({ source: 'snapshot', upstream, ...options });
        fsExtra.outputFileSync(
          path.join(`${sites[at]}`, '.well-known/security.txt'),
          'text',
        );
      }
      const running = await engine.startAll(sites, addresses[0] ?? '');
      try {
        for (const address of addresses) {
          const { guarantees } = await verifyDeployment(address, {
            guarantees: guaranteeNames,
            concurrency: 8,
          });
          const failed = guarantees.flatMap(({ guarantee, failures }) =>
            failures.length > 0 ? guarantee : [],
          );
          expect(failed.sort()).toEqual([...hosts[engine.host].unsupported].sort());
          const bare = await fetch(address, { redirect: 'manual' });
          const isBelowPath = address.endsWith('/games');
          expect(bare.status).toBe(isBelowPath ? 301 : 200);
          // Files about the whole host belong to the site at the host's root.
          const { status } = await fetch(`${address}/.well-known/security.txt`);
          expect(status).toBe(isBelowPath ? 404 : 200);
        }
      } finally {
        await running.stop();
      }
    },
  );
});
