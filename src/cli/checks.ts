/** Schemas of what users enter, whose messages say what they got and expected. */

import * as z from 'zod';
import { formatValue, valueAt } from '../contract/parse.ts';
import { API_PREFIX, PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
import { UsageError } from '../errors.ts';

export const wrong = (name: string, given: unknown, expected: string): UsageError =>
  new UsageError(`${name}: got ${JSON.stringify(given)}, expected ${expected}`);

/** @throws UsageError with the name of an option, a variable or an argument */
export function checkValue<S extends z.ZodType>(schema: S, given: unknown, name: string): z.output<S> {
  const { data, error } = schema.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (!issue) return data as z.output<S>;
  throw new UsageError(`${name}: ${describeIssue(issue, given)}`);
}

/** `got "x", expected boolean` */
export function describeIssue({ message, path }: z.core.$ZodIssue, given: unknown): string {
  if (message.startsWith('got ')) return message;
  return `got ${formatValue(valueAt(given, path))}, ${message.replace(/^Invalid \w+: |, received .*$/g, '')}`;
}

/** The message for any problem of a schema. */
const expected =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    `got ${typeof input === 'number' ? input : formatValue(input)}, expected ${what}`;

export const oneOf = <const T extends string>(names: readonly T[]) =>
  z.enum(names, { error: expected(`one of ${names.join(', ')}`) });

export function integer(from: number, to: number) {
  const error = expected(`an integer from ${from} to ${to}`);
  return z.int({ error }).min(from, { error }).max(to, { error });
}

const percentRule = { error: expected('a percentage from 0 to 100') };
export const percentage = z.number(percentRule).min(0, percentRule).max(100, percentRule);

/** Text that a function accepts. */
export const text = (isValid: (given: string) => boolean, what: string) =>
  z.string().refine(isValid, { error: expected(what) });

/** An http URL without credentials, query, fragment or trailing slash. */
export const httpUrl = z.string().transform((given, { issues }) => {
  const reject = (message: string) => {
    issues.push({ code: 'custom', input: given, message });
    return z.NEVER;
  };
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const got = `got ${JSON.stringify(maskUrl(given))}, expected`;
  if (!url || !/^https?:$/.test(url.protocol)) return reject(`${got} an http or https URL`);
  if (url.port === '0') return reject(`${got} a URL with a port from 1 to 65535`);
  if (url.username || url.password || /[?#]/.test(url.href))
    return reject('got a URL with credentials, a query or a fragment, expected one without');
  return url.href.replace(/\/+$/, '');
});

/** The same for what becomes part of host configuration, such as the base URL of a site. */
export const plainUrl = httpUrl.refine((url) => PLAIN_URL.test(url), { error: expected(PLAIN_URL_RULE) });

/** A URL as errors may show it: what precedes an @ may be a password. */
export const maskUrl = (url: string): string => url.replace(/[^/]*@/, '…@');

/** Returns a hint if a URL is inside of a site, as far as its path tells. */
export function hintAtBase(target: string): string[] {
  const [base, inside] = `${target}/`.split(API_PREFIX);
  if (inside === undefined || !base) return [];
  return [`hint: expected the base URL of a site, such as ${maskUrl(base)}`];
}
