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
import { handler } from './handler.ts';
import { netlify } from './netlify.ts';
import { netlifyEdge } from './netlify-edge.ts';
import { nginx } from './nginx.ts';
import { serve } from './serve.ts';
import { pythonHttpServer, serveStatic } from './static.ts';

export interface EngineRow {
  readonly engine: Engine;
  readonly links: LinkStyle;
  /** The guarantees that it does not keep. */
  readonly unsupported: readonly GuaranteeName[];
}

const everything = (engine: Engine): EngineRow => ({ engine, links: 'query', unsupported: [] });
const asHost = (engine: Engine, host: HostName): EngineRow => ({
  engine,
  links: 'query',
  unsupported: hosts[host].unsupported,
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
