import type { RequestStats } from '../upstream/transport.ts';

/**
 * The progress of one part of a verification. That part either checks a site's files
 * or sends the requests for the guarantees.
 */
export interface VerifyProgress {
  readonly done: number;
  /** 0 until the total is determined. */
  readonly total: number;
  /** Undefined if a folder is verified. */
  readonly requests: Readonly<RequestStats> | undefined;
  /** The time when this part started, as returned by `performance.now()`. */
  readonly started: number;
}

export type OnVerifyProgress = (progress: VerifyProgress) => void;
