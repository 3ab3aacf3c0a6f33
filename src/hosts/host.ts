/** The interface of the hosts: what a CDN or web server needs to serve the site by the route table. And what several of them write. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { Installation } from './installation.ts';

/** The parameters that select a page. */
export const parameters = ['format', 'limit', 'offset'] as const;
export type Parameter = (typeof parameters)[number];

/** A text as a regular expression. */
export const escapeExpression = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** How a web server serves a site. */
export interface Serving {
  /** The document root, as an absolute path. */
  readonly root: string;
}

/** What configuration is generated from. */
export interface HostContext extends Serving {
  readonly routes: RouteTable;
  /** The site's base URL without a trailing slash. */
  readonly baseUrl: string;
  /** The handler as the text of one ES module without imports, exporting `createHandler`. For hosts that run code. */
  readonly handlerModule: () => string;
}

/** Made of nothing but the context. */
export interface HostFile {
  readonly path: string;
  readonly body: string;
}

/** A host returns its configuration as text. It never reads or writes files. */
export interface Host {
  /** The guarantees that it does not support. Tests check exactly this list on the real engine. */
  readonly unsupported: readonly GuaranteeName[];
  /** The configuration files, relative to the site's folder. */
  files(context: HostContext): HostFile[];
  /** Of a web server, which is not configured by the site's folder alone. */
  readonly installation?: Installation;
}
