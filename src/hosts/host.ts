import type { GuaranteeName } from '../contract/guarantees.ts';
import type { Kind } from '../contract/kinds.ts';
import type { SiteFile } from '../contract/meta.ts';
import type { Redirect } from '../contract/responses.ts';

/** The part of a site that host configuration depends on. */
export interface HostContext {
  /** The document root of web servers. */
  readonly root: string;
  readonly records: Readonly<Record<Kind, readonly { readonly slug: string }[]>>;
  readonly redirects: readonly Redirect[];
  /** The prefix of redirects for icons that the site lacks. */
  readonly iconRedirect: string | null;
  readonly baseUrl: string;
  /** Returns src/serve/handler/edge.ts as one ES module without imports. */
  readonly handlerModule: () => string;
  /** Reads a file of src/hosts/templates/. */
  readonly template: (name: string) => string;
}

export interface HostFile extends SiteFile {
  readonly body: string;
}

export type BuildVariables = Readonly<Record<string, string | undefined>>;

/** A platform that serves a site. Everything that is particular to it is here. */
export interface Host {
  /** Tests expect exactly these guarantees to fail on the real engine. */
  readonly unsupported: readonly GuaranteeName[];
  readonly createFiles: (context: HostContext) => HostFile[];
  /** Configuration whose name starts with neither a dot nor `_`. It is not served. */
  readonly configFiles?: readonly string[];
  /** Only for web servers, which read the configuration from a copy. */
  readonly installation?: Installation;
  /** Returns the shell command that deploys a site's folder. */
  readonly deployCommand?: (folder: string) => string;
  /** Whether the host ignores queries, so that links must point to files. */
  readonly ignoresQueries?: boolean;
  /** Hosts that read `_redirects` in different dialects cannot share a site. */
  readonly redirectsDialect?: 'netlify' | 'cloudflare';
  /**
   * Lists the variables in which the host's build machine states the base URL. The first one that
   * is set applies.
   */
  readonly listBaseUrlVariables?: (environment: BuildVariables) => readonly string[];
  /** How to set the base URL. */
  readonly baseUrlHint?: string;
}

/**
 * The operator copies a web server's configuration once and owns the copy. Paths and commands are
 * those of Debian. `enable` and `reload` are shell commands.
 */
export interface Installation {
  readonly source: string;
  readonly target: string;
  /** The file of the site that the copy includes. */
  readonly redirects?: string;
  readonly enable?: string;
  readonly reload: string;
}
