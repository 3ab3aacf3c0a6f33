import { createWebServer, moved } from './server-program.ts';
import { portOf } from './site-folder.ts';

/** Debian's nginx.conf, without the parts that only its service needs. */
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

export const nginx = createWebServer({
  host: 'nginx',
  program: 'nginx',
  configuration: '_hosts/nginx.conf',
  args: (folder) => ['-p', folder, '-e', 'stderr', '-c', `${folder}/main.conf`],
  createMain: (folder) => main(folder),
  move: (configuration, site, port) =>
    // A site that was built for a container is in another folder there.
    moved(configuration.replaceAll(`'/srv/gamedata`, `'${site}`), {
      [`listen ${portOf(site)};`]: `listen 127.0.0.1:${port};`,
      [`listen [::]:${portOf(site)};`]: '',
    }),
});
