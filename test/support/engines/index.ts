/** The table of engines: everything that the contract is proven on, in the order of the README's table. */

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
import { netlify, netlifyEdge, netlifyRules } from './netlify-edge.ts';
import { nginx } from './nginx.ts';
import { serve } from './serve.ts';
import { pythonHttpServer, serveStatic } from './static.ts';

export interface EngineRow {
  readonly engine: Engine;
  readonly links: LinkStyle;
  /** The guarantees that it does not keep. */
  readonly unsupported: readonly GuaranteeName[];
  readonly fallback?: boolean;
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
/** What files cannot answer is handed on to a `gamedata serve` beside the server. */
const withFallback = (engine: Engine, unsupported: readonly GuaranteeName[] = ['link']): EngineRow => ({
  engine: { ...engine, name: `${engine.name} with a fallback` },
  links: 'query',
  unsupported,
  fallback: true,
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
  uncompressed(asHost(netlifyEdge, 'netlify-edge')),
  uncompressed(asHost(netlify, 'netlify')),
  uncompressed(asHost(netlifyRules, 'netlify-rules')),
  asHost(nginx, 'nginx'),
  withFallback(nginx),
  asHost(caddy, 'caddy'),
  withFallback(caddy, ['any-path', 'link']),
  asHost(apache, 'apache'),
  withFallback(apache),
  uncompressed(asHost(githubPages, 'github-pages', 'file')),
  filesOnly(serveStatic, ['etag']),
  filesOnly(pythonHttpServer, []),
];
