/** Options as rows: the command line, help, types, checks and the configuration's schema follow from them. */

import { UsageError } from '../errors.ts';
import { oneOf } from './checks.ts';

/** An option of a function and, if it has flags, of the command line. */
export interface Option<Given, Value> {
  /** As commander reads them: `--out <dir>`, `--skip <record...>`, `--no-names`. */
  readonly flags?: string;
  readonly about?: string;
  /** The heading under which help lists it. */
  readonly group?: string;
  readonly choices?: readonly string[];
  /** Former choices, which are still accepted → what replaces them. */
  readonly replaced?: ReadonlyMap<string, string>;
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

/** Whoever has no type checker would not notice `build({ sorce: 'csv' })`. */
export function refuseUnknown<O extends Options>(options: O, given: Given<O>): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name));
  if (unknown === undefined) return;
  const known = Object.keys(options).join(', ');
  throw new UsageError(`got the option ${JSON.stringify(unknown)}, expected one of ${known}`);
}

/** Applies defaults and checks; refuses unknown options. */
export function checkOptions<O extends Options>(options: O, given: Given<O>): Checked<O> {
  refuseUnknown(options, given);
  const checked = Object.entries(options).map(([name, option]) => {
    const value = given[name] ?? option.default;
    return [name, value === undefined ? undefined : option.check(value, `--${flagOf(option)}`)];
  });
  return Object.fromEntries(checked) as Checked<O>;
}

/** `--base-url <url>` → `base-url`; `--no-downloads` → `downloads`. */
export const flagOf = ({ flags = '' }: Pick<Option<unknown, unknown>, 'flags'>): string =>
  /^--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';

/** `--base-url <url>` → `baseUrl`, as commander calls it. */
export const attributeOf = (option: Pick<Option<unknown, unknown>, 'flags'>): string =>
  flagOf(option).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

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
