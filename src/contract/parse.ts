import * as z from 'zod';
import { DataError, type DataLocation, type ErrorOptions } from '../errors.ts';

/** Stops at the first problem; otherwise zod would collect millions of issues for a malicious list. */
const FIRST_PROBLEM: { readonly jitless?: boolean; readonly abortEarly: true } = {
  abortEarly: true,
};

/** @throws DataError for the first problem, with the value and its location */
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
  const problem = describeIssue(issue, value);
  throw new DataError(problem, { ...location, ...(field !== '' && { field }) }, options);
}

/** `got "x", expected number` */
export function describeIssue({ message, path }: z.core.$ZodIssue, given: unknown): string {
  if (message.startsWith('got ')) return message;
  // Zod writes `Invalid input: expected number, received string`. We show the value instead of its type.
  const withoutPrefix = message.replace(/^[\w ]+: (?=expected )/, '');
  // The message may quote a long key of the input, where `/, received .*$/` would take quadratic time.
  const [expectation = ''] = withoutPrefix.split(', received ', 1);
  const text = truncate(expectation, 200);
  const separator = text.startsWith('expected ') ? ',' : ':';
  return `got ${formatValue(valueAt(given, path))}${separator} ${text}`;
}

export const parseOptional = <S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.infer<S> | undefined => schema.safeParse(value, FIRST_PROBLEM).data;

function tryParse(text: string): { readonly json?: unknown; readonly error?: SyntaxError } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { error: error as SyntaxError };
  }
}

export const parseJson = (text: string): unknown => tryParse(text).json;

/**
 * Parses JSON text, or a JSON file with or without a byte order mark.
 *
 * @throws SyntaxError with a message such as `got "…1,}" in line 1, column 9, expected JSON`
 */
export function parseJsonOrThrow(source: string | Uint8Array): unknown {
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  const { json, error: cause } = tryParse(text);
  if (!cause) return json;
  if (text === '') throw new SyntaxError('got nothing, expected JSON', { cause });
  const position = findInvalidJson(text, cause.message);
  const lines = text.slice(0, position).split('\n');
  const start = Math.max(0, position - 30);
  const [before, after] = [start > 0 ? '…' : '', position + 30 < text.length ? '…' : ''];
  const got = JSON.stringify(before + text.slice(start, position + 30) + after);
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  throw new SyntaxError(`got ${got} in ${place}, expected JSON`, { cause });
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const isUtf16 = ['255,254', '254,255'].includes(bytes.subarray(0, 2).join());
    const got = isUtf16 ? 'UTF-16' : 'another encoding';
    throw new SyntaxError(`got ${got}, expected UTF-8`, { cause });
  }
}

function findInvalidJson(text: string, message: string): number {
  const [, position] = / JSON at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  const unexpected = 'Unexpected token';
  if (!message.startsWith(unexpected)) return text.length;
  // Node omits the position of an unexpected token, which is the end of the shortest text with this message.
  let [valid, invalid] = [0, text.length];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (tryParse(text.slice(0, middle)).error?.message.startsWith(unexpected)) invalid = middle;
    else valid = middle;
  }
  return valid;
}

export function parseJsonRecord(json: string | Uint8Array, record: string, hint?: string): unknown {
  try {
    return parseJsonOrThrow(json);
  } catch (cause) {
    throw new DataError((cause as SyntaxError).message, { record }, { cause, hint });
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}

/** Formats a value as at most 80 characters of JSON. */
export function formatValue(value: unknown): string {
  try {
    return truncate(value === undefined ? 'nothing' : JSON.stringify(value), 80);
  } catch {
    // `JSON.parse` accepts deeper nesting than `JSON.stringify`.
    return 'a value nested too deeply to show';
  }
}

const truncate = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** Like `z.record`, but stops at the first problem and does not convert values. */
export const createMapSchema = <K extends z.ZodType<string>, V extends z.ZodType>(
  key: K,
  value: V,
) =>
  z
    .custom<Record<string, z.infer<V>>>(isPlainObject, 'expected an object')
    .superRefine((record, context) => {
      for (const [name, one] of Object.entries(record)) {
        const [issue] = [...findIssues(key, name), ...findIssues(value, one)];
        if (!issue) continue;
        context.addIssue({ code: 'custom', message: issue.message, path: [name, ...issue.path] });
        return;
      }
    });

const findIssues = (schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] =>
  schema.safeParse(value).error?.issues ?? [];

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
