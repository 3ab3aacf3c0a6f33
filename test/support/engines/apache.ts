/** Apache, as Debian configures it around the site's own virtual host. */

import { chmodSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { missingProgram, moved, startServer, type WebServer } from './server-program.ts';
import { portOf } from './site-folder.ts';

/** What Debian enables by itself and this site could notice, and what it needs or uses besides. */
const modules = `mpm_event alias authz_core autoindex deflate dir env filter mime negotiation setenvif
  headers rewrite proxy proxy_http brotli`.split(/\s+/);

export const main = (folder: string, port: number, more: readonly string[] = []): string => `
ServerRoot ${folder}
ServerName 127.0.0.1
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
${[...modules, ...more].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data
Group www-data
TypesConfig /etc/mime.types
TraceEnable Off
AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css text/javascript
<Directory />
  Options FollowSymLinks
  AllowOverride None
  Require all denied
</Directory>
AccessFileName .htaccess
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
Include ${folder}/site.conf
`;

export const apache: WebServer = {
  name: 'apache',
  host: 'apache',
  missing: () => missingProgram('apache2'),
  start: (site) => apache.startWith(readFileSync(path.join(site, '_hosts/apache.conf'), 'utf8'), site),
  startWith: (configuration, site) =>
    startServer('apache2', site, (folder, port) => {
      const own = moved(configuration, {
        [`<VirtualHost *:${portOf(site)}>`]: `<VirtualHost 127.0.0.1:${port}>`,
      });
      return {
        args: ['-D', 'FOREGROUND', '-f', path.join(folder, 'apache.conf')],
        files: {
          'apache.conf': main(folder, port),
          'site.conf': own.replace(/^Listen .*/m, '').replaceAll(`"${site}"`, `"${readable(site, folder)}"`),
        },
      };
    }),
};

/** Started by root, Apache serves as another user, who cannot read a folder that belongs to one test: it gets a copy. */
function readable(site: string, folder: string): string {
  if (process.getuid?.() !== 0) return site;
  const copy = path.join(folder, 'site');
  cpSync(site, copy, { recursive: true, preserveTimestamps: true });
  chmodSync(copy, 0o755);
  chmodSync(folder, 0o755);
  return copy;
}
