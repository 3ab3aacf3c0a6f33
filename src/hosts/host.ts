import type { GuaranteeName } from '../contract/guarantees.ts';
import type { Kind } from '../contract/kinds.ts';
import type { SiteFile } from '../contract/meta.ts';
import type { Redirect } from '../contract/responses.ts';

/** The parts of a site that the host configuration depends on. */
export interface HostContext {
  /** The document root of the web server. */
  readonly root: string;
  readonly records: Readonly<Record<Kind, readonly { readonly slug: string }[]>>;
  readonly redirects: readonly Redirect[];
  /**
   * The URL prefix to which missing icons are redirected, or null if they are not
   * redirected.
   */
  readonly iconRedirect: string | null;
  readonly baseUrl: string;
  /**
   * Returns the compiled `src/serve/handler/edge.ts` as one ES module without
   * imports.
   */
  readonly handlerModule: () => string;
  /** Reads a file from `src/hosts/templates/`. */
  readonly template: (name: string) => string;
}

export interface HostFile extends SiteFile {
  readonly body: string;
}

/**
 * The file from which some hosts read redirects and rewrites. Each of these hosts has
 * its own dialect.
 */
export const REDIRECTS_FILE = '_redirects';

export type BuildVariables = Readonly<Record<string, string | undefined>>;

/**
 * A platform that serves a site. Everything specific to the platform belongs here.
 */
export interface Host {
  /**
   * The guarantees that the host does not keep. Tests expect exactly these guarantees
   * to fail on the real server software. CDNs compress responses themselves, but the
   * local servers that stand in for them do not, so CDNs are not checked for
   * compression.
   */
  readonly unsupported: readonly GuaranteeName[];
  readonly createFiles: (context: HostContext) => HostFile[];
  /**
   * Configuration files whose names start with neither a dot nor an underscore. The
   * host must not serve them.
   */
  readonly configFiles?: readonly string[];
  /**
   * The configuration file that operators copy once to the web server's own folder, and
   * may then edit. Undefined for hosts that read their configuration from the site.
   */
  readonly configuration?: string;
  /**
   * Returns the line that tells operators what to do after the site in `folder` has
   * changed.
   */
  readonly nextStep?: (folder: string) => string;
  /** Whether the host ignores queries. If it does, links must point to files. */
  readonly ignoresQueries?: boolean;
  /**
   * The host's dialect of `_redirects`. Hosts with different dialects cannot share a
   * site.
   */
  readonly redirectsDialect?: 'netlify' | 'cloudflare';
  /**
   * Lists the environment variables in which the host's build machine provides the
   * base URL. The first variable that is set applies.
   */
  readonly listBaseUrlVariables?: (environment: BuildVariables) => readonly string[];
  /** Explains how to set the base URL on this host. */
  readonly baseUrlHint?: string;
}
