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

export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly status?: number | undefined;
  readonly location?: string | undefined;
  readonly edition?:
    | Readonly<Record<'hash' | 'deployed', string>>
    | null
    | undefined;
  readonly attempts: number;
  /**
   * Whether the upstream itself never responded, because of a DNS failure, a refused
   * connection, a missing route, a timeout or a gateway error.
   */
  readonly unreachable: boolean;
}

export class UpstreamError extends GamedataError {
  readonly code = 'upstream';
  readonly problem: string;
  readonly request: FailedRequest;

  constructor(problem: string, request: FailedRequest, options: ErrorOptions = {}) {
    const tries = request.attempts === 1 ? '' : ` (${request.attempts} attempts)`;
    super(`${request.method} ${request.url}: ${problem}${tries}`, options);
    this.problem = problem;
    this.request = request;
  }
}

export type DataLocation = Readonly<
  Partial<Record<'kind' | 'record' | 'field', string | undefined>>
>;

export class DataError extends GamedataError {
  readonly code: 'data' | 'guard' = 'data';
  readonly problem: string;
  readonly location: DataLocation;

  constructor(problem: string, location: DataLocation, options: ErrorOptions = {}) {
    const parts = [location.kind, location.record, location.field];
    const place = parts.filter((part) => part !== undefined).join(' › ');
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

/**
 * Returns a hint if WebAssembly could not reserve memory. Node's HTTP clients need
 * WebAssembly, which reserves gigabytes of address space. Some machines allow less
 * (`ulimit -v`).
 */
export function findWasmHint(error: unknown): string | undefined {
  if (!(error instanceof RangeError)) return undefined;
  if (!/^WebAssembly\..*Out of memory/s.test(error.message)) return undefined;
  return 'Set NODE_OPTIONS=--disable-wasm-trap-handler, or raise the limit on address space (ulimit -v).';
}
