import path from 'node:path';
import type { Meta } from '../contract/meta.ts';
import { formatValue } from '../contract/parse.ts';
import { type LinkStyle, PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
import { DEFAULT_ICONS_UPSTREAM, type IconSource } from '../contract/responses.ts';
import { joinWords } from '../contract/words.ts';
import { GamedataError } from '../errors.ts';
import {
  hosts as allHosts,
  defaultHost,
  type HostName,
  webServerNames,
} from '../hosts/index.ts';
import { isPlainRoot } from '../hosts/web-server.ts';

/** The settings that the user chose. Undefined means the default. */
export interface WantedSettings {
  readonly baseUrl: string | undefined;
  readonly links: LinkStyle | undefined;
  readonly hosts: readonly HostName[] | undefined;
  /** The document root of the web server. */
  readonly root: string | undefined;
  /** Whether the site contains its own archive. */
  readonly archive: boolean;
  readonly sprites: {
    readonly mode: IconSource['mode'] | undefined;
    /** The base URL of the icons. */
    readonly upstream: string | undefined;
  };
}

export interface Settings {
  readonly baseUrl: string;
  readonly links: LinkStyle;
  readonly hosts: readonly HostName[];
  readonly root: string;
  readonly archive: boolean;
  readonly sprites: IconSource;
}

export const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

/**
 * Fills in the defaults. The base URL and the links of a copy default to those of the
 * copied site.
 *
 * @param copied describes the copied site; undefined for a build
 * @throws GamedataError if a host needs a base URL, or if hosts and links contradict
 * each other
 */
export function resolveSettings(
  wanted: WantedSettings,
  out: string,
  copied: Meta | undefined,
): Settings {
  const wantedLinks = wanted.links ?? copied?.links;
  // Links to files are for plain file servers, which have no configuration.
  const defaultHosts = wantedLinks === 'file' ? [] : [defaultHost];
  const hosts = wanted.hosts ?? defaultHosts;
  const links = resolveLinks(wantedLinks, hosts);
  const baseUrl = wanted.baseUrl ?? readBaseUrl(copied);
  // The default base URL works only on this machine, so a site for a host that the user
  // named cannot use it.
  const isHostNamed = wanted.hosts !== undefined && wanted.hosts.length > 0;
  if (baseUrl === undefined && isHostNamed) throw createBaseUrlError(hosts);
  return {
    baseUrl: baseUrl ?? DEFAULT_BASE_URL,
    links,
    hosts: [...new Set(hosts)],
    root: resolveDocumentRoot(wanted.root, hosts, out),
    archive: wanted.archive,
    sprites: resolveIconSource(wanted, links),
  };
}

/**
 * Rejects a build that would change the base URL or the hosts of a published site
 * although the user named none, because every link or the redirects would break.
 *
 * @throws GamedataError that names the missing options
 */
export function assertSettingsNamed(
  wanted: WantedSettings,
  settings: Settings,
  published: Meta,
): void {
  const missing = listMissingOptions(wanted, settings, published);
  if (missing.length === 0) return;
  const options = missing.map(({ flag, value }) => `--${flag} ${value}`).join(' ');
  const lines = missing.map(({ flag, json }) => `"${flag}": ${json}`).join(', ');
  throw new GamedataError('usage', `the published site was built with ${options}`, {
    hint: `Repeat these options, or add ${lines} to the section "build" of gamedata.config.json. To change the site, give other values.`,
  });
}

/** An option of the published site that the user did not repeat. */
interface MissingOption {
  readonly flag: string;
  readonly value: string;
  /** The value in the configuration file. */
  readonly json: string;
}

/**
 * Lists the options whose defaults would change the published site. An option that the
 * user named is not missing, because its change is intended.
 */
function listMissingOptions(
  wanted: WantedSettings,
  settings: Settings,
  published: Meta,
): MissingOption[] {
  const missing: MissingOption[] = [];
  const hasOtherUrl = settings.baseUrl !== published.base_url;
  if (wanted.baseUrl === undefined && hasOtherUrl) {
    missing.push({
      flag: 'base-url',
      value: published.base_url,
      json: JSON.stringify(published.base_url),
    });
  }
  const hasOtherHosts = !hasSameHosts(settings, published);
  if (wanted.hosts === undefined && hasOtherHosts) {
    missing.push(describeMissingHosts(published.hosts));
  }
  return missing;
}

function describeMissingHosts(hosts: readonly string[]): MissingOption {
  // A site for no host is one with links to files.
  if (hosts.length === 0) return { flag: 'links', value: 'file', json: '"file"' };
  const json = `[${hosts.map((host) => JSON.stringify(host)).join(', ')}]`;
  return { flag: 'host', value: hosts.join(' '), json };
}

function hasSameHosts({ hosts }: Settings, published: Meta): boolean {
  const sortedHosts = hosts.toSorted().join(' ');
  return sortedHosts === published.hosts.toSorted().join(' ');
}

/**
 * Lists the settings that differ from those of the published site, such as `links
 * query → file`.
 */
export function describeChangedSettings(
  settings: Settings,
  published: Meta,
): string[] {
  // The order of hosts has no effect.
  const { hosts } = hasSameHosts(settings, published) ? settings : published;
  const rows = [
    ['base URL', published.base_url, settings.baseUrl],
    ['links', published.links, settings.links],
    ['hosts', formatHosts(hosts), formatHosts(settings.hosts)],
    ['icons', published.sprites.mode, settings.sprites.mode],
    ['archive', formatYesNo(published.archive), formatYesNo(settings.archive)],
  ] as const;
  const changes: string[] = [];
  for (const [name, publishedValue, value] of rows) {
    if (value !== publishedValue)
      changes.push(`${name} ${publishedValue} → ${value}`);
  }
  return changes;
}

const formatHosts = (hosts: readonly string[]): string => hosts.join(' ') || 'none';

const formatYesNo = (value = false): string => (value ? 'yes' : 'no');

/** Links lead to endpoints, unless a host ignores queries. */
function resolveLinks(
  wanted: LinkStyle | undefined,
  hosts: readonly HostName[],
): LinkStyle {
  const host = hosts.find((name) => allHosts[name].ignoresQueries);
  if (host === undefined) return wanted ?? 'query';
  if (wanted === undefined || wanted === 'file') return 'file';
  throw new GamedataError(
    'usage',
    `--links: got ${wanted}, expected file for ${host}, which ignores queries`,
  );
}

/**
 * Chooses how icons are served. Links to files are meant for hosts that cannot
 * redirect to icons, so such a site contains the icons by default.
 */
function resolveIconSource(
  { sprites }: WantedSettings,
  links: LinkStyle,
): IconSource {
  const defaultMode = links === 'file' ? 'mirror' : 'link';
  const mode = sprites.mode ?? defaultMode;
  if (mode === 'none') return { mode, upstream: null };
  return { mode, upstream: sprites.upstream ?? DEFAULT_ICONS_UPSTREAM };
}

/** Creates the error for a build that names hosts but no base URL. */
function createBaseUrlError(hosts: readonly HostName[]): GamedataError {
  const names = [...new Set(hosts)].join(', ');
  const hostHints = hosts.map((name) => allHosts[name].baseUrlHint);
  const hostHint = hostHints.find((hint) => hint !== undefined);
  return new GamedataError(
    'usage',
    `--base-url: got none, expected the base URL of the site on ${names}`,
    {
      hint:
        hostHint ??
        'Use --base-url, BASE_URL, or "base-url" in gamedata.config.json.',
    },
  );
}

/** Anyone may have written the copied site, so its base URL is checked. */
function readBaseUrl(copied: Meta | undefined): string | undefined {
  const baseUrl = copied?.base_url;
  if (baseUrl === undefined || PLAIN_URL.test(baseUrl)) return baseUrl;
  throw new GamedataError(
    'usage',
    `--base-url: got ${formatValue(baseUrl)}, expected ${PLAIN_URL_RULE}`,
  );
}

/**
 * Resolves the document root, which is part of a web server's configuration. It is the
 * folder of the site, unless the user named another one. For other hosts, the root has no
 * effect, so the user must not name one.
 *
 * @param system resolves paths; tests pass the path module for another operating
 * system
 * @throws GamedataError
 */
export function resolveDocumentRoot(
  wanted: string | undefined,
  hosts: readonly HostName[],
  out: string,
  system: Pick<typeof path, 'resolve'> = path,
): string {
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined && wanted !== undefined) {
    const expected = joinWords(webServerNames, 'or');
    throw new GamedataError(
      'usage',
      `--root: got no host that uses it, expected --host ${expected}`,
    );
  }
  // A build on Windows may be for a web server on Linux.
  const isPathOnLinux = wanted?.startsWith('/') ?? false;
  const rootSystem = isPathOnLinux ? path.posix : system;
  const root = rootSystem.resolve(wanted ?? out);
  const origin = wanted === undefined ? ' from --out' : '';
  if (server !== undefined) assertUsableRoot(root, server, origin);
  return root;
}

/**
 * Rejects a document root that a web server cannot have in its configuration.
 *
 * @param origin the end of the sentence that names a root which the user did not name
 */
function assertUsableRoot(root: string, server: HostName, origin: string): void {
  if (!root.startsWith('/')) {
    throw new GamedataError(
      'usage',
      `--root: got the Windows path ${root}${origin}, expected the site's path on the server, such as /srv/gamedata/site`,
    );
  }
  if (!isPlainRoot(root)) {
    throw new GamedataError(
      'usage',
      `--root: got ${JSON.stringify(root)}, expected a path without quotes, brackets or other characters that are special in ${server}`,
    );
  }
}
