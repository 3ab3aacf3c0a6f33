interface ErrorOptions {
  readonly cause?: unknown;
  /** An imperative that says what the user can do. */
  readonly hint?: string | undefined;
}

/**
 * The part that failed. `usage`: an option, an argument or an environment variable;
 * `upstream`: a request; `data`: invalid data; `guard`: valid data that loses or
 * changes too much, so that the operator must decide; `output`: a file or folder.
 */
export type GamedataErrorCode = 'usage' | 'upstream' | 'data' | 'guard' | 'output';

/**
 * An expected failure. The message says what failed and where, and the received and
 * expected values. Any other error is a bug.
 */
export class GamedataError extends Error {
  readonly code: GamedataErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: GamedataErrorCode,
    message: string,
    { cause, hint }: ErrorOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'GamedataError';
    this.code = code;
    this.hint = hint;
  }
}

export const isExpected = (
  error: unknown,
  code: GamedataErrorCode,
): error is GamedataError => error instanceof GamedataError && error.code === code;

/**
 * Finds the code of an error or of its cause, such as ENOENT. Returns an empty
 * string if neither has a code.
 */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return errorCode(error.cause);
}

/**
 * Describes why a file or folder could not be read, such as `does not exist` or
 * `cannot be read (EACCES)`.
 */
export function describeReadFailure(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'does not exist';
  const reason = code || (error as Error).message;
  return `cannot be read (${reason})`;
}
