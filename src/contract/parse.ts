import * as z from 'zod';
import { DataError, type DataLocation, type ErrorOptions } from '../errors.ts';

/**
 * Stops at the first problem. Otherwise, zod would collect millions of issues for a
 * malicious list.
 */
const FIRST_PROBLEM: { readonly jitless?: boolean; readonly abortEarly: true } = {
  abortEarly: true,
};

/**
 * Validates a value with a schema.
 *
 * @throws DataError for the first problem, with the value and its location
 */
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
  const problem = describeIssue(issue, value);
  const field = z.core.toDotPath(issue.path);
  // If the problem concerns the whole value, the path is empty.
  const place = field === '' ? location : { ...location, field };
  throw new DataError(problem, place, options);
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
  // Zod writes `Invalid input: expected number, received string`. We report the
  // value instead of its type, so we keep only the middle part.
  const withoutPrefix = message.replace(/^[\w ]+: (?=expected )/, '');
  // The message may quote a long key from the input. With such a key, the expression
  // `/, received .*$/` would take quadratic time.
  const [expectation = ''] = withoutPrefix.split(', received ', 1);
  const text = truncate(expectation, 200);
  // A message that does not state an expectation follows a colon.
  const separator = text.startsWith('expected ') ? ',' : ':';
  const invalidValue = formatValue(valueAt(value, path));
  return `got ${invalidValue}${separator} ${text}`;
}

export const parseOptional = <S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.infer<S> | undefined => schema.safeParse(value, FIRST_PROBLEM).data;

interface ParsedJson {
  readonly json?: unknown;
  /** Undefined if the text is valid JSON. */
  readonly error?: SyntaxError;
}

function tryParse(text: string): ParsedJson {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { error: error as SyntaxError };
  }
}

export const parseJson = (text: string): unknown => tryParse(text).json;

/**
 * Parses JSON from a string or from a file's bytes, with or without a byte order
 * mark.
 *
 * @throws SyntaxError with a message such as `got "…1,}" in line 1, column 9,
 * expected JSON`
 */
export function parseJsonOrThrow(source: string | Uint8Array): unknown {
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  const { json, error: cause } = tryParse(text);
  if (!cause) return json;
  if (text === '') throw new SyntaxError('got nothing, expected JSON', { cause });
  const position = findInvalidJson(text, cause.message);
  const got = JSON.stringify(quoteAround(text, position));
  const place = describePosition(text, position);
  throw new SyntaxError(`got ${got} in ${place}, expected JSON`, { cause });
}

const QUOTED_CHARACTERS = 30;

/**
 * Returns the characters around a position, with an ellipsis where the text
 * continues.
 */
function quoteAround(text: string, position: number): string {
  const start = Math.max(0, position - QUOTED_CHARACTERS);
  const end = position + QUOTED_CHARACTERS;
  let quoted = text.slice(start, end);
  if (start > 0) quoted = `…${quoted}`;
  if (end < text.length) quoted = `${quoted}…`;
  return quoted;
}

/** Describes a position as `line 1, column 9`. */
function describePosition(text: string, position: number): string {
  const textBefore = text.slice(0, position);
  const line = textBefore.split('\n').length;
  const lineStart = textBefore.lastIndexOf('\n') + 1;
  const column = position - lineStart + 1;
  return `line ${line}, column ${column}`;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    // The file may start with the byte order mark of UTF-16.
    const [first, second] = bytes;
    const isLittleEndian = first === 0xff && second === 0xfe;
    const isBigEndian = first === 0xfe && second === 0xff;
    const got = isLittleEndian || isBigEndian ? 'UTF-16' : 'another encoding';
    throw new SyntaxError(`got ${got}, expected UTF-8`, { cause });
  }
}

const UNEXPECTED_TOKEN = 'Unexpected token';

/**
 * Finds the position at which a text stops being valid JSON. Most error messages of
 * Node include the position. Without it, the text either ends too early or contains
 * an unexpected token. In the second case, every prefix of the text that includes
 * the token fails with the same message, so a binary search finds the shortest such
 * prefix.
 */
function findInvalidJson(text: string, message: string): number {
  const [, position] = / JSON at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  if (!message.startsWith(UNEXPECTED_TOKEN)) return text.length;
  let validLength = 0;
  let invalidLength = text.length;
  while (invalidLength - validLength > 1) {
    const middle = Math.floor((validLength + invalidLength) / 2);
    const { error } = tryParse(text.slice(0, middle));
    const hasToken = error?.message.startsWith(UNEXPECTED_TOKEN) === true;
    if (hasToken) invalidLength = middle;
    else validLength = middle;
  }
  // The unexpected token starts right after the longest prefix without it.
  return validLength;
}

/**
 * Parses a file's JSON text.
 *
 * @param record the name of the file, for the error message
 * @throws DataError if the text is not valid JSON
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
    throw new DataError(message, { record }, { cause, hint });
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

/** Formats a value as JSON that is shortened to 80 characters. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    return truncate(JSON.stringify(value), 80);
  } catch {
    // `JSON.parse` accepts deeper nesting than `JSON.stringify`.
    return 'a value nested too deeply to show';
  }
}

/** Shortens a string to a number of characters, and marks the omission. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}…`;
}

/**
 * Creates a schema similar to `z.record`. It stops at the first problem and does not
 * convert values.
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
