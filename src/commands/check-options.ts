/** Checks of option values. Each returns the value to use, or throws `UsageError` with what was given and expected. */

import { kindNames } from '../contract/kinds.ts';
import { UsageError } from '../errors.ts';

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

/** A URL as errors may show it: what precedes an @ may be a password. */
export const masked = (address: string): string => address.replace(/[^/]*@/, '…@');

export function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined)
    throw new UsageError(`--${name}: got ${JSON.stringify(value)}, expected one of ${known.join(', ')}`);
  return found;
}

/** Distinct values, each of which is known. */
export const severalOf = <T extends string>(
  name: string,
  values: readonly string[],
  known: readonly T[],
): T[] => [...new Set(values)].map((value) => oneOf(name, value, known));

export function integerOption(
  name: string,
  value: number,
  { from, to }: { from: number; to: number },
): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new UsageError(`--${name}: got ${value}, expected an integer from ${from} to ${to}`);
}

export const concurrencyOption = (value: number): number =>
  integerOption('concurrency', value, { from: 1, to: 256 });

export const retriesOption = (value: number): number => integerOption('retries', value, { from: 0, to: 20 });

export const ageOption = (value: number): number => integerOption('max-age', value, { from: 0, to: 36_500 });

export function percentage(name: string, value: number): number {
  if (value >= 0 && value <= 100) return value;
  throw new UsageError(`--${name}: got ${value}, expected a percentage from 0 to 100`);
}

/** Names of records, as `<kind>/<slug>`. */
export const recordNames = (names: readonly string[] = []): string[] =>
  names.map((name) => {
    if (kindNames.some((kind) => name.startsWith(`${kind}/`) && name.length > kind.length + 1)) return name;
    throw new UsageError(
      `--allow-missing: got ${JSON.stringify(name)}, expected <kind>/<slug>, such as move/pound`,
    );
  });
