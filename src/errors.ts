/** The errors that users may see: each expected failure is one of these, and anything else is a bug. */

export interface ErrorOptions {
  readonly cause?: unknown;
  readonly hint?: string | undefined;
}

/** An expected failure. `message` says what failed, where, what was found and what was expected; `hint` what to do. */
export abstract class GamedataError extends Error {
  abstract readonly code: 'usage' | 'upstream' | 'data' | 'guard' | 'output';
  readonly hint: string | undefined;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }
}

/** Thrown for an invalid option, argument or environment variable. Exit code 2. */
export class UsageError extends GamedataError {
  readonly code = 'usage';
}

/** The request that an `UpstreamError` is about. */
export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** The status of the last response; undefined if there was none. */
  readonly status?: number | undefined;
  /** The target of a redirect. */
  readonly location?: string | undefined;
  /** The edition that the last response named. */
  readonly edition?: Readonly<Record<'hash' | 'deployed', string>> | null | undefined;
  readonly attempts: number;
  /** True if the upstream itself has never responded: name not resolved, refused, no route, time-out, a gateway's error. */
  readonly unreachable: boolean;
}

/** Thrown if the upstream cannot be reached, or responds with an unexpected status or an invalid body. */
export class UpstreamError extends GamedataError {
  readonly code = 'upstream';
  /** The message without the request and its attempts. */
  readonly problem: string;
  readonly request: FailedRequest;

  constructor(problem: string, request: FailedRequest, options: ErrorOptions = {}) {
    const tries = request.attempts === 1 ? '' : ` (${request.attempts} attempts)`;
    super(`${request.method} ${request.url}: ${problem}${tries}`, options);
    this.problem = problem;
    this.request = request;
  }
}

/** The part of a data set that is invalid. */
export interface DataLocation {
  readonly kind?: string | undefined;
  /** The record's slug or id, or else a file and line. */
  readonly record?: string | undefined;
  /** The path of the field, such as `names[0].language`. */
  readonly field?: string | undefined;
}

/** Thrown if data violates the contract: a missing field, a repeated id. */
export class DataError extends GamedataError {
  readonly code: 'data' | 'guard' = 'data';
  /** The message without the location. */
  readonly problem: string;
  readonly location: DataLocation;

  constructor(problem: string, location: DataLocation, options: ErrorOptions = {}) {
    const where = [location.kind, location.record, location.field].filter((part) => part !== undefined);
    super(where.length > 0 ? `${where.join(' › ')}: ${problem}` : problem, options);
    this.problem = problem;
    this.location = location;
  }
}

/** Thrown if data is valid, and yet not believed: too few records, or too old. Somebody has to decide. Exit code 4. */
export class GuardError extends DataError {
  override readonly code = 'guard';
}

/** Thrown if a file or folder cannot be read, written or replaced. */
export class OutputError extends GamedataError {
  readonly code = 'output';
  readonly path: string;
  /** The message without the path. */
  readonly problem: string;

  constructor(problem: string, path: string, options: ErrorOptions = {}) {
    super(`${path}: ${problem}`, options);
    this.path = path;
    this.problem = problem;
  }
}

/** The `code` of an error, of its cause, or of the first of several. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return errorCode(error.cause);
}

/**
 * Any call of the system may fail. Where nothing better is known, the error says which one, and where.
 *
 * @param name what the work is about, if the error names no path
 */
export function toOutputError(error: unknown, name: string): unknown {
  const { syscall, path = name } = (error ?? {}) as { syscall?: string; path?: string };
  if (error instanceof GamedataError || syscall === undefined) return error;
  return new OutputError(`cannot be used (${errorCode(error)}, ${syscall})`, path, { cause: error });
}
