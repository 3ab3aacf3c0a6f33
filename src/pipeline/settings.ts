import path from 'node:path';
import type { Meta } from '../contract/meta.ts';
import { formatValue } from '../contract/parse.ts';
import { type LinkStyle, PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
import { DEFAULT_ICONS_UPSTREAM, type IconSource } from '../contract/responses.ts';
import { joinWords } from '../contract/words.ts';
import type { GuardOptions } from '../data/guard.ts';
import { GamedataError } from '../errors.ts';
import {
  hosts as allHosts,
  defaultHost,
  type HostName,
  webServerNames,
} from '../hosts/index.ts';
import { isPlainRoot } from '../hosts/web-server.ts';
import type { SourceContext } from '../upstream/source.ts';

/**
 * Settings for reading the data, and limits for how much it may differ from the
 * published data.
 */
export interface SourceSettings extends SourceContext, GuardOptions {}

/** The settings that the user chose. Undefined means the default. */
export interface WantedSettings {
  readonly baseUrl: string | undefined;
  readonly links: LinkStyle | undefined;
  readonly hosts: readonly HostName[] | undefined;
  /** The document root of the web server. */
  readonly root: string | undefined;
  /** Whether the site contains an archive of itself. */
  readonly archive: boolean;
  /** How icons are served. */
  readonly sprites: IconSource['mode'] | undefined;
  /** The base URL of the icons. */
  readonly spritesUpstream: string | undefined;
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
  // Links to files are for plain file servers, so no host is configured.
  const defaultHosts = wantedLinks === 'file' ? [] : [defaultHost];
  const hosts = [...new Set(wanted.hosts ?? defaultHosts)];
  const links = resolveLinks(wantedLinks, hosts);
  return {
    baseUrl: resolveBaseUrl(wanted, hosts, copied),
    links,
    hosts,
    root: resolveDocumentRoot(wanted.root, hosts, out),
    archive: wanted.archive,
    sprites: resolveIconSource(wanted, links),
  };
}

/**
 * Rejects a build that would change the base URL or the hosts of a published site only
 * because the user forgot an option. A different base URL would break every link, and
 * different hosts would break the redirects.
 *
 * @throws GamedataError that names the missing options
 */
export function assertSettingsNamed(
  wanted: WantedSettings,
  settings: Settings,
  published: Meta,
): void {
  const missing: string[] = [];
  const hasOtherUrl = settings.baseUrl !== published.base_url;
  if (wanted.baseUrl === undefined && hasOtherUrl) {
    missing.push(`--base-url ${published.base_url}`);
  }
  const hasOtherHosts = formatHosts(settings.hosts) !== formatHosts(published.hosts);
  if (wanted.hosts === undefined && hasOtherHosts) {
    missing.push(nameHostOption(published.hosts));
  }
  if (missing.length === 0) return;
  const problem = `the published site was built with ${missing.join(' ')}`;
  throw new GamedataError('usage', problem, {
    hint: 'Repeat these options, or add them to the section "build" of gamedata.config.json. To change the site, give other values.',
  });
}

/** Returns the option that builds a site for these hosts. */
function nameHostOption(hosts: readonly string[]): string {
  // A site without a host was built with links to files.
  if (hosts.length === 0) return '--links file';
  return `--host ${hosts.join(' ')}`;
}

/**
 * Lists the settings that differ from those of the published site, such as `links
 * query → file`.
 */
export function describeChangedSettings(
  settings: Settings,
  published: Meta,
): string[] {
  const rows = [
    ['base URL', published.base_url, settings.baseUrl],
    ['links', published.links, settings.links],
    ['hosts', formatHosts(published.hosts), formatHosts(settings.hosts)],
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

/** Lists hosts in a fixed order, because their order has no effect. */
const formatHosts = (hosts: readonly string[]): string =>
  hosts.toSorted().join(' ') || 'none';

const formatYesNo = (value = false): string => (value ? 'yes' : 'no');

/**
 * Chooses what links point to: endpoints, whose URLs have a query (`query`), or files
 * (`file`), which are required if a host ignores queries.
 */
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
 * Chooses how icons are served. Hosts that need links to files cannot redirect to
 * icons, so a site with such links contains the icons by default.
 */
function resolveIconSource(
  { sprites, spritesUpstream }: WantedSettings,
  links: LinkStyle,
): IconSource {
  const defaultMode = links === 'file' ? 'mirror' : 'link';
  const mode = sprites ?? defaultMode;
  if (mode === 'none') return { mode, upstream: null };
  return { mode, upstream: spritesUpstream ?? DEFAULT_ICONS_UPSTREAM };
}

/**
 * Returns the base URL that the user chose, or else that of the copied site, or else
 * the default.
 *
 * @throws GamedataError if a host needs a base URL
 */
function resolveBaseUrl(
  wanted: WantedSettings,
  hosts: readonly HostName[],
  copied: Meta | undefined,
): string {
  const baseUrl = wanted.baseUrl ?? readBaseUrl(copied);
  if (baseUrl !== undefined) return baseUrl;
  // The default works only on this machine, so it is of no use on a host that the user
  // named.
  const isHostNamed = wanted.hosts !== undefined && wanted.hosts.length > 0;
  if (isHostNamed) throw createBaseUrlError(hosts);
  return DEFAULT_BASE_URL;
}

/** Creates the error for a build that names hosts but no base URL. */
function createBaseUrlError(hosts: readonly HostName[]): GamedataError {
  const names = hosts.join(', ');
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

/**
 * Returns the copied site's base URL. We check it, because anyone may have written the
 * site.
 */
function readBaseUrl(copied: Meta | undefined): string | undefined {
  const baseUrl = copied?.base_url;
  if (baseUrl === undefined || PLAIN_URL.test(baseUrl)) return baseUrl;
  throw new GamedataError(
    'usage',
    `--base-url: got ${formatValue(baseUrl)}, expected ${PLAIN_URL_RULE}`,
  );
}

/**
 * Resolves the document root, which is part of a web server's configuration. The
 * default is the site's folder. The root has no effect on other hosts, so naming one
 * for them is an error.
 *
 * @throws GamedataError
 */
function resolveDocumentRoot(
  wanted: string | undefined,
  hosts: readonly HostName[],
  out: string,
): string {
  const root = path.resolve(wanted ?? out);
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined) {
    // No configuration contains the root, so any root is fine.
    if (wanted === undefined) return root;
    const expected = joinWords(webServerNames, 'or');
    throw new GamedataError(
      'usage',
      `--root: got no host that uses it, expected --host ${expected}`,
    );
  }
  if (!isPlainRoot(root)) {
    const got = JSON.stringify(root);
    throw new GamedataError(
      'usage',
      `--root: got ${got}, expected a path without quotes, brackets or other characters that are special in ${server}`,
    );
  }
  return root;
}
