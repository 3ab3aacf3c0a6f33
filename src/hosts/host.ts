/** The interface of the hosts: what a CDN or web server needs to serve the site by the route table. */

import type { GuaranteeName } from '../contract/guarantees.ts';
import type { RouteTable } from '../contract/routes.ts';
import type { TemplateName } from './template.ts';

/** The parameters that select a page. */
export const parameters = ['format', 'limit', 'offset'] as const;
export type Parameter = (typeof parameters)[number];

/** A text as a regular expression. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

export interface Serving {
  /** The document root of a web server, as an absolute path. */
  readonly root: string;
}

export interface HostContext extends Serving {
  readonly routes: RouteTable;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** src/serve/handler/edge.ts as the text of one ES module without imports. For hosts that run code. */
  readonly handlerModule: () => string;
  /** The text of a file in templates/. For web servers. */
  readonly template: (name: TemplateName) => string;
}

export interface HostFile {
  /** Relative to the site's folder. */
  readonly path: string;
  readonly body: string;
}

/** A host returns its configuration as text. It never reads or writes files. */
export interface Host {
  /** The guarantees that it does not support. Tests check exactly this list on the real engine. */
  readonly unsupported: readonly GuaranteeName[];
  files(context: HostContext): HostFile[];
  readonly installation?: Installation;
}

/** The configuration of a web server, which is copied once, and the operator's from then on. */
export interface Installation {
  /** In the site's folder. */
  readonly configuration: string;
  /** The operator's copy of it. */
  readonly installed: string;
  /** The file of the site that the copy includes when it is loaded; undefined if redirects are read on every request. */
  readonly redirects?: string;
  /** The shell command that makes the server use the copy, once; undefined if that needs none. */
  readonly enable?: string;
  /** The shell command that loads the copy. */
  readonly reload: string;
}

/**
 * The shell command for the operator after a build; undefined if there is nothing to do.
 *
 * @param change how a file of the site differs from that of the site before
 */
export function installCommand(
  { configuration, installed, redirects, enable, reload }: Installation,
  out: string,
  change: (file: string) => 'added' | 'changed' | 'none',
): string | undefined {
  const changed = change(configuration);
  // The site may be new, and the copy not.
  if (changed === 'added')
    return [`cp -i ${out}/${configuration} ${installed}`, ...(enable ? [enable] : []), reload].join(' && ');
  if (changed === 'changed')
    return `diff -u ${installed} ${out}/${configuration}  # the template has changed: merge it into your copy, then ${reload}`;
  return redirects === undefined || change(redirects) === 'none' ? undefined : reload;
}
