/** Caddy around the site's own configuration, without its administration port and without certificates. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, startProgram } from './process.ts';
import { findProgram, missingProgram, type WebServer } from './server-program.ts';
import { basePathOf } from './site-folder.ts';

const globals = `{
	admin off
	auto_https off
}
`;

export const caddy: WebServer = {
  name: 'caddy',
  host: 'caddy',
  missing: () => missingProgram('caddy'),
  start: (site) => caddy.startWith(readFileSync(path.join(site, '_hosts/Caddyfile'), 'utf8'), site),
  async startWith(configuration, site) {
    const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-caddy-'));
    const port = await freePort();
    const file = path.join(folder, 'Caddyfile');
    // The site block is the only one, and starts with its address.
    writeFileSync(file, globals + configuration.replace(/^(?=\w)\S+ \{$/m, `http://127.0.0.1:${port} {`));
    return startProgram({
      command: findProgram('caddy') ?? 'caddy',
      args: ['run', '--adapter', 'caddyfile', '--config', file],
      url: `http://127.0.0.1:${port}${basePathOf(site)}`,
      // What it keeps between runs.
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      cleanUp: () => rmSync(folder, { recursive: true, force: true }),
    });
  },
};
