import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWebServer, moved } from './server-program.ts';
import { portOf } from './site-folder.ts';

/** Modules that Debian enables by default and that could affect the site, and modules that the site uses. */
const modules = `mpm_event alias authz_core autoindex deflate dir env filter mime negotiation setenvif
  headers rewrite proxy proxy_http brotli`.split(/\s+/);

export const main = (folder: string, more: readonly string[] = []): string => `
ServerRoot ${folder}
ServerName 127.0.0.1
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
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

export const apache = createWebServer({
  host: 'apache',
  program: 'apache2',
  configuration: '_hosts/apache.conf',
  args: (folder) => ['-D', 'FOREGROUND', '-f', `${folder}/main.conf`],
  createMain: (folder) => main(folder),
  move: (configuration, site, port) =>
    `Listen 127.0.0.1:${port}\n${moved(configuration.replace(/^Listen .*/m, ''), {
      [`<VirtualHost *:${portOf(site)}>`]: `<VirtualHost 127.0.0.1:${port}>`,
    })}`,
  /** Apache's workers are another user if root starts it. */
  prepare(site) {
    for (let folder = path.dirname(site); folder.startsWith(`${tmpdir()}/`); folder = path.dirname(folder))
      chmodSync(folder, 0o755);
  },
});
