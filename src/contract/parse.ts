/** Parsing input from outside: what does not fit a schema becomes an error that says where. */

import * as z from 'zod';
import { DataError, type DataLocation, type ErrorOptions } from '../errors.ts';

/** zod collects a problem for each entry of a list, and a hostile list has millions. Only zod's own `validate` documents the option. */
const FIRST_PROBLEM: { readonly jitless?: boolean; readonly abortEarly: true } = { abortEarly: true };

/** Returns the parsed value. Throws `DataError` for the first problem, with what was found and what was expected. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: Omit<DataLocation, 'field'>,
  options: Pick<ErrorOptions, 'hint'> = {},
): z.infer<S> {
  const result = schema.safeParse(value, FIRST_PROBLEM);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw result.error;
  const field = z.core.toDotPath(issue.path);
  const got = formatValue(valueAt(value, issue.path));
  const problem = `got ${got}: ${truncate(issue.message.replace(/^Invalid input: /, ''), 200)}`;
  throw new DataError(problem, { ...location, ...(field !== '' && { field }) }, options);
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path, such as an issue of a schema has; undefined if there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** A value as an error message shows it: JSON, truncated. One that can be parsed may be nested too deeply for that. */
export function formatValue(value: unknown): string {
  try {
    return truncate(value === undefined ? 'nothing' : JSON.stringify(value), 80);
  } catch {
    return 'a value nested too deeply to show';
  }
}

const truncate = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** An object with any number of keys, checked up to the first problem, for the same reason. Its values are not converted. */
export const createMapSchema = <K extends z.ZodType<string>, V extends z.ZodType>(key: K, value: V) =>
  z.custom<Record<string, z.infer<V>>>(isPlainObject, 'expected an object').superRefine((record, context) => {
    for (const [name, one] of Object.entries(record)) {
      const [issue] = [...problems(key, name), ...problems(value, one)];
      if (!issue) continue;
      context.addIssue({ code: 'custom', message: issue.message, path: [name, ...issue.path] });
      return;
    }
  });

const problems = (schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] =>
  schema.safeParse(value).error?.issues ?? [];

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
