/** Caddy around the site's own configuration, without its administration port and without certificates. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { missingProgram, startServer, type WebServer } from './server-program.ts';

export const globals = `{
	admin off
	auto_https off
}
`;

export const caddy: WebServer = {
  name: 'caddy',
  host: 'caddy',
  missing: () => missingProgram('caddy'),
  start: (site) => caddy.startWith(readFileSync(path.join(site, '_hosts/Caddyfile'), 'utf8'), site),
  startWith: (configuration, site) =>
    startServer('caddy', site, (folder, port) => ({
      args: ['run', '--adapter', 'caddyfile', '--config', path.join(folder, 'Caddyfile')],
      // The site block is the only one, and starts with its address.
      files: { Caddyfile: globals + configuration.replace(/^\w\S+ \{$/m, `http://127.0.0.1:${port} {`) },
    })),
};
