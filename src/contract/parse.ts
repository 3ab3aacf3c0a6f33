/** Parsing input from outside: what does not fit a schema becomes an error that says where. */

import * as z from 'zod';
import { DataError, type DataLocation, type ErrorOptions } from '../errors.ts';

/** Returns the parsed value. Throws `DataError` for the first problem, with what was found and what was expected. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: Omit<DataLocation, 'field'>,
  options: Pick<ErrorOptions, 'hint'> = {},
): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw result.error;
  const field = z.core.toDotPath(issue.path);
  const got = show(valueAt(value, issue.path));
  const problem = `got ${got}: ${issue.message.replace(/^Invalid input: /, '')}`;
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
export function show(value: unknown): string {
  try {
    const text = value === undefined ? 'nothing' : JSON.stringify(value);
    return text.length > 80 ? `${text.slice(0, 80)}…` : text;
  } catch {
    return 'a value nested too deeply to show';
  }
}
