/** Commands and options as data: the command line, help, types, checks and the configuration's schema follow from their declarations. */

import { PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
import { type GamedataError, UsageError } from '../errors.ts';
import type { Reporter } from './reporter.ts';

/** An option of a function and, if it has flags, of the command line. */
export interface Option<Given, Value> {
  /** As commander reads them: `--out <dir>`, `--skip <record...>`, `--no-names`. */
  readonly flags?: string;
  readonly about?: string;
  /** The heading under which help lists it. */
  readonly group?: string;
  readonly choices?: readonly string[];
  readonly isNumber?: boolean;
  /** Whether `--no-…` gives false instead of a value. */
  readonly canBeOff?: boolean;
  readonly default?: Given;
  /** Throws `UsageError` with what was given and expected. */
  check(given: Given, name: string): Value;
}

export type Options = Readonly<Record<string, Option<unknown, unknown>>>;

/** What callers may pass: every option is optional. */
export type Given<O extends Options> = {
  readonly [Name in keyof O]?: Parameters<O[Name]['check']>[0] | undefined;
};

/** The same after defaults and checks. */
export type Checked<O extends Options> = {
  readonly [Name in keyof O]:
    | ReturnType<O[Name]['check']>
    | (O[Name] extends { default: unknown } ? never : undefined);
};

/** Applies defaults and checks. Whoever has no type checker would not notice `build({ sorce: 'csv' })`, so unknown options are refused. */
export function checkOptions<O extends Options>(options: O, given: Given<O>): Checked<O> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name));
  if (unknown !== undefined) {
    const known = Object.keys(options).join(', ');
    throw new UsageError(`got the option ${JSON.stringify(unknown)}, expected one of ${known}`);
  }
  const checked = Object.entries(options).map(([name, option]) => {
    const value = given[name] ?? option.default;
    return [name, value === undefined ? undefined : option.check(value, `--${flagOf(option)}`)];
  });
  return Object.fromEntries(checked) as Checked<O>;
}

/** `--base-url <url>` → `base-url`; `--no-downloads` → `downloads`. */
export const flagOf = ({ flags = '' }: Pick<Option<unknown, unknown>, 'flags'>): string =>
  /^--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';

const asGiven = <T>(given: T): T => given;

export const text = (
  flags: string,
  about: string,
  check: (given: string, name: string) => string = asGiven,
): Option<string, string> => ({ flags, about, check });

/** False unless it is given, or true for `--no-…`. */
export const flag = (flags: string, about: string) =>
  withDefault(flags.startsWith('--no-'), { flags, about, check: asGiven<boolean> });

export const choice = <T extends string>(
  flags: string,
  about: string,
  choices: readonly T[],
): Option<T, T> => ({
  flags,
  about: `${about}: ${choices.join(', ')}`,
  choices,
  check: (given, name) => oneOf(given, name, choices),
});

export const list = <T extends string, V>(
  flags: string,
  about: string,
  check: (given: readonly T[], name: string) => V,
): Option<readonly T[], V> => ({ flags, about, check });

export const integer = (
  flags: string,
  about: string,
  { from, to }: Readonly<Record<'from' | 'to', number>>,
): Option<number, number> => ({
  flags,
  about,
  isNumber: true,
  check(given, name) {
    if (Number.isInteger(given) && given >= from && given <= to) return given;
    throw new UsageError(`${name}: got ${given}, expected an integer from ${from} to ${to}`);
  },
});

/** What only code can pass, such as a signal. */
export const inCode = <T>(): Option<T, T> => ({ check: asGiven<T> });

export const withDefault = <G, V>(value: NoInfer<G>, option: Option<G, V>) => ({ ...option, default: value });

export const inGroup = <O extends Options>(group: string, options: O): O =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, group }])) as O;

export function oneOf<T extends string>(given: string, name: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === given);
  if (found !== undefined) return found;
  throw new UsageError(`${name}: got ${JSON.stringify(given)}, expected one of ${known.join(', ')}`);
}

/** An http URL without credentials, query, fragment or trailing slash. */
export function address(given: string, name: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name}: got ${JSON.stringify(masked(given))}, expected an http or https URL`);
  if (url.username || url.password || /[?#]/.test(url.href))
    throw new UsageError(`${name}: got a URL with credentials, a query or a fragment, expected one without`);
  return url.href.replace(/\/+$/, '');
}

/** The same for what becomes part of host configuration, such as the base URL of a site. */
export function plainUrl(given: string, name: string): string {
  const url = address(given, name);
  if (PLAIN_URL.test(url)) return url;
  throw new UsageError(`${name}: got ${JSON.stringify(url)}, expected ${PLAIN_URL_RULE}`);
}

/** A URL as errors may show it: what precedes an @ may be a password. */
export const masked = (url: string): string => url.replace(/[^/]*@/, '…@');

/** A command; each is a file in `commands/`. */
export interface Command<O extends Options> {
  readonly summary: string;
  readonly description: string;
  /** `[dir]` → what it is and, if it has one, its default. */
  readonly arguments?: Readonly<Record<string, readonly [about: string, value?: string]>>;
  /** Those of the command line alone about output, which the function below does not take. */
  readonly presentation: Options;
  readonly options: O;
  /** True for work that has nothing to tidy up: SIGINT and SIGTERM end it at once, whatever it is waiting for. */
  readonly endsAtOnce?: boolean;
  /** Does the work, and prints what it came to. The first SIGINT or SIGTERM aborts the signal. */
  run(context: Context<O>, ...args: string[]): Promise<Outcome>;
  /** Lines for after a failure, or after an interruption (undefined): what was kept, and how to go on. */
  kept?(options: Given<O>, failure: GamedataError | undefined, ...args: string[]): readonly string[];
}

export interface Context<O extends Options> {
  readonly options: Given<O>;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/** A command's report for `--json`, and its exit code if that is another than 0. */
export interface Outcome {
  readonly output?: object;
  readonly exitCode?: number;
}

/** Lets the compiler infer what the options are. */
export const declare = <O extends Options>(declaration: Command<O>): Command<O> => declaration;

export const quietOption = inGroup('Common:', { quiet: flag('--quiet', 'print only problems') });

/** For a command that has a report. */
export const reportOptions = {
  ...inGroup('Common:', { json: flag('--json', 'print the report as JSON on stdout') }),
  ...quietOption,
};
