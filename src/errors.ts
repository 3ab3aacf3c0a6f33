/** One family of errors: whatever can be expected to go wrong is one of these four, everything else is a bug. */

/** An expected failure. `message` says what failed, where, what came and what was expected; `hint` what to do. */
export abstract class GamedataError extends Error {
  abstract readonly code: 'usage' | 'upstream' | 'data' | 'output';
  readonly hint: string | undefined;

  constructor(message: string, options: { cause?: unknown; hint?: string | undefined } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** Thrown where an option, an argument or an environment variable cannot be used. Exit code 2. */
export class UsageError extends GamedataError {
  readonly code = 'usage';
}

/** What an `UpstreamError` knows of the request that failed. */
export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** The last answer's status; undefined where none came. */
  readonly status?: number | undefined;
  /** Where a redirect led; undefined where the answer was none. */
  readonly location?: string | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
  /** True where nothing has ever come back: name not resolved, refused, no route, time-out. */
  readonly unreachable: boolean;
}

/** Thrown where the upstream cannot be reached, or answers with a status or a body that is of no use. */
export class UpstreamError extends GamedataError {
  readonly code = 'upstream';
  readonly request: FailedRequest;

  constructor(
    problem: string,
    request: FailedRequest,
    options: { cause?: unknown; hint?: string | undefined } = {},
  ) {
    const tries = request.attempts === 1 ? '' : ` (${request.attempts} attempts)`;
    super(`${request.method} ${request.url}: ${problem}${tries}`, options);
    this.request = request;
  }
}

/** Which part of a data set is wrong. */
export interface DataLocation {
  readonly kind?: string | undefined;
  /** The record's slug or id, or the file and line where there is no such thing. */
  readonly record?: string | undefined;
  /** The field's path, such as `names[0].language`. */
  readonly field?: string | undefined;
}

/** Thrown where data is not what the contract needs: a missing field, a repeated id, too few records. */
export class DataError extends GamedataError {
  readonly code = 'data';
  readonly location: DataLocation;

  constructor(
    problem: string,
    location: DataLocation,
    options: { cause?: unknown; hint?: string | undefined } = {},
  ) {
    const where = [location.kind, location.record, location.field].filter((part) => part !== undefined);
    super(where.length > 0 ? `${where.join(' › ')}: ${problem}` : problem, options);
    this.location = location;
  }
}

/** Thrown where a file or folder cannot be read, written or replaced. */
export class OutputError extends GamedataError {
  readonly code = 'output';
  readonly path: string;

  constructor(problem: string, path: string, options: { cause?: unknown; hint?: string | undefined } = {}) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
}

/** The `code` of an error, of its cause or of the first of several. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return errorCode(error.cause);
}
