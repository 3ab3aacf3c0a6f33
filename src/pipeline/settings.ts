import path from 'node:path';
import type { Meta } from '../contract/meta.ts';
import { formatValue } from '../contract/parse.ts';
import { type LinkStyle, PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
import { DEFAULT_ICONS_UPSTREAM, type IconSource } from '../contract/responses.ts';
import { joinWords } from '../contract/words.ts';
import { UsageError } from '../errors.ts';
import {
  hosts as allHosts,
  defaultHost,
  type HostName,
  hostNames,
  webServerNames,
} from '../hosts/index.ts';
import { isPlainRoot } from '../hosts/web-server.ts';

/**
 * The settings that the user chose. All others come from defaults, except for the base
 * URL and the links.
 */
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
  readonly baseUrlFrom: 'option' | 'published' | 'source' | 'default';
  readonly links: LinkStyle;
  readonly hosts: readonly HostName[];
  readonly root: string;
  readonly archive: boolean;
  readonly sprites: IconSource;
}

/** The sites whose settings may be reused. */
export interface KnownSites {
  /** Describes the published site. Undefined if no site is published. */
  readonly published: Meta | undefined;
  /** Describes the copied site. Undefined for a build. */
  readonly copied: Meta | undefined;
}

/**
 * Chooses a value for each setting that the user did not give. A build keeps the
 * published base URL, because that URL must not change by accident. A copy uses the base
 * URL and the links of the copied site.
 *
 * @throws UsageError if the base URL is unknown and the user must set it, or if
 * hosts and links contradict each other
 */
export function resolveSettings(
  wanted: WantedSettings,
  out: string,
  known: KnownSites,
): Settings {
  const hosts = wanted.hosts ?? [defaultHost];
  const links = resolveLinks(wanted.links ?? known.copied?.links, hosts);
  return {
    ...resolveBaseUrl(wanted, known),
    links,
    hosts: [...new Set(hosts)],
    root: resolveDocumentRoot(wanted.root, hosts, out),
    archive: wanted.archive,
    sprites: resolveIconSource(wanted, links),
  };
}

/** An option of the published site that the user did not repeat. */
interface ForgottenOption {
  /** The effect on the site, such as `links were file and are now query`. */
  readonly change: string;
  /** The reason, such as `--links was not given`. */
  readonly reason: string;
  /** The option that restores the published state, such as `--links file`. */
  readonly option: string;
}

export interface SettingsChange {
  readonly wanted: Omit<WantedSettings, 'baseUrl' | 'root'>;
  /**
   * Describes the published site before the change. Undefined if no site was
   * published.
   */
  readonly published: Meta | undefined;
  readonly settings: Pick<Settings, 'links' | 'hosts' | 'archive' | 'sprites'>;
  /** Whether the site is a copy, whose links come from the copied site. */
  readonly isCopy: boolean;
}

/**
 * Warns about parts of the published site that are different now because the user
 * did not repeat an option. The links and icons of a copy depend on the copied site,
 * so for a copy, the warning is only about hosts.
 *
 * A user who gave other values knows that, so there is no warning.
 */
export function describeForgottenOptions(change: SettingsChange): string[] {
  const forgottenOptions = findDroppedHosts(change);
  if (!change.isCopy) forgottenOptions.push(...findChangedParts(change));
  if (forgottenOptions.length === 0) return [];
  const changes = forgottenOptions.map(
    ({ change, reason }) => `${change}, because ${reason}`,
  );
  const options = forgottenOptions.map(({ option }) => option).join(' ');
  const object = forgottenOptions.length === 1 ? 'it' : 'them';
  return [
    `${changes.join('; ')}. To restore ${object}, repeat the command with ${options}.`,
  ];
}

/**
 * Finds the hosts of the published site that a build drops because the user named no
 * host. Their configuration, such as redirects, disappears from the site.
 */
function findDroppedHosts({
  wanted,
  published,
  settings,
}: SettingsChange): ForgottenOption[] {
  if (wanted.hosts !== undefined) return [];
  const publishedHosts = published?.hosts ?? [];
  const droppedHosts = hostNames.filter(
    (name) => publishedHosts.includes(name) && !settings.hosts.includes(name),
  );
  if (droppedHosts.length === 0) return [];
  return [
    {
      change: `the configuration for ${joinWords(droppedHosts)} was removed`,
      reason: 'no host was named',
      option: `--host ${droppedHosts.join(' ')}`,
    },
  ];
}

/** Finds the links, icons and archive that change because of a missing option. */
function findChangedParts({
  wanted,
  published,
  settings,
}: SettingsChange): ForgottenOption[] {
  const { links, sprites, archive } = published ?? {};
  const changedParts: ForgottenOption[] = [];
  const addChange = (change: string, name: string, value = ''): void => {
    const reason = `${name} was not given`;
    changedParts.push({ change, reason, option: `${name}${value}` });
  };

  const areLinksForgotten = links === 'file' && wanted.links === undefined;
  if (areLinksForgotten && settings.links !== links) {
    addChange(`links were file and are now ${settings.links}`, '--links', ' file');
  }
  const mode = sprites?.mode ?? 'link';
  const isModeForgotten = mode !== 'link' && wanted.sprites.mode === undefined;
  if (isModeForgotten && settings.sprites.mode !== mode) {
    const change = `icons were ${mode} and are now ${settings.sprites.mode}`;
    addChange(change, '--sprites', ` ${mode}`);
  }
  if (archive && !settings.archive) {
    addChange('the archive was removed', '--archive');
  }
  return changedParts;
}

function resolveLinks(
  wanted: LinkStyle | undefined,
  hosts: readonly HostName[],
): LinkStyle {
  const host = hosts.find((name) => allHosts[name].ignoresQueries);
  if (host === undefined) return wanted ?? 'query';
  if (wanted === undefined || wanted === 'file') return 'file';
  throw new UsageError(
    `got ${wanted}, expected file for ${host}, which ignores queries`,
    {
      option: '--links',
    },
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

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

/**
 * Takes the base URL from the options, from the copied site, or from the published
 * site, in this order. The default is only for trying a site on one machine, so a
 * user who names a host has to choose the base URL.
 *
 * @throws UsageError
 */
function resolveBaseUrl(
  { baseUrl, hosts = [] }: WantedSettings,
  { published, copied }: KnownSites,
): Pick<Settings, 'baseUrl' | 'baseUrlFrom'> {
  if (baseUrl !== undefined) return { baseUrl, baseUrlFrom: 'option' };
  if (copied) return { baseUrl: readBaseUrl(copied), baseUrlFrom: 'source' };
  if (published) {
    const publishedUrl = readBaseUrl(published);
    if (isAccidentalBaseUrl(publishedUrl, hosts, published)) {
      const got = `only the default ${DEFAULT_BASE_URL}`;
      throw createBaseUrlError(got, hosts);
    }
    return { baseUrl: publishedUrl, baseUrlFrom: 'published' };
  }
  if (hosts.length > 0) throw createBaseUrlError('none', hosts);
  return { baseUrl: DEFAULT_BASE_URL, baseUrlFrom: 'default' };
}

/**
 * Returns whether the published base URL may be the default of an earlier build
 * without options, although the user names a host now. If the site was already built
 * for that host, the user chose this URL.
 */
function isAccidentalBaseUrl(
  publishedUrl: string,
  hosts: readonly HostName[],
  published: Meta,
): boolean {
  if (publishedUrl !== DEFAULT_BASE_URL) return false;
  return hosts.some((name) => !published.hosts.includes(name));
}

function createBaseUrlError(got: string, hosts: readonly HostName[]): UsageError {
  const names = [...new Set(hosts)].join(', ');
  const hints = hosts.map((name) => allHosts[name].baseUrlHint);
  return new UsageError(
    `got ${got}, expected the base URL of the site on ${names}`,
    {
      option: '--base-url',
      hint:
        hints.find((hint) => hint !== undefined) ?? 'Use --base-url or BASE_URL.',
    },
  );
}

/** Anyone may have written the copied site, so its base URL is checked. */
function readBaseUrl({ base_url: baseUrl }: Meta): string {
  if (PLAIN_URL.test(baseUrl)) return baseUrl;
  throw new UsageError(`got ${formatValue(baseUrl)}, expected ${PLAIN_URL_RULE}`, {
    option: '--base-url',
  });
}

/**
 * Resolves the document root, which is part of a web server's configuration.
 *
 * @param system resolves paths; tests pass the path module for another operating
 * system
 * @throws UsageError
 */
export function resolveDocumentRoot(
  wanted: string | undefined,
  hosts: readonly HostName[],
  out: string,
  system: Pick<typeof path, 'resolve'> = path,
): string {
  const isPosix = wanted?.startsWith('/') ?? false;
  const root = (isPosix ? path.posix : system).resolve(wanted ?? out);
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined) {
    if (wanted === undefined) return root;
    const expected = joinWords(webServerNames, 'or');
    throw new UsageError(`got no host that uses it, expected --host ${expected}`, {
      option: '--root',
    });
  }
  if (!root.startsWith('/')) {
    const origin = wanted === undefined ? ' from --out' : '';
    throw new UsageError(
      `got the Windows path ${root}${origin}, expected the site's path on the server, such as /srv/gamedata/site`,
      { option: '--root' },
    );
  }
  if (!isPlainRoot(root)) {
    throw new UsageError(
      `got ${JSON.stringify(root)}, expected a path without quotes, brackets or other characters that are special in ${server}`,
      { option: '--root' },
    );
  }
  return root;
}
