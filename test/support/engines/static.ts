/** Servers that know nothing but files: the `serve` package, and Python's own. */

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createFolder, removeFolder } from '../folders.ts';
import type { Engine } from './engine.ts';
import { freePort, startProgram } from './process.ts';
import { basePathOf } from './site-folder.ts';

/** A folder that has the site at the path of its base URL. */
function below(site: string): { folder: string; base: string; cleanUp: () => void } {
  const base = basePathOf(site);
  if (base === '') return { folder: site, base, cleanUp: () => {} };
  const folder = createFolder();
  // `serve` follows links to files only.
  cpSync(site, path.join(folder, base), { recursive: true });
  return { folder, base, cleanUp: () => removeFolder(folder) };
}

export const serveStatic: Engine = {
  name: 'serve',
  missing: () => undefined,
  async start(site) {
    const port = await freePort();
    const cli = createRequire(import.meta.url).resolve('serve/build/main.js');
    const listen = `tcp://127.0.0.1:${port}`;
    const { folder, base, cleanUp } = below(site);
    return startProgram({
      command: process.execPath,
      args: [cli, '--listen', listen, '--no-clipboard', '--no-port-switching', folder],
      url: `http://127.0.0.1:${port}${base}`,
      cleanUp,
      env: { NO_UPDATE_CHECK: '1' },
    });
  },
};

export const pythonHttpServer: Engine = {
  name: 'python3 -m http.server',
  // It has a backlog of five connections: any others wait a second for the next try.
  concurrency: 4,
  missing: () => (spawnSync('python3', ['--version']).status === 0 ? undefined : 'python3 is not installed'),
  async start(site) {
    const port = await freePort();
    const { folder, base, cleanUp } = below(site);
    return startProgram({
      command: 'python3',
      args: ['-m', 'http.server', '--bind', '127.0.0.1', '--directory', folder, String(port)],
      url: `http://127.0.0.1:${port}${base}`,
      cleanUp,
    });
  },
};
