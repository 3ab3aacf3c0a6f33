import path from 'node:path';
import * as z from 'zod';
import type { Meta } from '../contract/meta.ts';
import { formatValue } from '../contract/parse.ts';
import { type LinkStyle, linkStyles, PLAIN_URL } from '../contract/paths.ts';
import { DEFAULT_ICONS_UPSTREAM, type IconSource, iconModes } from '../contract/responses.ts';
import { UsageError } from '../errors.ts';
import {
  findConflictingHosts,
  type HostName,
  hostNames,
  queryIgnoringHosts,
  webServerNames,
} from '../hosts/index.ts';
import type { ParsedOptions } from './command.ts';
import { flag, inGroup, oneOf, option, parseValue, plainUrl } from './options.ts';

export const BUILD_FOLDER = 'build';

const hostList = z
  .array(oneOf(hostNames))
  .readonly()
  .superRefine((names, { addIssue }) => {
    const rivals = findConflictingHosts(names);
    if (rivals.length > 0)
      addIssue(
        `got ${formatValue(rivals.join(' '))}, expected one of them, because both read _redirects`,
      );
  })
  .optional();

export const siteOptions = {
  ...inGroup('Output:', {
    /** The base URL. Default: the first of `BASE_URL`, Netlify's variables, the published base URL and `http://127.0.0.1:3000`. */
    baseUrl: option(
      '--base-url <url>',
      'base URL [$BASE_URL, or as published]',
      plainUrl.optional(),
    ),
    /** Whether links point to endpoints or to files. Default: `query`, or `file` for GitHub Pages. */
    links: option('--links <style>', 'target of links', oneOf(linkStyles).optional()),
    downloads: flag('--no-downloads', 'omit the bulk files'),
    /** How icons are served. Default: `link`, which redirects to the upstream; with links to files, `mirror`. */
    sprites: option('--sprites <mode>', 'how to serve icons', oneOf(iconModes).optional()),
    spritesUpstream: option('--sprites-upstream <url>', 'base URL of icons', z.string().optional()),
    archive: flag('--archive', 'offer the site as /download/gamedata.tar.gz'),
    verify: flag('--verify', 'check every published file'),
  }),
  ...inGroup('Hosts:', {
    hosts: option('--host <name...>', 'hosts to configure [netlify]', hostList),
    /** The document root of nginx, Caddy or Apache. Default: the output folder. */
    root: option('--root <dir>', 'document root of a web server [--out]', z.string().optional()),
  }),
};

/** Undefined settings come from the published site, the copied site, or defaults. */
export type WantedSettings = ReturnType<typeof resolveWanted>;

export function resolveWanted(
  { sprites: mode, spritesUpstream, ...options }: ParsedOptions<Omit<typeof siteOptions, 'verify'>>,
  environment: Environment,
) {
  const variable = findBaseUrlVariable(environment);
  const fromVariable = variable && parseValue(plainUrl, environment[variable], variable);
  const { baseUrl = fromVariable, links, hosts, root, downloads, archive } = options;
  const given = mode === 'none' ? undefined : spritesUpstream;
  const upstream = parseValue(plainUrl.optional(), given, '--sprites-upstream');
  return { baseUrl, links, hosts, root, downloads, archive, sprites: { mode, upstream } };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the environment variable with the base URL. Netlify's variable names are too generic to be trusted elsewhere.
 *
 * @see https://docs.netlify.com/configure-builds/environment-variables/
 */
export function findBaseUrlVariable({
  NETLIFY,
  CONTEXT = 'production',
  ...variables
}: Environment) {
  const netlify = CONTEXT === 'production' ? ['URL'] : ['DEPLOY_PRIME_URL', 'URL'];
  const names = ['BASE_URL', ...(NETLIFY === 'true' ? netlify : [])];
  return names.find((candidate) => variables[candidate]);
}

export type Settings = ReturnType<typeof resolveSettings>;

interface KnownSites {
  /** Undefined if no site is published; an empty object if the site's description is damaged. */
  readonly published: Partial<Meta> | undefined;
  readonly copied: Meta | undefined;
  /** Whether the published site is rebuilt from itself. Such a site may come from anyone, so its hosts are not kept. */
  readonly isOwnSource: boolean;
}

/**
 * Completes the wanted settings from the published site (for a build its base URL, for a copy also links and hosts), then from the copied
 * site (base URL and links), then from defaults.
 *
 * @throws UsageError if only the user can name a base URL, or hosts and links contradict each other
 */
export function resolveSettings(wanted: WantedSettings, out: string, known: KnownSites) {
  const { published, copied, isOwnSource } = known;
  const keptHosts = copied && !isOwnSource ? published?.hosts : undefined;
  const supportedHosts = keptHosts && hostNames.filter((name) => keptHosts.includes(name));
  const hosts = [...new Set(wanted.hosts ?? supportedHosts ?? (['netlify'] as const))];
  const keptLinks = copied && (published ?? copied).links;
  const links = resolveLinks(wanted.links, hosts, keptLinks ?? 'query');
  // Sites with links to files are for hosts that cannot redirect to icons.
  const { mode = links === 'file' ? 'mirror' : 'link', upstream = DEFAULT_ICONS_UPSTREAM } =
    wanted.sprites;
  const sprites: IconSource = { mode, upstream: mode === 'none' ? null : upstream };
  const address = resolveBaseUrl(wanted, out, known);
  const root = resolveDocumentRoot(wanted.root, hosts, out);
  return { ...wanted, ...address, hosts, links, sprites, root };
}

function resolveBaseUrl(
  { baseUrl, hosts = [] }: WantedSettings,
  out: string,
  { published, copied }: KnownSites,
): { baseUrl: string; baseUrlFrom: 'option' | 'published' | 'source' | 'default' } {
  if (baseUrl !== undefined) return { baseUrl, baseUrlFrom: 'option' };
  const known = published ?? copied;
  if (known) {
    if (known.base_url !== undefined && PLAIN_URL.test(known.base_url))
      return { baseUrl: known.base_url, baseUrlFrom: published ? 'published' : 'source' };
    const where = published ? out : 'the source';
    throw new UsageError(`--base-url: got none, and the base URL of ${where} cannot be read`, {
      hint: 'Set the base URL with --base-url or BASE_URL.',
    });
  }
  if (hosts.length === 0) return { baseUrl: 'http://127.0.0.1:3000', baseUrlFrom: 'default' };
  const names = [...new Set(hosts)].join(', ');
  throw new UsageError(`--base-url: got none, expected the base URL of the site on ${names}`, {
    hint: hosts.includes('cloudflare') ? CLOUDFLARE_HINT : 'Use --base-url or BASE_URL.',
  });
}

const CLOUDFLARE_HINT =
  'Set BASE_URL in the Worker: Settings → Build → Build variables and secrets.';

// biome-ignore lint/suspicious/noControlCharactersInRegex: no configuration can contain them
const FORBIDDEN_IN_ROOT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

export function resolveDocumentRoot(
  given: string | undefined,
  hosts: readonly HostName[],
  out: string,
  system: Pick<typeof path, 'resolve'> = path,
): string {
  const root = (given?.startsWith('/') ? path.posix : system).resolve(given ?? out);
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined && given !== undefined)
    throw new UsageError(
      '--root: got no host that uses it, expected --host nginx, caddy or apache',
    );
  if (server !== undefined && !root.startsWith('/'))
    throw new UsageError(
      `--root: got the Windows path ${root}${given === undefined ? ' from --out' : ''}, expected the site's path on the server, such as /srv/gamedata/site`,
    );
  if (server !== undefined && FORBIDDEN_IN_ROOT.test(root))
    throw new UsageError(
      `--root: got ${JSON.stringify(root)}, expected a path without quotes, brackets or other characters that are special in ${server}`,
    );
  return root;
}

function resolveLinks(
  given: LinkStyle | undefined,
  hosts: readonly HostName[],
  fallback: LinkStyle,
) {
  const host = hosts.find((name) => queryIgnoringHosts.includes(name));
  if (host === undefined) return given ?? fallback;
  if (given === undefined || given === 'file') return 'file';
  throw new UsageError(`--links: got ${given}, expected file for ${host}, which ignores queries`);
}
