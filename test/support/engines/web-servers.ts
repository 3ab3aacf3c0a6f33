import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HostName } from '../../../src/hosts/index.ts';
import { createFolder, removeFolder } from '../folders.ts';
import {
  type Engine,
  getSitePath,
  getSitePort,
  type RunningEngine,
} from './engine.ts';
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
  /** The file in a site with the configuration for this server. */
  readonly configuration: string;
  args(folder: string): string[];
  /** Creates the configuration that includes `<folder>/site.conf`. */
  createMain(folder: string): string;
  /** Edits the address, as an operator does. */
  move(configuration: string, site: string, port: number): string;
}

/**
 * Creates the engine of a web server. Each start writes two files into a separate
 * folder: main.conf in place of the distribution's configuration, and site.conf with
 * the site's own configuration.
 */
function createWebServer(server: ServerProgram): WebServer {
  const { host, program } = server;

  function readConfiguration(site: string): string {
    return readFileSync(path.join(site, server.configuration), 'utf8');
  }

  function run(configuration: string, url: string): Promise<RunningEngine> {
    const folder = createFolder();
    writeFileSync(path.join(folder, 'main.conf'), server.createMain(folder));
    writeFileSync(path.join(folder, 'site.conf'), configuration);
    return startProgram({
      command: findProgram(program) ?? program,
      args: server.args(folder),
      url,
      // Caddy keeps files there.
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      cleanUp: () => removeFolder(folder),
    });
  }

  async function startWith(
    configuration: string,
    site: string,
  ): Promise<RunningEngine> {
    openParents(site);
    const port = await freePort();
    const moved = server.move(configuration, site, port);
    return run(moved, `http://127.0.0.1:${port}${getSitePath(site)}`);
  }

  return {
    name: host,
    host,
    missing() {
      if (findProgram(program)) return undefined;
      return `${program} is not installed`;
    },
    start: (site) => startWith(readConfiguration(site), site),
    startWith,
    startAll(sites, url) {
      for (const site of sites) openParents(site);
      const configurations = sites.map(readConfiguration).join('\n');
      // The machine may have no IPv6.
      const withoutIpv6 = configurations.replaceAll(/^ *listen \[::\].*\n/gm, '');
      return run(withoutIpv6, url);
    },
  };
}

/**
 * Lets every user enter a site's folder, because Apache's workers do not run as
 * root.
 */
function openParents(site: string): void {
  let folder = path.dirname(site);
  while (folder.startsWith(`${tmpdir()}/`)) {
    chmodSync(folder, 0o755);
    folder = path.dirname(folder);
  }
}

/** Web servers are in folders that may be missing from PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export function findProgram(name: string): string | undefined {
  const searched = (process.env.PATH ?? '').split(path.delimiter);
  for (const folder of [...searched, ...SYSTEM_FOLDERS]) {
    const file = path.join(folder, name);
    if (existsSync(file)) return file;
  }
  return undefined;
}

/** Replaces lines that must each occur once. */
export function replaceLines(
  configuration: string,
  replacements: Readonly<Record<string, string>>,
): string {
  let text = configuration;
  for (const [line, replacement] of Object.entries(replacements)) {
    const parts = text.split(line);
    if (parts.length !== 2) {
      throw new Error(`got ${parts.length - 1} lines ${line}, expected one`);
    }
    text = parts.join(replacement);
  }
  return text;
}

/** Folders for the bodies of requests and responses that do not fit into memory. */
function createNginxFolders(folder: string): string {
  const lines: string[] = [];
  for (const name of ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) {
    lines.push(`${name}_temp_path ${folder}/${name};`);
  }
  return lines.join('\n  ');
}

/** Debian's nginx.conf without the parts that only the systemd service needs. */
export const createNginxMain = (
  folder: string,
  user = 'root',
  sites = 'site.conf',
): string => `
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
  ${createNginxFolders(folder)}
  include ${folder}/${sites};
}
`;

export const nginx = createWebServer({
  host: 'nginx',
  program: 'nginx',
  configuration: '_hosts/nginx.conf',
  args: (folder) => ['-p', folder, '-e', 'stderr', '-c', `${folder}/main.conf`],
  createMain: (folder) => createNginxMain(folder),
  move(configuration, site, port) {
    // A site that was built for a container is in another folder there.
    const withFolder = configuration.replaceAll(`'/srv/gamedata`, `'${site}`);
    const sitePort = getSitePort(site);
    return replaceLines(withFolder, {
      [`listen ${sitePort};`]: `listen 127.0.0.1:${port};`,
      [`listen [::]:${sitePort};`]: '',
    });
  },
});

export const caddy = createWebServer({
  host: 'caddy',
  program: 'caddy',
  configuration: '_hosts/Caddyfile',
  args: (folder) => [
    'run',
    '--adapter',
    'caddyfile',
    '--config',
    `${folder}/main.conf`,
  ],
  createMain: (folder) =>
    `{\n\tadmin off\n\tauto_https off\n}\nimport ${folder}/site.conf\n`,
  // The site block is the only one and starts with its address.
  move(configuration, _site, port) {
    return configuration.replace(/^\w\S+ \{$/m, `http://127.0.0.1:${port} {`);
  },
});

/**
 * Modules that the site uses or that Debian enables by default and could affect the
 * site.
 */
const apacheModules = [
  'mpm_event',
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
  'headers',
  'rewrite',
  'proxy',
  'proxy_http',
  'brotli',
];

function loadApacheModules(names: readonly string[]): string {
  const folder = '/usr/lib/apache2/modules';
  return names
    .map((name) => `LoadModule ${name}_module ${folder}/mod_${name}.so`)
    .join('\n');
}

export const createApacheMain = (
  folder: string,
  more: readonly string[] = [],
): string => `
ServerRoot ${folder}
ServerName 127.0.0.1
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
${loadApacheModules([...apacheModules, ...more])}
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
  move(configuration, site, port) {
    const withoutListen = configuration.replace(/^Listen .*/m, '');
    const moved = replaceLines(withoutListen, {
      [`<VirtualHost *:${getSitePort(site)}>`]: `<VirtualHost 127.0.0.1:${port}>`,
    });
    return `Listen 127.0.0.1:${port}\n${moved}`;
  },
});
