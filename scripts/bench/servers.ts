/** The servers that `gamedata serve` and the generated configuration are measured against, on free ports of loopback. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningEngine } from '../../test/support/engines/engine.ts';
import { freePort, startProgram } from '../../test/support/engines/process.ts';
import { findProgram, moved } from '../../test/support/engines/server-program.ts';
import { portOf } from '../../test/support/engines/site-folder.ts';

const script = fileURLToPath(new URL('../serve-handler.mjs', import.meta.url));

export async function startServeHandler(site: string): Promise<RunningEngine> {
  const port = await freePort();
  const args = [script, site, String(port)];
  return startProgram({ command: process.execPath, args, url: `http://127.0.0.1:${port}` });
}

export const hasNginx = (): boolean => findProgram('nginx') !== undefined;

/** nginx with the configuration that the site has for it. */
export const startOwnNginx = (site: string, folder: string): Promise<RunningEngine> =>
  startNginx(path.join(folder, 'own'), (port) => {
    const own = readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8');
    return moved(own, { [`listen ${portOf(site)};`]: `listen 127.0.0.1:${port};` });
  });

export const hasOwnConfiguration = (site: string): boolean =>
  existsSync(path.join(site, '_hosts/nginx.conf'));

/** nginx that knows nothing but a folder, and how the site's configuration compresses. */
export const startBareNginx = (site: string, folder: string): Promise<RunningEngine> =>
  startNginx(path.join(folder, 'bare'), (port) => {
    const own = readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8');
    const gzip = own.match(/^ {4}gzip.*$/gm) ?? [];
    return `server { listen 127.0.0.1:${port}; root ${site}; ${gzip.join(' ')} }`;
  });

async function startNginx(prefix: string, site: (port: number) => string): Promise<RunningEngine> {
  const port = await freePort();
  writeFileSync(`${prefix}.conf`, around(prefix, site(port)));
  return startProgram({
    command: findProgram('nginx') ?? 'nginx',
    args: ['-e', 'stderr', '-c', `${prefix}.conf`],
    url: `http://127.0.0.1:${port}`,
  });
}

/** One worker, as the others are one process. Connections are not closed after a thousand requests: wrk would count errors. */
const around = (prefix: string, server: string): string => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${prefix}.pid;
error_log stderr;
events { worker_connections 256; }
http {
  include /etc/nginx/mime.types;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${prefix}-${name};`).join('\n  ')}
  ${server}
}
`;
