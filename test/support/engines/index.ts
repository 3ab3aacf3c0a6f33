/** The table of engines: everything that the contract is proven on, in the order of the README's table. */

import { readFileSync } from 'node:fs';
import { type GuaranteeName, guaranteeNames, guarantees } from '../../../src/contract/guarantees.ts';
import type { LinkStyle } from '../../../src/contract/paths.ts';
import { hosts } from '../../../src/hosts/index.ts';
import type { HostName } from '../../../src/hosts/names.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import { deno } from './deno.ts';
import type { Engine } from './engine.ts';
import { githubPages } from './github-pages.ts';
import { handler } from './handler.ts';
import { netlify, netlifyRules } from './netlify.ts';
import { nginx } from './nginx.ts';
import { serve } from './serve.ts';
import { moved, type WebServer } from './server-program.ts';
import { pythonHttpServer, serveStatic } from './static.ts';

const operating = readFileSync(new URL('../../../docs/OPERATING.md', import.meta.url), 'utf8');

export interface EngineRow {
  readonly engine: Engine;
  readonly links: LinkStyle;
  /** The guarantees that it does not keep. */
  readonly unsupported: readonly GuaranteeName[];
  /** The column of HOSTS.md; several engines may share one. Default: the engine's name. */
  readonly column?: string;
}

const everything = (engine: Engine): EngineRow => ({ engine, links: 'query', unsupported: [] });
const asHost = (engine: Engine, host: HostName, links: LinkStyle = 'query'): EngineRow => ({
  engine,
  links,
  unsupported: hosts[host].unsupported,
});
/** CDNs compress, but not the programs that stand for them here. */
const uncompressed = (row: EngineRow): EngineRow => ({
  ...row,
  unsupported: [...row.unsupported, 'compression'],
});
/** The recipe of OPERATING.md, as it stands there. */
const beforeServe = (server: WebServer, language: string): EngineRow => ({
  column: 'gamedata serve behind nginx, Caddy or Apache',
  engine: {
    name: `gamedata serve behind ${server.name}`,
    missing: () => server.missing() ?? serve.missing(),
    async start(site) {
      const [, recipe = ''] = operating.split(`\`\`\`${language}\n`);
      const [configuration = ''] = recipe.split('```');
      const served = await serve.start(site);
      const own = moved(configuration, { '127.0.0.1:3000': new URL(served.url).host });
      const { url, stop } = await server.startWith(own, site);
      return { url, stop: async () => void (await Promise.all([stop(), served.stop()])) };
    },
  },
  links: 'query',
  // What it says of a malformed request itself.
  unsupported: ['any-path'],
});

/** Who knows nothing but files keeps nothing else, apart from what is named. */
const filesOnly = (engine: Engine, besides: readonly GuaranteeName[]): EngineRow => ({
  engine,
  links: 'file',
  unsupported: guaranteeNames.filter(
    (guarantee) => guarantees[guarantee].needs !== 'files' && !besides.includes(guarantee),
  ),
});

export const engines: readonly EngineRow[] = [
  uncompressed(everything(handler)),
  everything(serve),
  uncompressed(everything(deno)),
  uncompressed(asHost(cloudflare, 'cloudflare')),
  uncompressed(asHost(netlify, 'netlify')),
  uncompressed(asHost(netlifyRules, 'netlify-rules')),
  asHost(nginx, 'nginx'),
  asHost(caddy, 'caddy'),
  asHost(apache, 'apache'),
  beforeServe(nginx, 'nginx'),
  beforeServe(caddy, 'caddyfile'),
  beforeServe(apache, 'apache'),
  uncompressed(asHost(githubPages, 'github-pages', 'file')),
  filesOnly(serveStatic, ['etag']),
  filesOnly(pythonHttpServer, []),
];
