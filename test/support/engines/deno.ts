import { fileURLToPath } from 'node:url';
import { HANDLER_MODULE } from '../../../src/package.ts';
import { type Engine, getSitePath } from './engine.ts';
import { engineFile, missingEngine } from './npm-engines.ts';
import { freePort, startProgram } from './process.ts';

const script = fileURLToPath(new URL('deno-server.js', import.meta.url));

/** The bundled handler in a runtime that shares only the standards with Node. */
export const deno: Engine = {
  name: 'Deno',
  missing: () => missingEngine('deno/package.json'),
  async start(site) {
    const port = String(await freePort());
    const base = getSitePath(site);
    const offline = ['--no-prompt', '--no-config', '--no-lock', '--cached-only'];
    const allowed = [`--allow-read=${site},${HANDLER_MODULE}`, `--allow-net=127.0.0.1:${port}`];
    return startProgram({
      command: engineFile('.bin/deno'),
      args: ['run', ...offline, ...allowed, script, HANDLER_MODULE, site, port, base],
      url: `http://127.0.0.1:${port}${base}`,
      env: { DENO_NO_UPDATE_CHECK: '1' },
    });
  },
};
