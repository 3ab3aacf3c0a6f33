/** The options of `build` and `rebase` about hosts: what their configuration is made of, and what links point to. */

import path from 'node:path';
import { type LinkStyle, linkStyles } from '../contract/paths.ts';
import { UsageError } from '../errors.ts';
import type { Serving } from '../hosts/host.ts';
import { fileHostNames, type HostName, hostNames, webServerNames } from '../hosts/names.ts';
import { choice, type Given, inGroup, list, oneOf, plainUrl, text } from './options.ts';

/** The folder that is built, served and packed unless another one is named. */
export const BUILD_FOLDER = 'build';

export const linksOption = choice('--links <style>', 'what links point to', linkStyles);

export const hostsOption = (about: string) => ({
  ...list('--host <name...>', about, distinctHosts),
  choices: hostNames,
});

export const distinctHosts = (names: readonly string[], name = '--host'): HostName[] =>
  [...new Set(names)].map((host) => oneOf(host, name, hostNames));

export const servingOptions = inGroup('Hosts:', {
  /** For nginx, Caddy and Apache: the document root. Default: the output folder. */
  root: text('--root <dir>', 'document root of a web server [--out]'),
  /**
   * For nginx, Caddy and Apache: the origin of a `gamedata serve` that requests for pages that are not built are proxied to,
   * such as `http://127.0.0.1:3000`. Default: none; such requests are errors.
   */
  fallback: text('--fallback <url>', 'gamedata serve that a web server proxies to', origin),
});

/** What links point to: for some hosts, only files will do. */
export function resolveLinks(
  given: LinkStyle | undefined,
  hosts: readonly string[],
  otherwise: LinkStyle,
): LinkStyle {
  const host = hosts.find((name) => fileHostNames.includes(name));
  if (host === undefined) return given ?? otherwise;
  if (given === undefined || given === 'file') return 'file';
  throw new UsageError(`--links: got ${given}, expected file for ${host}, which ignores queries`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFIT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

export function resolveServing(
  given: Given<typeof servingOptions>,
  hosts: readonly string[],
  out: string,
): Serving {
  const root = path.resolve(given.root ?? out);
  const server = hosts.find((host) => webServerNames.includes(host));
  if (server === undefined) {
    const [used] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (used === undefined) return { root };
    throw new UsageError(`--${used}: got no host that uses it, expected --host nginx, caddy or apache`);
  }
  if (UNFIT.test(root))
    throw new UsageError(
      `--root: got ${JSON.stringify(root)}, expected a path without quotes, brackets or other characters that mean something to ${server}`,
    );
  return { ...given, root };
}

function origin(given: string, name: string): string {
  const url = plainUrl(given, name);
  if (new URL(url).origin === url) return url;
  throw new UsageError(
    `${name}: got ${JSON.stringify(url)}, expected a URL without a path: requests keep their own`,
  );
}
