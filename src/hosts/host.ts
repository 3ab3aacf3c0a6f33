/** The interface of the hosts: what a CDN or web server needs to serve the site by the route table. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { SiteFile } from '../contract/site-file.ts';

/** What configuration is generated from. */
export interface HostContext {
  readonly routes: RouteTable;
  /** The handler as the text of one ES module without imports, exporting `createHandler`. For hosts that run code. */
  readonly handlerModule: () => string;
}

/** A host returns its configuration as text. It never reads or writes files. */
export interface Host {
  /** One line for people. */
  readonly summary: string;
  /** The guarantees that it does not support. Tests check exactly this list on the real engine. */
  readonly unsupported: readonly GuaranteeName[];
  /** The configuration files, relative to the site's folder. */
  files(context: HostContext): SiteFile[];
}
