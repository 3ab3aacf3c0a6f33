import * as z from 'zod';
import { GamedataError } from '../errors.ts';
import { truncate } from './words.ts';

/**
 * Stops at the first problem. Otherwise, zod would collect millions of issues for a
 * malicious list.
 */
const FIRST_PROBLEM: { readonly jitless?: boolean; readonly abortEarly: true } = {
  abortEarly: true,
};

/** The location of an invalid value. */
export interface DataLocation {
  readonly kind?: string;
  /** A record, or the path or URL of a file. */
  readonly record?: string;
  readonly field?: string;
}

/**
 * The maximum length of each part of a location, in characters. We need a limit because
 * the upstream may send a slug of any length.
 */
const MAX_PART = 200;

/** Formats the start of a message, such as `move › pound › name: `. */
export function formatPlace({ kind, record, field }: DataLocation): string {
  const parts: string[] = [];
  for (const part of [kind, record, field]) {
    // The field is empty if the problem concerns the whole value.
    if (part) parts.push(truncate(part, MAX_PART));
  }
  return parts.length === 0 ? '' : `${parts.join(' › ')}: `;
}

/**
 * Validates a value with a schema.
 *
 * @throws GamedataError for the first problem, with the value and its location
 */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: DataLocation,
  hint?: string,
): z.infer<S> {
  const result = schema.safeParse(value, FIRST_PROBLEM);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw result.error;
  const problem = describeIssue(issue, value);
  const field = z.core.toDotPath(issue.path);
  const place = formatPlace({ ...location, field });
  throw new GamedataError('data', `${place}${problem}`, { hint });
}

/**
 * Describes a validation problem in the form `got "x", expected number`.
 *
 * @param value the whole value that was validated, to which the path of the issue
 * refers
 */
export function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  const { message, path } = issue;
  // Messages from our own schemas may already include the value.
  if (message.startsWith('got ')) return message;
  const invalidValue = formatValue(valueAt(value, path));
  // The message may quote a long key from the input.
  const text = truncate(removeType(message), 200);
  const isExpectation = text.startsWith('expected ');
  return isExpectation
    ? `got ${invalidValue}, ${text}`
    : `got ${invalidValue}: ${text}`;
}

/**
 * Shortens a zod message, such as `Invalid input: expected number, received string`, to
 * `expected number`. We report the value instead of its type.
 */
function removeType(message: string): string {
  const withoutPrefix = message.replace(/^[\w ]+: (?=expected )/, '');
  // We split the message because the expression `/, received .*$/` would take quadratic
  // time for a long one.
  const [expectation = ''] = withoutPrefix.split(', received ', 1);
  return expectation;
}

/** Parses JSON. Returns undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON from a string or from a file's bytes, with or without a byte order mark.
 *
 * @throws SyntaxError with the JavaScript engine's message
 */
export function parseJsonOrThrow(source: string | Uint8Array): unknown {
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as SyntaxError;
    throw new SyntaxError(`got invalid JSON: ${message}`, { cause });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('got another encoding, expected UTF-8', { cause });
  }
}

/**
 * Parses a file's JSON text.
 *
 * @param record the name of the file, for the error message
 * @throws GamedataError if the text is not valid JSON
 */
export function parseJsonRecord(
  json: string | Uint8Array,
  record: string,
  hint?: string,
): unknown {
  try {
    return parseJsonOrThrow(json);
  } catch (cause) {
    const { message } = cause as SyntaxError;
    throw new GamedataError('data', `${record}: ${message}`, { cause, hint });
  }
}

/** Returns the nested value at a path, or undefined if there is no such value. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = Reflect.get(inner, key);
  }
  return inner;
}

/** Formats a value as JSON, truncated to 80 characters. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    return truncate(JSON.stringify(value), 80);
  } catch {
    // `JSON.parse` accepts deeper nesting than `JSON.stringify`.
    return 'a value nested too deeply to show';
  }
}

/**
 * Creates a schema similar to `z.record`, which would collect millions of problems in a
 * malicious file. Unlike `z.record`, this schema stops at the first problem and does
 * not transform values.
 */
export function createMapSchema<K extends z.ZodType<string>, V extends z.ZodType>(
  keySchema: K,
  valueSchema: V,
) {
  return z
    .custom<Record<string, z.infer<V>>>(isPlainObject, 'expected an object')
    .superRefine((map, context) => {
      for (const [key, value] of Object.entries(map)) {
        const issue = findIssue(keySchema, key) ?? findIssue(valueSchema, value);
        if (!issue) continue;
        context.addIssue({
          code: 'custom',
          message: issue.message,
          path: [key, ...issue.path],
        });
        return;
      }
    });
}

/** Returns the first problem with a value, or undefined if the value is valid. */
function findIssue(schema: z.ZodType, value: unknown): z.core.$ZodIssue | undefined {
  const { error } = schema.safeParse(value);
  return error?.issues[0];
}

export function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
