/** Servers that know nothing but files: the `serve` package, and Python's own. */

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Engine } from './engine.ts';
import { freePort, startProgram } from './process.ts';

export const serveStatic: Engine = {
  name: 'serve',
  missing: () => undefined,
  async start(site) {
    const port = await freePort();
    const cli = createRequire(import.meta.url).resolve('serve/build/main.js');
    const listen = `tcp://127.0.0.1:${port}`;
    return startProgram({
      command: process.execPath,
      args: [cli, '--listen', listen, '--no-clipboard', '--no-port-switching', site],
      url: `http://127.0.0.1:${port}`,
      env: { NO_UPDATE_CHECK: '1' },
    });
  },
};

export const pythonHttpServer: Engine = {
  name: 'python3 -m http.server',
  missing: () => (spawnSync('python3', ['--version']).status === 0 ? undefined : 'python3 is not installed'),
  async start(site) {
    const port = await freePort();
    return startProgram({
      command: 'python3',
      args: ['-m', 'http.server', '--bind', '127.0.0.1', '--directory', site, String(port)],
      url: `http://127.0.0.1:${port}`,
    });
  },
};
