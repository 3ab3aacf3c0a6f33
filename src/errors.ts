import { truncate } from './contract/words.ts';

export interface ErrorOptions {
  readonly cause?: unknown;
  readonly hint?: string | undefined;
}

/**
 * An expected failure. The message states the problem, where it occurred, and the
 * received and expected values. Any other error is a bug.
 */
export abstract class GamedataError extends Error {
  abstract readonly code: 'usage' | 'upstream' | 'data' | 'guard' | 'output';
  readonly hint: string | undefined;

  constructor(message: string, { cause, hint }: ErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** Thrown for an invalid option, argument or environment variable. Exit code 2. */
export class UsageError extends GamedataError {
  readonly code = 'usage';
  readonly problem: string;
  /**
   * The option or environment variable with the invalid value, such as `--port` or
   * `BASE_URL`. Undefined if the error is not about an option.
   */
  readonly option: string | undefined;

  constructor(
    problem: string,
    options: ErrorOptions & { readonly option?: string } = {},
  ) {
    const { option } = options;
    super(option === undefined ? problem : `${option}: ${problem}`, options);
    this.problem = problem;
    this.option = option;
  }
}

/**
 * Why an upstream could not be read. `connection`: no complete response arrived, so
 * other requests would probably fail as well. `response`: the upstream responded,
 * but not with what was expected. `edition`: the response is from another edition
 * than the others.
 */
export type UpstreamFailure = 'connection' | 'response' | 'edition';

interface UpstreamErrorOptions extends ErrorOptions {
  /**
   * The failed request, such as `GET https://example.org/`. Undefined if several
   * requests failed.
   */
  readonly request?: string;
  /** The unexpected status, if that is the reason. */
  readonly status?: number | undefined;
  /** The default is `response`. */
  readonly failure?: UpstreamFailure;
}

export class UpstreamError extends GamedataError {
  readonly code = 'upstream';
  readonly request: string | undefined;
  readonly status: number | undefined;
  readonly failure: UpstreamFailure;

  constructor(problem: string, options: UpstreamErrorOptions = {}) {
    const { request, status, failure = 'response' } = options;
    super(request === undefined ? problem : `${request}: ${problem}`, options);
    this.request = request;
    this.status = status;
    this.failure = failure;
  }
}

/** In characters. The upstream may send a slug of any length. */
const MAX_PART = 200;

export type DataLocation = Readonly<
  Partial<Record<'kind' | 'record' | 'field', string | undefined>>
>;

export class DataError extends GamedataError {
  readonly code: 'data' | 'guard' = 'data';
  readonly problem: string;
  readonly location: DataLocation;

  constructor(problem: string, location: DataLocation, options: ErrorOptions = {}) {
    const parts: string[] = [];
    for (const part of [location.kind, location.record, location.field]) {
      if (part !== undefined) parts.push(truncate(part, MAX_PART));
    }
    const place = parts.join(' › ');
    super(place === '' ? problem : `${place}: ${problem}`, options);
    this.problem = problem;
    this.location = location;
  }
}

/**
 * Thrown if valid data is implausible, for example because there are too few records
 * or the data is old. The operator must decide how to proceed. Exit code 4.
 */
export class GuardError extends DataError {
  override readonly code = 'guard';
}

export class OutputError extends GamedataError {
  readonly code = 'output';
  readonly path: string;
  readonly problem: string;

  constructor(problem: string, path: string, options: ErrorOptions = {}) {
    super(`${path}: ${problem}`, options);
    this.path = path;
    this.problem = problem;
  }
}

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
 *
 * @param problem the description of every failure except a missing file
 */
export function describeReadFailure(
  error: unknown,
  problem = 'cannot be read',
): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'does not exist';
  const reason = code || (error as Error).message;
  return `${problem} (${reason})`;
}
