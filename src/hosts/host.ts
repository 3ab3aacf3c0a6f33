/** The seam of the hosts: what a CDN or a web server needs to serve the site by the route table. */

import type { RouteTable } from '../contract/routes.ts';
import type { SiteFile } from '../contract/site.ts';

/** A host returns its configuration as text, from the routes alone; it never reads or writes anything. */
export interface Host {
  /** What `--host` and `gamedata hosts` call it. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /** The configuration files, relative to the site's folder. */
  files(routes: RouteTable): SiteFile[];
}
