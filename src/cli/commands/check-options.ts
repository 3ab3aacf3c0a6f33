/** Checks of option values. Each returns the value to use, or throws `UsageError` with what was given and expected. */

import path from 'node:path';
import { kindNames, mapKinds } from '../../contract/kinds.ts';
import { type LinkStyle, linkStyles, PLAIN_URL, PLAIN_URL_RULE } from '../../contract/paths.ts';
import type { Skipped } from '../../contract/records.ts';
import { UsageError } from '../../errors.ts';
import type { Serving } from '../../hosts/host.ts';
import { fileHostNames, formerHosts, type HostName, hostNames, webServerNames } from '../../hosts/names.ts';

/** An http URL without credentials, query, fragment or trailing slash. */
export function checkAddress(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${name}: got ${JSON.stringify(masked(text))}, expected an http or https URL`);
  }
  if (url.username || url.password || /[?#]/.test(url.href)) {
    throw new UsageError(`${name}: got a URL with credentials, a query or a fragment, expected one without`);
  }
  return url.href.replace(/\/+$/, '');
}

/** The same for what becomes part of host configuration, such as the base URL of a site. */
export function checkPlainUrl(name: string, text: string): string {
  const address = checkAddress(name, text);
  if (PLAIN_URL.test(address)) return address;
  throw new UsageError(`${name}: got ${JSON.stringify(address)}, expected ${PLAIN_URL_RULE}`);
}

/** What links point to: for some hosts, only files will do. */
export function resolveLinks(
  given: LinkStyle | undefined,
  hosts: readonly string[],
  otherwise: LinkStyle,
): LinkStyle {
  const host = hosts.find((name) => fileHostNames.includes(name));
  const links = oneOf('links', given ?? (host === undefined ? otherwise : 'file'), linkStyles);
  if (host === undefined || links === 'file') return links;
  throw new UsageError(`--links: got ${links}, expected file for ${host}, which ignores queries`);
}

/** The options that only concern web servers. */
export interface ServingOptions {
  /** For nginx, Caddy and Apache: the document root. Default: the output folder. */
  readonly root?: string | undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFIT = /[\u0000-\u001f"'`$\\{}<>*?[\]]/;

export function resolveServing(
  { root: given }: ServingOptions,
  hosts: readonly string[],
  out: string,
): Serving {
  const root = path.resolve(given ?? out);
  const [server] = hosts.filter((host) => webServerNames.includes(host));
  if (server === undefined) {
    if (given === undefined) return { root };
    throw new UsageError(`--root: got no host that uses it, expected --host nginx, caddy or apache`);
  }
  if (UNFIT.test(root))
    throw new UsageError(
      `--root: got ${JSON.stringify(root)}, expected a path without quotes, brackets or other characters that mean something to ${server}`,
    );
  return { root };
}

/** A URL as errors may show it: what precedes an @ may be a password. */
export const masked = (address: string): string => address.replace(/[^/]*@/, '…@');

export function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined)
    throw new UsageError(`--${name}: got ${JSON.stringify(value)}, expected one of ${known.join(', ')}`);
  return found;
}

/** Distinct hosts, with what replaces those of former versions. */
export const hostsOption = (values: readonly string[]): HostName[] => [
  ...new Set(values.map((value) => formerHosts.get(value) ?? oneOf('host', value, hostNames))),
];

/** Says which hosts were replaced. */
export const hostNotices = (values: readonly string[] = []): string[] =>
  values
    .filter((value) => formerHosts.has(value))
    .map((value) => `host ${value} is withdrawn: ${formerHosts.get(value)} replaces it`);

/** The options that are integers, and what they may be. */
const ranges = {
  concurrency: { from: 1, to: 256 },
  retries: { from: 0, to: 20 },
  'max-age': { from: 0, to: 36_500 },
  keep: { from: 0, to: 1000 },
  port: { from: 0, to: 65_535 },
} as const;

export function integerOption(name: keyof typeof ranges, value: number): number {
  const { from, to } = ranges[name];
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new UsageError(`--${name}: got ${value}, expected an integer from ${from} to ${to}`);
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `90s`, `10m`, `1h` → milliseconds. */
export function waitOption(text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (amount !== '') return Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
  throw new UsageError(`--wait: got ${JSON.stringify(text)}, expected a time such as 90s, 10m or 1h`);
}

export function shrinkOption(value: number): number {
  if (value >= 0 && value <= 100) return value;
  throw new UsageError(`--max-shrink: got ${value}, expected a percentage from 0 to 100`);
}

/** The ids of records, given as `<kind>/<id>`, in ascending order; undefined if there are none. */
export function skippedRecords(names: readonly string[] = []): Skipped | undefined {
  if (names.length === 0) return undefined;
  const wrong = names.find((name) => !/^[a-z]+\/[1-9]\d{0,14}$/.test(name) || !isOfKind(name));
  if (wrong !== undefined)
    throw new UsageError(`--skip: got ${JSON.stringify(wrong)}, expected <kind>/<id>, such as item/17`);
  return mapKinds((kind) => {
    const ids = names.filter((name) => name.startsWith(`${kind}/`)).map((name) => Number(name.split('/')[1]));
    return [...new Set(ids)].sort((a, b) => a - b);
  });
}

const isOfKind = (name: string): boolean => kindNames.some((kind) => name.startsWith(`${kind}/`));

/** Names of records, as `<kind>/<slug>`. */
export const recordNames = (names: readonly string[] = []): string[] =>
  names.map((name) => {
    if ((isOfKind(name) || name.startsWith('names/')) && !name.endsWith('/')) return name;
    throw new UsageError(
      `--allow-missing: got ${JSON.stringify(name)}, expected <kind>/<slug>, such as move/pound, or names/<language>`,
    );
  });

/**
 * Whoever has no type checker would not notice `build({ sorce: 'csv' })`.
 *
 * @param known separated by blanks; the command line passes its own, too
 */
export function refuseUnknown(options: object, known: string): void {
  const names = known.split(' ');
  const unknown = Object.keys(options).find((name) => ![...names, 'config', 'json', 'quiet'].includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`got the option ${JSON.stringify(unknown)}, expected one of ${names.join(', ')}`);
}
