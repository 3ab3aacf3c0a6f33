/** The progress of a verification. */
export interface VerifyProgress {
  /** The number of checked files or requests. */
  readonly done: number;
  /** 0 until the total is determined. */
  readonly total: number;
}

export type OnVerifyProgress = (progress: VerifyProgress) => void;
