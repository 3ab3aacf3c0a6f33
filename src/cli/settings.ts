/** The settings of a site: what the user wants, then the published site, the site that is copied, and defaults. */

import path from 'node:path';
import type { Meta } from '../contract/meta.ts';
import { type LinkStyle, PLAIN_URL } from '../contract/paths.ts';
import type { IconSource } from '../contract/responses.ts';
import { UsageError } from '../errors.ts';
import type { WebServerPaths } from '../hosts/host.ts';
import { type HostName, hostNames, queryIgnoringHosts, webServerNames } from '../hosts/index.ts';
import { wrong } from './checks.ts';

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';
const DEFAULT_HOSTS: readonly HostName[] = ['netlify'];

/** Undefined is left to the published site, the site that is copied, or a default. */
export interface WantedSettings {
  readonly baseUrl: string | undefined;
  readonly links: LinkStyle | undefined;
  readonly hosts: readonly HostName[] | undefined;
  readonly root: string | undefined;
  readonly downloads: boolean;
  readonly archive: boolean;
  readonly sprites: IconSource;
}

export interface Settings {
  readonly baseUrl: string;
  readonly baseUrlFrom: 'option' | 'published' | 'source' | 'default';
  readonly links: LinkStyle;
  readonly hosts: readonly HostName[];
  readonly serving: WebServerPaths;
  readonly downloads: boolean;
  readonly archive: boolean;
  readonly sprites: IconSource;
}

type Described = Pick<Meta, 'base_url' | 'links' | 'hosts'>;

/** Fields are undefined if they cannot be read, the whole if nothing is published. */
export type PublishedSettings = Partial<Described> | undefined;

interface Known {
  readonly published: PublishedSettings;
  /** The site that is copied; undefined for a build. */
  readonly copied: Described | undefined;
  /** Whether the published site is the one that is copied. It may come from anyone, so it provides no hosts. */
  readonly isOwnSource: boolean;
}

/**
 * Applies what the published site provides (for a build, its base URL; for a copy, also links and hosts), then what the site that is
 * copied provides (its base URL and links), then defaults.
 *
 * @throws UsageError if only the user can name a base URL, or hosts and links contradict each other
 */
export function resolveSettings(
  wanted: WantedSettings,
  out: string,
  { published, copied, isOwnSource }: Known,
): Settings {
  const baseUrl = resolveBaseUrl(wanted, out, { published, copied });
  const named = copied && !isOwnSource ? published?.hosts : undefined;
  const hosts = wanted.hosts ?? (named && hostNames.filter((name) => named.includes(name))) ?? DEFAULT_HOSTS;
  const links = copied && (published ?? copied).links;
  return { ...wanted, ...baseUrl, ...resolveHosts({ ...wanted, hosts }, links ?? 'query', out) };
}

function resolveBaseUrl(
  wanted: WantedSettings,
  out: string,
  { published, copied }: Pick<Known, 'published' | 'copied'>,
): Pick<Settings, 'baseUrl' | 'baseUrlFrom'> {
  if (wanted.baseUrl !== undefined) return { baseUrl: wanted.baseUrl, baseUrlFrom: 'option' };
  if (published) return { baseUrl: checkBaseUrl(published.base_url, out), baseUrlFrom: 'published' };
  if (copied) return { baseUrl: checkBaseUrl(copied.base_url, 'the source'), baseUrlFrom: 'source' };
  if (wanted.hosts) refuseUnnamed(wanted.hosts);
  return { baseUrl: DEFAULT_BASE_URL, baseUrlFrom: 'default' };
}

function checkBaseUrl(found: string | undefined, where: string): string {
  if (found !== undefined && PLAIN_URL.test(found)) return found;
  throw new UsageError(`--base-url: got none, and the base URL of ${where} cannot be read`, {
    hint: 'Name the base URL of the site with --base-url or BASE_URL.',
  });
}

/** Rejects hosts without a base URL: links to this machine are of no use on a host that the user named. */
function refuseUnnamed(hosts: readonly string[]): void {
  if (hosts.length === 0) return;
  const cloudflare =
    'Cloudflare takes BASE_URL from the Worker: Settings → Build → Build variables and secrets.';
  throw new UsageError(
    `--base-url: got none, and no BASE_URL: expected the address of the site on ${[...new Set(hosts)].join(', ')}`,
    { hint: hosts.includes('cloudflare') ? cloudflare : undefined },
  );
}

interface HostOptions {
  readonly hosts: readonly HostName[];
  readonly links: LinkStyle | undefined;
  readonly root: string | undefined;
}

function resolveHosts({ hosts: named, links, root }: HostOptions, otherwise: LinkStyle, out: string) {
  const hosts = [...new Set(named)];
  return { hosts, serving: resolveServing(root, hosts, out), links: resolveLinks(links, hosts, otherwise) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFIT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

export function resolveServing(
  given: string | undefined,
  hosts: readonly HostName[],
  out: string,
  system: Pick<typeof path, 'resolve'> = path,
): WebServerPaths {
  // A path on the server, which may run another system than the build.
  const root = (given?.startsWith('/') ? path.posix : system).resolve(given ?? out);
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined && given !== undefined)
    throw new UsageError('--root: got no host that uses it, expected --host nginx, caddy or apache');
  if (server !== undefined && !root.startsWith('/'))
    throw new UsageError(
      `--root: got the Windows path ${root}${given === undefined ? ' of --out' : ''}, expected the site's path on the server, such as /srv/gamedata/site`,
    );
  if (server !== undefined && UNFIT.test(root))
    throw wrong(
      '--root',
      root,
      `a path without quotes, brackets or other characters that mean something to ${server}`,
    );
  return { root };
}

/** Some hosts ignore queries, so only links to files work there. */
function resolveLinks(
  given: LinkStyle | undefined,
  hosts: readonly HostName[],
  otherwise: LinkStyle,
): LinkStyle {
  const host = hosts.find((name) => queryIgnoringHosts.includes(name));
  if (host === undefined) return given ?? otherwise;
  if (given === undefined || given === 'file') return 'file';
  throw new UsageError(`--links: got ${given}, expected file for ${host}, which ignores queries`);
}
