/** The seam of the hosts: what a CDN or a web server needs to serve the site by the route table. */

import type { ClauseName } from '../contract/clauses.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { SiteFile } from '../contract/site.ts';

/** What configuration is made of. */
export interface HostContext {
  readonly routes: RouteTable;
  /** The handler as the text of one ES module without imports; it exports `createHandler`. For hosts that run code. */
  readonly handlerModule: () => string;
}

/** A host returns its configuration as text, from the routes alone; it never reads or writes anything. */
export interface Host {
  /** One line for people. */
  readonly summary: string;
  /** The clauses of the contract that it cannot keep. Tests hold its engine to exactly this list. */
  readonly cannot: readonly ClauseName[];
  /** The configuration files, relative to the site's folder. */
  files(context: HostContext): SiteFile[];
}
