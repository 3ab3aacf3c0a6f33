/** Caddy around the site's own configuration, without its administration port and without certificates. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from './engine.ts';
import { freePort, startProgram } from './process.ts';
import { findProgram, moved } from './server-program.ts';
import { basePathOf, baseUrlOf } from './site-folder.ts';

const globals = `{
	admin off
	auto_https off
}
`;

export const caddy: Engine = {
  name: 'caddy',
  host: 'caddy',
  missing: () => (findProgram('caddy') ? undefined : 'caddy is not installed'),
  async start(site) {
    const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-caddy-'));
    const port = await freePort();
    const ownConfiguration = readFileSync(path.join(site, '_hosts/Caddyfile'), 'utf8');
    // Several run at the same time: each has a socket of its own.
    const configuration = moved(ownConfiguration.replaceAll('unix/@', `unix/@${port}-`), {
      [`\n${new URL(baseUrlOf(site)).origin} {`]: `\nhttp://127.0.0.1:${port} {`,
    });
    const file = path.join(folder, 'Caddyfile');
    writeFileSync(file, globals + configuration);
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
