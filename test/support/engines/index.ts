/** The engines that prove the contract, in the order of the hosts in HOSTS.md. */

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
import { cloudflare } from './npm-engines.ts';
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
  /** The host's name in HOSTS.md, which several engines may share. */
  readonly host: string;
}

/**
 * Creates an engine's row. The engine supports none of the guarantees that its host
 * does not support, and may support even fewer.
 */
function createRow(
  host: string,
  engine: Engine,
  more: readonly GuaranteeName[] = [],
  links: LinkStyle = 'query',
): EngineRow {
  const byHost = engine.host ? hosts[engine.host].unsupported : [];
  return { host, engine, links, unsupported: [...byHost, ...more] };
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
    host: '`gamedata serve` behind a web server',
    engine,
    links: 'query',
    unsupported: [],
  };
}

const needsMoreThanFiles = guaranteeNames.filter(
  (name) => guarantees[name].needs !== 'files',
);

export const engines: readonly EngineRow[] = [
  // The server or CDN in front of the request handler compresses.
  createRow('Cloudflare', handler, ['compression']),
  createRow('Cloudflare', cloudflare),
  createRow('`gamedata serve`', serve, ['compression']),
  createRow('Netlify', netlify),
  createRow('Netlify by rules', netlifyRules),
  createRow('nginx', nginx),
  createRow('Caddy', caddy),
  createRow('Apache', apache),
  createProxyRow(nginx, 'nginx.conf'),
  createProxyRow(caddy, 'Caddyfile'),
  createProxyRow(apache, 'apache.conf'),
  createRow('GitHub Pages', githubPages, [], 'file'),
  createRow('plain file servers', serveStatic, needsMoreThanFiles, 'file'),
  createRow('plain file servers', pythonHttpServer, needsMoreThanFiles, 'file'),
];
