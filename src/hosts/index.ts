import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
} from '../contract/guarantees.ts';
import type { Meta } from '../contract/meta.ts';
import { isHidden } from '../contract/paths.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import { githubPages } from './github-pages.ts';
import {
  type BuildVariables,
  type Host,
  type HostContext,
  type HostFile,
  REDIRECTS_FILE,
} from './host.ts';
import { netlify, netlifyRules } from './netlify.ts';
import { nginx } from './nginx.ts';
import { CONFIG_FOLDER } from './web-server.ts';

/** To add a host, create a file in this folder, and add it to this table. */
const table = {
  netlify,
  'netlify-rules': netlifyRules,
  cloudflare,
  'github-pages': githubPages,
  nginx,
  caddy,
  apache,
} as const satisfies Record<string, Host>;

export type HostName = keyof typeof table;
export const hosts: Readonly<Record<HostName, Host>> = table;
export const hostNames = Object.keys(hosts) as HostName[];
export const defaultHost: HostName = 'netlify';

export const webServerNames: readonly string[] = hostNames.filter(
  (name) => hosts[name].configuration !== undefined,
);

/**
 * Selects the guarantees that every one of the hosts keeps. A guarantee is a promise about
 * responses, such as "HEAD responds like GET, without a body". A site without hosts is
 * meant for plain file servers, which keep only the guarantees that need nothing but files.
 */
export function selectGuarantees(names: readonly HostName[]): GuaranteeName[] {
  return guaranteeNames.filter((guarantee) => {
    if (names.length === 0) return guarantees[guarantee].needs === 'files';
    return names.every((name) => !hosts[name].unsupported.includes(guarantee));
  });
}

/**
 * Lists the guarantees that a site keeps wherever it is. A site with links to files may
 * also be on a plain file server. Another version of gamedata may have built the site for
 * a host that this version does not know, and of which it therefore promises no more.
 */
export function listKeptGuarantees({
  links,
  hosts: names,
}: Pick<Meta, 'links' | 'hosts'>): ReadonlySet<GuaranteeName> {
  const knownHosts = hostNames.filter((name) => names.includes(name));
  const hasUnknownHost = names.some(
    (name) => !hostNames.some((host) => host === name),
  );
  const mayBeOnFileServer = links === 'file' || hasUnknownHost;
  return new Set(selectGuarantees(mayBeOnFileServer ? [] : knownHosts));
}

/**
 * Returns whether none of a site's hosts limits the number of requests. Our web server
 * configurations set no limit, but every CDN has quotas.
 */
export const hasNoRateLimit = ({ hosts: names }: Pick<Meta, 'hosts'>): boolean =>
  names.length > 0 && names.every((name) => webServerNames.includes(name));

/** Hosts that cannot share a site, because they interpret the same file differently. */
export interface HostConflict {
  readonly names: readonly HostName[];
  readonly file: string;
}

/** Finds the hosts that cannot share a site. Returns undefined if all of them can. */
export function findHostConflict(
  names: readonly HostName[],
): HostConflict | undefined {
  const rivals = names.filter((name) => hosts[name].redirectsDialect !== undefined);
  const dialects = new Set(rivals.map((name) => hosts[name].redirectsDialect));
  if (dialects.size <= 1) return undefined;
  return { names: rivals, file: REDIRECTS_FILE };
}

/**
 * Lists the environment variables in which hosts provide the base URL. The first
 * variable that is set applies.
 */
export function listBaseUrlVariables(environment: BuildVariables): string[] {
  const names: string[] = [];
  for (const { listBaseUrlVariables } of Object.values(hosts)) {
    names.push(...(listBaseUrlVariables?.(environment) ?? []));
  }
  return names;
}

/**
 * Creates the files of several hosts. If two hosts create a file at the same path,
 * the files are equal.
 */
export function createHostFiles(
  names: readonly HostName[],
  context: HostContext,
): HostFile[] {
  const files = new Map<string, HostFile>();
  // This loop makes the order of the files independent of the order of the given names.
  for (const name of hostNames) {
    if (!names.includes(name)) continue;
    for (const file of hosts[name].createFiles(context)) files.set(file.path, file);
  }
  return [...files.values()];
}

/**
 * Returns whether a file is host configuration. Hosts do not serve such files, and
 * mirrors do not copy them.
 */
export function isHostConfig(path: string): boolean {
  if (isHidden(path)) return true;
  return Object.values(hosts).some(({ configFiles }) => configFiles?.includes(path));
}

/**
 * Returns whether operators copy the file to a web server. Archives must not contain
 * such configuration.
 */
export const isWebServerConfig = (path: string): boolean =>
  path.startsWith(CONFIG_FOLDER);
