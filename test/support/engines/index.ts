/** The engines that prove the contract, in the order of the columns in HOSTS.md. */

import { readFileSync } from 'node:fs';
import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
} from '../../../src/contract/guarantees.ts';
import type { LinkStyle } from '../../../src/contract/paths.ts';
import { hosts } from '../../../src/hosts/index.ts';
import { type Engine, handler } from './engine.ts';
import { netlify, netlifyRules } from './netlify.ts';
import { cloudflare, deno } from './npm-engines.ts';
import { serve } from './serve.ts';
import { githubPages, pythonHttpServer, serveStatic } from './static.ts';
import {
  apache,
  caddy,
  nginx,
  replaceLines,
  type WebServer,
} from './web-servers.ts';

export interface EngineRow {
  readonly engine: Engine;
  readonly links: LinkStyle;
  readonly unsupported: readonly GuaranteeName[];
  /**
   * The column in HOSTS.md, which several engines may share. Default: the engine's
   * name.
   */
  readonly column?: string;
}

/**
 * Creates an engine's row. The engine supports none of the guarantees that its host
 * does not support, and may support even fewer.
 */
function createRow(
  engine: Engine,
  more: readonly GuaranteeName[] = [],
  links: LinkStyle = 'query',
): EngineRow {
  const byHost = engine.host ? hosts[engine.host].unsupported : [];
  return { engine, links, unsupported: [...byHost, ...more] };
}

/**
 * Creates the row of `gamedata serve` behind a web server with a configuration in
 * deploy/proxy/.
 */
function createProxyRow(server: WebServer, file: string): EngineRow {
  const configurationFile = new URL(
    `../../../deploy/proxy/${file}`,
    import.meta.url,
  );
  const engine: Engine = {
    name: `gamedata serve behind ${server.name}`,
    missing: () => server.missing() ?? serve.missing(),
    async start(site) {
      const served = await serve.start(site);
      const template = readFileSync(configurationFile, 'utf8');
      const { host } = new URL(served.url);
      const configuration = replaceLines(template, { '127.0.0.1:3000': host });
      const { url, stop } = await server.startWith(configuration, site);
      return {
        url,
        async stop() {
          await Promise.all([stop(), served.stop()]);
        },
      };
    },
  };
  return {
    column: 'gamedata serve behind a web server',
    engine,
    links: 'query',
    // The web server rejects malformed requests itself.
    unsupported: ['any-path'],
  };
}

const needsMoreThanFiles = guaranteeNames.filter(
  (name) => guarantees[name].needs !== 'files',
);
const needsMoreThanEtags = needsMoreThanFiles.filter((name) => name !== 'etag');

export const engines: readonly EngineRow[] = [
  // CDNs compress, but their local engines do not.
  createRow(handler, ['compression']),
  createRow(serve, ['compression']),
  createRow(deno, ['compression']),
  createRow(cloudflare, ['compression']),
  createRow(netlify, ['compression']),
  createRow(netlifyRules, ['compression']),
  createRow(nginx),
  createRow(caddy),
  createRow(apache),
  createProxyRow(nginx, 'nginx.conf'),
  createProxyRow(caddy, 'Caddyfile'),
  createProxyRow(apache, 'apache.conf'),
  createRow(githubPages, ['compression'], 'file'),
  createRow(serveStatic, needsMoreThanEtags, 'file'),
  createRow(pythonHttpServer, needsMoreThanFiles, 'file'),
];
