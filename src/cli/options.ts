import * as z from 'zod';
import { describeIssue, formatValue } from '../contract/parse.ts';
import {
  PLAIN_URL,
  PLAIN_URL_RULE,
  removeTrailingSlashes,
} from '../contract/paths.ts';
import { GamedataError } from '../errors.ts';

/** An option of a library function. */
export interface Option<S extends z.ZodType = z.ZodType> {
  /** Validates a value, and provides the default. */
  readonly schema: S;
  /**
   * The option on the command line and in the configuration file. Undefined for a
   * callback or an argument.
   */
  readonly cli?: CliForm;
}

export interface CliForm {
  /** The name and the value in commander's notation, such as `--port <n>`. */
  readonly flags: string;
  readonly about: string;
  /** The heading of the option in the help. */
  readonly group?: string;
  readonly choices?: readonly string[] | undefined;
  /** Returns the name of the environment variable that also sets the option. */
  readonly env?: () => string;
  /** Converts text from the command line to a value that the schema validates. */
  readonly convert?: (text: string, previous: unknown) => unknown;
}

export type Options = Readonly<Record<string, Option>>;

/** Defines an option with a value. */
export const option = <S extends z.ZodType>(
  flags: string,
  about: string,
  schema: S,
  more: Pick<CliForm, 'choices' | 'env' | 'convert'> = {},
): Option<S> => ({ schema: schema.describe(about), cli: { flags, about, ...more } });

/**
 * Defines an option with a number: `numeric('--port <n>', 'port to listen on',
 * integer(0, 65_535).default(3000))`
 */
export const numeric = <S extends z.ZodType>(
  flags: string,
  about: string,
  schema: S,
  more: Pick<CliForm, 'env'> = {},
): Option<S> => option(flags, about, schema, { ...more, convert: readNumber });

/** Defines an option with a list of words, separated by spaces or commas. */
export const list = <S extends z.ZodType>(
  flags: string,
  about: string,
  schema: S,
): Option<S> => option(flags, about, schema, { convert: addWords });

/** Defines an option without a value. */
export const flag = (flags: string, about: string) =>
  option(flags, about, z.boolean().default(false));

/**
 * Defines an option that exists only in the library function, such as a callback.
 */
export const codeOnly = <T>() => ({ schema: z.custom<T>().optional() });

/** Sets the heading of options in the help. */
export function inGroup<O extends Options>(group: string, options: O): O {
  const grouped: Record<string, Option> = {};
  for (const [name, { schema, cli }] of Object.entries(options)) {
    grouped[name] = cli ? { schema, cli: { ...cli, group } } : { schema };
  }
  return grouped as O;
}

/**
 * Converts decimal text to a number. Other text is returned unchanged, because the
 * schema reports it together with the expected number.
 */
function readNumber(text: string): unknown {
  const isDecimal = /^-?\d+(?:\.\d+)?$/.test(text);
  return isDecimal ? Number(text) : text;
}

/** Adds the words of a list such as `item/1,item/2` to the previous ones. */
function addWords(text: string, previous: unknown): string[] {
  const previousWords = Array.isArray(previous) ? previous : [];
  return [...previousWords, ...text.split(',')];
}

/** Returns the name of a flag: `base-url` for `--base-url <url>`. */
export const parseFlag = (flags: string): string =>
  /^--([a-z-]+)/.exec(flags)?.[1] ?? '';

/**
 * Parses a value, or throws an error that names the option, variable or argument.
 *
 * @throws GamedataError
 */
export function parseValue<S extends z.ZodType>(
  schema: S,
  value: unknown,
  name: string,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw result.error;
  throw new GamedataError('usage', `${name}: ${describeIssue(issue, value)}`);
}

/**
 * Creates a schema's error function. It returns a message such as `got X, expected
 * Y`.
 */
function expect(expected: string) {
  return ({ input }: { readonly input?: unknown }): string => {
    // `formatValue` would print NaN as null.
    const got = typeof input === 'number' ? input : formatValue(input);
    return `got ${got}, expected ${expected}`;
  };
}

export const oneOf = <const T extends string>(names: readonly T[]) =>
  z.enum(names, { error: expect(`one of ${names.join(', ')}`) });

export function integer(from: number, to: number) {
  const error = expect(`an integer from ${from} to ${to}`);
  return z.int({ error }).min(from, { error }).max(to, { error });
}

const percentRule = { error: expect('a percentage from 0 to 100') };
export const percentage = z
  .number(percentRule)
  .min(0, percentRule)
  .max(100, percentRule);

export const text = (isValid: (value: string) => boolean, expected: string) =>
  z.string().refine(isValid, { error: expect(expected) });

/** A schema for a non-empty string. An empty path would mean the working folder. */
export function required(expected: string) {
  const error = expect(expected);
  return z.string({ error }).min(1, { error });
}

/**
 * A schema for http and https URLs without credentials, query or fragment. It
 * removes trailing slashes.
 */
export const httpUrl = z.string().transform((address, { issues }) => {
  const problem = findUrlProblem(address);
  if (problem !== undefined) {
    issues.push({ code: 'custom', input: address, message: problem });
    return z.NEVER;
  }
  return removeTrailingSlashes(new URL(address).href);
});

/**
 * Describes why `httpUrl` does not accept a URL. Returns undefined if it does. Credentials
 * are not quoted, because others may read the logs.
 */
function findUrlProblem(address: string): string | undefined {
  const got = `got ${JSON.stringify(maskCredentials(address))}`;
  if (!URL.canParse(address)) return `${got}, expected an http or https URL`;
  const { protocol, port, username, password, href } = new URL(address);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  if (!isHttp) return `${got}, expected an http or https URL`;
  if (port === '0') return `${got}, expected a URL with a port from 1 to 65535`;
  const hasCredentials = username !== '' || password !== '';
  // `search` and `hash` are empty for a URL that ends with `?` or `#`, so we check `href`.
  const hasQueryOrFragment = /[?#]/.test(href);
  if (hasCredentials || hasQueryOrFragment) {
    return 'got a URL with credentials, a query or a fragment, expected one without';
  }
  return undefined;
}

export const plainUrl = httpUrl.refine((url) => PLAIN_URL.test(url), {
  error: expect(PLAIN_URL_RULE),
});

/**
 * Hides the credentials in a URL: `https://user:password@example.org/` becomes
 * `https://…@example.org/`. The URL may be invalid, so we look for the first part
 * between slashes that contains an `@`.
 */
export function maskCredentials(url: string): string {
  const parts = url.split('/');
  const index = parts.findIndex((part) => part.includes('@'));
  const authority = parts[index];
  if (authority === undefined) return url;
  const afterCredentials = authority.slice(authority.lastIndexOf('@'));
  parts[index] = `…${afterCredentials}`;
  return parts.join('/');
}
