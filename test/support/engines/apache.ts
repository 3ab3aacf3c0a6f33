/** Apache, as Debian configures it around the site's own `.htaccess`. */

import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from './engine.ts';
import { freePort, startProgram } from './process.ts';
import { findProgram } from './server-program.ts';

/** What Debian enables by itself and this site could notice, and the two that it needs besides. */
const modules = [
  'mpm_event',
  ...[
    'alias',
    'authz_core',
    'autoindex',
    'deflate',
    'dir',
    'env',
    'filter',
    'mime',
    'negotiation',
    'setenvif',
  ],
  ...['headers', 'rewrite'],
];

const main = (folder: string, site: string, port: number): string => `
ServerRoot ${folder}
ServerName 127.0.0.1
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
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
DocumentRoot ${site}
<Directory ${site}>
  Options Indexes FollowSymLinks
  AllowOverride All
  Require all granted
</Directory>
`;

export const apache: Engine = {
  name: 'apache',
  host: 'apache',
  missing: () => (findProgram('apache2') ? undefined : 'apache2 is not installed'),
  async start(site) {
    const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-apache-'));
    const port = await freePort();
    writeFileSync(path.join(folder, 'apache.conf'), main(folder, readable(site, folder), port));
    return startProgram({
      command: findProgram('apache2') ?? 'apache2',
      args: ['-D', 'FOREGROUND', '-f', path.join(folder, 'apache.conf')],
      url: `http://127.0.0.1:${port}`,
      cleanUp: () => rmSync(folder, { recursive: true, force: true }),
    });
  },
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
