import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HostName } from '../../../src/hosts/index.ts';
import { createFolder, removeFolder } from '../folders.ts';
import { type Engine, getSitePath, getSitePort, type RunningEngine } from './engine.ts';
import { freePort, startProgram } from './process.ts';

export interface WebServer extends Engine {
  readonly host: HostName;
  /** Serves a site with a configuration that listens where the site's own would. */
  startWith(configuration: string, site: string): Promise<RunningEngine>;
  startAll(sites: readonly string[], url: string): Promise<RunningEngine>;
}

interface ServerProgram {
  readonly host: HostName;
  readonly program: string;
  readonly configuration: string;
  args(folder: string): string[];
  /** Creates the configuration that includes `<folder>/site.conf`. */
  createMain(folder: string): string;
  /** Edits the address, as an operator does. */
  move(configuration: string, site: string, port: number): string;
}

function createWebServer(server: ServerProgram): WebServer {
  const { host, program } = server;
  const read = (site: string): string =>
    readFileSync(path.join(site, server.configuration), 'utf8');
  const run = (text: string, url: string): Promise<RunningEngine> => {
    const folder = createFolder();
    writeFileSync(path.join(folder, 'main.conf'), server.createMain(folder));
    writeFileSync(path.join(folder, 'site.conf'), text);
    return startProgram({
      command: findProgram(program) ?? program,
      args: server.args(folder),
      url,
      // Caddy keeps files there.
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      cleanUp: () => removeFolder(folder),
    });
  };
  const startWith: WebServer['startWith'] = async (configuration, site) => {
    openParents(site);
    const port = await freePort();
    return run(
      server.move(configuration, site, port),
      `http://127.0.0.1:${port}${getSitePath(site)}`,
    );
  };
  return {
    name: host,
    host,
    missing: () => (findProgram(program) ? undefined : `${program} is not installed`),
    start: (site) => startWith(read(site), site),
    startWith,
    startAll(sites, url) {
      sites.forEach(openParents);
      // The machine may have no IPv6.
      const text = sites.map(read).join('\n');
      return run(text.replaceAll(/^ *listen \[::\].*\n/gm, ''), url);
    },
  };
}

/** Apache's workers run as another user if root starts it. */
function openParents(site: string): void {
  for (
    let folder = path.dirname(site);
    folder.startsWith(`${tmpdir()}/`);
    folder = path.dirname(folder)
  )
    chmodSync(folder, 0o755);
}

/** Web servers are in folders that may be missing from PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export const findProgram = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));

/** Replaces lines that must each occur once. */
export function replaceLines(
  configuration: string,
  lines: Readonly<Record<string, string>>,
): string {
  return Object.entries(lines).reduce((text, [line, own]) => {
    const parts = text.split(line);
    if (parts.length !== 2) throw new Error(`got ${parts.length - 1} lines ${line}, expected one`);
    return parts.join(own);
  }, configuration);
}

/** Debian's nginx.conf without the parts that only its service needs. */
export const createNginxMain = (folder: string, user = 'root', sites = 'site.conf'): string => `
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
  createMain: (folder) => createNginxMain(folder),
  move: (configuration, site, port) =>
    // A site that was built for a container is in another folder there.
    replaceLines(configuration.replaceAll(`'/srv/gamedata`, `'${site}`), {
      [`listen ${getSitePort(site)};`]: `listen 127.0.0.1:${port};`,
      [`listen [::]:${getSitePort(site)};`]: '',
    }),
});

export const caddy = createWebServer({
  host: 'caddy',
  program: 'caddy',
  configuration: '_hosts/Caddyfile',
  args: (folder) => ['run', '--adapter', 'caddyfile', '--config', `${folder}/main.conf`],
  createMain: (folder) => `{\n\tadmin off\n\tauto_https off\n}\nimport ${folder}/site.conf\n`,
  // The site block is the only one and starts with its address.
  move: (configuration, _, port) =>
    configuration.replace(/^\w\S+ \{$/m, `http://127.0.0.1:${port} {`),
});

/** Modules that the site uses or that Debian enables by default and could affect the site. */
const apacheModules =
  `mpm_event alias authz_core autoindex deflate dir env filter mime negotiation setenvif
  headers rewrite proxy proxy_http brotli`.split(/\s+/);

export const createApacheMain = (folder: string, more: readonly string[] = []): string => `
ServerRoot ${folder}
ServerName 127.0.0.1
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
${[...apacheModules, ...more].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
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
  createMain: (folder) => createApacheMain(folder),
  move: (configuration, site, port) =>
    `Listen 127.0.0.1:${port}\n${replaceLines(configuration.replace(/^Listen .*/m, ''), {
      [`<VirtualHost *:${getSitePort(site)}>`]: `<VirtualHost 127.0.0.1:${port}>`,
    })}`,
});
