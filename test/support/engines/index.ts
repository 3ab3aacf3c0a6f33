/** The table of engines: everything that the contract is proven on, in the order of the README's table. */

import type { LinkStyle } from '../../../src/contract/addresses.ts';
import { type ClauseName, clauseNames, clauses } from '../../../src/contract/clauses.ts';
import { hosts } from '../../../src/hosts/index.ts';
import type { HostName } from '../../../src/hosts/names.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import { deno } from './deno.ts';
import type { Engine } from './engine.ts';
import { handler } from './handler.ts';
import { netlify } from './netlify.ts';
import { netlifyEdge } from './netlify-edge.ts';
import { nginx } from './nginx.ts';
import { serve } from './serve.ts';
import { pythonHttpServer, serveStatic } from './static.ts';

export interface EngineRow {
  readonly engine: Engine;
  readonly links: LinkStyle;
  /** The clauses that it does not keep. */
  readonly cannot: readonly ClauseName[];
}

const everything = (engine: Engine): EngineRow => ({ engine, links: 'query', cannot: [] });
const asHost = (engine: Engine, host: HostName): EngineRow => ({
  engine,
  links: 'query',
  cannot: hosts[host].cannot,
});

/** Who knows nothing but files keeps nothing else, apart from what is named. */
const filesOnly = (engine: Engine, besides: readonly ClauseName[]): EngineRow => ({
  engine,
  links: 'file',
  cannot: clauseNames.filter((clause) => clauses[clause].needs !== 'files' && !besides.includes(clause)),
});

export const engines: readonly EngineRow[] = [
  everything(handler),
  everything(serve),
  everything(deno),
  asHost(cloudflare, 'cloudflare'),
  asHost(netlifyEdge, 'netlify-edge'),
  asHost(netlify, 'netlify'),
  asHost(nginx, 'nginx'),
  asHost(caddy, 'caddy'),
  asHost(apache, 'apache'),
  filesOnly(serveStatic, ['etag']),
  filesOnly(pythonHttpServer, []),
];
