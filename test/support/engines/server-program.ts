/** nginx, Caddy and Apache, each with the configuration of a site. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { HostName } from '../../../src/hosts/index.ts';
import { createFolder, removeFolder } from '../folders.ts';
import type { Engine, RunningEngine } from './engine.ts';
import { freePort, startProgram } from './process.ts';
import { basePathOf } from './site-folder.ts';

export interface WebServer extends Engine {
  readonly host: HostName;
  /** Serves a site with a configuration that listens where the site's own would. */
  startWith(configuration: string, site: string): Promise<RunningEngine>;
  /** Serves sites at their base URLs. */
  startAll(sites: readonly string[], url: string): Promise<RunningEngine>;
}

interface ServerProgram {
  readonly host: HostName;
  readonly program: string;
  /** In the site's folder. */
  readonly configuration: string;
  args(folder: string): string[];
  /** The configuration that includes `<folder>/site.conf`. */
  createMain(folder: string): string;
  /** Edits the address, as an operator does. */
  move(configuration: string, site: string, port: number): string;
  /** Makes the folder of a site readable for the program. */
  prepare?(site: string): void;
}

export function createWebServer(server: ServerProgram): WebServer {
  const { host, program } = server;
  const read = (site: string): string => readFileSync(path.join(site, server.configuration), 'utf8');
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
    server.prepare?.(site);
    const port = await freePort();
    return run(server.move(configuration, site, port), `http://127.0.0.1:${port}${basePathOf(site)}`);
  };
  return {
    name: host,
    host,
    missing: () => (findProgram(program) ? undefined : `${program} is not installed`),
    start: (site) => startWith(read(site), site),
    startWith,
    startAll(sites, url) {
      for (const site of sites) server.prepare?.(site);
      // As the comment in the configuration says: there may be no IPv6.
      return run(
        sites
          .map(read)
          .join('\n')
          .replaceAll(/^ *listen \[::\].*\n/gm, ''),
        url,
      );
    },
  };
}

/** Web servers are in folders that may be missing from PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export const findProgram = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));

/** Replaces lines that must each occur once. */
export function moved(configuration: string, lines: Readonly<Record<string, string>>): string {
  let text = configuration;
  for (const [line, own] of Object.entries(lines)) {
    const parts = text.split(line);
    if (parts.length !== 2) throw new Error(`got ${parts.length - 1} lines ${line}, expected one`);
    text = parts.join(own);
  }
  return text;
}
