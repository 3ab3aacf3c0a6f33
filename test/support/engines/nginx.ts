/** nginx, as Debian configures it around the site's own configuration. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, startProgram } from './process.ts';
import { findProgram, missingProgram, moved, type WebServer } from './server-program.ts';
import { basePathOf, portOf } from './site-folder.ts';

/** What Debian's nginx.conf has besides what only its service needs. */
const main = (folder: string, isRoot: boolean): string => `
${isRoot ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events { worker_connections 256; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  types_hash_max_size 2048;
  gzip on;
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  include ${folder}/site.conf;
}
`;

export const nginx: WebServer = {
  name: 'nginx',
  host: 'nginx',
  missing: () => missingProgram('nginx'),
  start: (site) =>
    // A site that was built for a container is in another folder there.
    nginx.startWith(
      readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8').replaceAll(`'/srv/gamedata`, `'${site}`),
      site,
    ),
  async startWith(configuration, site) {
    const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-nginx-'));
    const port = await freePort();
    const own = moved(configuration, {
      [`listen ${portOf(site)};`]: `listen 127.0.0.1:${port};`,
      [`listen [::]:${portOf(site)};`]: '',
    });
    writeFileSync(path.join(folder, 'site.conf'), own);
    writeFileSync(path.join(folder, 'nginx.conf'), main(folder, process.getuid?.() === 0));
    return startProgram({
      command: findProgram('nginx') ?? 'nginx',
      args: ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')],
      url: `http://127.0.0.1:${port}${basePathOf(site)}`,
      cleanUp: () => rmSync(folder, { recursive: true, force: true }),
    });
  },
};
