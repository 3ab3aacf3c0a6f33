/** The border: what comes from outside is parsed here, and what does not fit becomes an error that names the place. */

import type * as z from 'zod';
import { DataError, type DataLocation } from '../errors.ts';

/** Returns `value` as the schema has it. Throws `DataError` for the first thing that does not fit: got and expected. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: Omit<DataLocation, 'field'>,
): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw result.error;
  const field = fieldPath(issue.path);
  const got = show(valueAt(value, issue.path));
  throw new DataError(`got ${got}: ${issue.message.replace(/^Invalid input: /, '')}`, {
    ...location,
    ...(field !== '' && { field }),
  });
}

/** `['names', 0, 'language']` → `names[0].language`. */
function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`),
    '',
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** A value as an error message shows it: JSON, cut short. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** What can be parsed may still be nested deeper than can be written. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'something nested too deep to show';
  }
}
