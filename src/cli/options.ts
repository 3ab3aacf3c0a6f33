/** Options as schemas: types, defaults, checks, the command line, help and the configuration's schema follow from them. */

import * as z from 'zod';
import { UsageError } from '../errors.ts';
import { checkValue } from './checks.ts';

/** An option of a function and, if it has flags, of the command line and the configuration. */
export interface Option<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** As commander reads them: `--out <dir>`, `--skip <record...>`, `--no-names`. */
  readonly flags?: string;
  /** The heading under which help lists it. */
  readonly group?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What callers may pass: every option is optional. */
export type Given<O extends Options> = {
  readonly [Name in keyof O]?: z.input<O[Name]['schema']> | undefined;
};

/** The same after defaults and checks. */
export type Checked<O extends Options> = { readonly [Name in keyof O]: z.output<O[Name]['schema']> };

/** `option('--port <n>', 'port to listen on', integer(0, 65_535).default(3000))` */
export const option = <S extends z.ZodType>(flags: string, about: string, schema: S): Option<S> => ({
  flags,
  schema: schema.describe(about),
});

/** An option that is false unless it is given, or true for `--no-…`. */
export const flag = (flags: string, about: string) =>
  option(flags, about, z.boolean().default(flags.startsWith('--no-')));

/** An option that only code can pass, such as a signal. */
export const inCode = <T>() => ({ schema: z.custom<T>().optional() });

export const inGroup = <O extends Options>(group: string, options: O): O =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, group }])) as O;

/** `--base-url <url>` → `base-url`; `--no-downloads` → `downloads`. */
export const parseFlag = (flags: string): string => /^--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '';

/** @throws UsageError if an option is unknown, as in `build({ sorce: 'csv' })` */
export function rejectUnknown<O extends Options>(options: O, given: Given<O>): void {
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`options: got ${JSON.stringify(given) ?? 'nothing'}, expected an object`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(options, name));
  if (unknown === undefined) return;
  const known = Object.keys(options).join(', ');
  throw new UsageError(`got the option ${JSON.stringify(unknown)}, expected one of ${known}`);
}

/**
 * Applies defaults and checks.
 *
 * @throws UsageError if an option is unknown or invalid
 */
export function checkOptions<O extends Options>(options: O, given: Given<O>): Checked<O> {
  rejectUnknown(options, given);
  const checked = Object.entries(options).map(([name, { flags = '', schema }]) => [
    name,
    checkValue(schema, given[name], flags === '' ? name : `--${parseFlag(flags)}`),
  ]);
  return Object.fromEntries(checked) as Checked<O>;
}

/** Removed options → what replaces them. */
export const removedOptions: ReadonlyMap<string, string> = new Map([
  [
    'on-change',
    `Run the command from the shell:
  gamedata build --json > report.json
  grep -q '"changed":true' report.json && <command>`,
  ],
]);
