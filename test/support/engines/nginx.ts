/** nginx, as Debian configures it around the site's own configuration. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { missingProgram, moved, startServer, type WebServer } from './server-program.ts';
import { portOf } from './site-folder.ts';

/** What Debian's nginx.conf has besides what only its service needs. Run by root, its workers are of a user. */
export const main = (folder: string, user = 'root', sites = 'site.conf'): string => `
${process.getuid?.() === 0 ? `user ${user};` : ''}
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
  include ${folder}/${sites};
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
  startWith: (configuration, site) =>
    startServer('nginx', site, (folder, port) => ({
      args: ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')],
      files: {
        'nginx.conf': main(folder),
        'site.conf': moved(configuration, {
          [`listen ${portOf(site)};`]: `listen 127.0.0.1:${port};`,
          [`listen [::]:${portOf(site)};`]: '',
        }),
      },
    })),
};
