import type { FetcherStats } from '../http/fetcher.ts';

/** How far one part of a verification is: the files of a site, or the requests of the guarantees. */
export interface VerifyProgress {
  readonly done: number;
  /** 0 until it is known. */
  readonly total: number;
  /** Undefined for a folder or an archive. */
  readonly requests: FetcherStats | undefined;
  /** When this part began, in the milliseconds of `performance.now()`. */
  readonly started: number;
}

export type OnVerifyProgress = (progress: VerifyProgress) => void;
