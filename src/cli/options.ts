import * as z from 'zod';
import { describeIssue, formatValue } from '../contract/parse.ts';
import { API_PREFIX, PLAIN_URL, PLAIN_URL_RULE, removeTrailingSlashes } from '../contract/paths.ts';
import { UsageError } from '../errors.ts';

/** An option of a library function and, if it has flags, of the command line and the configuration file. */
export interface Option<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly flags?: string;
  readonly group?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** `option('--port <n>', 'port to listen on', integer(0, 65_535).default(3000))` */
export const option = <S extends z.ZodType>(
  flags: string,
  about: string,
  schema: S,
): Option<S> => ({
  flags,
  schema: schema.describe(about),
});

/** An option without a value: false by default, or true for `--no-…`. */
export const flag = (flags: string, about: string) =>
  option(flags, about, z.boolean().default(flags.startsWith('--no-')));

export const codeOnly = <T>() => ({ schema: z.custom<T>().optional() });

export const inGroup = <O extends Options>(group: string, options: O): O =>
  Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, group }]),
  ) as O;

/** `--base-url <url>` → `base-url`; `--no-downloads` → `downloads`. */
export const parseFlag = (flags: string): string => /^--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';

/** @throws UsageError with the name of an option, variable or argument */
export function parseValue<S extends z.ZodType>(
  schema: S,
  given: unknown,
  name: string,
): z.output<S> {
  const { data, error } = schema.safeParse(given);
  const [issue] = error?.issues ?? [];
  if (!issue) return data as z.output<S>;
  throw new UsageError(describeIssue(issue, given), { option: name });
}

const expect =
  (expected: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    `got ${typeof input === 'number' ? input : formatValue(input)}, expected ${expected}`;

export const oneOf = <const T extends string>(names: readonly T[]) =>
  z.enum(names, { error: expect(`one of ${names.join(', ')}`) });

export function integer(from: number, to: number) {
  const error = expect(`an integer from ${from} to ${to}`);
  return z.int({ error }).min(from, { error }).max(to, { error });
}

const percentRule = { error: expect('a percentage from 0 to 100') };
export const percentage = z.number(percentRule).min(0, percentRule).max(100, percentRule);

export const text = (isValid: (given: string) => boolean, expected: string) =>
  z.string().refine(isValid, { error: expect(expected) });

/** Text that is not empty. An empty path would mean the working folder. */
export function required(expected: string) {
  const error = expect(expected);
  return z.string({ error }).min(1, { error });
}

/** An http URL without credentials, query, fragment or trailing slash. */
export const httpUrl = z.string().transform((given, { issues }) => {
  const reject = (message: string) => {
    issues.push({ code: 'custom', input: given, message });
    return z.NEVER;
  };
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const got = `got ${JSON.stringify(maskCredentials(given))}, expected`;
  if (!url || !/^https?:$/.test(url.protocol)) return reject(`${got} an http or https URL`);
  if (url.port === '0') return reject(`${got} a URL with a port from 1 to 65535`);
  if (url.username || url.password || /[?#]/.test(url.href))
    return reject('got a URL with credentials, a query or a fragment, expected one without');
  return removeTrailingSlashes(url.href);
});

export const plainUrl = httpUrl.refine((url) => PLAIN_URL.test(url), {
  error: expect(PLAIN_URL_RULE),
});

/** Replaces everything before the last `@` in the first part of a URL that contains one. */
export function maskCredentials(url: string): string {
  const parts = url.split('/');
  const at = parts.findIndex((part) => part.includes('@'));
  const part = parts[at];
  if (part === undefined) return url;
  parts[at] = `…${part.slice(part.lastIndexOf('@'))}`;
  return parts.join('/');
}

/** Returns a hint if a URL is below the base URL of a site. */
export function hintAtBaseUrl(target: string): string[] {
  const [base, inside] = `${target}/`.split(API_PREFIX);
  if (inside === undefined || !base) return [];
  return [`hint: Use the base URL of the site, such as ${maskCredentials(base)}.`];
}
