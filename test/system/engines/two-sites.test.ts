/** Two sites on one web server, one of them below a path: each keeps its guarantees beside the other. */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { hosts } from '../../../src/hosts/index.ts';
import { verifyDeployment } from '../../../src/verify/deployment.ts';
import { apache, main as apacheMain } from '../../support/engines/apache.ts';
import { caddy, globals } from '../../support/engines/caddy.ts';
import { nginx, main as nginxMain } from '../../support/engines/nginx.ts';
import { freePort, startProgram } from '../../support/engines/process.ts';
import { findProgram } from '../../support/engines/server-program.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const servers = [
  {
    engine: nginx,
    host: 'nginx',
    program: 'nginx',
    file: 'nginx.conf',
    around: async (folder: string) => nginxMain(folder),
    include: (file: string) => `include ${file};\n`,
    args: (folder: string) => ['-p', folder, '-e', 'stderr', '-c', `${folder}/main.conf`],
  },
  {
    engine: apache,
    host: 'apache',
    program: 'apache2',
    file: 'apache.conf',
    around: async (folder: string) => apacheMain(folder, await freePort()),
    include: (file: string) => `Include ${file}\n`,
    args: (folder: string) => ['-D', 'FOREGROUND', '-f', `${folder}/main.conf`],
  },
  {
    engine: caddy,
    host: 'caddy',
    program: 'caddy',
    file: 'Caddyfile',
    around: async (folder: string) => `${globals}import ${folder}/site.conf\n`,
    include: (file: string) => `import ${file}\n`,
    args: (folder: string) => ['run', '--adapter', 'caddyfile', '--config', `${folder}/main.conf`],
  },
] as const;

describe.each(servers)('$host', ({ engine, host, program, file, around, include, args }) => {
  test.skipIf(engine.missing())(
    'serves two sites, by files that its own configuration includes',
    async () => {
      const folder = temporaryFolder();
      // Apache's workers are another user.
      chmodSync(folder, 0o755);
      const at = (name: string): string => path.join(folder, name);
      const upstream = renamedSnapshot(at('data'), 105);
      const port = await freePort();
      const addresses = [`http://127.0.0.1:${port}`, `http://localhost:${port}/games`];
      const included = [];
      for (const [index, baseUrl] of addresses.entries()) {
        const out = at(`site-${index}`);
        await build({ source: 'snapshot', upstream, baseUrl, out, hosts: [host], maxShrink: 100 });
        const own = readFileSync(path.join(out, '_hosts', file), 'utf8');
        mkdirSync(at('copies'), { recursive: true });
        // As its comment says: there may be no IPv6 here.
        writeFileSync(at(`copies/${index}`), own.replace(/^ *listen \[::\].*\n/m, ''));
        included.push(include(at(`copies/${index}`)));
      }
      writeFileSync(at('main.conf'), await around(folder));
      writeFileSync(at('site.conf'), included.join(''));
      const running = await startProgram({
        command: findProgram(program) ?? program,
        args: args(folder),
        url: addresses[0] ?? '',
        env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      });
      try {
        for (const address of addresses) {
          const { guarantees } = await verifyDeployment(address, { level: 'full', concurrency: 8 });
          const failed = guarantees.filter(({ failures }) => failures.length > 0);
          const unsupported = new Set<string>(hosts[host].unsupported);
          expect(failed.filter(({ guarantee }) => !unsupported.has(guarantee))).toEqual([]);
          expect(failed.length).toBe(unsupported.size);
        }
      } finally {
        await running.stop();
      }
    },
  );
});
