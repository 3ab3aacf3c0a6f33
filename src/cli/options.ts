import * as z from 'zod';
import { formatValue } from '../contract/parse.ts';
import {
  isUrl,
  PLAIN_URL,
  PLAIN_URL_RULE,
  removeTrailingSlashes,
} from '../contract/paths.ts';

/**
 * An option of a library function. Except for callbacks and arguments, every option
 * also has a flag on the command line and a key in the configuration file.
 */
export interface Option<S extends z.ZodType = z.ZodType> {
  /** Validates a value, provides the default, and describes the option. */
  readonly schema: S;
  /** The name and the value in commander's notation, such as `--port <n>`. */
  readonly flags?: string;
  /** The heading under which the help lists the option. */
  readonly group?: string;
  /** Returns the name of the environment variable that also sets the option. */
  readonly env?: () => string;
}

export type Options = Readonly<Record<string, Option>>;

/** Defines an option that takes a value. */
export const option = <S extends z.ZodType>(
  flags: string,
  about: string,
  schema: S,
  more: Pick<Option, 'env'> = {},
): Option<S> => ({ ...more, schema: schema.describe(about), flags });

/** Defines an option that takes no value. */
export const flag = (flags: string, about: string) =>
  option(flags, about, z.boolean().default(false));

/**
 * Defines an option that exists only in the library function, such as a callback.
 */
export const codeOnly = <T>() => ({ schema: z.custom<T>().optional() });

/** Sets the heading under which the help lists the options. */
export function inGroup<O extends Options>(group: string, options: O): O {
  const grouped: Record<string, Option> = {};
  for (const [name, ungrouped] of Object.entries(options)) {
    grouped[name] = { ...ungrouped, group };
  }
  return grouped as O;
}

/** Returns the name of a flag: `base-url` for `--base-url <url>`. */
export const parseFlag = (flags: string): string =>
  /^--([a-z-]+)/.exec(flags)?.[1] ?? '';

/**
 * Creates an error function for a schema, which returns messages such as `got X,
 * expected Y`.
 */
function expect(expected: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    `got ${formatValue(input)}, expected ${expected}`;
}

export const text = (pattern: RegExp, expected: string) =>
  z.string().regex(pattern, { error: expect(expected) });

/**
 * A schema for a folder. It rejects an empty path, which would mean the working
 * directory.
 */
export const folder = z.string().min(1);

/**
 * A schema for http and https URLs without credentials, query or fragment. It
 * removes trailing slashes.
 */
export const plainUrl = z
  .string()
  .transform(normalizeUrl)
  .refine((url) => PLAIN_URL.test(url), { error: expect(PLAIN_URL_RULE) });

/**
 * A schema for a folder or a URL. This URL is only requested, and never becomes part of a
 * site, so it may contain characters that the URL of a site must not contain.
 */
export const folderOrUrl = folder.transform((address, context) =>
  isUrl(address) ? normalizeUrl(address, context) : address,
);

function normalizeUrl(address: string, { addIssue }: z.RefinementCtx): string {
  const problem = findUrlProblem(address);
  if (problem === undefined) return removeTrailingSlashes(new URL(address).href);
  addIssue(problem);
  return z.NEVER;
}

/**
 * Describes why a URL is rejected. Returns undefined if the URL is accepted. The
 * description does not quote credentials, because other people may read the logs.
 */
function findUrlProblem(address: string): string | undefined {
  const got = `got ${JSON.stringify(maskCredentials(address))}`;
  if (!URL.canParse(address)) return `${got}, expected an http or https URL`;
  const { protocol, username, password, href } = new URL(address);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  if (!isHttp) return `${got}, expected an http or https URL`;
  const hasCredentials = username !== '' || password !== '';
  // `search` and `hash` are empty for a URL that ends with `?` or `#`, so we check `href`.
  const hasQueryOrFragment = /[?#]/.test(href);
  if (hasCredentials || hasQueryOrFragment) {
    return 'got a URL with credentials, a query or a fragment, expected one without';
  }
  return undefined;
}

/**
 * Hides credentials in an address: `https://user:password@example.org/` becomes
 * `…@example.org/`.
 */
export function maskCredentials(address: string): string {
  const end = address.lastIndexOf('@');
  if (end === -1) return address;
  return `…${address.slice(end)}`;
}
